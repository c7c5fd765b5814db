// How much memory the messages of a process's ends in one flow get, and how many bytes that is.
#pragma once

#include "plan/plan.hpp"
#include "transport/transport.hpp"

#include <vector>

namespace dri {

struct MessageRoom {
    // A source: frames all of whose messages have a place of their own.
    int64_t frames = 1;
    // A sink: messages of one sender that are received ahead of their unpacking; few enough to stay in cache,
    // enough that no sender waits for the next look.
    int64_t per_sender = 4;
};

std::vector<Slot> slots(const std::vector<Message> &messages);

// What prepared exchanges will hold for the sends, or the receives, of a plan.
int64_t send_room_bytes(const Plan &plan, const MessageRoom &room);
int64_t receive_room_bytes(const Plan &plan, const MessageRoom &room);

} // namespace dri
