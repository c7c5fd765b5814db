// Intersects two parts per dimension and combines the results to strided copies.
#include "planner/pieces.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dri::planner {

int64_t buffer_bytes(const Side &side, int position) {
    const model::BufferShape shape = buffer_shape_of(side, position);
    return shape.span * shape.type.pitch();
}

PartView part_view(const Side &side, int position) {
    return {side.dist->axes(position), buffer_shape_of(side, position)};
}

model::BufferShape buffer_shape_of(const Side &side, int position) {
    return model::buffer_shape(side.layout(position), side.dist->extents(position), side.dist->gdo().type);
}

std::vector<model::CommonRuns> common_runs(std::span<const model::Runs> source, const model::PartAxis &sink,
                                           int64_t shift, bool run_by_run) {
    std::vector<model::CommonRuns> common = model::intersect(source, sink.owned.lists(), shift);
    if (!sink.overlap.empty()) {
        const auto more = model::intersect(source, sink.overlap, shift);
        common.insert(common.end(), more.begin(), more.end());
    }
    for (const model::Pad &pad : sink.pads) {
        if (!pad.copy_of)
            continue;
        const model::Runs element{*pad.copy_of, 1, 1, 0, pad.local, 0};
        for (const model::CommonRuns &c : model::intersect(source, std::span(&element, 1), shift))
            common.push_back({c.a_local, c.b_local, 1, {}, {pad.size, 0, 1}});
    }
    return run_by_run ? one_by_one(common) : common;
}

// Lists every run, sorts them by the sink's indices and joins neighbours that continue each other on both sides.
std::vector<model::CommonRuns> one_by_one(const std::vector<model::CommonRuns> &common) {
    std::vector<model::CommonRuns> all;
    for (const model::CommonRuns &c : common) {
        if (c.inner.count > 1 && c.inner.a_step == 0) {
            all.push_back(c);
            continue;
        }
        for (int64_t o = 0; o < c.outer.count; ++o)
            for (int64_t i = 0; i < c.inner.count; ++i)
                all.push_back({c.a_local + o * c.outer.a_step + i * c.inner.a_step,
                               c.b_local + o * c.outer.b_step + i * c.inner.b_step,
                               c.size,
                               {},
                               {}});
    }
    std::sort(all.begin(), all.end(),
              [](const model::CommonRuns &a, const model::CommonRuns &b) { return a.b_local < b.b_local; });
    std::vector<model::CommonRuns> joined;
    for (const model::CommonRuns &c : all) {
        const bool single = c.inner.count == 1;
        if (!joined.empty() && single) {
            model::CommonRuns &last = joined.back();
            if (last.inner.count == 1 && last.a_local + last.size == c.a_local &&
                last.b_local + last.size == c.b_local) {
                last.size += c.size;
                continue;
            }
        }
        joined.push_back(c);
    }
    return joined;
}

