// Describes the elements that two parts share, as copies from the memory of one to the memory of the other.
#pragma once

#include "model/index_set.hpp"
#include "model/layout.hpp"
#include "model/part_axis.hpp"
#include "plan/strided_copy.hpp"
#include "planner/shared_runs.hpp"
#include "planner/side.hpp"

#include <memory>
#include <span>
#include <vector>

namespace dri::planner {

// What a part holds along one dimension, in the form that the planner searches. The runs lie in the PartAxis, or
// in the part's list of indices. A list without a pattern is long, and to sort it would need several times its
// memory.
class HeldRuns {
public:
    HeldRuns(model::PartAxis axis);
    // list: of a part without overlap; it must outlive this object. Its runs may be in any order.
    HeldRuns(const model::IndexList &list, int64_t extent);

    std::span<const model::Runs> owned() const { return owned_; }
    std::span<const model::Runs> overlap() const { return overlap_; }
    const std::vector<model::Pad> &pads() const { return pads_; }
    int64_t extent() const { return extent_; }

private:
    std::shared_ptr<const model::PartAxis> axis_; // null: the runs lie in a list
    std::span<const model::Runs> owned_, overlap_;
    std::vector<model::Pad> pads_;
    int64_t extent_;
};

// A part as a process holds it: its indices along each dimension, and where they lie in memory. Valid as long as
// its distribution.
struct PartView {
    std::vector<HeldRuns> axes;
    model::BufferShape shape;
};

PartView part_view(const Side &side, int position);
model::BufferShape buffer_shape_of(const Side &side, int position);

// What a source's part and a sink's part share along one dimension. Lists of indices have many runs and hardly any
// repetitions, so plain runs are kept in a shorter form.
struct Shared {
    std::vector<model::CommonRuns> repeated; // a is the source, b the sink
    SharedRuns runs;

    bool empty() const { return repeated.empty() && runs.empty(); }
    size_t size() const { return repeated.size() + runs.size(); }
};

// What a sink's part receives from the runs that a source's part owns, along one dimension. Index i of the sink is
// index i + shift of the source. run_by_run: in the form of one_by_one.
Shared common_runs(std::span<const model::Runs> source, const HeldRuns &sink, int64_t shift,
                   bool run_by_run = false);

// The same without repetitions, in rising order of the sink's indices, with runs as long as possible. This form is
// unique: it does not depend on how the runs were found. Only runs that repeat one element of the source stay
// repeated.
Shared one_by_one(Shared shared);

// Decides between plain copies and tables. With plain copies each combination of common runs has its best kernel.
// With tables a plan grows with the sum of the dimensions' lists, not with their product.
struct Gathering {
    int64_t plain_copies = 64; // maximum of plain copies between two parts; if there are more, all are gathered
    // Maximum of different lengths with one even table each. With more, and for short runs of mixed lengths, one
    // uneven table.
    int64_t even_tables = 8;
    friend bool operator==(const Gathering &, const Gathering &) = default;
};

// Copies of the elements that are shared along every dimension, in a fixed order.
// - shared: one per dimension.
// - scale: the factor applied to scalars. Different scalar types are converted.
std::vector<plan::StridedCopy> make_copies(std::span<const Shared *const> shared, const model::BufferShape &source,
                                           const model::BufferShape &sink, double scale = 1,
                                           const Gathering &gathering = {});

} // namespace dri::planner
