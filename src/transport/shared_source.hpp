// The buffers of a source in shared memory, with the counters by which its frames are handed over and pulled. One
// process hands frames over; the pullers read them and count. There are no locks: each process writes only
// counters in cache lines of its own.
#pragma once

#include "base/ring_slot.hpp"
#include "transport/departures.hpp"
#include "transport/shared_memory.hpp"
#include "transport/source_counters.hpp"

#include <atomic>
#include <optional>
#include <vector>

namespace dri::transport {

// Where the buffers lie: from byte `first` on, `count` buffers of `bytes` bytes, one every `stride` bytes. If
// there are notes, each buffer has one for the frame in it, from byte `notes` on, one every `note_stride` bytes.
struct SharedBuffers {
    int64_t first = 0, stride = 0, count = 0, bytes = 0;
    int64_t notes = 0, note_stride = 0; // notes: 0 if there are none
};

// What one puller needs to open the source's memory. elsewhere: one entry per buffer. It is 0 for a shared buffer;
// otherwise it is the buffer's address in the source's process, and the buffer is read with the system's help.
// Empty: all buffers are shared.
struct SourceHandle {
    MemoryHandle memory;
    SharedBuffers buffers;
    std::vector<uint64_t> elsewhere;
    int64_t puller = 0; // the puller's number, from 0
};
void put(Writer &out, const SourceHandle &handle);
SourceHandle get_source_handle(Reader &in);

// The source's side of the shared memory.
class SharedSource {
public:
    // Creates `count` zero-filled buffers of `bytes` bytes. elsewhere: as in SourceHandle. note_bytes: length of a
    // note; 0: no notes. Fails with DRI_ERR_MEMORY.
    SharedSource(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment,
                 std::vector<uint64_t> elsewhere = {}, int64_t note_bytes = 0);

    std::byte *buffer(int64_t i) const { return memory_.data() + buffers_.first + i * buffers_.stride; }
    SourceHandle handle(int64_t puller) const { return {memory_.handle(), buffers_, elsewhere_, puller}; }
    bool any_elsewhere() const { return !elsewhere_.empty(); }
    // Whether buffer i is in shared memory.
    bool is_shared(int64_t i) const { return elsewhere_.empty() || !elsewhere_[static_cast<size_t>(i)]; }
    void close_file() { memory_.close_file(); } // to be called when all pullers have opened it

    // The note beside buffer i, zeros at first. It is written before the buffer's frame is handed over.
    std::byte *note(int64_t i) const { return memory_.data() + buffers_.notes + i * buffers_.note_stride; }

    // Declares that the first `frames` frames lie in their buffers, and their notes beside them. Release order: a
    // puller that reads the new number also sees the frame's data and note.
    void hand_over(int64_t frames) { counters().handed_over().store(frames, std::memory_order_release); }
    // The first puller from `puller` to `end` - 1 that still needs one of the first `frames` frames: it has not
    // pulled them all and has not left. `end` if there is none.
    int64_t find_lagging(int64_t puller, int64_t end, int64_t frames) const {
        for (const SourceCounters c = counters(); puller < end; ++puller)
            if (c.pulled(puller).load(std::memory_order_acquire) < frames && !c.departure_of(puller).has_left())
                break;
        return puller;
    }
    bool has_left(int64_t puller) const { return counters().departure_of(puller).has_left(); }
    // If a puller has left: how many frames it had pulled before.
    std::optional<int64_t> left(int64_t puller) const { return counters().departure_of(puller).left(); }
    // Whether a puller has left because all frames have passed.
    bool is_complete(int64_t puller) const { return counters().departure_of(puller).is_complete(); }
    // The source leaves after `frames` frames, all of which it has handed over. Pullers keep the memory as long as
    // they need it. A source that leaves complete may call leave() once more later.
    void leave(int64_t frames, Leave how) { counters().departure().leave(frames, how); }

private:
    SourceCounters counters() const { return SourceCounters(memory_); }

    SharedMemory memory_;
    SharedBuffers buffers_;
    std::vector<uint64_t> elsewhere_;
};

// A puller's view of the shared memory.
class SourceView {
public:
    // Fails with DRI_ERR_TRANSPORT or DRI_ERR_MEMORY.
    explicit SourceView(const SourceHandle &handle);

    const std::byte *buffer(int64_t frame) const {
        return memory_.data() + buffers_.first + ring_slot(frame, buffers_.count) * buffers_.stride;
    }
    // The address of the frame's buffer in the source's process if the buffer is not shared; otherwise 0.
    uint64_t elsewhere(int64_t frame) const {
        return elsewhere_.empty() ? 0 : elsewhere_[static_cast<size_t>(ring_slot(frame, buffers_.count))];
    }
    // The note of a frame that has been handed over; null if there are no notes.
    const std::byte *note(int64_t frame) const {
        return buffers_.notes == 0
                   ? nullptr
                   : memory_.data() + buffers_.notes + ring_slot(frame, buffers_.count) * buffers_.note_stride;
    }
    bool reads_elsewhere() const { return !elsewhere_.empty(); }
    int64_t pid() const { return pid_; }
    // Whether the frame, counted from 0, has been handed over.
    bool has(int64_t frame) const { return counters().handed_over().load(std::memory_order_acquire) > frame; }
    // If the source has left: how many frames it had handed over before.
    std::optional<int64_t> left() const { return counters().departure().left(); }
    // Whether the source left because all frames have passed.
    bool is_complete() const { return counters().departure().is_complete(); }
    // Declares that the first `frames` frames have been pulled.
    void take(int64_t frames) { counters().pulled(puller_).store(frames, std::memory_order_release); }
    // The puller leaves after `frames` frames.
    void leave(int64_t frames, Leave how) { counters().departure_of(puller_).leave(frames, how); }

private:
    SourceCounters counters() const { return SourceCounters(memory_); }

    SharedMemory memory_;
    SharedBuffers buffers_;
    std::vector<uint64_t> elsewhere_;
    int64_t pid_, puller_;
};

} // namespace dri::transport
