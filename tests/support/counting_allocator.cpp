// Replaces the allocator of the program that it is linked into by one that counts allocations.
#include "support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

// These names are defined by glibc.
// NOLINTBEGIN(bugprone-reserved-identifier,misc-definitions-in-headers)
extern "C" {
void *__libc_malloc(size_t);
void __libc_free(void *);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
extern char __executable_start, etext;
}

namespace {

std::atomic<long> num_counted = 0;
std::atomic<bool> counting = false;

// Whether the caller is counted.
bool count(const void *caller) {
    if (!counting.load(std::memory_order_relaxed))
        return false;
    const auto *at = static_cast<const char *>(caller);
    const bool counts = at >= &__executable_start && at < &etext;
    num_counted += counts;
    return counts;
}

std::atomic<int64_t> live = 0, peak = 0, aligned = 0;

void *counted(void *p) {
    if (!p)
        throw std::bad_alloc();
    if (counting)
        ++num_counted;
    const int64_t now = live += static_cast<int64_t>(malloc_usable_size(p));
    for (int64_t before = peak; before < now && !peak.compare_exchange_weak(before, now);) {
    }
    return p;
}

void release(void *p) {
    if (!p)
        return;
    live -= static_cast<int64_t>(malloc_usable_size(p));
    __libc_free(p);
}

} // namespace

extern "C" {
void *malloc(size_t n) {
    count(__builtin_return_address(0));
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    count(__builtin_return_address(0));
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    count(__builtin_return_address(0));
    return __libc_realloc(p, n);
}
void *aligned_alloc(size_t alignment, size_t n) {
    if (count(__builtin_return_address(0)))
        aligned += static_cast<int64_t>(n);
    return __libc_memalign(alignment, n);
}
int posix_memalign(void **p, size_t alignment, size_t n) {
    count(__builtin_return_address(0));
    *p = __libc_memalign(alignment, n);
    return *p ? 0 : 12;
}
}

void *operator new(size_t n) { return counted(__libc_malloc(n)); }
void *operator new(size_t n, std::align_val_t alignment) {
    return counted(__libc_memalign(static_cast<size_t>(alignment), n));
}
void operator delete(void *p) noexcept { release(p); }
void operator delete(void *p, size_t) noexcept { release(p); }
void operator delete(void *p, std::align_val_t) noexcept { release(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { release(p); }

// NOLINTEND(bugprone-reserved-identifier,misc-definitions-in-headers)

namespace dri::test {

void begin_counting() {
    num_counted = 0;
    aligned = 0;
    counting = true;
}

long end_counting() {
    counting = false;
    return num_counted;
}

int64_t aligned_bytes() { return aligned; }
int64_t bytes_from_new() { return live; }
int64_t peak_from_new() { return peak; }
void forget_peak() { peak = live.load(); }

} // namespace dri::test
