// What measurements have shown: which choice was fastest, for each shape of copy on a kind of machine. As text, it
// outlives the process.
#pragma once

#include "kernel/choice.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace dri {

// What the fastest way to run a copy depends on.
struct Shape {
    StridedCopy copy; // canonical, without tables; offsets are those of addresses, modulo a cache line
    int64_t written_bytes = 0;
    Isa isa{};
    CacheBytes caches;
    int threads = 1; // that run the copy together
};

// "avx512 l2 1048576 l3 37486592 threads 1 written 4194304 copy 8B @0->@16 x[1024: 8->4096] x[512: 4096->8]"
std::string to_text(const Shape &shape);

// src, dst: the addresses that the copy will run with.
Shape shape_of(const StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t written_bytes, Isa isa);

// May be used by several threads.
class Wisdom {
public:
    // Nothing where the shape is unknown, or what is known of it cannot run here.
    std::optional<Choice> find(const Shape &shape) const;
    void learn(const Shape &shape, const Choice &choice);

    // One line for the version, one for each shape: "<shape> = <choice>".
    std::string to_text() const;
    // Takes all lines in; a shape that is known already takes the new line's choice. Where a line is wrong,
    // nothing is taken and DRI_ERR_ARG names it; another version is DRI_ERR_UNSUPPORTED.
    // Lines end with "\n" or "\r\n".
    void merge(std::string_view text);

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> choices_; // texts of shapes and choices
};

// Fail with DRI_ERR_ARG on a text that to_text cannot have made. A choice without a kernel: a row that this
// build lacks, of an instruction set that it was not built for.
Shape shape_from_text(std::string_view text);
struct KnownChoice {
    Isa isa{};
    Choice choice;
};
KnownChoice choice_from_text(std::string_view text);

} // namespace dri
