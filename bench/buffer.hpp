#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

inline constexpr size_t line_bytes = 64; // of the cache

// Zeroed memory as the library has it: aligned to cache lines, and huge pages advised where it is large, so that
// no contender wins by its pages.
class Buffer {
public:
    explicit Buffer(int64_t bytes);
    std::byte *data() const { return data_.get(); }

private:
    struct Free {
        void operator()(std::byte *p) const;
    };
    std::unique_ptr<std::byte, Free> data_;
};

} // namespace bench
