// Where counters, notes and buffers lie in the shared memory of a source.
#include "transport/shared_source.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "transport/remote_memory.hpp"

#include <algorithm>
#include <cstring>

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

bool any_read(std::span<const Elsewhere> elsewhere, Moving moving) {
    return moving == Moving::read || std::any_of(elsewhere.begin(), elsewhere.end(),
                                                 [](const Elsewhere &where) { return where.address != 0; });
}

void put(Writer &out, const SourceHandle &handle) {
    put(out, handle.memory);
    out.put(handle.buffers.first);
    out.put(handle.buffers.stride);
    out.put(handle.buffers.count);
    out.put(handle.buffers.bytes);
    out.put(handle.buffers.notes);
    out.put(handle.buffers.note_stride);
    out.put(static_cast<int64_t>(handle.elsewhere.size()));
    for (const Elsewhere &where : handle.elsewhere) {
        put(out, where.memory);
        out.put(where.offset);
        out.put(where.address);
    }
    out.put(handle.reads);
    out.put(handle.puller);
    out.put(handle.moving);
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
    for (auto n = in.get<int64_t>(); n > 0; --n) {
        Elsewhere &where = handle.elsewhere.emplace_back();
        where.memory = get_memory_handle(in);
        where.offset = in.get<int64_t>();
        where.address = in.get<uint64_t>();
    }
    handle.reads = in.get<bool>();
    handle.puller = in.get<int64_t>();
    handle.moving = in.get<Moving>();
    return handle;
}

// All shared pages are reserved here, so that no frame runs out of memory.
SharedSource::SharedSource(int64_t pullers, int64_t count, int64_t bytes, int64_t alignment,
                           std::vector<Elsewhere> elsewhere, int64_t note_bytes, Moving moving)
    : buffers_(lay_out(pullers, count, bytes, alignment,
                       moving == Moving::none ? note_bytes : int64_t{sizeof(Elsewhere)})),
      elsewhere_(std::move(elsewhere)), moving_(moving), pullers_(pullers) {
    const int64_t all = checked_mul(buffers_.stride, count);
    memory_ = SharedMemory::create(checked_add(buffers_.first, all), alignment);
    memory_.reserve(0, SourceCounters::bytes(pullers) + bytes_of_notes(buffers_));
    for (int64_t i = 0; i < count; ++i)
        if (is_shared(i) || moving == Moving::copied)
            memory_.reserve(buffers_.first + i * buffers_.stride, bytes);
    counters().departure().arrive();
    for (int64_t i = 0; i < pullers; ++i)
        counters().departure_of(i).arrive();
}

SourceHandle SharedSource::handle(int64_t puller) const {
    return {memory_.handle(), buffers_, elsewhere_, any_read(elsewhere_, moving_), puller, moving_};
}

SourceView::SourceView(const SourceHandle &handle, std::shared_ptr<OpenedMemory> opened)
    : open_(new Open{SharedMemory::open(handle.memory), handle.memory.pid, std::move(opened)}),
      memory_(open_->memory.data()), buffers_(handle.buffers), puller_(handle.puller), reads_(handle.reads),
      moves_(handle.moving != Moving::none) {
    const SharedMemory &memory = open_->memory;
    memory.touch(0, SourceCounters::bytes(puller_ + 1));
    if (buffers_.notes)
        memory.touch(buffers_.notes, bytes_of_notes(buffers_));
    for (int64_t i = 0; i < buffers_.count; ++i)
        if (handle.elsewhere.empty() || handle.moving == Moving::copied)
            memory.touch(buffers_.first + i * buffers_.stride, buffers_.bytes);
    open_->others.reserve(most_others + 1);
    for (const Elsewhere &where : handle.elsewhere)
        elsewhere_.push_back(open(where, std::ssize(elsewhere_)));
}

// Maps all pages of a buffer that this puller reads. A buffer that cannot be mapped must be readable with the
// system's help; this is tried here, so that no frame fails for that reason.
FrameMemory SourceView::open(const Elsewhere &where, int64_t i) {
    if (where.is_mapped())
        return {other(where).data() + where.offset};
    if (!where.any()) {
        open_->memory.touch(buffers_.first + i * buffers_.stride, buffers_.bytes);
        return {own_buffer(i)};
    }
    if (!can_read(open_->pid, where.address, buffers_.bytes))
        fail(DRI_ERR_TRANSPORT, "buffer {} of system process {} cannot be read", i, open_->pid);
    return {nullptr, where.address};
}

// A source may move its buffer through ever new memory. Of that which is not used any more, a few pieces stay
// mapped. Their pages are gone when the source's process has freed them.
const SharedMemory &SourceView::other(const Elsewhere &where) {
    auto &others = open_->others;
    const auto known = std::find_if(others.begin(), others.end(),
                                    [&](const auto &other) { return other.first == where.memory.token; });
    if (known != others.end()) {
        std::rotate(known, known + 1, others.end());
    } else {
        if (moves_ && others.size() == most_others)
            others.erase(others.begin());
        others.emplace_back(where.memory.token, open_->known->open(where.memory));
        others.back().second->touch(where.offset, buffers_.bytes);
    }
    return *others.back().second;
}

FrameMemory SourceView::moved() {
    Elsewhere where;
    std::memcpy(&where, note(0), sizeof where);
    if (where.is_mapped())
        return {other(where).data() + where.offset};
    return where.any() ? FrameMemory{nullptr, where.address} : FrameMemory{own_buffer(0)};
}

} // namespace dri::transport
