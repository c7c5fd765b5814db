#include "exec/window.hpp"

#include "exec/turn.hpp"

#include <cstring>

namespace dri {

WindowPlace Window::at(std::span<const int64_t> offset) const {
    WindowPlace place;
    for (size_t d = 0; d < lowest.size(); ++d) {
        if (lowest[d] == 0 && highest[d] == 0 && offset[d] != 0)
            fail(DRI_ERR_ARG, "offset[{}] is {}, but the window does not slide along dimension {}", d, offset[d],
                 d);
        if (offset[d] < lowest[d] || offset[d] > highest[d])
            fail(DRI_ERR_ARG, "offset[{}] is {}, but along dimension {} the window is in the array from {} to {}",
                 d, offset[d], d, lowest[d], highest[d]);
        place.offset.push_back(offset[d]);
        place.bytes += offset[d] * step_bytes[d];
    }
    return place;
}

std::string offset_text(const Dims &offset) {
    return fmt::format("[{}]", fmt::join(offset.begin(), offset.end(), ","));
}

void Link::hear_in_message(size_t message, const std::byte *data) {
    const Message &m = plan_->receives[message];
    Dims offset;
    std::memcpy(&offset, data + m.bytes, sizeof offset);
    heard_.hear(m.peer, offset);
}

// How far the peer's part of the frame lies from where its copies were planned.
int64_t Link::hear_beside(size_t view, int64_t frame) {
    WindowPlace place;
    std::memcpy(&place, direct_.views[view].note(frame), sizeof place);
    heard_.hear(plan_->pulls[pull_at(view, 0)].peer, place.offset);
    return place.bytes;
}

// Before the frame is handed over.
void Transfer::place_window(int64_t frame) {
    const auto i = static_cast<size_t>(in_turn(frame, source_->count()));
    source_->places[i] = source_->next_place;
    if (source_->shared)
        std::memcpy(source_->shared->note(static_cast<int64_t>(i)), &source_->next_place, sizeof(WindowPlace));
}

void Transfer::copy_window(std::byte *shared, const std::byte *buffer) const {
    if (!source_->window)
        return copy_memory(source_->team, shared, buffer, source_->buffer_bytes);
    const int64_t first = source_->window->first_byte + source_->next_place.bytes;
    copy_memory(source_->team, shared + first, buffer + first, source_->window->bytes);
}

void Transfer::fail_apart(const Flow &flow) const {
    const WindowClash &clash = *flow.link.clash();
    fail(DRI_ERR_MISMATCH,
         "transfer '{}': processes of the source differ about where the window of frame {} is: process {} "
         "has moved it by {}, process {} by {}",
         name_, flow.sink->arrived(), clash.first, offset_text(clash.first_offset), clash.second,
         offset_text(clash.second_offset));
}

void Transfer::rebase_source(std::span<const int64_t> offset) {
    Turn turn(*this);
    turn.check_whole();
    rebase(*source_, "source", offset);
}

void Transfer::rebase_sink(size_t flow, std::span<const int64_t> offset) {
    Turn turn(*this);
    turn.check_whole();
    rebase(*flows_[flow].sink, "sink", offset);
}

void Transfer::rebase(End &end, const char *role, std::span<const int64_t> offset) const {
    if (end.destroyed)
        fail(DRI_ERR_STATE, "the {} of transfer '{}' is destroyed", role, name_);
    if (!end.window)
        fail(DRI_ERR_STATE,
             "transfer '{}': the window of the {} does not slide: DRI_ATTR_REBASE lets it before the commit",
             name_, role);
    try {
        end.next_place = end.window->at(offset);
    } catch (const Error &error) {
        fail(error.code(), "transfer '{}', {}: {}", name_, role, error.what());
    }
}

} // namespace dri
