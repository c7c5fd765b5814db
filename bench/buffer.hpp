#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

inline constexpr size_t line_bytes = 64; // a cache line

// Zeroed memory with the library's alignment: cache lines, and huge pages (by madvise) for large buffers.
// Therefore no contender has an advantage by its pages.
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
