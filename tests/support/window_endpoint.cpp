#include "support/window_endpoint.hpp"

#include "support/cut_objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstring>

namespace dri_test {

namespace {

constexpr std::byte untouched{0xD7};

} // namespace

WindowBox common_box(const WindowBox &a, const WindowBox &b) {
    WindowBox common;
    for (size_t d = 0; d < a.offset.size(); ++d) {
        common.offset.push_back(std::max(a.offset[d], b.offset[d]));
        common.sizes.push_back(std::max<int64_t>(0, std::min(a.end(d), b.end(d)) - common.offset[d]));
    }
    return common;
}

std::pair<int64_t, int64_t> offsets_within(const WindowBox &array, const WindowBox &window, size_t d) {
    return {array.offset[d] - window.offset[d], array.end(d) - window.end(d)};
}

WindowEndpoint::WindowEndpoint(const std::string &name, DRI_Role role, const Numbers &root, const WindowSide &side,
                               const WindowElement &element)
    : side_(side), element_(element) {
    const auto at = std::find(side.procs.begin(), side.procs.end(), world().rank);
    if (at == side.procs.end())
        return;
    const size_t ndims = root.size();
    int64_t part = at - side.procs.begin();
    rows_.resize(ndims);
    std::vector<Numbers> locals(ndims);
    Numbers extents(ndims);
    for (size_t d = ndims; d-- > 0;) {
        const int64_t parts = std::max(side.cuts[d].nparts, 1);
        rows_[d] = shown(side.cuts[d], side.box.sizes[d], parts, part % parts);
        part /= parts;
        extents[d] = std::ssize(rows_[d]);
        for (int64_t i = 0; i < extents[d]; ++i)
            locals[d].push_back(i);
    }
    const PartMap map = map_part(extents, locals, side.lay);
    offsets_ = map.offset;
    bytes_ = offsets_.empty() ? 0 : map.span * element.pitch;
    Gdo box;
    expect_success(
        DRI_gdo_subset(make_gdo(root, element.type), side.box.offset.data(), side.box.sizes.data(), box.out()),
        "DRI_gdo_subset");
    dist_ = make_dist(box, make_cuts(side.cuts), make_group(side.procs));
    for (int i = 0; i < side.nbuffs; ++i) {
        memory_.emplace_back(side.user_memory ? static_cast<size_t>(bytes_) + 64 : 0);
        buffers_.push_back(side.user_memory ? memory_.back().data() : nullptr);
    }
    expect_success(DRI_xfer_create(name.c_str(), role, dist_, make_lay(side.lay, ndims), side.nbuffs,
                                   buffers_.data(), xfer_.out()),
                   "DRI_xfer_create");
    set(DRI_ATTR_REBASE, side.slides);
}

void WindowEndpoint::set(DRI_Attr attribute, int64_t value) const {
    if (xfer_)
        expect_success(DRI_xfer_set_attr(xfer_, attribute, value), "DRI_xfer_set_attr");
}

void WindowEndpoint::begin() {
    if (!xfer_)
        return;
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(xfer_, &bytes), "DRI_xfer_buffer_bytes");
    ASSERT_EQ(static_cast<int64_t>(bytes), bytes_);
    expect_success(DRI_xfer_get_buffers(xfer_, nullptr, buffers_.data()), "DRI_xfer_get_buffers");
    for (void *buffer : buffers_) {
        std::memset(buffer, static_cast<int>(untouched), bytes);
        expected_.emplace_back(bytes, untouched);
    }
}

std::byte *WindowEndpoint::byte(std::byte *buffer, int64_t offset, int64_t b) const {
    const int64_t part = element_.pitch / 2;
    if (!side_.lay.split)
        return buffer + offset * element_.pitch + b;
    return b < part ? buffer + offset * part + b : buffer + bytes_ / 2 + offset * part + (b - part);
}

void WindowEndpoint::put(std::byte *buffer, int64_t offset, const std::vector<std::byte> &bytes) const {
    for (int64_t b = 0; b < element_.pitch; ++b)
        *byte(buffer, offset, b) = bytes[static_cast<size_t>(b)];
}

std::vector<std::byte> WindowEndpoint::value(const WindowElement &element, const Numbers &index, int64_t frame) {
    uint64_t n = static_cast<uint64_t>(frame) + 1;
    for (const int64_t i : index)
        n = (n ^ static_cast<uint64_t>(i + 77)) * 0x9E3779B97F4A7C15u + (n >> 31);
    std::vector<std::byte> bytes;
    for (int64_t b = 0; b < element.pitch; ++b)
        bytes.push_back(static_cast<std::byte>((n * static_cast<uint64_t>(2 * b + 1)) >> 29));
    return bytes;
}

Numbers WindowEndpoint::index_of(size_t k) const {
    Numbers index(rows_.size());
    for (size_t d = rows_.size(); d-- > 0;) {
        index[d] = rows_[d][k % rows_[d].size()].index + side_.box.offset[d];
        k /= rows_[d].size();
    }
    return index;
}

bool WindowEndpoint::is_pad(size_t k) const {
    bool zeros = false;
    for (size_t d = rows_.size(); d-- > 0; k /= rows_[d].size())
        zeros = zeros || rows_[d][k % rows_[d].size()].index == Shown::zeros;
    return zeros;
}

void WindowEndpoint::fill(int64_t frame) const {
    auto *const buffer = buffer_of<std::byte>(xfer_);
    for (size_t k = 0; k < offsets_.size(); ++k)
        if (!is_pad(k))
            put(buffer, offsets_[k], value(element_, index_of(k), frame));
}

void WindowEndpoint::expect(int64_t at, int64_t frame, const WindowBox &source, const Numbers &source_offset,
                            const Numbers &sink_offset) {
    const auto i = static_cast<size_t>(at) % expected_.size();
    std::vector<std::byte> &expected = expected_[i];
    const WindowBox window = common_box(source, side_.box);
    for (size_t k = 0; k < offsets_.size(); ++k) {
        if (is_pad(k)) {
            put(expected.data(), offsets_[k], std::vector<std::byte>(static_cast<size_t>(element_.pitch)));
            continue;
        }
        Numbers index = index_of(k);
        bool in_window = true;
        for (size_t d = 0; d < index.size(); ++d) {
            index[d] -= sink_offset[d]; // back to the index that the plan assumed
            in_window = in_window && index[d] >= window.offset[d] && index[d] < window.end(d);
            index[d] += source_offset[d];
        }
        if (in_window)
            put(expected.data(), offsets_[k], value(element_, index, frame));
    }
    const auto *const got = buffer_of<std::byte>(xfer_);
    EXPECT_EQ(static_cast<const void *>(got), buffers_[i]);
    // Checks only bytes that show elements. Padding behind a row may have any value.
    int64_t wrong = 0;
    for (const int64_t offset : offsets_)
        for (int64_t b = 0; b < element_.pitch; ++b)
            wrong += *byte(const_cast<std::byte *>(got), offset, b) != *byte(expected.data(), offset, b);
    EXPECT_EQ(wrong, 0) << "bytes of " << bytes_ << " in frame " << at << ", the source's " << frame
                        << ", whose window is at " << text_of(source_offset) << " there and "
                        << text_of(sink_offset) << " here";
}

void WindowEndpoint::rebase(const Numbers &offset) const {
    expect_success(DRI_xfer_rebase(xfer_, offset.data()), "DRI_xfer_rebase");
}

} // namespace dri_test
