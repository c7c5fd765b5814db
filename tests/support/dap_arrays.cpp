// Arrays over grids of processes, built index by index.
#include "support/dap_arrays.hpp"

#include <algorithm>
#include <numeric>

namespace dri::test {

namespace {

using Indices = std::vector<int64_t>;

DRI_Dap_dim start_of(char type, int64_t size, size_t grid, size_t rank) {
    DRI_Dap_dim dim{};
    dim.dist_type = type;
    dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK;
    dim.size = size;
    dim.proc_grid_size = static_cast<int32_t>(grid);
    dim.proc_grid_rank = static_cast<int32_t>(rank);
    return dim;
}

void hold(DapAxis &axis, size_t c, int64_t index, bool is_owned, int64_t name) {
    axis.held[c].push_back(index);
    axis.owned[c].push_back(is_owned);
    axis.names[c].push_back(name);
}

void resize(DapAxis &axis, size_t grid) {
    axis.held.resize(grid);
    axis.owned.resize(grid);
    axis.names.resize(grid);
}

// Cuts at random places, with padding of random or of equal widths.
DapAxis blocks(Dice &dice, int64_t size, size_t grid, DapUse use) {
    Indices cuts{0, size};
    for (size_t i = 1; i < grid; ++i)
        cuts.push_back(dice.range(0, size));
    std::sort(cuts.begin(), cuts.end());
    const auto owned = [&](size_t c) { return cuts[c + 1] - cuts[c]; };
    const int64_t most = dice.one_of<int64_t>({0, 1, 3}), one_width = dice.chance(50) ? most : -1;
    Indices widths(grid + 1, 0); // at the borders before and behind each process
    int64_t least = size;
    for (size_t c = 0; c < grid; ++c)
        least = std::min(least, owned(c));
    for (size_t c = 1; c < grid; ++c)
        widths[c] =
            one_width >= 0 ? std::min(one_width, least) : dice.range(0, std::min({most, owned(c - 1), owned(c)}));
    int64_t left = dice.chance(50) ? std::min(dice.range(0, 2), owned(0) / 3) : 0;
    int64_t right = dice.chance(50) ? std::min(dice.range(0, 2), owned(grid - 1) / 3) : 0;
    const bool periodic = use == DapUse::update && dice.chance(40);
    const int64_t inside = size - left - right;
    DapAxis axis;
    resize(axis, grid);
    for (size_t c = 0; c < grid; ++c) {
        DRI_Dap_dim dim = start_of('b', size, grid, c);
        dim.keys |= DRI_DAP_START | DRI_DAP_STOP | DRI_DAP_PADDING | DRI_DAP_PERIODIC;
        dim.padding[0] = c == 0 ? left : widths[c];
        dim.padding[1] = c + 1 == grid ? right : widths[c + 1];
        dim.start = cuts[c] - widths[c];
        dim.stop = cuts[c + 1] + (c + 1 == grid ? 0 : widths[c + 1]);
        dim.periodic = periodic;
        axis.dims.push_back(dim);
        for (int64_t i = dim.start; i < dim.stop; ++i) {
            const bool is_inside = i >= cuts[c] && i < cuts[c + 1];
            const bool is_boundary = i < left || i >= size - right;
            const int64_t name = periodic ? ((i - left) % inside + inside) % inside : i;
            hold(axis, c, i, is_inside && !(periodic && is_boundary), name);
        }
    }
    return axis;
}

DapAxis cyclic_blocks(Dice &dice, int64_t size, size_t grid) {
    const int64_t block = dice.range(1, 4);
    DapAxis axis;
    resize(axis, grid);
    for (size_t c = 0; c < grid; ++c) {
        DRI_Dap_dim dim = start_of('c', size, grid, c);
        dim.keys |= DRI_DAP_START;
        dim.start = static_cast<int64_t>(c) * block;
        if (block > 1) {
            dim.keys |= DRI_DAP_BLOCK_SIZE;
            dim.block_size = block;
        }
        axis.dims.push_back(dim);
    }
    for (int64_t i = 0; i < size; ++i)
        hold(axis, static_cast<size_t>(i / block) % grid, i, true, i);
    return axis;
}

DapAxis lists(Dice &dice, int64_t size, size_t grid, DapUse use) {
    Indices all(static_cast<size_t>(size));
    std::iota(all.begin(), all.end(), int64_t{0});
    dice.shuffle(all);
    DapAxis axis;
    resize(axis, grid);
    if (use == DapUse::sink) {
        for (size_t c = 0; c < grid; ++c, dice.shuffle(all))
            for (const int64_t i : Indices(all.begin(), all.begin() + dice.range(0, size)))
                hold(axis, c, i, true, i);
    } else {
        for (const int64_t i : all)
            hold(axis, static_cast<size_t>(dice.range(0, static_cast<int64_t>(grid) - 1)), i, true, i);
    }
    const bool one_to_one = use != DapUse::sink && dice.chance(50);
    for (size_t c = 0; c < grid; ++c) {
        DRI_Dap_dim dim = start_of('u', size, grid, c);
        dim.keys |= DRI_DAP_INDICES | DRI_DAP_ONE_TO_ONE;
        dim.indices = axis.lists.emplace_back(axis.held[c]).data();
        dim.nindices = static_cast<int64_t>(axis.held[c].size());
        dim.one_to_one = one_to_one;
        axis.dims.push_back(dim);
    }
    return axis;
}

// Half of the grids are lines: only these have several borders between few processes.
std::vector<size_t> random_grid(Dice &dice, size_t n, size_t ndims) {
    std::vector<size_t> grid(ndims, 1);
    const auto any = [&] { return static_cast<size_t>(dice.range(0, static_cast<int64_t>(ndims) - 1)); };
    if (dice.chance(50)) {
        grid[any()] = n;
        return grid;
    }
    for (size_t factor = 2; n > 1;)
        if (n % factor == 0) {
            grid[any()] *= factor;
            n /= factor;
        } else {
            ++factor;
        }
    return grid;
}

} // namespace

bool DapArray::holds(int rank) const { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); }

