// Layouts: how a part lies in memory, as values that hold for any extents.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/element_type.hpp"

#include <span>
#include <string>

namespace dri {

enum class LayoutKind : int32_t { row_major, col_major, packed, strided };

struct Layout {
    LayoutKind kind = LayoutKind::row_major;
    Dims order;        // packed: slowest dimension first
    Dims strides;      // strided: one per dimension
    int64_t pitch = 0; // rows padded to a multiple of elements; 0: not; pitch_auto: the library's choice
    friend bool operator==(const Layout &, const Layout &) = default;
};

constexpr int64_t pitch_auto = -1;

Layout make_packed(std::span<const int> order);
Layout make_strided(std::span<const int64_t> strides);
Layout with_pitch(const Layout &layout, int64_t multiple);

// A layout applied to a part.
struct Placement {
    Dims strides;     // in elements
    int64_t span = 0; // elements from the first to one past the last one
};

// Fails with DRI_ERR_ARG where two elements would share a place or the numbers of dimensions differ, and with
// DRI_ERR_OVERFLOW where the bytes do not fit.
Placement place(const Layout &layout, const Dims &extents, const ElementType &type);

void put(Writer &out, const Layout &layout);
Layout get_layout(Reader &in);
std::string to_text(const Layout &layout);

} // namespace dri
