// Where counters, notes and buffers lie in the shared memory of a source, and which process reads and writes
// which counter.
#include "transport/shared_source.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "transport/remote_memory.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace dri::transport {

namespace {

constexpr int64_t still_there = std::numeric_limits<int64_t>::max();

// Each cache line has one writer. Line 0 holds the token. Line 1 holds the source's counter of frames handed over,
// and line 2 the number of frames after which the source left. Then each puller has a line: its counter of frames
// pulled, and 8 bytes behind it the number of frames after which it left. 8 bytes behind each "left" is how
// the process left (Leave). It is written before "left".
enum Line : int64_t { line_ready = 1, line_left = 2, line_pullers = 3 };
constexpr int64_t left_behind = 8, how_behind = 8;
static_assert(SharedMemory::token_bytes <= line_ready * cache_line_bytes);

std::atomic_ref<int64_t> counter(const SharedMemory &memory, int64_t line, int64_t behind = 0) {
    return std::atomic_ref<int64_t>(
        *reinterpret_cast<int64_t *>(memory.data() + line * cache_line_bytes + behind));
}
static_assert(std::atomic_ref<int64_t>::is_always_lock_free);

std::optional<int64_t> departure(std::atomic_ref<int64_t> left) {
    const int64_t frames = left.load(std::memory_order_acquire);
    if (frames == still_there)
        return std::nullopt;
    return frames;
}

// The order in memory is: counters, notes, buffers. Each buffer starts at a multiple of `alignment`, and of a
// cache line or, if it is large, of a huge page.
SharedBuffers lay_out(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment, int64_t note_bytes) {
    const int64_t step = std::max(alignment, bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes);
    const int64_t notes = (line_pullers + pullers) * cache_line_bytes;
    SharedBuffers buffers{0, round_up(std::max(bytes, step), step), count, bytes};
    if (note_bytes > 0) {
        buffers.notes = notes;
        buffers.note_stride = round_up(note_bytes, cache_line_bytes);
    }
    buffers.first = round_up(checked_add(notes, checked_mul(count, buffers.note_stride)), step);
    return buffers;
}

// Bytes of all notes together.
int64_t bytes_of_notes(const SharedBuffers &buffers) { return buffers.count * buffers.note_stride; }

} // namespace

void put(Writer &out, const SourceHandle &handle) {
    put(out, handle.memory);
    out.put(handle.buffers.first);
    out.put(handle.buffers.stride);
    out.put(handle.buffers.count);
    out.put(handle.buffers.bytes);
    out.put(handle.buffers.notes);
    out.put(handle.buffers.note_stride);
    out.put_all(handle.elsewhere);
    out.put(handle.puller);
}

SourceHandle get_source_handle(Reader &in) {
    SourceHandle handle;
    handle.memory = get_memory_handle(in);
    handle.buffers.first = in.get<int64_t>();
    handle.buffers.stride = in.get<int64_t>();
    handle.buffers.count = in.get<int64_t>();
    handle.buffers.bytes = in.get<int64_t>();
    handle.buffers.notes = in.get<int64_t>();
    handle.buffers.note_stride = in.get<int64_t>();
    handle.elsewhere = in.get_all<std::vector<uint64_t>>();
    handle.puller = in.get<int64_t>();
    return handle;
}

// All shared pages are reserved here, so that no frame runs out of memory.
SharedSource::SharedSource(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment,
                           std::vector<uint64_t> elsewhere, int64_t note_bytes)
    : buffers_(lay_out(pullers, count, bytes, alignment, note_bytes)), elsewhere_(std::move(elsewhere)) {
    const int64_t all = checked_mul(buffers_.stride, count);
    memory_ = SharedMemory::create(checked_add(buffers_.first, all), alignment);
    memory_.reserve(0, (line_pullers + pullers) * cache_line_bytes + bytes_of_notes(buffers_));
    for (int64_t i = 0; i < count; ++i)
        if (is_shared(i))
            memory_.reserve(buffers_.first + i * buffers_.stride, bytes);
    counter(memory_, line_left).store(still_there, std::memory_order_relaxed);
    for (int64_t i = 0; i < pullers; ++i)
        counter(memory_, line_pullers + i, left_behind).store(still_there, std::memory_order_relaxed);
}

// Release order: a puller that reads the new count also sees the frame's data and note.
void SharedSource::hand_over(int64_t frames) {
    counter(memory_, line_ready).store(frames, std::memory_order_release);
}

bool SharedSource::has_pulled(int64_t puller, int64_t frames) const {
    return counter(memory_, line_pullers + puller).load(std::memory_order_acquire) >= frames || left(puller);
}

std::optional<int64_t> SharedSource::left(int64_t puller) const {
    return departure(counter(memory_, line_pullers + puller, left_behind));
}

bool SharedSource::is_complete(int64_t puller) const {
    return left(puller) &&
           counter(memory_, line_pullers + puller, left_behind + how_behind).load(std::memory_order_relaxed) ==
               static_cast<int64_t>(Leave::complete);
}

void SharedSource::leave(int64_t frames, Leave how) {
    counter(memory_, line_left, how_behind).store(static_cast<int64_t>(how), std::memory_order_relaxed);
    counter(memory_, line_left).store(frames, std::memory_order_release);
}

// Maps all pages that this puller reads. Buffers that are not shared must be readable with the system's help; this
// is tried here, so that no frame fails for that reason.
SourceView::SourceView(const SourceHandle &handle)
    : memory_(SharedMemory::open(handle.memory)), buffers_(handle.buffers), elsewhere_(handle.elsewhere),
      pid_(handle.memory.pid), puller_(handle.puller) {
    memory_.touch(0, (line_pullers + puller_ + 1) * cache_line_bytes);
    if (buffers_.notes)
        memory_.touch(buffers_.notes, bytes_of_notes(buffers_));
    for (int64_t i = 0; i < buffers_.count; ++i)
        if (!elsewhere(i))
            memory_.touch(buffers_.first + i * buffers_.stride, buffers_.bytes);
        else if (!can_read(pid_, elsewhere(i), buffers_.bytes))
            fail(DRI_ERR_TRANSPORT, "buffer {} of system process {} cannot be read", i, pid_);
}

bool SourceView::has(int64_t frame) const {
    return counter(memory_, line_ready).load(std::memory_order_acquire) > frame;
}

std::optional<int64_t> SourceView::left() const { return departure(counter(memory_, line_left)); }

bool SourceView::is_complete() const {
    return counter(memory_, line_left, how_behind).load(std::memory_order_relaxed) ==
           static_cast<int64_t>(Leave::complete);
}

void SourceView::take(int64_t frames) {
    counter(memory_, line_pullers + puller_).store(frames, std::memory_order_release);
}

void SourceView::leave(int64_t frames, Leave how) {
    counter(memory_, line_pullers + puller_, left_behind + how_behind)
        .store(static_cast<int64_t>(how), std::memory_order_relaxed);
    counter(memory_, line_pullers + puller_, left_behind).store(frames, std::memory_order_release);
}

} // namespace dri::transport
