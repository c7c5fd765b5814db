// A buffer that detects every stray write, and the numbers that fill it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dri::test {

inline uint64_t scramble(uint64_t x) {
    x += 0x632be59bd9b4e019ull;
    x = (x ^ (x >> 29)) * 0xff51afd7ed558ccdull;
    return x ^ (x >> 32);
}

// A buffer with a pattern in and around it, so that every stray write is detected.
class GuardedBuffer {
public:
    GuardedBuffer(int64_t bytes, uint64_t salt)
        : bytes_(bytes), salt_(salt), memory_(static_cast<size_t>(bytes + 2 * guard_bytes)) {
        for (size_t i = 0; i < memory_.size(); ++i)
            memory_[i] = pattern(static_cast<int64_t>(i) - guard_bytes);
    }
    std::byte *data() { return memory_.data() + guard_bytes; }
    int64_t bytes() const { return bytes_; }
    std::byte pattern(int64_t i) const {
        return static_cast<std::byte>(scramble(salt_ + static_cast<uint64_t>(i)));
    }
    bool guards_whole() {
        for (int64_t i = 0; i < guard_bytes; ++i)
            if (data()[-1 - i] != pattern(-1 - i) || data()[bytes_ + i] != pattern(bytes_ + i))
                return false;
        return true;
    }

private:
    static constexpr int64_t guard_bytes = 64;

    int64_t bytes_;
    uint64_t salt_;
    std::vector<std::byte> memory_;
};

} // namespace dri::test
