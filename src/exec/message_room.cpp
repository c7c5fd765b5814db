#include "exec/message_room.hpp"

#include "base/checked.hpp"
#include "transport/staging.hpp"

namespace dri {

std::vector<Slot> slots(const std::vector<Message> &messages) {
    std::vector<Slot> out;
    for (const Message &m : messages)
        out.push_back({m.peer, m.bytes});
    return out;
}

int64_t send_room_bytes(const Plan &plan, const MessageRoom &room) {
    if (room.frames == 0)
        return Staging::bytes_for(slots(plan.sends), Staging::Share::per_peer, room.per_receiver);
    return checked_mul(Staging::bytes_for(slots(plan.sends), Staging::Share::alike, Transport::no_window),
                       room.frames);
}

int64_t receive_room_bytes(const Plan &plan, const MessageRoom &room) {
    return Staging::bytes_for(slots(plan.receives), Staging::Share::per_peer, room.per_sender);
}

} // namespace dri
