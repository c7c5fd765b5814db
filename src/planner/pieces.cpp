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

HeldRuns::HeldRuns(model::PartAxis axis)
    : axis_(std::make_shared<const model::PartAxis>(std::move(axis))), owned_(axis_->owned.lists()),
      overlap_(axis_->overlap), pads_(axis_->pads), extent_(axis_->extent) {}

HeldRuns::HeldRuns(const model::IndexList &list, int64_t extent) : owned_(list), extent_(extent) {}

// Both processes of a pair list runs one by one if a list has no pattern. The order of its runs then has no
// effect.
PartView part_view(const Side &side, int position) {
    const model::Distribution &dist = *side.dist;
    PartView view{{}, buffer_shape_of(side, position)};
    for (size_t d = 0; d < dist.ndims(); ++d) {
        const model::IndexedParts *lists = dist.is_grid() ? dist.cut(d).indexed() : nullptr;
        if (lists && lists->scattered() && dist.cut(d).overlap().none()) {
            const model::IndexedPart &part = lists->part(dist.coords_of_part(dist.part_of_position(position))[d]);
            view.axes.emplace_back(part.list(), part.length());
        } else {
            view.axes.emplace_back(dist.axis(position, d));
        }
    }
    return view;
}

model::BufferShape buffer_shape_of(const Side &side, int position) {
    return model::buffer_shape(side.layout(position), side.dist->extents(position), side.dist->gdo().type);
}

Shared common_runs(std::span<const model::Runs> source, const HeldRuns &sink, int64_t shift, bool run_by_run) {
    Shared shared{model::intersect(source, sink.owned(), shift), {}};
    std::vector<model::CommonRuns> &common = shared.repeated;
    if (!sink.overlap().empty()) {
        const auto more = model::intersect(source, sink.overlap(), shift);
        common.insert(common.end(), more.begin(), more.end());
    }
    for (const model::Pad &pad : sink.pads()) {
        if (!pad.copy_of)
            continue;
        const model::Runs element{*pad.copy_of, 1, 1, 0, pad.local, 0};
        for (const model::CommonRuns &c : model::intersect(source, std::span(&element, 1), shift))
            common.push_back({c.a_local, c.b_local, 1, {}, {pad.size, 0, 1}});
    }
    if (run_by_run)
        return one_by_one(std::move(shared));
    return shared;
}

// Lists every run, sorts them by the sink's indices and joins neighbours that continue each other on both sides.
Shared one_by_one(Shared shared) {
    std::vector<model::CommonRuns> kept;
    for (const model::CommonRuns &c : shared.repeated) {
        if (c.inner.count > 1 && c.inner.a_step == 0) {
            kept.push_back(c);
            continue;
        }
        for (int64_t o = 0; o < c.outer.count; ++o)
            for (int64_t i = 0; i < c.inner.count; ++i)
                shared.runs.push_back({c.a_local + o * c.outer.a_step + i * c.inner.a_step,
                                       c.b_local + o * c.outer.b_step + i * c.inner.b_step, c.size});
    }
    shared.repeated = std::move(kept);
    std::sort(shared.repeated.begin(), shared.repeated.end(),
              [](const model::CommonRuns &a, const model::CommonRuns &b) { return a.b_local < b.b_local; });
    shared.runs.sort_and_join();
    return shared;
}

namespace {

// What one dimension contributes to a copy.
struct DimCopy {
    model::CommonRuns first; // offsets and repetitions; its size counts only without a table
    plan::Table table;
};

// Runs with repetitions, those of one kind together. Runs in one table repeat in the same way.
using Repetition = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;
Repetition repetition_of(const model::CommonRuns &c) {
    return {c.outer.count, c.outer.a_step, c.outer.b_step, c.inner.count, c.inner.a_step, c.inner.b_step};
}

// Short runs of several lengths, contiguous on both sides: with a table for each length, every cache line of the
// sink would be written once for each of them. In bytes.
constexpr int64_t short_run = 128;
// An uneven table has a count for each run. If so many of the runs have one length, the others cost little, and
// the counts would take more memory than tables without.
constexpr double most_of_one_length = 0.75;

// Gathers runs into tables. A table holds runs of one length, unless the runs have more than `even_tables`
// different lengths, or are short and mixed: then one uneven table holds all of them element by element.
class Gatherer {
public:
    // run_bytes: of an element; 0 if the runs of elements are not plain bytes.
    Gatherer(int64_t src_stride, int64_t dst_stride, int64_t run_bytes, int64_t even_tables)
        : src_stride_(src_stride), dst_stride_(dst_stride), even_tables_(even_tables),
          short_size_(src_stride == run_bytes && dst_stride == run_bytes && run_bytes > 0 ? short_run / run_bytes
                                                                                          : 0) {}

