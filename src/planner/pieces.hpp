// Describes the elements that two parts share, as copies from the memory of one to the memory of the other.
#pragma once

#include "model/index_set.hpp"
#include "model/layout.hpp"
#include "model/part_axis.hpp"
#include "plan/strided_copy.hpp"
#include "planner/side.hpp"

namespace dri::planner {

// A part as a process holds it: its indices along each dimension, and where they lie in memory.
struct PartView {
    std::vector<model::PartAxis> axes;
    model::BufferShape shape;
};

PartView part_view(const Side &side, int position);
model::BufferShape buffer_shape_of(const Side &side, int position);

// What a sink's part receives from the runs that a source's part owns, along one dimension. In the result, a is
// the source and b the sink. Index i of the sink is index i + shift of the source. run_by_run: in the form of
// one_by_one.
std::vector<model::CommonRuns> common_runs(std::span<const model::Runs> source, const model::PartAxis &sink,
                                           int64_t shift, bool run_by_run = false);

// The same common runs without repetitions, in rising order of the sink's indices, with runs as long as possible.
// This form is unique: it does not depend on how the runs were found. Only runs that repeat one element of the
// source stay repeated.
std::vector<model::CommonRuns> one_by_one(const std::vector<model::CommonRuns> &common);

// Decides between plain copies and tables. With plain copies each combination of common runs has its best kernel.
// With tables a plan grows with the sum of the dimensions' lists, not with their product.
struct Gathering {
    int64_t plain_copies = 64; // maximum of plain copies between two parts; if there are more, all are gathered
    int64_t even_tables = 8; // maximum of different lengths with one even table each; with more, one uneven table
    friend bool operator==(const Gathering &, const Gathering &) = default;
};

// Copies of the elements that are common along every dimension, in a fixed order.
// - common: one list per dimension; a is the source, b the sink.
// - scale: the factor applied to scalars. Different scalar types are converted.
std::vector<plan::StridedCopy> make_copies(const std::vector<std::vector<model::CommonRuns>> &common,
                                           const model::BufferShape &source, const model::BufferShape &sink,
                                           double scale = 1, const Gathering &gathering = {});

} // namespace dri::planner
