// The buffers of a source in shared memory, with the counters by which its frames are handed over and pulled. One
// process hands frames over; the pullers read them and count. There are no locks: each process writes only
// counters in cache lines of its own.
#pragma once

#include "base/ring_slot.hpp"
#include "transport/departures.hpp"
#include "transport/opened_memory.hpp"
#include "transport/shared_memory.hpp"
#include "transport/source_counters.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace dri::transport {

// Where the buffers lie: from byte `first` on, `count` buffers of `bytes` bytes, one every `stride` bytes. If
// there are notes, each buffer has one for the frame in it, from byte `notes` on, one every `note_stride` bytes.
struct SharedBuffers {
    int64_t first = 0, stride = 0, count = 0, bytes = 0;
    int64_t notes = 0, note_stride = 0; // notes: 0 if there are none
};

// Where a buffer lies that is not in the source's shared memory: in other memory that pullers can map, or at an
// address of the source's process, which is read with the system's help.
struct Elsewhere {
    MemoryHandle memory = {}; // the first case
    int64_t offset = 0;       // of the buffer in that memory
    uint64_t address = 0;     // the second case

    bool is_mapped() const { return memory.pid != 0; }
    bool any() const { return is_mapped() || address != 0; } // false: the buffer is in the source's shared memory
};

static_assert(std::is_trivially_copyable_v<Elsewhere>); // a note when the buffer changes from frame to frame

// What a source does with a buffer that changes from frame to frame. Its note says where the frame is.
enum class Moving : int32_t {
    none,   // the buffers stay what they are
    copied, // what pullers cannot map is copied into the source's shared memory
    read    // what pullers cannot map is read with the system's help
};

// Whether some of the buffers are read with the system's help.
bool any_read(std::span<const Elsewhere> elsewhere, Moving moving);

// What one puller needs to open the source's memory. elsewhere: one entry per buffer, or empty: all buffers are in
// the source's shared memory. reads: whether the puller must be able to read buffers with the system's help.
struct SourceHandle {
    MemoryHandle memory;
    SharedBuffers buffers;
    std::vector<Elsewhere> elsewhere;
    bool reads = false;
    int64_t puller = 0; // the puller's number, from 0
    Moving moving = Moving::none;
};
void put(Writer &out, const SourceHandle &handle);
SourceHandle get_source_handle(Reader &in);

// The source's side of the shared memory.
class SharedSource {
public:
    // Creates `count` zero-filled buffers of `bytes` bytes. elsewhere: as in SourceHandle. note_bytes: length of a
    // note; 0: no notes, unless the buffer changes. Fails with DRI_ERR_MEMORY.
    SharedSource(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment,
                 std::vector<Elsewhere> elsewhere = {}, int64_t note_bytes = 0, Moving moving = Moving::none);

    std::byte *buffer(int64_t i) const { return memory_.data() + buffers_.first + i * buffers_.stride; }
    SourceHandle handle(int64_t puller) const;
    bool any_elsewhere() const { return !elsewhere_.empty() || moving_ != Moving::none; }
    Moving moving() const { return moving_; }
    // Whether buffer i is in this shared memory.
    bool is_shared(int64_t i) const { return elsewhere_.empty() || !elsewhere_[static_cast<size_t>(i)].any(); }
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
    // Takes back the frames that some puller has not pulled. Returns how many all have.
    int64_t withdraw() {
        int64_t frames = counters().handed_over().load(std::memory_order_relaxed);
        for (int64_t i = 0; i < pullers_; ++i)
            if (!has_left(i))
                frames = std::min(frames, counters().pulled(i).load(std::memory_order_acquire));
        hand_over(frames);
        std::atomic_thread_fence(std::memory_order_seq_cst); // before the user changes the data
        return frames;
    }
    // The source leaves after `frames` frames, all of which it has handed over. Pullers keep the memory as long as
    // they need it. A source that leaves complete may call leave() once more later.
    void leave(int64_t frames, Leave how) { counters().departure().leave(frames, how); }

private:
    SourceCounters counters() const { return SourceCounters(memory_.data()); }

    SharedMemory memory_;
    SharedBuffers buffers_;
    std::vector<Elsewhere> elsewhere_;
    Moving moving_;
    int64_t pullers_;
};

// Where a frame lies for a puller: mapped, or at an address of the source's process.
struct FrameMemory {
    const std::byte *mapped = nullptr;
    uint64_t address = 0; // if it is not mapped
};

// A puller's view of the shared memory.
class SourceView {
public:
    // Fails with DRI_ERR_TRANSPORT or DRI_ERR_MEMORY. opened: what the process has open already.
    SourceView(const SourceHandle &handle, std::shared_ptr<OpenedMemory> opened);

    // Where a frame lies that has been handed over. Only if the buffer changes this may open memory, and then fail
    // as the constructor does.
    FrameMemory memory(int64_t frame) {
        if (moves_)
            return moved();
        const int64_t i = ring_slot(frame, buffers_.count);
        return elsewhere_.empty() ? FrameMemory{own_buffer(i)} : elsewhere_[static_cast<size_t>(i)];
    }
    // The note of a frame that has been handed over; null if there are no notes.
    const std::byte *note(int64_t frame) const {
        return buffers_.notes == 0
                   ? nullptr
                   : memory_ + buffers_.notes + ring_slot(frame, buffers_.count) * buffers_.note_stride;
    }
    bool reads() const { return reads_; } // as in SourceHandle
    int64_t pid() const { return open_->pid; }
    // Whether the frame, counted from 0, has been handed over.
    bool has(int64_t frame) const { return counters().handed_over().load(std::memory_order_acquire) > frame; }
    bool has_left() const { return counters().departure().has_left(); }
    // If the source has left: how many frames it had handed over before.
    std::optional<int64_t> left() const { return counters().departure().left(); }
    // Whether the source left because all frames have passed.
    bool is_complete() const { return counters().departure().is_complete(); }
    // Declares that the first `frames` frames have been pulled.
    void take(int64_t frames) { counters().pulled(puller_).store(frames, std::memory_order_release); }
    // The puller leaves after `frames` frames.
    void leave(int64_t frames, Leave how) { counters().departure_of(puller_).leave(frames, how); }

private:
    static constexpr size_t most_others = 16; // that stay mapped if the buffer changes
    SourceCounters counters() const { return SourceCounters(memory_); }
    const std::byte *own_buffer(int64_t i) const { return memory_ + buffers_.first + i * buffers_.stride; }
    FrameMemory open(const Elsewhere &where, int64_t i);
    const SharedMemory &other(const Elsewhere &where); // that is mapped
    FrameMemory moved();

    // What a frame seldom looks at. A frame looks at every view, so a view takes few cache lines.
    struct Open {
        SharedMemory memory;
        int64_t pid;
        std::shared_ptr<OpenedMemory> known;
        // Other memory in which buffers lie, the last used one at the end.
        std::vector<std::pair<uint64_t, std::shared_ptr<const SharedMemory>>> others = {};
    };

    std::unique_ptr<Open> open_;
    std::byte *memory_; // of *open_
    SharedBuffers buffers_;
    std::vector<FrameMemory> elsewhere_; // one per buffer; empty: all are in memory_
    int64_t puller_;
    bool reads_, moves_;
};

} // namespace dri::transport
