// The rules of one dimension, in the order of DRI_Dap_rule.
#include "base/checked.hpp"
#include "dap/dimension.hpp"
#include "dap/faults.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace dri::dap {

namespace {

using Found = std::optional<DRI_Dap_fault>;

constexpr uint32_t common_keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK;
constexpr uint32_t number_keys =
    common_keys | uint32_t{DRI_DAP_START} | uint32_t{DRI_DAP_STOP} | uint32_t{DRI_DAP_BLOCK_SIZE};
constexpr std::pair<uint32_t, const char *> key_names[]{
    {DRI_DAP_SIZE, "size"},
    {DRI_DAP_GRID_SIZE, "proc_grid_size"},
    {DRI_DAP_GRID_RANK, "proc_grid_rank"},
    {DRI_DAP_START, "start"},
    {DRI_DAP_STOP, "stop"},
    {DRI_DAP_BLOCK_SIZE, "block_size"},
    {DRI_DAP_INDICES, "indices"},
};

uint32_t optional_keys(int32_t type) {
    switch (type) {
    case 'b': return uint32_t{DRI_DAP_PADDING} | uint32_t{DRI_DAP_PERIODIC};
    case 'c': return DRI_DAP_BLOCK_SIZE;
    case 'u': return DRI_DAP_ONE_TO_ONE;
    default: return 0;
    }
}

Found missing_key(const DRI_Dap_dim &d, int n) {
    if (d.dist_type == 0)
        return make_fault(DRI_DAP_RULE_MISSING_KEY, n, "dist_type", 0, 0, "the key dist_type is missing");
    const uint32_t missing = needed_keys(d.dist_type) & ~(d.keys | d.unreadable);
    for (const auto &[key, name] : key_names)
        if (missing & key)
            return make_fault(DRI_DAP_RULE_MISSING_KEY, n, name, 0, 0, "the key {} is missing", name);
    return {};
}

Found dist_type(const DRI_Dap_dim &d, int n) {
    if (d.dist_type == 'b' || d.dist_type == 'c' || d.dist_type == 'u')
        return {};
    const bool shows = d.dist_type > 0 && d.dist_type < 127 && std::isprint(static_cast<int>(d.dist_type));
    const std::string found =
        shows ? fmt::format("'{}'", static_cast<char>(d.dist_type)) : fmt::to_string(d.dist_type);
    return make_fault(DRI_DAP_RULE_DIST_TYPE, n, "dist_type", d.dist_type, 0,
                      "dist_type is {}, but must be 'b', 'c' or 'u'", found);
}

// unreadable: those keys that count for this kind of dimension.
Found number_types(uint32_t unreadable, int n) {
    for (const auto &[key, name] : key_names)
        if (unreadable & key & number_keys)
            return make_fault(DRI_DAP_RULE_TYPE, n, name, 0, 0, "{} is no integer", name);
    return {};
}

Found sizes(const DRI_Dap_dim &d, int n) {
    if (d.size < 0)
        return make_fault(DRI_DAP_RULE_SIZE, n, "size", d.size, 0, "size is {}, but must be >= 0", d.size);
    if (d.proc_grid_size < 1)
        return make_fault(DRI_DAP_RULE_PROC_GRID_SIZE, n, "proc_grid_size", d.proc_grid_size, 1,
                          "proc_grid_size is {}, but must be >= 1", d.proc_grid_size);
    if (d.proc_grid_rank < 0)
        return make_fault(DRI_DAP_RULE_PROC_GRID_RANK, n, "proc_grid_rank", d.proc_grid_rank, 0,
                          "proc_grid_rank is {}, but must be >= 0", d.proc_grid_rank);
    if (d.proc_grid_rank >= d.proc_grid_size)
        return make_fault(DRI_DAP_RULE_PROC_GRID_RANK, n, "proc_grid_rank", d.proc_grid_rank, d.proc_grid_size,
                          "proc_grid_rank is {}, but proc_grid_size is {}", d.proc_grid_rank, d.proc_grid_size);
    return {};
}

Found negative_start(const DRI_Dap_dim &d, int n) {
    if (d.start >= 0)
        return {};
    return make_fault(DRI_DAP_RULE_START, n, "start", d.start, 0, "start is {}, but must be >= 0", d.start);
}

// A flag that is there must be 0 or 1.
Found flag(DRI_Dap_rule rule, bool unreadable, int32_t value, const char *key, int n) {
    if (unreadable)
        return make_fault(rule, n, key, 0, 0, "{} is no truth value", key);
    if (value != 0 && value != 1)
        return make_fault(rule, n, key, value, 1, "{} is {}, but must be 0 or 1", key, value);
    return {};
}

Found padding(const DRI_Dap_dim &d, bool unreadable, int n) {
    if (unreadable)
        return make_fault(DRI_DAP_RULE_PADDING, n, "padding", 0, 0, "padding is no pair of integers");
    const auto [left, right] = std::pair(d.padding[0], d.padding[1]);
    if (left < 0 || right < 0)
        return make_fault(DRI_DAP_RULE_PADDING, n, "padding", std::min(left, right), 0,
                          "padding is ({}, {}), but must be >= 0", left, right);
    if (Wide{left} + right > d.stop - d.start)
        return make_fault(DRI_DAP_RULE_PADDING, n, "padding", std::max(left, right), d.stop - d.start,
                          "padding is ({}, {}), but start is {} and stop is {}", left, right, d.start, d.stop);
    return {};
}

Found block(const DRI_Dap_dim &d, uint32_t unreadable, int n) {
    if (const Found found = negative_start(d, n))
        return found;
    if (d.stop < d.start)
        return make_fault(DRI_DAP_RULE_STOP_LT_START, n, "stop", d.stop, d.start, "stop is {}, but start is {}",
                          d.stop, d.start);
    if (d.stop > d.size)
        return make_fault(DRI_DAP_RULE_STOP_GT_SIZE, n, "stop", d.stop, d.size, "stop is {}, but size is {}",
                          d.stop, d.size);
    if (d.proc_grid_rank == 0 && d.start != 0)
        return make_fault(DRI_DAP_RULE_START_RANK0, n, "start", d.start, 0,
                          "start is {}, but must be 0 where proc_grid_rank is 0", d.start);
    if ((d.keys | unreadable) & DRI_DAP_PADDING)
        if (const Found found = padding(d, unreadable & DRI_DAP_PADDING, n))
            return found;
    if ((d.keys | unreadable) & DRI_DAP_PERIODIC)
        return flag(DRI_DAP_RULE_PERIODIC, unreadable & DRI_DAP_PERIODIC, d.periodic, "periodic", n);
    return {};
}

Found cyclic(const DRI_Dap_dim &d, int n) {
    if (const Found found = negative_start(d, n))
        return found;
    const int64_t size = d.keys & DRI_DAP_BLOCK_SIZE ? d.block_size : 1;
    // With a wrong block size nothing can be said about the start.
    if (size < 1)
        return make_fault(DRI_DAP_RULE_BLOCK_SIZE, n, "block_size", size, 1, "block_size is {}, but must be >= 1",
                          size);
    if (Wide{size} * d.proc_grid_rank != d.start && d.start < d.size)
        return make_fault(
            DRI_DAP_RULE_START_CYCLIC, n, "start", d.start, d.proc_grid_rank,
            "start is {}, but must be proc_grid_rank * block_size = {} * {}, or at least the size {}", d.start,
            d.proc_grid_rank, size, d.size);
    return {};
}

Found unstructured(const DRI_Dap_dim &d, uint32_t unreadable, int n) {
    if ((d.keys | unreadable) & DRI_DAP_ONE_TO_ONE)
        if (const Found found =
                flag(DRI_DAP_RULE_ONE_TO_ONE, unreadable & DRI_DAP_ONE_TO_ONE, d.one_to_one, "one_to_one", n))
            return found;
    if (unreadable & DRI_DAP_INDICES)
        return make_fault(DRI_DAP_RULE_INDICES_BUFFER, n, "indices", 0, 0, "indices is no buffer of integers");
    if (d.nindices < 0)
        return make_fault(DRI_DAP_RULE_INDICES_BUFFER, n, "indices", d.nindices, 0,
                          "the number of indices is {}, but must be >= 0", d.nindices);
    if (d.nindices > 0 && !d.indices)
        return make_fault(DRI_DAP_RULE_INDICES_BUFFER, n, "indices", d.nindices, 0,
                          "indices is NULL, but has {} numbers", d.nindices);
    return {};
}

Found repeated_index(const DRI_Dap_dim &d, int n) {
    if (d.dist_type != 'u' || d.nindices < 2)
        return {};
    const std::span list(d.indices, static_cast<size_t>(d.nindices));
    if (std::is_sorted(list.begin(), list.end(), std::less_equal{}))
        return {};
    std::vector sorted(list.begin(), list.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end())
        return {};
    return make_fault(DRI_DAP_RULE_INDICES_NOT_UNIQUE, n, "indices", *twice, 0, "indices has {} more than once",
                      *twice);
}

Found shape(const DRI_Dap_dim &d, int n, int64_t extent) {
    const int64_t held = make_dimension(d, extent).held();
    if (extent < 0 || held == extent)
        return {};
    const char *const key = d.dist_type == 'u' ? "indices" : d.dist_type == 'b' ? "stop" : "start";
    return make_fault(DRI_DAP_RULE_SHAPE, n, key, held, extent,
                      "the process holds {} indices, but the buffer has {} elements", held, extent);
}

// Rules up to indices_buffer: they cost nothing.
Found quick_fault(const DRI_Dap_dim &d, int n) {
    if (const Found found = missing_key(d, n))
        return found;
    if (const Found found = dist_type(d, n))
        return found;
    const uint32_t unreadable = d.unreadable & (needed_keys(d.dist_type) | optional_keys(d.dist_type));
    if (const Found found = number_types(unreadable, n))
        return found;
    if (const Found found = sizes(d, n))
        return found;
    if (d.dist_type == 'b')
        return block(d, unreadable, n);
    return d.dist_type == 'c' ? cyclic(d, n) : unstructured(d, unreadable, n);
}

} // namespace

uint32_t needed_keys(int32_t type) {
    switch (type) {
    case 'b': return common_keys | uint32_t{DRI_DAP_START} | uint32_t{DRI_DAP_STOP};
    case 'c': return common_keys | uint32_t{DRI_DAP_START};
    case 'u': return common_keys | uint32_t{DRI_DAP_INDICES};
    default: return common_keys;
    }
}

Found fault_of(const DRI_Dap_dim &dim, int number, int64_t extent) {
    if (is_empty_dictionary(dim))
        return {};
    if (const Found found = quick_fault(dim, number))
        return found;
    if (const Found found = repeated_index(dim, number))
        return found;
    return shape(dim, number, extent);
}

Found quick_fault_of(const DRI_Dap_dim &dim) { return quick_fault(dim, -1); }

} // namespace dri::dap
