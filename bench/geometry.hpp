// Which process holds which elements, computed independently of the library. The library's results are checked
// against it.
#pragma once

#include "support/case_line.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

using Dims = std::vector<int64_t>;

// Global indices [begin, begin + count) along one dimension.
struct Run {
    int64_t begin, count;
};

// All elements that one process holds, packed in memory.
struct Part {
    std::vector<std::vector<Run>> runs; // per dimension, in local order
    Dims extents;
    std::vector<int> order; // dimensions, slowest first
    Dims strides;           // elements
    int64_t count = 0;

    bool is_box() const; // at most one run along each dimension
};

struct Side {
    std::vector<int> order;  // dimensions, slowest first
    std::vector<Part> parts; // one per process; processes beyond the last part hold an empty part
    Dims grid;               // parts along each dimension; the last dimension varies fastest over the ranks
    int processes = 0;       // number of processes that hold a part

    bool has_boxes_only() const;
};

struct Case {
    dri::test::CaseLine line;
    int64_t element_bytes = 0;
    Dims sizes; // a case without dimensions is given one dimension of size 1 here
    Side source, sink;
    int dri_threads = 1; // per process, for the library only

    int64_t bytes() const; // of the whole array
};

// Chooses the number of parts along each dimension for a side that leaves several of them open.
using ChooseGrid = std::function<Dims(const dri::test::CaseLine &, const dri::test::CaseSide &, int processes)>;

// Throws std::invalid_argument if the case does not fit the number of processes.
Case resolve(const dri::test::CaseLine &line, int processes, const ChooseGrid &choose_grid);

// The intersection of two parts that are boxes.
struct Box {
    Dims begin, extents;
    int64_t count = 0;
};
Box intersection(const Part &a, const Part &b);

// Offset of a box's first element in a part that holds it, in elements.
int64_t offset_in(const Part &part, const Box &box);

// Strides of a packed array, in elements.
Dims packed_strides(const Dims &extents, const std::vector<int> &order);

} // namespace bench
