#include "support/pair_end.hpp"

#include "support/world.hpp"

#include <cstring>

namespace dri::test {
namespace {

constexpr int64_t strip_size = 12;
constexpr int64_t pitch = 5;

DRI_Type type_of(Number number, bool complex) {
    switch (number) {
    case Number::int16: return complex ? DRI_COMPLEX_INT16 : DRI_INT16;
    case Number::int32: return DRI_INT32;
    case Number::real: return complex ? DRI_COMPLEX_FLOAT : DRI_FLOAT;
    }
    return DRI_INT32;
}

// The blocks of a process. A list names every P-th index, the last one first.
std::vector<std::pair<int64_t, int64_t>> blocks_of(bool dealt, bool falling, int64_t extent, World w) {
    if (!dealt)
        return {{extent / w.size * w.rank, extent / w.size * (w.rank + 1)}};
    std::vector<std::pair<int64_t, int64_t>> blocks;
    for (int64_t i = w.rank; i < extent; i += w.size)
        blocks.insert(falling ? blocks.begin() : blocks.end(), {i, i + 1});
    return blocks;
}

} // namespace

void store(std::byte *to, Number number, double value) {
    const auto small = static_cast<int16_t>(value);
    const auto large = static_cast<int32_t>(value);
    const auto real = static_cast<float>(value);
    const void *from = number == Number::int16   ? static_cast<const void *>(&small)
                       : number == Number::int32 ? static_cast<const void *>(&large)
                                                 : &real;
    std::memcpy(to, from, static_cast<size_t>(bytes_of(number)));
}

PairMemory::PairMemory(size_t bytes, bool reserved) {
    if (!reserved) {
        words_.resize(bytes / sizeof(double) + 1);
        data_ = words_.data();
        return;
    }
    expect_success(DRI_alloc(bytes, 0, &data_), "DRI_alloc");
    reserved_ = data_;
}

// The source cuts rows and the sink columns. The second sink deals rows to its processes.
PairEnd::PairEnd(const PairForm &form, int end, bool second)
    : end_(end), second_(second), converted_(form.converts && end == at_sink && !second),
      slides_(has(form.slides)), column_major_(end == at_sink && !second),
      overlaps_(form.has_overlap && column_major_), number_(converted_           ? Number::real
                                                            : form.converts      ? Number::int16
                                                            : form.arranged != 0 ? Number::real
                                                                                 : Number::int32),
      along_(column_major_ ? 1 : 0) {}

void *PairEnd::other(int64_t frame) const {
    return others_.empty() || frame == 0 ? nullptr : others_[static_cast<size_t>(frame % 2)].data();
}

Rule PairEnd::cut(const PairForm &form, int64_t extent) {
    const World w = world();
    const bool listed = has(form.lists);
    const auto blocks = blocks_of(listed || second_, listed, extent, w);
    for (const auto &block : blocks) {
        list_.push_back(block.first);
        for (int64_t i = block.first - (overlaps_ ? 1 : 0); i < block.second + (overlaps_ ? 2 : 0); ++i)
            held_.push_back(i < 0 ? pair_zeros : i % extent);
    }
    Rule rule{.kind = second_ ? DRI_BLOCK_CYCLIC : DRI_BLOCK, .nparts = w.size, .block = second_ ? 1 : 0};
    if (listed)
        rule = {.kind = DRI_INDICES, .nparts = w.size, .indices = list_.data(), .nindices = std::ssize(list_)};
    if (overlaps_) {
        rule.left = 1;
        rule.left_edge = DRI_PAD_ZERO;
        rule.right = 2;
        rule.right_edge = DRI_WRAP;
    }
    return rule;
}

// Of the strip that starts at `first`.
PairView PairEnd::view(const PairForm &form, int64_t first, int64_t across) const {
    PairView view;
    std::vector<int64_t> &cut = along_ == 0 ? view.rows : view.columns;
    std::vector<int64_t> &whole = along_ == 0 ? view.columns : view.rows;
    for (const int64_t i : held_)
        cut.push_back(i == pair_zeros ? pair_zeros : first + i);
    for (int64_t i = 0; i < across; ++i)
        whole.push_back(i);
    int64_t line = std::ssize(column_major_ ? view.rows : view.columns);
    view.split = has(form.arranged);
    line = view.split ? (line + pitch - 1) / pitch * pitch : line;
    view.row_step = column_major_ ? 1 : line;
    view.column_step = column_major_ ? line : 1;
    view.plane = line * std::ssize(column_major_ ? view.columns : view.rows);
    return view;
}

int PairEnd::declare(const PairForm &form, DRI_Group all, const char *&call, const PairEnd *other) {
    const bool complex = form.arranged != 0, has_strips = has(form.strips), arranged = has(form.arranged);
    const int64_t zero[2] = {0, 0};
    int64_t sizes[2] = {slides_ && !is_source() ? pair_long_size : pair_size,
                        slides_ && is_source() ? pair_long_size : pair_size};
    const Gdo root = make_gdo({(form.slides & at_sink) ? pair_long_size : pair_size,
                               (form.slides & at_source) ? pair_long_size : pair_size},
                              type_of(number_, complex));
    Gdo whole, strip;
    expect_success(DRI_gdo_subset(root, zero, sizes, whole.out()), "DRI_gdo_subset");
    const int64_t strips = has_strips ? sizes[along_] / strip_size : 1;
    const int64_t extent = sizes[along_] / strips;
    sizes[along_] = extent;
    expect_success(DRI_gdo_subset(whole, zero, sizes, strip.out()), "DRI_gdo_subset");
    std::vector<Rule> rules(2);
    rules[along_] = cut(form, extent);
    dist_ = make_dist(strip, make_part(rules), all);
    for (int64_t s = 0; s < strips; ++s)
        views_.push_back(view(form, s * extent, sizes[1 - along_]));

    Layout padded, split;
    const DRI_Layout packed = column_major_ ? DRI_COL_MAJOR : DRI_ROW_MAJOR;
    if (arranged) {
        expect_success(DRI_layout_with_pitch(packed, pitch, padded.out()), "DRI_layout_with_pitch");
        expect_success(DRI_layout_with_complex(padded, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    }
    const DRI_Layout layout = arranged ? split.get() : packed;
    // Enough for any form of either end, because in place both have the same buffers.
    const size_t bytes = 64 * 1024;
    if (has(form.own | form.reserved) && form.in_place && other)
        addresses_ = other->addresses_;
    for (int i = 0; has(form.own | form.reserved) && addresses_.empty() && i < form.nbuffs; ++i)
        memory_.emplace_back(bytes, has(form.reserved));
    for (const PairMemory &memory : memory_)
        addresses_.push_back(memory.data());
    for (int i = 0; has(form.rebinds) && i < 2; ++i)
        others_.emplace_back(bytes, !has(form.own));
    void *const *const buffers = addresses_.empty() ? nullptr : addresses_.data();
    const DRI_Role role = is_source() ? DRI_SOURCE : DRI_SINK;
    const int nbuffs = form.nbuffs, dim = static_cast<int>(along_);
    call = has_strips ? "DRI_xfer_create_strips" : "DRI_xfer_create";
    return has_strips
               ? DRI_xfer_create_strips("pair", role, whole, dim, dist_, layout, nbuffs, buffers, xfer_.out())
               : DRI_xfer_create("pair", role, dist_, layout, nbuffs, buffers, xfer_.out());
}

// A sink slides along rows, and a source along columns: the dimension that it does not cut.
int PairEnd::set_attributes(const PairForm &form) const {
    std::vector<PairAttribute> all = form.attributes;
    all.push_back({form.slides, DRI_ATTR_REBASE, is_source() ? 2 : 1});
    all.push_back({form.rebinds, DRI_ATTR_REBIND, 1});
    all.push_back({form.stream ? at_source : 0, DRI_ATTR_STREAM, 1});
    all.push_back({form.drops ? at_sink : 0, DRI_ATTR_ON_FULL, DRI_DROP});
    all.push_back({form.every > 1 ? at_sink : 0, DRI_ATTR_EVERY, form.every});
    all.push_back({at_sink, DRI_ATTR_PHASE, form.every - 1});
    all.push_back({form.converts ? at_sink : 0, DRI_ATTR_CONVERT, 1});
    int code = DRI_SUCCESS;
    for (const PairAttribute &a : all)
        if (code == DRI_SUCCESS && has(a.ends) && a.value != 0)
            code = DRI_xfer_set_attr(xfer_, a.attribute, a.value);
    if (code == DRI_SUCCESS && form.in_place) // all endpoints of the name
        code = DRI_xfer_set_attr(xfer_, DRI_ATTR_IN_PLACE, DRI_IN_PLACE);
    if (code == DRI_SUCCESS && converted_)
        code = DRI_xfer_set_scale(xfer_, pair_scale);
    return code;
}

} // namespace dri::test
