#include "memory_meter.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> live{0}, peak{0};

void *counted(void *p) {
    if (!p)
        throw std::bad_alloc();
    const int64_t now = live += static_cast<int64_t>(malloc_usable_size(p));
    peak = std::max<int64_t>(peak, now);
    return p;
}

void uncounted(void *p) {
    if (p)
        live -= static_cast<int64_t>(malloc_usable_size(p));
    std::free(p);
}

} // namespace

void *operator new(size_t n) { return counted(std::malloc(n)); }
void *operator new(size_t n, std::align_val_t align) {
    const auto a = static_cast<size_t>(align);
    return counted(std::aligned_alloc(a, (n + a - 1) / a * a));
}
void operator delete(void *p) noexcept { uncounted(p); }
void operator delete(void *p, size_t) noexcept { uncounted(p); }
void operator delete(void *p, std::align_val_t) noexcept { uncounted(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { uncounted(p); }

namespace plan_bench {

int64_t live_bytes() { return live; }
int64_t peak_bytes() { return peak; }
void forget_peak() { peak = live.load(); }

} // namespace plan_bench
