// The counters at the start of a source's shared memory: which process reads and writes which. Every frame looks
// at those of every peer, so all is inline.
#pragma once

#include "base/memory.hpp"
#include "transport/departures.hpp"
#include "transport/shared_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace dri::transport {

// Whether a process has left, and how. One process writes it.
class SharedDeparture {
public:
    enum Word { word_frames, word_how, words };

    explicit SharedDeparture(std::byte *at) : at_(reinterpret_cast<int64_t *>(at)) {}

    void arrive() const { frames().store(there, std::memory_order_relaxed); }
    // How the process leaves is written before the number of its frames, which shows that it has left.
    void leave(int64_t after, Leave how) const {
        word(word_how).store(static_cast<int64_t>(how), std::memory_order_relaxed);
        frames().store(after, std::memory_order_release);
    }
    bool has_left() const { return frames().load(std::memory_order_acquire) != there; }
    // If the process has left: after how many frames.
    std::optional<int64_t> left() const {
        const int64_t after = frames().load(std::memory_order_acquire);
        return after == there ? std::nullopt : std::optional(after);
    }
    bool is_complete() const {
        return has_left() &&
               word(word_how).load(std::memory_order_relaxed) == static_cast<int64_t>(Leave::complete);
    }

private:
    static constexpr int64_t there = std::numeric_limits<int64_t>::max();
    std::atomic_ref<int64_t> word(Word which) const { return std::atomic_ref<int64_t>(at_[which]); }
    std::atomic_ref<int64_t> frames() const { return word(word_frames); }

    int64_t *at_;
};

// Each cache line has one writer. Line 0 holds the token. Line 1 holds the source's number of frames handed over,
// and line 2 its departure. Then each puller has a line: its number of frames pulled, and its departure.
class SourceCounters {
public:
    explicit SourceCounters(std::byte *memory) : memory_(memory) {} // its first byte

    static int64_t bytes(int64_t pullers) { return (line_pullers + pullers) * cache_line_bytes; }

    std::atomic_ref<int64_t> handed_over() const { return number(line_handed_over); }
    SharedDeparture departure() const { return SharedDeparture(line(line_departure)); }
    std::atomic_ref<int64_t> pulled(int64_t puller) const { return number(line_pullers + puller); }
    SharedDeparture departure_of(int64_t puller) const {
        return SharedDeparture(line(line_pullers + puller) + sizeof(int64_t));
    }

private:
    enum Line : int64_t { line_handed_over = 1, line_departure = 2, line_pullers = 3 };
    static_assert(SharedMemory::token_bytes <= line_handed_over * cache_line_bytes);
    static_assert((1 + SharedDeparture::words) * int64_t{sizeof(int64_t)} <= cache_line_bytes);
    static_assert(std::atomic_ref<int64_t>::is_always_lock_free);

    std::byte *line(int64_t number) const { return memory_ + number * cache_line_bytes; }
    std::atomic_ref<int64_t> number(int64_t at) const {
        return std::atomic_ref<int64_t>(*reinterpret_cast<int64_t *>(line(at)));
    }

    std::byte *memory_;
};

} // namespace dri::transport
