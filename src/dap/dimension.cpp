// Counts and maps of the three kinds of dimensions.
#include "dap/dimension.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::dap {

namespace {

// From one block of a process to its next one. Blocks beyond the array do not count, so a step that 64 bits do not
// hold is as good as the largest that they do.
Wide step_of(const Dimension &d) { return Wide{d.block} * d.grid; }

int64_t cyclic_count(const Dimension &d) {
    if (d.start >= d.size)
        return 0;
    const Wide left = d.size - d.start, step = step_of(d);
    return static_cast<int64_t>(left / step * d.block + std::min<Wide>(left % step, d.block));
}

} // namespace

bool is_empty_dictionary(const DRI_Dap_dim &dim) {
    return dim.dist_type == 0 && dim.keys == 0 && dim.unreadable == 0;
}

Dimension make_dimension(const DRI_Dap_dim &dim, int64_t extent) {
    Dimension made;
    if (is_empty_dictionary(dim)) {
        made.size = made.stop = extent;
        return made;
    }
    const auto has = [&](DRI_Dap_key key) { return (dim.keys & key) != 0; };
    made.type = dim.dist_type;
    made.grid = dim.proc_grid_size;
    made.rank = dim.proc_grid_rank;
    made.size = dim.size;
    if (made.type == 'u') {
        made.one_to_one = has(DRI_DAP_ONE_TO_ONE) && dim.one_to_one == 1;
        made.indices = dim.indices;
        made.nindices = dim.nindices;
        return made;
    }
    made.start = dim.start;
    if (made.type == 'c') {
        if (has(DRI_DAP_BLOCK_SIZE))
            made.block = dim.block_size;
        return made;
    }
    made.stop = dim.stop;
    if (has(DRI_DAP_PADDING))
        made.padding = {dim.padding[0], dim.padding[1]};
    made.periodic = has(DRI_DAP_PERIODIC) && dim.periodic == 1;
    return made;
}

int64_t Dimension::owned() const {
    if (type == 'b')
        return end_of_owned() - first_owned();
    return type == 'c' ? cyclic_count(*this) : nindices;
}

int64_t Dimension::held() const { return type == 'b' ? stop - start : owned(); }

int64_t Dimension::place_of(int64_t index) const {
    if (type == 'u') {
        const auto all = list();
        const auto found = std::find(all.begin(), all.end(), index);
        return found == all.end() ? -1 : found - all.begin();
    }
    if (type == 'b')
        return index >= start && index < stop ? index - start : -1;
    if (index < start || index >= size)
        return -1;
    const Wide from_start = index - start, step = step_of(*this);
    if (from_start % step >= block)
        return -1;
    return static_cast<int64_t>(from_start / step * block + from_start % step);
}

int64_t Dimension::index_at(int64_t place) const {
    if (type == 'u')
        return indices[place];
    if (type == 'b')
        return start + place;
    return static_cast<int64_t>(start + place / block * step_of(*this) + place % block);
}

} // namespace dri::dap
