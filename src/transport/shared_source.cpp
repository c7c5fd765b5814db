// Where counters, notes and buffers lie in the shared memory of a source.
#include "transport/shared_source.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "transport/remote_memory.hpp"

#include <algorithm>

namespace dri::transport {

namespace {

// The order in memory is: counters, notes, buffers. Each buffer starts at a multiple of `alignment`, and of a
// cache line or, if it is large, of a huge page.
SharedBuffers lay_out(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment, int64_t note_bytes) {
    const int64_t step = std::max(alignment, bytes >= huge_page_bytes ? huge_page_bytes : cache_line_bytes);
    const int64_t notes = SourceCounters::bytes(pullers);
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
    memory_.reserve(0, SourceCounters::bytes(pullers) + bytes_of_notes(buffers_));
    for (int64_t i = 0; i < count; ++i)
        if (is_shared(i))
            memory_.reserve(buffers_.first + i * buffers_.stride, bytes);
    counters().departure().arrive();
    for (int64_t i = 0; i < pullers; ++i)
        counters().departure_of(i).arrive();
}

// Maps all pages that this puller reads. Buffers that are not shared must be readable with the system's help; this
// is tried here, so that no frame fails for that reason.
SourceView::SourceView(const SourceHandle &handle)
    : memory_(SharedMemory::open(handle.memory)), buffers_(handle.buffers), elsewhere_(handle.elsewhere),
      pid_(handle.memory.pid), puller_(handle.puller) {
    memory_.touch(0, SourceCounters::bytes(puller_ + 1));
    if (buffers_.notes)
        memory_.touch(buffers_.notes, bytes_of_notes(buffers_));
    for (int64_t i = 0; i < buffers_.count; ++i)
        if (!elsewhere(i))
            memory_.touch(buffers_.first + i * buffers_.stride, buffers_.bytes);
        else if (!can_read(pid_, elsewhere(i), buffers_.bytes))
            fail(DRI_ERR_TRANSPORT, "buffer {} of system process {} cannot be read", i, pid_);
}

} // namespace dri::transport
