// Kernels: functions that run a StridedCopy. They know nothing of ranks, messages or MPI.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dri::kernel {

// Instruction sets in rising order. DRI_ISA names the highest that may be used.
enum class Isa : int { scalar = 0, sse4 = 1, avx2 = 2, avx512 = 3 };

const char *isa_name(Isa isa);
std::optional<Isa> isa_named(std::string_view name);
// The highest instruction set that this processor offers and DRI_ISA allows. An unknown value of DRI_ISA is
// DRI_ERR_ARG.
Isa best_isa();

// How stores reach memory.
// - cached: through the cache.
// - streaming: past the cache. It pays if the data are larger than the cache. A kernel streams only whole cache
//   lines of a destination.
// - fetched: through the cache, for data that the second cache does not hold. A kernel may fetch lines before it
//   needs them.
enum class Stores : int { cached = 0, streaming = 1, fetched = 2 };

using CopyFunction = void (*)(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// A row of the kernel table.
struct Kernel {
    const char *name;
    Isa isa;
    // copy is in canonical form. Runs on any processor, whatever `isa` is: wisdom may come from another machine.
    bool (*fits)(const plan::StridedCopy &copy);
    plan::StridedCopy (*arrange)(
        const plan::StridedCopy &copy); // from canonical form to the order of loops that `run` expects
    CopyFunction run;
};

class TableWalk;

// A copy with the kernel that runs it. If the copy has tables, the kernel runs the copy inside them.
struct BoundCopy {
    plan::StridedCopy copy;
    const Kernel *kernel = nullptr;
    Stores stores = Stores::cached;
    std::shared_ptr<const TableWalk> walk = nullptr;
    std::string origin = {}; // source of the choice, for explanations; empty: the cost model
    void operator()(const std::byte *src, std::byte *dst) const; // in tables.cpp
};

} // namespace dri::kernel
