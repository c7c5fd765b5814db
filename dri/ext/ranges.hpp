// Ranges: Python's own `range` objects.
#pragma once

#include "handles.hpp"

#include <string>

namespace dri_python {

DRI_Range range_of(py::handle range);
py::object python_range(const DRI_Range &range);

// One range per dimension.
std::vector<DRI_Range> ranges_of(py::handle ranges);
py::tuple python_ranges(const DRI_Range ranges[], size_t ndims);

// A text of the library, however long it is: query(text, n) writes at most n bytes.
template <typename Query> py::str whole_text(Query query) {
    std::string text(256, '\0');
    for (;;) {
        check(query(text.data(), text.size()));
        const size_t length = text.find('\0');
        if (length + 1 < text.size())
            return py::str(text.data(), length);
        text.resize(4 * text.size());
    }
}

// The calls that pack an object as bytes: pack(bytes, n, needed).
template <typename Pack> py::bytes packed_bytes(Pack pack) {
    size_t n = 0;
    check(pack(nullptr, size_t{0}, &n));
    std::string bytes(n, '\0');
    check(pack(bytes.data(), n, &n));
    return py::bytes(bytes);
}

} // namespace dri_python
