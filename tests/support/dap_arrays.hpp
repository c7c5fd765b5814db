// Random arrays of the Distributed Array Protocol, and their elements found by a walk over all places.
#pragma once

#include "support/dice.hpp"

#include <dri/dap.h>

#include <functional>
#include <list>
#include <vector>

namespace dri::test {

// What an array is made for. The lists of a source have each index once. An update may be periodic.
enum class DapUse { source, sink, update };

// One dimension of an array over the processes along it. Entry c is that of coordinate c.
struct DapAxis {
    std::vector<DRI_Dap_dim> dims;
    std::vector<std::vector<int64_t>> held; // global index at each place of the buffer
    std::vector<std::vector<bool>> owned;   // whether that place is owned, and no copy of another element
    // The name of the element at each place: equal where padding has a copy of an owned one.
    std::vector<std::vector<int64_t>> names;
    std::list<std::vector<int64_t>> lists;
};

struct DapArray {
    std::vector<int> ranks; // of its processes, in the order of the grid
    std::vector<DapAxis> axes;
    bool holds(int rank) const;
    int position_of(int rank) const;
};

// An array of `sizes` over some of the processes of a world. type: of all dimensions, or 0 for random ones.
DapArray make_dap_array(Dice &dice, const std::vector<int64_t> &sizes, int world, DapUse use, char type = 0);

// The local array of one process, in memory with gaps.
class DapMemory {
public:
    static constexpr int64_t gap = -9;

    DapMemory(Dice &dice, const DapArray &array, int position);
    const DRI_Dap &dap() const { return dap_; }
    DRI_Dap &dap() { return dap_; }
    // Calls f(value, names, is_owned) for each place. names: of the element along each dimension.
    void for_each(const std::function<void(int64_t &value, const std::vector<int64_t> &names, bool is_owned)> &f);
    bool gaps_are_whole();

private:
    std::vector<const std::vector<int64_t> *> names_;
    std::vector<const std::vector<bool> *> owned_;
    std::vector<int64_t> strides_; // elements
    std::vector<int64_t> memory_;
    DRI_Dap dap_{};
};

// One number for all names, different for different ones.
int64_t value_of(const std::vector<int64_t> &names);

} // namespace dri::test