    // All runs have the repetitions of `like`.
    void add(const SharedRuns &runs, const model::CommonRuns &like) {
        std::map<int64_t, size_t> sizes; // and the number of runs of each
        size_t of_one_length = 0;
        for (const SharedRun &r : runs)
            of_one_length = std::max(of_one_length, ++sizes[r.size]);
        const bool are_short =
            sizes.size() > 1 && sizes.rbegin()->first <= short_size_ &&
            static_cast<double>(of_one_length) <= most_of_one_length * static_cast<double>(runs.size());
        if (are_short || static_cast<int64_t>(sizes.size()) > even_tables_)
            return add_uneven(runs, like);
        for (const auto &[size, count] : sizes)
            add_even(runs, size, count, like);
    }

    std::vector<DimCopy> take() { return std::move(dim_copies_); }

private:
    plan::TableEntry entry(const SharedRun &r, int64_t count) const {
        return {r.source * src_stride_, r.sink * dst_stride_, count};
    }

    // Each entry lists a run element by element.
    void add_uneven(const SharedRuns &runs, const model::CommonRuns &like) {
        plan::Table table{src_stride_, dst_stride_, plan::Entries(runs.size(), [&](const auto &take) {
                              for (const SharedRun &r : runs)
                                  take(entry(r, r.size));
                          })};
        dim_copies_.push_back({{0, 0, 1, like.outer, like.inner}, std::move(table)});
    }

    // The `count` runs of this size.
    void add_even(const SharedRuns &runs, int64_t size, size_t count, const model::CommonRuns &like) {
        plan::Table table{0, 0, plan::Entries(count, [&](const auto &take) {
                              for (const SharedRun &r : runs)
                                  if (r.size == size)
                                      take(entry(r, 1));
                          })};
        dim_copies_.push_back({{0, 0, size, like.outer, like.inner}, std::move(table)});
    }

    int64_t src_stride_, dst_stride_, even_tables_;
    int64_t short_size_; // elements of the longest short run
    std::vector<DimCopy> dim_copies_;
};

std::vector<DimCopy> gather(const Shared &shared, int64_t src_stride, int64_t dst_stride, int64_t run_bytes,
                            int64_t even_tables) {
    Gatherer gatherer(src_stride, dst_stride, run_bytes, even_tables);
    if (!shared.runs.empty())
        gatherer.add(shared.runs, {});
    std::map<Repetition, std::vector<const model::CommonRuns *>> groups;
    for (const model::CommonRuns &c : shared.repeated)
        groups[repetition_of(c)].push_back(&c);
    for (const auto &[repetition, group] : groups) {
        SharedRuns runs;
        for (const model::CommonRuns *c : group)
            runs.push_back({c->a_local, c->b_local, c->size});
        gatherer.add(runs, *group.front());
    }
    return gatherer.take();
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

// One contribution per run, without tables, in rising order of the sink's indices if runs are listed one by one.
std::vector<DimCopy> plain_dim_copies(const Shared &shared) {
    std::vector<DimCopy> dim_copies;
    for (const model::CommonRuns &c : shared.repeated)
        dim_copies.push_back({c, {}});
    for (const SharedRun &r : shared.runs)
        dim_copies.push_back({{r.source, r.sink, r.size, {}, {}}, {}});
    if (!shared.runs.empty())
        std::stable_sort(dim_copies.begin(), dim_copies.end(),
                         [](const DimCopy &a, const DimCopy &b) { return a.first.b_local < b.first.b_local; });
    return dim_copies;
}

} // namespace

std::vector<plan::StridedCopy> make_copies(std::span<const Shared *const> shared, const model::BufferShape &source,
                                           const model::BufferShape &sink, double scale,
                                           const Gathering &gathering) {
    const size_t ndims = shared.size();
    const int64_t src_step = source.step_bytes(), dst_step = sink.step_bytes();
    const plan::StridedCopy element = element_copy(source, sink, scale);
    const int64_t run_bytes = element.conversion || !element.loops.empty() ? 0 : element.run_bytes;
    int64_t combinations = 1;
    for (const Shared *along : shared)
        combinations = std::min(gathering.plain_copies + 1, combinations * static_cast<int64_t>(along->size()));
    if (combinations == 0)
        return {};
    std::vector<std::vector<DimCopy>> dim_copies;
    for (size_t d = 0; d < ndims; ++d)
        dim_copies.push_back(combinations <= gathering.plain_copies
                                 ? plain_dim_copies(*shared[d])
                                 : gather(*shared[d], source.strides[d] * src_step, sink.strides[d] * dst_step,
                                          run_bytes, gathering.even_tables));
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
