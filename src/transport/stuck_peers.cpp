// After a failed collective step, answers peers of other groups that would otherwise wait until their own
// deadline.
#include "transport/stuck_peers.hpp"

#include <algorithm>

namespace dri::transport {

namespace {

// Whether a peer waits for this process in a step of another group that cannot succeed. There are two such cases:
// - The peer is a member of the failed step, too, and has not been through it. Therefore it kept that step from
//   ending. Its stamp shows this: all processes that learn of the end of a step raise their stamps to the same
//   value. Some processes give up without learning of the end. For them the group of the step that failed last is
//   compared. A peer whose last failed step had the group of its present one tries again, and is not stuck either.
// - The peer takes part in the same other step as a child of this process. It therefore waits for that child,
//   and the child receives this step's failure.
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

// Only the last message of the peer counts, because a process that waits sends nothing more. A message of a peer
// that is not stuck stays for the step that it belongs to.
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
    Failure failure = step.failure;
    if (failure.code == DRI_ERR_TIMEOUT)
        failure.message =
            fmt::format("process {} waits for process {}, but {}", peer, transport.rank(), step.time_out);
    transport.post(peer, tag,
                   encode({step.label, Direction::down, last.sequence, step.begun, memory.left, memory.stamp, true,
                           encode(failure)}));
}

} // namespace

void answer_stuck_peers(Transport &transport, int tag, const FailedStep &step) {
    for (int peer = 0; peer < transport.size(); ++peer)
        try {
            if (peer != transport.rank())
                answer(transport, tag, step, peer);
        } catch (const Error &) { // the step's own failure is the one to report
        }
}

} // namespace dri::transport
