// The buffers of a source in shared memory, with the counters by which its frames are handed over and taken. One
// process hands over; pullers read and count. Nobody locks; each counter has one writer and a cache line of its
// own.
#pragma once

#include "base/ring_slot.hpp"
#include "transport/shared_memory.hpp"

#include <optional>
#include <vector>

namespace dri {

// Where the buffers lie: behind the counters, one of `bytes` every `stride` bytes; and the notes that go with the
// frames in them, one for each buffer, where there are any.
struct SharedBuffers {
    int64_t first = 0, stride = 0, count = 0, bytes = 0;
    int64_t notes = 0, note_stride = 0; // the first one's place, 0: there are none
};

// What one puller needs. elsewhere: per buffer its address in the source's process, where it is not shared but
// read with the system's help; 0 for those that are. Empty: all are shared.
struct SourceHandle {
    MemoryHandle memory;
    SharedBuffers buffers;
    std::vector<uint64_t> elsewhere;
    int64_t puller = 0; // its number
};
void put(Writer &out, const SourceHandle &handle);
SourceHandle get_source_handle(Reader &in);

// The source's end.
class SharedSource {
public:
    // `count` buffers of `bytes` bytes, zero-filled; elsewhere: see SourceHandle. note_bytes: of a note, 0: none.
    // Fails with DRI_ERR_MEMORY.
    SharedSource(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment,
                 std::vector<uint64_t> elsewhere = {}, int64_t note_bytes = 0);

    std::byte *buffer(int64_t i) const { return memory_.data() + buffers_.first + i * buffers_.stride; }
    SourceHandle handle(int64_t puller) const { return {memory_.handle(), buffers_, elsewhere_, puller}; }
    bool any_elsewhere() const { return !elsewhere_.empty(); }
    // Whether pullers have that buffer in shared memory.
    bool is_shared(int64_t i) const { return elsewhere_.empty() || !elsewhere_[static_cast<size_t>(i)]; }
    void close_file() { memory_.close_file(); } // all pullers have opened it

    // What pullers read beside buffer i, zeros at first; written before its frame is handed over.
    std::byte *note(int64_t i) const { return memory_.data() + buffers_.notes + i * buffers_.note_stride; }

    // The first `frames` frames lie in their buffers, and their notes beside them.
    void hand_over(int64_t frames);
    // Whether a puller needs the first `frames` frames no longer.
    bool has_pulled(int64_t puller, int64_t frames) const;
    // The frames that a puller took before it left, if it has left; and whether because the stream has ended.
    std::optional<int64_t> left(int64_t puller) const;
    bool is_at_end(int64_t puller) const;
    // The source leaves after so many frames, all handed over; pullers keep the memory as long as they need it.
    // ended: as of Departure; it may leave once more then.
    void leave(int64_t frames, bool ended = false);

private:
    SharedMemory memory_;
    SharedBuffers buffers_;
    std::vector<uint64_t> elsewhere_;
};

// A puller's end.
class SourceView {
public:
    // Fails with DRI_ERR_TRANSPORT or DRI_ERR_MEMORY.
    explicit SourceView(const SourceHandle &handle);

    const std::byte *buffer(int64_t frame) const {
        return memory_.data() + buffers_.first + ring_slot(frame, buffers_.count) * buffers_.stride;
    }
    // Where that frame's buffer is in the source's process, if it is not shared; else 0.
    uint64_t elsewhere(int64_t frame) const {
        return elsewhere_.empty() ? 0 : elsewhere_[static_cast<size_t>(ring_slot(frame, buffers_.count))];
    }
    // Of a frame that has been handed over; null where there are no notes.
    const std::byte *note(int64_t frame) const {
        return buffers_.notes == 0
                   ? nullptr
                   : memory_.data() + buffers_.notes + ring_slot(frame, buffers_.count) * buffers_.note_stride;
    }
    bool reads_elsewhere() const { return !elsewhere_.empty(); }
    int64_t pid() const { return pid_; }
    // Whether that frame, counted from 0, has been handed over.
    bool has(int64_t frame) const;
    // The frames that the source handed over before it left, if it has left; and whether it ended the stream.
    std::optional<int64_t> left() const;
    bool ended() const;
    // The first `frames` frames are taken.
    void take(int64_t frames);
    // The puller takes no more than those. ended: because the stream has ended.
    void leave(int64_t frames, bool ended = false);

private:
    SharedMemory memory_;
    SharedBuffers buffers_;
    std::vector<uint64_t> elsewhere_;
    int64_t pid_, puller_;
};

} // namespace dri
