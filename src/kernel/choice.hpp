// What may run a copy: the cost model's choice, and those that it ranks close to it.
#pragma once

#include "base/caches.hpp"
#include "kernel/kernel.hpp"

#include <string>
#include <vector>

namespace dri {

struct Choice {
    const Kernel *kernel = nullptr;
    Stores stores = Stores::cached;
    friend bool operator==(const Choice &, const Choice &) = default;
};

// copy: in canonical form, without tables. written_bytes: what is written, beside as much that is read.
Choice model_choice(const StridedCopy &copy, Isa isa, int64_t written_bytes, const CacheBytes &caches);

// The model's choice first. Close are the next row that fits, the same row with a lower instruction set, and the
// other way of storing where written_bytes is within a factor of `close_factor` of the model's threshold.
constexpr int64_t close_factor = 4;
std::vector<Choice> close_choices(const StridedCopy &copy, Isa isa, int64_t written_bytes,
                                  const CacheBytes &caches);

BoundCopy bind_as(const StridedCopy &copy, const Choice &choice);

const char *stores_name(Stores stores);
std::string to_text(const Choice &choice); // "transpose avx512 streaming"

} // namespace dri
