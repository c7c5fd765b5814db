// Runs a StridedCopy run by run, as it is defined, and records what it writes.
#pragma once

#include "oracle_scalars.hpp"
#include "plan/strided_copy.hpp"

#include <stdexcept>
#include <vector>

namespace dri::test {

template <class F>
void for_each_step(const plan::StridedCopy &copy, size_t table, int64_t src, int64_t dst, F &f) {
    if (table == copy.tables.size())
        return f(src, dst, copy.run_bytes);
    const plan::Table &t = copy.tables[table];
    for (const plan::TableEntry &e : t.entries)
        for (int64_t k = 0; k < e.count; ++k)
            for_each_step(copy, table + 1, src + e.src_offset + k * t.src_stride,
                          dst + e.dst_offset + k * t.dst_stride, f);
}

template <class F> void for_each_run(const plan::StridedCopy &copy, size_t loop, int64_t src, int64_t dst, F &f) {
    if (loop == copy.loops.size())
        return for_each_step(copy, 0, src, dst, f);
    const plan::Loop &l = copy.loops[loop];
    for (int64_t k = 0; k < l.count; ++k)
        for_each_run(copy, loop + 1, src + k * l.src_stride, dst + k * l.dst_stride, f);
}

// Bytes of a number before and after the copy.
struct ScalarSizes {
    int64_t from = 1, to = 1;
    explicit ScalarSizes(const plan::Conversion &c) {
        if (c)
            from = scalar_bytes(c.from), to = scalar_bytes(c.to);
    }
};

template <class... Args> [[noreturn]] void fault(fmt::format_string<Args...> text, Args &&...args) {
    throw std::runtime_error(fmt::format(text, std::forward<Args>(args)...));
}

// Checks what the copies of a plan write: every byte at most once, and none outside the destination.
class WriteCount {
public:
    explicit WriteCount(int64_t bytes) : times_(static_cast<size_t>(bytes), 0) {}
    void add(const plan::StridedCopy &copy, int64_t src_bytes) {
        const ScalarSizes sizes(copy.conversion);
        auto count = [&](int64_t src, int64_t dst, int64_t n) {
            if (n % sizes.from != 0)
                fault("copy {} splits a number", plan::to_text(copy));
            const int64_t written = n / sizes.from * sizes.to;
            if (src < 0 || dst < 0 || src + n > src_bytes || dst + written > static_cast<int64_t>(times_.size()))
                fault("copy {} lies outside its {} source bytes or {} destination bytes", plan::to_text(copy),
                      src_bytes, times_.size());
            for (int64_t i = 0; i < written; ++i)
                if (times_[static_cast<size_t>(dst + i)]++)
                    fault("copy {} writes byte {} twice", plan::to_text(copy), dst + i);
        };
        for_each_run(copy, 0, copy.src_offset, copy.dst_offset, count);
    }
    bool all() const {
        for (uint8_t t : times_)
            if (t == 0)
                return false;
        return true;
    }
    bool written(int64_t i) const { return times_[static_cast<size_t>(i)] > 0; }

private:
    std::vector<uint8_t> times_;
};

} // namespace dri::test