namespace {

// What one dimension contributes to a copy.
struct DimCopy {
    model::CommonRuns first; // offsets and repetitions; its size counts only without a table
    plan::Table table;
};

// Gathers common runs into tables. Runs in one table repeat in the same way. A table holds runs of one length,
// unless the runs have more than `even_tables` different lengths: then one uneven table holds all of them element
// by element.
std::vector<DimCopy> gather(const std::vector<model::CommonRuns> &common, int64_t src_stride, int64_t dst_stride,
                            int64_t even_tables) {
    const auto shape = [](const model::CommonRuns &c) {
        return std::tuple(c.outer.count, c.outer.a_step, c.outer.b_step, c.inner.count, c.inner.a_step,
                          c.inner.b_step);
    };
    std::map<decltype(shape(common[0])), std::map<int64_t, std::vector<const model::CommonRuns *>>> groups;
    for (const model::CommonRuns &c : common)
        groups[shape(c)][c.size].push_back(&c);
    std::vector<DimCopy> dim_copies;
    const auto add = [&](DimCopy &dim_copy, const model::CommonRuns *c, int64_t steps) {
        dim_copy.table.entries.change().push_back({c->a_local * src_stride, c->b_local * dst_stride, steps});
    };
    for (const auto &[key, sizes] : groups) {
        if (static_cast<int64_t>(sizes.size()) > even_tables) {
            DimCopy uneven{*sizes.begin()->second.front(), {src_stride, dst_stride, {}}};
            uneven.first.size = 1;
            for (const auto &[size, list] : sizes)
                for (const model::CommonRuns *c : list)
                    add(uneven, c, size);
            dim_copies.push_back(std::move(uneven));
            continue;
        }
        for (const auto &[size, list] : sizes) {
            DimCopy even{*list.front(), {}};
            for (const model::CommonRuns *c : list)
                add(even, c, 1);
            dim_copies.push_back(std::move(even));
        }
    }
    for (DimCopy &dim_copy : dim_copies)
        dim_copy.first.a_local = dim_copy.first.b_local = 0; // the entries hold the offsets
    return dim_copies;
}

// A copy of one element: its bytes, or its real and imaginary parts if they lie apart or are converted.
plan::StridedCopy element_copy(const model::BufferShape &source, const model::BufferShape &sink, double scale) {
    plan::StridedCopy copy;
    copy.run_bytes = source.type.pitch();
    copy.conversion = plan::make_conversion(source.type.scalar, sink.type.scalar, scale);
    if (!source.type.complex || !(source.split || sink.split || copy.conversion))
        return copy;
    copy.run_bytes /= 2;
    copy.loops.push_back({2, source.part_bytes(), sink.part_bytes()});
    return copy;
}

// One contribution per common run, without tables.
std::vector<DimCopy> plain_dim_copies(const std::vector<model::CommonRuns> &common) {
    std::vector<DimCopy> dim_copies;
    for (const model::CommonRuns &c : common)
        dim_copies.push_back({c, {}});
    return dim_copies;
}

} // namespace

std::vector<plan::StridedCopy> make_copies(const std::vector<std::vector<model::CommonRuns>> &common,
                                           const model::BufferShape &source, const model::BufferShape &sink,
                                           double scale, const Gathering &gathering) {
    const size_t ndims = common.size();
    const int64_t src_step = source.step_bytes(), dst_step = sink.step_bytes();
    const plan::StridedCopy element = element_copy(source, sink, scale);
    int64_t combinations = 1;
    for (const auto &list : common)
        combinations = std::min(gathering.plain_copies + 1, combinations * static_cast<int64_t>(list.size()));
    if (combinations == 0)
        return {};
    std::vector<std::vector<DimCopy>> dim_copies;
    for (size_t d = 0; d < ndims; ++d)
        dim_copies.push_back(combinations <= gathering.plain_copies
                                 ? plain_dim_copies(common[d])
                                 : gather(common[d], source.strides[d] * src_step, sink.strides[d] * dst_step,
                                          gathering.even_tables));
    std::vector<plan::StridedCopy> copies;
    std::vector<size_t> at(ndims, 0);
    while (true) {
        plan::StridedCopy copy = element;
        for (size_t d = 0; d < ndims; ++d) {
            const auto &[c, table] = dim_copies[d][at[d]];
            const int64_t src = source.strides[d] * src_step, dst = sink.strides[d] * dst_step;
            copy.src_offset += c.a_local * src;
            copy.dst_offset += c.b_local * dst;
            for (const model::Repeat &r : {c.outer, c.inner, model::Repeat{c.size, 1, 1}})
                if (r.count > 1)
                    copy.loops.push_back({r.count, r.a_step * src, r.b_step * dst});
            if (!table.entries.empty())
                copy.tables.push_back(table);
        }
        copies.push_back(plan::canonical(std::move(copy)));
        size_t d = ndims;
        while (d > 0 && ++at[d - 1] == dim_copies[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return copies;
    }
}

} // namespace dri::planner
