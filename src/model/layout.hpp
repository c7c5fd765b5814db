// Layouts: how a part lies in memory, as values that apply to any extents.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/element_type.hpp"

#include <span>
#include <string>

namespace dri::model {

enum class LayoutKind : int32_t { row_major, col_major, packed, strided };

// How the two parts of complex numbers lie: in pairs, or all real parts first and then all imaginary parts.
enum class ComplexFormat : int32_t { interleaved = 0, split = 1 };

struct Layout {
    LayoutKind kind = LayoutKind::row_major;
    Dims order;   // packed: slowest dimension first
    Dims strides; // strided: one per dimension
    // Rows are padded to a multiple of this many elements. 0: no padding; pitch_auto: the library's choice.
    int64_t pitch = 0;
    ComplexFormat format = ComplexFormat::interleaved;
    friend bool operator==(const Layout &, const Layout &) = default;
};

constexpr int64_t pitch_auto = -1;

Layout make_packed(std::span<const int> order);
Layout make_strided(std::span<const int64_t> strides);
Layout with_pitch(const Layout &layout, int64_t multiple);
Layout with_complex(const Layout &layout, int format);

// The dimensions of a layout, slowest first; with explicit strides, of equal ones the lower dimension. Fails with
// DRI_ERR_ARG if the layout is made for another number of dimensions.
Dims order_of(const Layout &layout, size_t ndims);

// A layout applied to the extents of a part.
struct BufferShape {
    Dims strides;     // in elements; if split, in components of a plane
    int64_t span = 0; // from the first to one past the last, in the same unit
    ElementType type;
    bool split = false; // the imaginary plane follows the real one, `span` components after it

    int64_t step_bytes() const; // bytes of a stride of 1
    int64_t part_bytes() const; // bytes from a real part to its imaginary part
};

// Fails with DRI_ERR_ARG if two elements would share an address, if the numbers of dimensions differ, or if a
// split layout is used for elements that are not complex. Fails with DRI_ERR_OVERFLOW if the bytes do not fit into
// 64 bits.
BufferShape buffer_shape(const Layout &layout, const Dims &extents, const ElementType &type);

void put(Writer &out, const Layout &layout);
Layout get_layout(Reader &in);
std::string to_text(const Layout &layout);

} // namespace dri::model
