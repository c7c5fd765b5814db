#include "exec/message_room.hpp"

#include "base/checked.hpp"
#include "transport/staging.hpp"

#include <algorithm>

namespace dri {

std::vector<Slot> slots(const std::vector<Message> &messages, int64_t note_bytes) {
    std::vector<Slot> out;
    for (const Message &m : messages)
        out.push_back({m.peer, m.bytes + note_bytes});
    return out;
}

int64_t send_window_in_place(const Plan &plan, int64_t places) {
    return places < std::ssize(plan.sends) ? places : Transport::no_window;
}

namespace {

// The most messages that a strip of the source has for one receiver.
int64_t most_per_receiver(const Plan &plan) {
    int64_t most = 0;
    size_t at = 0;
    for (int64_t k = 0; k < count_strips(plan); ++k) {
        int64_t messages = 0;
        const size_t first = at;
        for (const size_t end = strip_end(plan, k).sends; at < end; ++at) { // each receiver's stand together
            messages = at > first && plan.sends[at].peer == plan.sends[at - 1].peer ? messages + 1 : 1;
            most = std::max(most, messages);
        }
    }
    return most;
}

int64_t room_in_place(const Plan &plan, const MessageRoom &room) {
    const int64_t window = send_window_in_place(plan, room.sends_in_place);
    const auto share = window == Transport::no_window ? Staging::Share::alike : Staging::Share::together;
    return checked_add(Staging::bytes_for(slots(plan.sends), share, window),
                       arranging_bytes(plan.in_place->before, plan.in_place->after, room.block_bytes));
}

} // namespace

// The last of `frames` frames that are under way begins when the one before the first is through, and so is all
// of that one's exchange.
SendRoom send_room(const Plan &plan, const MessageRoom &room) {
    const int64_t strips = count_strips(plan);
    if (room.frames == 0)
        return {1, room.per_receiver};
    if (strips == 1)
        return {room.frames, Transport::no_window};
    return {1 + ceil_div(room.frames - 1, strips),
            checked_mul(std::min(room.frames, strips), std::max<int64_t>(most_per_receiver(plan), 1))};
}

int64_t send_room_bytes(const Plan &plan, const MessageRoom &room) {
    if (plan.in_place)
        return room_in_place(plan, room);
    const auto [exchanges, window] = send_room(plan, room);
    const auto share = window == Transport::no_window ? Staging::Share::alike : Staging::Share::per_peer;
    return checked_mul(Staging::bytes_for(slots(plan.sends, plan.note_bytes), share, window), exchanges);
}

int64_t receive_room_bytes(const Plan &plan, const MessageRoom &room) {
    if (plan.in_place)
        return Staging::bytes_for(slots(plan.receives), Staging::Share::together, room.receives_in_place);
    return Staging::bytes_for(slots(plan.receives, plan.note_bytes), Staging::Share::per_peer, room.per_sender);
}

} // namespace dri
