// Random copies for the tests of kernels and of the canonical form, and an oracle that visits every index of every
// loop and every byte of a run.
#pragma once

#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace kernel_cases {

using Random = std::mt19937_64;
using Buffer = std::vector<std::byte>;

inline int64_t between(Random &random, int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

template <class F>
void walk_tables(const dri::plan::StridedCopy &copy, size_t table, int64_t from, int64_t to, const F &f) {
    if (table == copy.tables.size()) {
        for (int64_t b = 0; b < copy.run_bytes; ++b)
            f(from + b, to + b);
        return;
    }
    const dri::plan::Table &t = copy.tables[table];
    for (const dri::plan::TableEntry &e : t.entries)
        for (int64_t i = 0; i < e.count; ++i)
            walk_tables(copy, table + 1, from + e.src_offset + i * t.src_stride,
                        to + e.dst_offset + i * t.dst_stride, f);
}

constexpr std::byte canary{0xA5};
constexpr size_t margin = 256;

// A buffer of canaries with a margin on both sides. Its offset in a cache line is given.
struct GuardedBytes {
    Buffer bytes;
    size_t start = margin;
    GuardedBytes(int64_t size, int64_t past_line) : bytes(static_cast<size_t>(size) + 2 * margin + 64, canary) {
        while (reinterpret_cast<uintptr_t>(bytes.data() + start) % 64 != static_cast<uintptr_t>(past_line))
            ++start;
    }
    std::byte *data() { return bytes.data() + start; }
};

// Calls f(source byte, destination byte) for every byte that the copy moves.
template <class F> void walk(const dri::plan::StridedCopy &copy, const F &f) {
    int64_t combinations = 1;
    for (const dri::plan::Loop &l : copy.loops)
        combinations *= l.count;
    for (int64_t k = 0; k < combinations; ++k) {
        int64_t rest = k, from = copy.src_offset, to = copy.dst_offset;
        for (size_t i = copy.loops.size(); i-- > 0;) {
            const int64_t index = rest % copy.loops[i].count;
            rest /= copy.loops[i].count;
            from += index * copy.loops[i].src_stride;
            to += index * copy.loops[i].dst_stride;
        }
        walk_tables(copy, 0, from, to, f);
    }
}

struct Extent {
    int64_t source = 0, destination = 0; // size of the buffers that hold all bytes of the copy
};

// Moves the offsets so that the lowest source byte and the lowest destination byte are `src_at` and `dst_at`.
inline Extent settle(dri::plan::StridedCopy &copy, int64_t src_at, int64_t dst_at) {
    int64_t src_low = 0, src_high = 0, dst_low = 0, dst_high = 0;
    for (const dri::plan::Loop &l : copy.loops) {
        (l.src_stride < 0 ? src_low : src_high) += (l.count - 1) * l.src_stride;
        (l.dst_stride < 0 ? dst_low : dst_high) += (l.count - 1) * l.dst_stride;
    }
    copy.src_offset = src_at - src_low;
    copy.dst_offset = dst_at - dst_low;
    return {copy.src_offset + src_high + copy.run_bytes, copy.dst_offset + dst_high + copy.run_bytes};
}

// Nests the loops in `order`, fastest first, with random gaps.
template <class SetStride>
void pack(Random &random, const dri::plan::StridedCopy &copy, const std::vector<size_t> &order, bool gaps,
          const SetStride &set) {
    int64_t stride = copy.run_bytes;
    for (const size_t i : order) {
        if (gaps && between(random, 0, 2) == 0)
            stride += between(random, 1, 40);
        set(i, stride);
        stride *= copy.loops[i].count;
    }
}

// Random strides: the loops have one random order in the destination and another one in the source. A few source
// strides are zero, negative, or let the source overlap itself.
inline dri::plan::StridedCopy random_copy(Random &random, int64_t run_bytes, size_t loops, int64_t max_bytes) {
    dri::plan::StridedCopy copy;
    copy.run_bytes = run_bytes;
    int64_t max_runs = std::max<int64_t>(max_bytes / run_bytes, 1);
    std::vector<size_t> order;
    for (size_t i = 0; i < loops; ++i) {
        const int64_t ceiling = i + 1 == loops ? max_runs : between(random, 1, std::min<int64_t>(max_runs, 40));
        const int64_t count = between(random, std::max<int64_t>(1, ceiling / 2), ceiling);
        max_runs = std::max<int64_t>(max_runs / count, 1);
        copy.loops.push_back({count, 0, 0});
        order.push_back(i);
    }
    std::shuffle(order.begin(), order.end(), random);
    pack(random, copy, order, between(random, 0, 1) == 0,
         [&](size_t i, int64_t s) { copy.loops[i].dst_stride = s; });
    std::shuffle(order.begin(), order.end(), random);
    pack(random, copy, order, between(random, 0, 1) == 0,
         [&](size_t i, int64_t s) { copy.loops[i].src_stride = s; });
    for (dri::plan::Loop &l : copy.loops) {
        switch (between(random, 0, 19)) {
        case 0: l.src_stride = 0; break;
        case 1: l.src_stride = -l.src_stride; break;
        case 2: l.dst_stride = -l.dst_stride; break;
        case 3: l.src_stride = between(random, 1, 2 * run_bytes); break;
        default: break;
        }
    }
    return copy;
}

} // namespace kernel_cases
