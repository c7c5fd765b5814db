// One communication between processes, by name.
#pragma once

#include "base/wire.hpp"

#include <compare>
#include <string>

namespace dri::graph {

// A send and its receive, or a whole transfer: then both ranks are -1 and the tag is its name.
struct OperationName {
    int src = -1, dest = -1;
    std::string tag;

    bool is_transfer() const { return src < 0; }
    std::string text() const {
        return is_transfer() ? fmt::format("the transfer '{}'", tag)
                             : fmt::format("the operation ({}, {}, '{}')", src, dest, tag);
    }
    friend auto operator<=>(const OperationName &, const OperationName &) = default;
};

inline void put(Writer &out, const OperationName &name) {
    out.put(name.src).put(name.dest).put(std::string_view(name.tag));
}

inline OperationName get_operation(Reader &in) {
    OperationName name;
    name.src = in.get<int>();
    name.dest = in.get<int>();
    name.tag = in.get_string();
    return name;
}

} // namespace dri::graph
