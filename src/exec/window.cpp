// Offsets of sliding windows: how they are set, travel with frames and are compared.
#include "exec/window.hpp"

#include "exec/call_guard.hpp"
#include "plan/plan.hpp"

#include <cstring>

namespace dri::exec {

// Checks each dimension against this process's own array, so memory is safe even if processes disagree.
WindowOffset Window::at(std::span<const int64_t> offset) const {
    WindowOffset result;
    for (size_t d = 0; d < lowest.size(); ++d) {
        if (lowest[d] == 0 && highest[d] == 0 && offset[d] != 0)
            fail(DRI_ERR_ARG, "offset[{}] is {}, but the window does not slide along dimension {}", d, offset[d],
                 d);
        if (offset[d] < lowest[d] || offset[d] > highest[d])
            fail(DRI_ERR_ARG,
                 "offset[{}] is {}, but along dimension {} the window is inside the array from {} to {}", d,
                 offset[d], d, lowest[d], highest[d]);
        result.offset.push_back(offset[d]);
        result.bytes += offset[d] * step_bytes[d];
    }
    return result;
}

std::string offset_text(const Dims &offset) {
    return fmt::format("[{}]", fmt::join(offset.begin(), offset.end(), ","));
}

// The offset is behind the data of the message.
void Link::observe_offset_message(size_t message, const std::byte *data) {
    const plan::Message &m = plan_->receives[message];
    Dims offset;
    std::memcpy(&offset, data + m.bytes, sizeof offset);
    consensus_.observe(m.peer, offset);
}

// The offset is beside the shared buffer. Returns it in bytes, to be added to the planned source addresses.
int64_t Link::observe_offset_direct(size_t view, int64_t frame) {
    WindowOffset noted;
    std::memcpy(&noted, direct_.views[view].note(frame), sizeof noted);
    consensus_.observe(plan_->pulls[pull_at(view, 0)].peer, noted.offset);
    return noted.bytes;
}

// Must precede the hand-over: pullers read the offset as soon as the frame is handed over.
void LocalTransfer::set_window_offset(int64_t frame) {
    const auto i = static_cast<size_t>(ring_slot(frame, source_->count()));
    source_->offsets[i] = source_->next_offset;
    if (source_->shared)
        std::memcpy(source_->shared->note(static_cast<int64_t>(i)), &source_->next_offset, sizeof(WindowOffset));
}

// With a window, only the bytes between its first and last element are copied.
void LocalTransfer::copy_window(std::byte *shared, const std::byte *buffer) const {
    if (!source_->window)
        return copy_memory(source_->team, shared, buffer, source_->buffer_bytes);
    const int64_t first = source_->window->first_byte + source_->next_offset.bytes;
    copy_memory(source_->team, shared + first, buffer + first, source_->window->bytes);
}

void LocalTransfer::throw_offset_mismatch(const Flow &flow) const {
    const OffsetMismatch &mismatch = *flow.link.offset_mismatch();
    fail(DRI_ERR_MISMATCH,
         "transfer '{}': processes of the source disagree about the window of frame {}: process {} has moved it "
         "by {}, process {} by {}",
         name_, flow.sink->arrived(), mismatch.first, offset_text(mismatch.first_offset), mismatch.second,
         offset_text(mismatch.second_offset));
}

void LocalTransfer::rebase_source(std::span<const int64_t> offset) {
    CallGuard guard(*this);
    guard.check_whole();
    rebase(*source_, "source", offset);
}

void LocalTransfer::rebase_sink(size_t flow, std::span<const int64_t> offset) {
    CallGuard guard(*this);
    guard.check_whole();
    rebase(*flows_[flow].sink, "sink", offset);
}

void LocalTransfer::rebase(EndpointState &state, const char *role, std::span<const int64_t> offset) const {
    if (state.destroyed)
        fail(DRI_ERR_STATE, "the {} of transfer '{}' is destroyed", role, name_);
    if (!state.window)
        fail(DRI_ERR_STATE,
             "transfer '{}': the window of the {} does not slide; set DRI_ATTR_REBASE before the commit", name_,
             role);
    try {
        state.next_offset = state.window->at(offset);
    } catch (const Error &error) {
        fail(error.code(), "transfer '{}', {}: {}", name_, role, error.what());
    }
}

} // namespace dri::exec