int DapArray::position_of(int rank) const {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

DapArray make_dap_array(Dice &dice, const std::vector<int64_t> &sizes, int world, DapUse use, char only) {
    DapArray array;
    array.ranks.resize(static_cast<size_t>(world));
    std::iota(array.ranks.begin(), array.ranks.end(), 0);
    dice.shuffle(array.ranks);
    array.ranks.resize(dice.chance(50) ? array.ranks.size() : static_cast<size_t>(dice.range(1, world)));
    const std::vector<size_t> grid = random_grid(dice, array.ranks.size(), sizes.size());
    const bool only_blocks = dice.chance(40);
    for (size_t d = 0; d < sizes.size(); ++d) {
        const char type = only ? only : only_blocks ? 'b' : dice.one_of({'b', 'c', 'u'});
        array.axes.push_back(type == 'b'   ? blocks(dice, sizes[d], grid[d], use)
                             : type == 'c' ? cyclic_blocks(dice, sizes[d], grid[d])
                                           : lists(dice, sizes[d], grid[d], use));
    }
    return array;
}

DapMemory::DapMemory(Dice &dice, const DapArray &array, int position) {
    const size_t ndims = array.axes.size();
    names_.resize(ndims);
    owned_.resize(ndims);
    strides_.resize(ndims);
    auto rest = static_cast<size_t>(position);
    for (size_t d = ndims; d-- > 0;) {
        const DapAxis &axis = array.axes[d];
        const size_t c = rest % axis.dims.size();
        rest /= axis.dims.size();
        names_[d] = &axis.names[c];
        owned_[d] = &axis.owned[c];
        dap_.dim_data[d] = axis.dims[c];
        dap_.shape[d] = static_cast<int64_t>(axis.held[c].size());
        // The short form of a dimension that is not distributed.
        if (axis.dims.size() == 1 && axis.dims[0].dist_type == 'b' && axis.dims[0].padding[0] == 0 &&
            axis.dims[0].padding[1] == 0 && !axis.dims[0].periodic && dice.chance(50))
            dap_.dim_data[d] = {};
    }
    std::vector<int64_t> order(ndims);
    std::iota(order.begin(), order.end(), int64_t{0});
    if (dice.chance(50))
        dice.shuffle(order);
    const int64_t extra = dice.chance(50) ? 0 : 2;
    int64_t span = 1; // elements up to the last one
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        const int64_t extent = dap_.shape[*d];
        // What the stride along one element is does not matter.
        strides_[static_cast<size_t>(*d)] = extent == 1 ? dice.range(-3, 3) : span + dice.range(0, extra);
        span += extent > 1 ? strides_[static_cast<size_t>(*d)] * (extent - 1) : 0;
    }
    memory_.assign(static_cast<size_t>(span + 8), gap);
    dap_.buffer = memory_.data() + 4;
    dap_.itemsize = sizeof(int64_t);
    dap_.ndims = static_cast<int32_t>(ndims);
    for (size_t d = 0; d < ndims; ++d)
        dap_.strides[d] = strides_[d] * static_cast<int64_t>(sizeof(int64_t));
}

void DapMemory::for_each(
    const std::function<void(int64_t &value, const std::vector<int64_t> &names, bool is_owned)> &f) {
    const size_t ndims = names_.size();
    size_t places = 1;
    for (const auto *const along : names_)
        places *= along->size();
    std::vector<int64_t> names(ndims);
    for (size_t at = 0; at < places; ++at) {
        size_t rest = at;
        int64_t offset = 4;
        bool is_owned = true;
        for (size_t d = ndims; d-- > 0;) {
            const size_t place = rest % names_[d]->size();
            rest /= names_[d]->size();
            names[d] = (*names_[d])[place];
            is_owned = is_owned && (*owned_[d])[place];
            offset += static_cast<int64_t>(place) * strides_[d];
        }
        f(memory_[static_cast<size_t>(offset)], names, is_owned);
    }
}

bool DapMemory::gaps_are_whole() {
    size_t places = 0;
    for_each([&](int64_t &value, const std::vector<int64_t> &, bool) {
        ++places;
        value = 0;
    });
    const auto gaps = std::count(memory_.begin(), memory_.end(), gap);
    return memory_.size() - places == static_cast<size_t>(gaps);
}

int64_t value_of(const std::vector<int64_t> &names) {
    int64_t value = 0;
    for (const int64_t name : names)
        value = value * 1000 + name;
    return value;
}

} // namespace dri::test
