// Walks the outer loops of a copy without recursion or allocation.
#pragma once

#include "plan/strided_copy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace dri::kernel {

// Calls f(src, dst) for every combination of indices of all loops except the last `inner` ones, in order. The
// copy's offsets are added here. Loop counts must not be 0.
template <class F>
void for_each_outer(const plan::StridedCopy &copy, size_t inner, const std::byte *src, std::byte *dst,
                    const F &f) {
    const size_t outer = copy.loops.size() - inner;
    std::array<int64_t, plan::max_loops> index{};
    src += copy.src_offset;
    dst += copy.dst_offset;
    for (;;) {
        f(src, dst);
        size_t i = outer;
        for (;;) {
            if (i == 0)
                return;
            const plan::Loop &l = copy.loops[--i];
            src += l.src_stride;
            dst += l.dst_stride;
            if (++index[i] < l.count)
                break;
            index[i] = 0;
            src -= l.count * l.src_stride;
            dst -= l.count * l.dst_stride;
        }
    }
}

// The same with the src of the next call as a third argument; null in the last call.
template <class F>
void for_each_outer_and_next(const plan::StridedCopy &copy, size_t inner, const std::byte *src, std::byte *dst,
                             const F &f) {
    const std::byte *held_src = nullptr;
    std::byte *held_dst = nullptr;
    for_each_outer(copy, inner, src, dst, [&](const std::byte *s, std::byte *d) {
        if (held_src)
            f(held_src, held_dst, s);
        held_src = s;
        held_dst = d;
    });
    f(held_src, held_dst, nullptr);
}

} // namespace dri::kernel
