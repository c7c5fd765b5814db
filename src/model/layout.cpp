// Layouts: strides, pitch and size of a part's buffer.
#include "model/layout.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <numeric>

namespace dri::model {

namespace {

// A number of elements or bytes that a part needs along a dimension. If it is too large, the message also names
// the layout.
template <class F> int64_t fitting(const Layout &layout, const Dims &extents, size_t dim, F number) {
    try {
        return number();
    } catch (const Error &error) {
        fail(DRI_ERR_OVERFLOW, "a part of {} elements in the layout '{}' is too large along dimension {}: {}",
             fmt::join(extents.begin(), extents.end(), "x"), to_text(layout), dim, error.what());
    }
}

// The number of dimensions that a layout is made for; `any` if it suits any number.
size_t own_ndims(const Layout &layout, size_t any) {
    switch (layout.kind) {
    case LayoutKind::packed: return layout.order.size();
    case LayoutKind::strided: return layout.strides.size();
    default: return any;
    }
}

// A pitch of whole cache lines. Long rows of whole pages would all map to the same few cache sets. They get two
// more lines, if the element size allows it. Short rows keep their pitch, because several dimensions of dense
// planes are copied as one.
int64_t auto_pitch(int64_t row, int64_t element_bytes) {
    constexpr int64_t apart_bytes = 2 * cache_line_bytes, shortest_apart = 3 * page_bytes;
    const int64_t unit = cache_line_bytes / std::gcd(cache_line_bytes, element_bytes);
    const int64_t pitch = checked_mul(ceil_div(row, unit), unit), bytes = checked_mul(pitch, element_bytes);
    if (bytes < shortest_apart || bytes % page_bytes != 0 || apart_bytes % (unit * element_bytes) != 0)
        return pitch;
    return checked_add(pitch, apart_bytes / element_bytes);
}

// Strides from the fastest dimension to the slowest; only the fastest one, the row, is padded.
Dims packed_strides(const Layout &layout, const Dims &extents, int64_t element_bytes) {
    const Dims order = order_of(layout, extents.size());
    Dims strides(extents.size(), 1);
    int64_t step = 1;
    for (size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<size_t>(order[i]);
        strides[d] = step;
        step = fitting(layout, extents, d, [&] {
            int64_t width = std::max<int64_t>(extents[d], 1);
            const bool row = i + 1 == order.size() && order.size() > 1;
            if (row && layout.pitch == pitch_auto)
                width = auto_pitch(width, element_bytes);
            else if (row && layout.pitch > 0)
                width = checked_mul(ceil_div(width, layout.pitch), layout.pitch);
            return checked_mul(step, width);
        });
    }
    return strides;
}

// Sorted by stride, each dimension must exceed all that the smaller ones span. An exact test of whether any two
// elements meet is as hard as subset sum; the layouts that arrays have are nested.
void check_nested(const Layout &layout, const Dims &extents) {
    const Dims &strides = layout.strides;
    Dims dims;
    for (size_t d = 0; d < extents.size(); ++d)
        if (extents[d] > 1)
            dims.push_back(static_cast<int64_t>(d));
    std::sort(dims.begin(), dims.end(), [&](int64_t a, int64_t b) {
        return strides[static_cast<size_t>(a)] < strides[static_cast<size_t>(b)];
    });
    int64_t reach = 0; // offset of the last element of the dimensions so far
    for (int64_t d : dims) {
        const int64_t stride = strides[static_cast<size_t>(d)], extent = extents[static_cast<size_t>(d)];
        if (stride <= reach)
            fail(DRI_ERR_ARG,
                 "strides {} put two elements of a part of {} at one address: stride {} of dimension {} is "
                 "smaller than the {} elements that the smaller strides span",
                 fmt::join(strides.begin(), strides.end(), ","), fmt::join(extents.begin(), extents.end(), "x"),
                 stride, d, reach + 1);
        reach = fitting(layout, extents, static_cast<size_t>(d),
                        [&] { return checked_add(reach, checked_mul(stride, extent - 1)); });
    }
}

} // namespace

Dims order_of(const Layout &layout, size_t ndims) {
    if (const size_t own = own_ndims(layout, ndims); own != ndims)
        fail(DRI_ERR_ARG, "the layout has {} dimensions, but ndims is {}", own, ndims);
    Dims order(ndims, 0);
    std::iota(order.begin(), order.end(), int64_t{0});
    switch (layout.kind) {
    case LayoutKind::row_major: break;
    case LayoutKind::col_major: std::reverse(order.begin(), order.end()); break;
    case LayoutKind::packed: return layout.order;
    case LayoutKind::strided:
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return layout.strides[static_cast<size_t>(a)] > layout.strides[static_cast<size_t>(b)];
        });
    }
    return order;
}

