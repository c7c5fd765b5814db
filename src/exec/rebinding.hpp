// The buffer of an endpoint that moves to other memory between frames. The endpoint has one buffer, and each frame
// has an address.
#pragma once

#include "base/published.hpp"
#include "transport/shared_source.hpp"

#include <cstddef>
#include <cstdint>

namespace dri::exec {

// The thread that holds the transfer changes it. Any thread may call the functions that start with read_.
class Rebinding {
public:
    // where: as in SourceHandle, for pullers of a source.
    Rebinding(std::byte *buffer, const transport::Elsewhere &where)
        : next_(buffer), last_(buffer), where_(where) {}

    // Sets the buffer of the frames that begin after this.
    void set(std::byte *buffer, const transport::Elsewhere &where) {
        next_.publish(buffer);
        where_ = where;
    }
    // A frame begins: it is handed over, or a sink starts to wait for it. Returns its buffer.
    std::byte *begin_frame() {
        last_.publish(next_);
        begun_.publish(begun_ + 1);
        return last_;
    }
    const transport::Elsewhere &where() const { return where_; } // of the next frame

    std::byte *read_next() const { return next_.read(); } // the buffer of the next frame
    std::byte *read_last() const { return last_.read(); } // the buffer of the frame that began last
    int64_t read_begun() const { return begun_.read(); }  // number of frames that have begun

private:
    Published<std::byte *> next_, last_;
    Published<int64_t> begun_ = 0;
    transport::Elsewhere where_;
};

} // namespace dri::exec
