#include "transport/stuck_peers.hpp"

#include <algorithm>

namespace dri {

namespace {

// Whether a peer waits for this process in a step of another group that cannot end well. A peer that is a member
// here, too, and has not been through this step, keeps this step from ending. That tells its stamp, which all who
// hear of the end of a step raise alike, and, as some give up unheard, the group that it left last. A peer that
// takes part in what a child takes part in waits for that child, which is told to give up.
bool is_stuck(const FailedStep &step, int peer, const Packet &packet) {
    const bool comes_again = packet.left == step.label.group || packet.left == packet.label.group;
    if (packet.direction != Direction::up || packet.label.group == step.label.group || comes_again)
        return false;
    const bool is_member = std::binary_search(step.members.begin(), step.members.end(), peer);
    return (is_member && packet.begun <= step.begun) ||
           std::any_of(step.foreign.begin(), step.foreign.end(), [&](const Foreign &child) {
               return child.label == packet.label && packet.begun <= child.begun;
           });
}

void answer(Transport &transport, int tag, const FailedStep &step, int peer) {
    StepMemory &memory = transport.step_memory(tag);
    while (auto bytes = transport.try_receive(peer, tag))
        memory.kept[peer] = std::move(*bytes);
    const auto kept = memory.kept.find(peer);
    if (kept == memory.kept.end())
        return;
    const Packet last = decode_packet(kept->second, peer);
    const bool stuck = is_stuck(step, peer, last);
    if (stuck || last.direction != Direction::up)
        memory.kept.erase(kept);
    if (!stuck)
        return;
    Failure told = step.failure;
    if (told.code == DRI_ERR_TIMEOUT)
        told.message = fmt::format("rank {} waits for rank {}, but {}", peer, transport.rank(), step.time_out);
    transport.post(peer, tag,
                   encode({step.label, Direction::down, last.sequence, step.begun, memory.left, memory.stamp, true,
                           encode(told)}));
}

} // namespace

void answer_stuck_peers(Transport &transport, int tag, const FailedStep &step) {
    for (int peer = 0; peer < transport.size(); ++peer)
        try {
            if (peer != transport.rank())
                answer(transport, tag, step, peer);
        } catch (const Error &) { // the step's own failure counts
        }
}

} // namespace dri