Layout make_packed(std::span<const int> order) {
    const auto n = static_cast<int>(order.size());
    Layout layout{.kind = LayoutKind::packed, .order = {}, .strides = {}, .pitch = 0};
    std::vector<bool> seen(order.size(), false);
    for (int i = 0; i < n; ++i) {
        const int d = order[static_cast<size_t>(i)];
        if (d < 0 || d >= n || seen[static_cast<size_t>(d)])
            fail(DRI_ERR_ARG, "order is not a permutation of the {} dimensions: order[{}] is {}", n, i, d);
        seen[static_cast<size_t>(d)] = true;
        layout.order.push_back(d);
    }
    return layout;
}

Layout make_strided(std::span<const int64_t> strides) {
    for (size_t d = 0; d < strides.size(); ++d)
        if (strides[d] < 1)
            fail(DRI_ERR_ARG, "stride of dimension {} is {}, but must be at least 1", d, strides[d]);
    return {.kind = LayoutKind::strided, .order = {}, .strides = Dims(strides.begin(), strides.end()), .pitch = 0};
}

Layout with_pitch(const Layout &layout, int64_t multiple) {
    if (layout.kind == LayoutKind::strided)
        fail(DRI_ERR_ARG, "a layout with explicit strides cannot have a pitch");
    if (multiple < 1 && multiple != pitch_auto)
        fail(DRI_ERR_ARG, "a pitch is a multiple of at least 1 element or DRI_PITCH_AUTO, but is {}", multiple);
    Layout padded = layout;
    padded.pitch = multiple;
    return padded;
}

Layout with_complex(const Layout &layout, int format) {
    if (format != static_cast<int>(ComplexFormat::interleaved) && format != static_cast<int>(ComplexFormat::split))
        fail(DRI_ERR_ARG, "complex format {} is neither DRI_INTERLEAVED nor DRI_SPLIT", format);
    Layout out = layout;
    out.format = static_cast<ComplexFormat>(format);
    return out;
}

int64_t BufferShape::step_bytes() const { return split ? type.pitch() / 2 : type.pitch(); }

int64_t BufferShape::part_bytes() const { return split ? span * step_bytes() : type.pitch() / 2; }

BufferShape buffer_shape(const Layout &layout, const Dims &extents, const ElementType &type) {
    if (const size_t own = own_ndims(layout, extents.size()); own != extents.size())
        fail(DRI_ERR_ARG, "the layout has {} dimensions, but the distribution has {}", own, extents.size());
    BufferShape p;
    p.type = type;
    p.split = layout.format == ComplexFormat::split;
    if (p.split && !type.complex)
        fail(DRI_ERR_ARG, "the layout is split, but {} is not a complex type", to_text(type));
    if (layout.kind == LayoutKind::strided) {
        check_nested(layout, extents);
        p.strides = layout.strides;
    } else {
        p.strides = packed_strides(layout, extents, p.step_bytes());
    }
    const bool none = std::find(extents.begin(), extents.end(), 0) != extents.end();
    if (none)
        return p;
    p.span = 1;
    for (size_t d = 0; d < extents.size(); ++d)
        p.span = fitting(layout, extents, d,
                         [&] { return checked_add(p.span, checked_mul(p.strides[d], extents[d] - 1)); });
    // The padding behind the last row is part of the buffer, so that rows can be processed as vectors.
    if (layout.pitch != 0 && extents.size() > 1) {
        const Dims order = order_of(layout, extents.size());
        const auto slowest = static_cast<size_t>(order[0]);
        p.span =
            fitting(layout, extents, slowest, [&] { return checked_mul(p.strides[slowest], extents[slowest]); });
    }
    // The bytes of the whole buffer are checked last; the message names the dimension with the widest stride.
    const auto widest = std::max_element(p.strides.begin(), p.strides.end()) - p.strides.begin();
    fitting(layout, extents, static_cast<size_t>(widest), [&] { return checked_mul(p.span, type.pitch()); });
    return p;
}

void put(Writer &out, const Layout &layout) {
    out.put(layout.kind);
    out.put_all(layout.order);
    out.put_all(layout.strides);
    out.put(layout.pitch);
    out.put(layout.format);
}

Layout get_layout(Reader &in) {
    Layout layout;
    layout.kind = in.get<LayoutKind>();
    layout.order = in.get_all<Dims>();
    layout.strides = in.get_all<Dims>();
    layout.pitch = in.get<int64_t>();
    layout.format = in.get<ComplexFormat>();
    return layout;
}

std::string to_text(const Layout &layout) {
    std::string text;
    switch (layout.kind) {
    case LayoutKind::row_major: text = "row-major"; break;
    case LayoutKind::col_major: text = "column-major"; break;
    case LayoutKind::packed:
        text = fmt::format("order {}", fmt::join(layout.order.begin(), layout.order.end(), ""));
        break;
    case LayoutKind::strided:
        text = fmt::format("strides {}", fmt::join(layout.strides.begin(), layout.strides.end(), ","));
        break;
    }
    if (layout.pitch == pitch_auto)
        text += " pitch auto";
    else if (layout.pitch > 0)
        text += fmt::format(" pitch {}", layout.pitch);
    if (layout.format == ComplexFormat::split)
        text += " split";
    return text;
}

} // namespace dri::model
