// Wisdom: the fastest measured choice for each shape of copy on a kind of machine. As text it outlives the
// process.
#pragma once

#include "kernel/choice.hpp"
#include "plan/strided_copy.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace dri::kernel {

// Everything that the fastest choice for a copy depends on.
struct Shape {
    plan::StridedCopy copy; // canonical, without tables; offsets are those of the addresses, modulo a cache line
    int64_t written_bytes = 0;
    Isa isa{};
    CacheBytes caches;
    int threads = 1; // threads that run the copy together
};

// "avx512 l2 1048576 l3 37486592 threads 1 written 4194304 copy 8B @0->@16 x[1024: 8->4096] x[512: 4096->8]"
std::string to_text(const Shape &shape);

// The shape of a copy. src, dst: the addresses that the copy will run with.
Shape shape_of(const plan::StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t written_bytes, Isa isa);

// Several threads may use it at the same time.
class Wisdom {
public:
    // Returns nothing if the shape is unknown, or if its known choice cannot run here.
    std::optional<Choice> find(const Shape &shape) const;
    void learn(const Shape &shape, const Choice &choice);

    // One line for the version, then one line per shape: "<shape> = <choice>".
    std::string to_text() const;
    // Adds all lines. A shape that is known already receives the choice of the new line. If any line is wrong,
    // nothing is added, and DRI_ERR_ARG names the line. Another version is DRI_ERR_UNSUPPORTED. Lines end with
    // "\n" or "\r\n".
    void merge(std::string_view text);

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> choices_; // texts of shapes and choices
};

// Both functions fail with DRI_ERR_ARG for a text that to_text cannot have made. A choice without a kernel stands
// for a row that this build lacks, because it was built without the row's instruction set.
Shape shape_from_text(std::string_view text);
struct KnownChoice {
    Isa isa{};
    Choice choice;
};
KnownChoice choice_from_text(std::string_view text);

} // namespace dri::kernel
