// How the offsets of sliding windows are set, and how they travel with frames.
#include "exec/call_guard.hpp"
#include "exec/transfer.hpp"
#include "exec/window.hpp"

#include <cstring>

namespace dri::exec {

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
