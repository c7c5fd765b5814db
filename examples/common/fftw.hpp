// FFTW's plans and arrays as values that free themselves.
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace common {

using cfloat = std::complex<float>;

inline fftwf_complex *as_fftw(cfloat *data) { return reinterpret_cast<fftwf_complex *>(data); }

struct DestroyPlan {
    void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, DestroyPlan>;

struct FreeArray {
    void operator()(cfloat *data) const { fftwf_free(data); }
};
using Array = std::unique_ptr<cfloat[], FreeArray>;

inline Array make_array(std::int64_t elements) {
    auto *data = fftwf_alloc_complex(static_cast<std::size_t>(elements > 0 ? elements : 1));
    if (data == nullptr)
        throw std::bad_alloc();
    return Array(reinterpret_cast<cfloat *>(data));
}

// A plan for in-place transforms of `lines` contiguous lines; null for no lines.
inline Plan plan_lines(int length, std::int64_t lines, cfloat *data, unsigned planning) {
    if (lines == 0)
        return nullptr;
    return Plan(fftwf_plan_many_dft(1, &length, static_cast<int>(lines), as_fftw(data), nullptr, 1, length,
                                    as_fftw(data), nullptr, 1, length, FFTW_FORWARD, planning));
}

} // namespace common
