// The pieces that two parts have in common, as copies from the one's memory to the other's.
#pragma once

#include "plan/strided_copy.hpp"
#include "planner/side.hpp"

namespace dri {

// A part as a process holds it: what it has along each dimension and where that lies.
struct PartView {
    std::vector<PartAxis> axes;
    BufferShape shape;
};

PartView part_view(const Side &side, int position);
BufferShape buffer_shape_of(const Side &side, int position);

// What a sink's part takes from what a source's part owns along one dimension: a is the source, b the sink. Index
// i of the sink is index i + shift of the source. run_by_run: in the form of one_by_one.
std::vector<CommonRuns> common_runs(std::span<const Runs> source, const PartAxis &sink, int64_t shift,
                                    bool run_by_run = false);

// The same without repetitions, in rising order of the sink's places, runs as long as they can be: one form for
// equal contents, in whatever way they were found. Only what repeats one element of the source stays repeated.
std::vector<CommonRuns> one_by_one(const std::vector<CommonRuns> &common);

// When common runs become copies of their own, in which each has its best kernel, and when they are gathered in
// tables, so that a plan grows with the sum of the dimensions' lists and not with their product.
struct Gathering {
    int64_t plain_copies = 64; // between two parts; where there are more, all are gathered
    int64_t even_tables = 8;   // runs of more different lengths go into one uneven table, others into one for each
    friend bool operator==(const Gathering &, const Gathering &) = default;
};

// Copies of the elements that are common along every dimension, in a fixed order. common: one list per
// dimension, seen from the source (a is the source, b the sink). scale: the factor of numbers on the way; types
// that differ are converted.
std::vector<StridedCopy> make_copies(const std::vector<std::vector<CommonRuns>> &common, const BufferShape &source,
                                     const BufferShape &sink, double scale = 1, const Gathering &gathering = {});

} // namespace dri
