#include "streamed_copy.hpp"

#include "buffer.hpp"

#include <immintrin.h>

#include <cstring>

namespace bench {

namespace {

__attribute__((target("avx512f"))) void copy_avx512(std::byte *to, const std::byte *from, size_t bytes) {
    size_t at = 0;
    for (; at + line_bytes <= bytes; at += line_bytes)
        _mm512_stream_si512(reinterpret_cast<__m512i *>(to + at), _mm512_loadu_si512(from + at));
    _mm_sfence();
    std::memcpy(to + at, from + at, bytes - at);
}

__attribute__((target("avx2"))) void copy_avx2(std::byte *to, const std::byte *from, size_t bytes) {
    size_t at = 0;
    for (; at + line_bytes <= bytes; at += line_bytes)
        for (size_t k = at; k < at + line_bytes; k += sizeof(__m256i))
            _mm256_stream_si256(reinterpret_cast<__m256i *>(to + k),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + k)));
    _mm_sfence();
    std::memcpy(to + at, from + at, bytes - at);
}

void copy_sse2(std::byte *to, const std::byte *from, size_t bytes) {
    size_t at = 0;
    for (; at + line_bytes <= bytes; at += line_bytes)
        for (size_t k = at; k < at + line_bytes; k += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i *>(to + k),
                             _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + k)));
    _mm_sfence();
    std::memcpy(to + at, from + at, bytes - at);
}

struct Variant {
    const char *isa;
    bool (*runs_here)();
    CopyFunction copy;
};

constexpr Variant variants[] = {
    {"AVX-512", [] { return __builtin_cpu_supports("avx512f") != 0; }, copy_avx512},
    {"AVX2", [] { return __builtin_cpu_supports("avx2") != 0; }, copy_avx2},
    {"SSE2", [] { return true; }, copy_sse2},
};

const Variant &best() {
    const Variant *variant = variants;
    while (!variant->runs_here())
        ++variant;
    return *variant;
}

} // namespace

CopyFunction streamed_copy() { return best().copy; }
const char *streamed_copy_isa() { return best().isa; }

} // namespace bench
