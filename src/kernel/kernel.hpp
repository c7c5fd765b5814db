// How to copy: kernels that run a StridedCopy. Know nothing of ranks, messages or MPI.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dri {

// Instruction sets in rising order. DRI_ISA names the highest that may be used.
enum class Isa : int { scalar = 0, sse4 = 1, avx2 = 2, avx512 = 3 };

const char *isa_name(Isa isa);
std::optional<Isa> isa_named(std::string_view name);
// The highest one that this processor has and DRI_ISA allows. An unknown value of DRI_ISA is DRI_ERR_ARG.
Isa best_isa();

// How stores reach memory. Streaming passes by the cache: it pays where the data are larger than the cache, and a
// kernel streams only the whole cache lines of a destination. Fetched is cached for data that the second cache
// does not hold: a kernel may fetch lines before their turn.
enum class Stores : int { cached = 0, streaming = 1, fetched = 2 };

using CopyFunction = void (*)(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores);

// A row of the kernel table.
struct Kernel {
    const char *name;
    Isa isa;
    bool (*fits)(const StridedCopy &copy);           // copy is in canonical form
    StridedCopy (*arrange)(const StridedCopy &copy); // canonical form to the order of loops that run wants
    CopyFunction run;
};

// All kernels, best first; the last one is the reference kernel, which fits everything.
std::span<const Kernel> kernels();

class TableWalk;

// A copy with the kernel that runs it; where the copy has tables, it runs what is inside of them.
struct BoundCopy {
    StridedCopy copy;
    const Kernel *kernel = nullptr;
    Stores stores = Stores::cached;
    std::shared_ptr<const TableWalk> walk = nullptr;
    std::string origin = {}; // where the choice comes from, for explanations; empty: the cost model
    void operator()(const std::byte *src, std::byte *dst) const;
};

// Brings a copy into canonical form, picks the first kernel that fits and needs no more than `isa`, and puts
// the loops into that kernel's order. working_set_bytes: what is written along with this copy before any of
// it is read again, where that is more than the copy itself; it decides on how stores go.
BoundCopy bind(const StridedCopy &copy, Isa isa, int64_t working_set_bytes = 0);

} // namespace dri
