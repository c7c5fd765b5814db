// Instruction sets: what the processor offers, and what DRI_ISA allows of it.
#include "base/env.hpp"
#include "base/error.hpp"
#include "kernel/kernel.hpp"

#include <hwy/targets.h>

#include <algorithm>

namespace dri::kernel {

namespace {

Isa processor_isa() {
    const int64_t has = hwy::SupportedTargets();
    if (has & HWY_AVX3)
        return Isa::avx512;
    if (has & HWY_AVX2)
        return Isa::avx2;
    if (has & HWY_SSE4)
        return Isa::sse4;
    return Isa::scalar;
}

} // namespace

const char *isa_name(Isa isa) {
    switch (isa) {
    case Isa::scalar: return "scalar";
    case Isa::sse4: return "sse4";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    }
    return "";
}

std::optional<Isa> isa_named(std::string_view name) {
    for (const Isa isa : {Isa::scalar, Isa::sse4, Isa::avx2, Isa::avx512})
        if (name == isa_name(isa))
            return isa;
    return std::nullopt;
}

Isa best_isa() {
    const auto limit = setting(Setting::isa);
    if (!limit)
        return processor_isa();
    if (const auto isa = isa_named(*limit))
        return std::min(*isa, processor_isa());
    fail(DRI_ERR_ARG, "{}={}: must be one of scalar, sse4, avx2, avx512", setting_name(Setting::isa), *limit);
}

} // namespace dri::kernel
