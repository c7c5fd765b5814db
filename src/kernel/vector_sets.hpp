// Lists the instruction sets for which this build has vector kernels. If the compiler's own options already
// require an instruction set, Highway leaves out the lower ones.
#pragma once

#include <hwy/detect_targets.h>

#if HWY_TARGETS & HWY_AVX3
#define DRI_FOR_AVX3(X) X(avx512, N_AVX3)
#else
#define DRI_FOR_AVX3(X)
#endif
#if HWY_TARGETS & HWY_AVX2
#define DRI_FOR_AVX2(X) X(avx2, N_AVX2)
#else
#define DRI_FOR_AVX2(X)
#endif
#if HWY_TARGETS & HWY_SSE4
#define DRI_FOR_SSE4(X) X(sse4, N_SSE4)
#else
#define DRI_FOR_SSE4(X)
#endif

// X(enumerator of Isa, Highway's namespace) for each set, best first.
#define DRI_FOR_VECTOR_SETS(X) DRI_FOR_AVX3(X) DRI_FOR_AVX2(X) DRI_FOR_SSE4(X)
