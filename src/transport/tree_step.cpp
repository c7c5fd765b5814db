// Runs one collective step: collects packets from the children, sends one to the parent, passes the answer down. A
// failure is kept and travels the same way, so that all members fail together.
#include "transport/tree_step.hpp"

#include "transport/packet.hpp"
#include "transport/tree_position.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>

namespace dri::transport {

namespace {

// The extra time beyond the deadline for each level of the tree through which a failure travels. The level that
// detects a missing process can then inform the others before they give up on it.
constexpr auto grace_per_level = std::chrono::milliseconds(50);

// No further reason is added to a text of this length.
constexpr size_t max_reasons = 400;

struct Child {
    int rank = 0;
    std::optional<uint64_t> sequence; // set when the child's packet has arrived
    Bytes
        before; // for a downsweep: the combined content of the members from this one on that come before the child
};

class TreeStep {
public:
    TreeStep(Transport &transport, const Step &step);
    Bytes run(Bytes content, Combine combine, Downsweep downsweep);

private:
    // The deadline plus the grace for `levels` levels of the tree, through which a failure has to travel.
    Deadline after(int levels) const;
    bool take_refusal(int peer, const Packet &packet);
    std::optional<Packet> try_next(int peer);
    Bytes receive(int peer, Deadline until);
    Packet next(int peer, Deadline until);
    Packet next_up(int child, Deadline until);
    Packet answer_of_parent(Deadline until);
    void send(int peer, const Packet &packet, Deadline until);
    void ask_children(Bytes &content, Combine combine, Downsweep downsweep);
    void ask_parent(Bytes &content);
    void answer_children(Bytes &content, Downsweep downsweep);
    [[noreturn]] void mismatch(int peer, const Label &theirs) const;
    std::string why_late(int peer);
    void note(Failure found);
    template <class Action> void note_failure_of(int peer, Action action);
    [[noreturn]] void give_up() const;

    Transport &transport_;
    const Step &step_;
    const Label label_;
    const uint64_t sequence_;
    TreePosition tree_;
    std::vector<Child> children_;         // one per child of tree_
    std::map<int, std::string> refusals_; // why a peer has refused this call, by rank
    std::optional<Failure> failure_;
};

TreeStep::TreeStep(Transport &transport, const Step &step)
    : transport_(transport), step_(step), label_(label_of(step)), sequence_(transport.next_sequence()) {
    std::vector<int> sorted(step.members.begin(), step.members.end());
    std::sort(sorted.begin(), sorted.end());
    tree_ = find_tree_position(sorted, transport.rank());
    for (const int child : tree_.children)
        children_.push_back({child, {}, {}});
}

Deadline TreeStep::after(int levels) const {
    const auto grace = levels * grace_per_level;
    return step_.deadline > Deadline::max() - grace ? step_.deadline : step_.deadline + grace;
}

// Returns whether the packet says that the peer has refused a call. It is no part of any step, and the peer may
// still come: it may repeat the call.
bool TreeStep::take_refusal(int peer, const Packet &packet) {
    if (packet.direction != Direction::refused)
        return false;
    if (packet.label.group == label_.group && packet.label.call == label_.call)
        refusals_[peer] = Reader(packet.content).get_string();
    return true;
}

std::optional<Packet> TreeStep::try_next(int peer) {
    while (const auto bytes = transport_.try_receive(peer, tag_tree_step)) {
        Packet packet = decode_packet(*bytes, peer);
        if (!take_refusal(peer, packet))
            return packet;
    }
    return std::nullopt;
}

// A process of another node is asked where it is shortly before the deadline, so that a timeout can say it.
Bytes TreeStep::receive(int peer, Deadline until) {
    const Deadline ask = time_to_ask(until);
    if (transport_.presence().is_near(peer) || ask <= Clock::now())
        return transport_.receive(peer, tag_tree_step, until);
    try {
        return transport_.receive(peer, tag_tree_step, ask);
    } catch (const Error &error) {
        if (error.code() != DRI_ERR_TIMEOUT)
            throw;
    }
    transport_.ask(peer);
    return transport_.receive(peer, tag_tree_step, until);
}

Packet TreeStep::next(int peer, Deadline until) {
    for (;;) {
        if (auto packet = try_next(peer))
            return std::move(*packet);
        Packet packet = decode_packet(receive(peer, until), peer);
        if (!take_refusal(peer, packet))
            return packet;
    }
}

// The packet of a peer that still waits for its answer. A process that waits sends nothing more. Therefore a
// packet that is followed by another one is left over from a step that its sender gave up, and is dropped.
Packet TreeStep::next_up(int peer, Deadline until) {
    for (;;) {
        Packet packet = next(peer, until);
        while (auto later = try_next(peer))
            packet = std::move(*later);
        if (packet.direction == Direction::up) {
            refusals_.erase(peer);
            return packet;
        }
    }
}

// An answer to an earlier sequence came too late for its step, and is dropped. A parent sends nothing else: it has
// the lower rank, and so it is the parent in every group of both.
Packet TreeStep::answer_of_parent(Deadline until) {
    for (;;) {
        Packet packet = next(tree_.parent, until);
        if (packet.direction == Direction::down && packet.sequence == sequence_)
            return packet;
    }
}

void TreeStep::send(int peer, const Packet &packet, Deadline until) {
    transport_.send(peer, tag_tree_step, encode(packet), until);
}

// A label contains no list of members. Therefore only the size of the other group is known.
void TreeStep::mismatch(int peer, const Label &theirs) const {
    const bool same_group = theirs.group == label_.group;
    if (same_group && theirs.call == label_.call)
        fail(DRI_ERR_MISMATCH, "process {} is in step '{}' of {}; but process {} is in step '{}' of it",
             transport_.rank(), label_.purpose, describe(step_), peer, theirs.purpose);
    fail(DRI_ERR_MISMATCH, "process {} calls {}; but process {} calls {} over {}", transport_.rank(),
         describe(step_), peer, theirs.call,
         same_group ? "the same group" : fmt::format("another group, of {} processes", theirs.members));
}

// Keeps the more serious failure: any other one replaces a timeout. Several timeouts are joined to one with all
// missing ranks, and the reasons of a few.
void TreeStep::note(Failure found) {
    if (!failure_ || (failure_->code == DRI_ERR_TIMEOUT && found.code != DRI_ERR_TIMEOUT))
        failure_ = std::move(found);
    else if (failure_->code == DRI_ERR_TIMEOUT && found.code == DRI_ERR_TIMEOUT) {
        failure_->missing.insert(failure_->missing.end(), found.missing.begin(), found.missing.end());
        if (!found.reason.empty() && failure_->reason.size() < max_reasons)
            failure_->reason += (failure_->reason.empty() ? "" : "; ") + found.reason;
    }
}

// Why the peer has refused this call, or where it is.
std::string TreeStep::why_late(int peer) {
    const auto refusal = refusals_.find(peer);
    return refusal != refusals_.end() ? refusal->second : where_if_known(transport_.presence(), peer);
}

// Runs an action and keeps its failure for later. The step goes on, so that the failure reaches the other members.
template <class Action> void TreeStep::note_failure_of(int peer, Action action) {
    try {
        action();
    } catch (const Error &error) {
        if (error.code() == DRI_ERR_TIMEOUT)
            note({DRI_ERR_TIMEOUT, "", {peer}, why_late(peer)});
        else if (error.code() == DRI_ERR_MISMATCH) // names its processes itself
            note({error.code(), error.what(), {}});
        else
            note({error.code(),
                  fmt::format("process {} in {}: {}", transport_.rank(), describe(step_), error.what()),
                  {}});
    } catch (const std::bad_alloc &) {
        note({DRI_ERR_MEMORY,
              fmt::format("process {} has no memory for {}", transport_.rank(), describe(step_)),
              {}});
    }
}

// Receives the packet of each child in ascending order and combines the contents. Child k has at most k levels
// below it, hence k levels of grace.
void TreeStep::ask_children(Bytes &content, Combine combine, Downsweep downsweep) {
    for (size_t k = 0; k < children_.size(); ++k)
        note_failure_of(children_[k].rank, [&] {
            Packet packet = next_up(children_[k].rank, after(static_cast<int>(k)));
            children_[k].sequence = packet.sequence;
            if (packet.label != label_)
                mismatch(children_[k].rank, packet.label);
            if (packet.failed)
                return note(decode_failure(packet.content));
            if (downsweep)
                children_[k].before = content;
            combine(content, std::move(packet.content));
        });
    // While this process was late, or waited for some children, others may have given up. Report those as missing,
    // too.
    for (Child &child : children_)
        note_failure_of(child.rank, [&] {
            if (!child.sequence || !try_next(child.rank))
                return;
            child.sequence.reset();
            note({DRI_ERR_TIMEOUT, "", {child.rank}});
        });
}

// Sends the combined content or the failure up, and takes over the answer. Without an answer in time, the parent
// is informed that this process no longer waits.
void TreeStep::ask_parent(Bytes &content) {
    const Deadline until = after(tree_.height + tree_.depth);
    bool answered = false;
    note_failure_of(tree_.parent, [&] {
        const bool failed = failure_.has_value();
        send(tree_.parent,
             {label_, Direction::up, sequence_, failed, failed ? encode(*failure_) : std::move(content)}, until);
    });
    note_failure_of(tree_.parent, [&] {
        Packet packet = answer_of_parent(until);
        answered = true;
        if (packet.failed)
            failure_ = decode_failure(packet.content);
        else
            content = std::move(packet.content);
    });
    if (!answered)
        note_failure_of(tree_.parent, [&] {
            send(tree_.parent, {label_, Direction::gone, sequence_, true, {}}, until);
        });
}

// Answers all children whose packet has arrived, whatever step they take part in. The largest subtree is first,
// because its answer has the longest way.
void TreeStep::answer_children(Bytes &content, Downsweep downsweep) {
    const bool failed = failure_.has_value();
    Packet answer{label_, Direction::down, 0, failed, failed ? encode(*failure_) : content};
    for (size_t k = children_.size(); k-- > 0;) {
        if (!children_[k].sequence)
            continue;
        answer.sequence = *children_[k].sequence;
        if (downsweep && !failed)
            answer.content = downsweep(content, children_[k].before);
        note_failure_of(children_[k].rank,
                        [&] { send(children_[k].rank, answer, after(tree_.height + tree_.depth + 1)); });
    }
}

void TreeStep::give_up() const {
    if (failure_->code != DRI_ERR_TIMEOUT || !failure_->message.empty())
        throw Error(failure_->code, failure_->message);
    fail(DRI_ERR_TIMEOUT, "{}{}{}", describe_timeout(step_, failure_->missing),
         failure_->reason.empty() ? "" : "; ", failure_->reason);
}

Bytes TreeStep::run(Bytes content, Combine combine, Downsweep downsweep) {
    ask_children(content, combine, downsweep);
    if (tree_.parent >= 0)
        ask_parent(content);
    answer_children(content, downsweep);
    if (failure_)
        give_up();
    return content;
}

} // namespace

Bytes tree_step(Transport &transport, const Step &step, Bytes mine, Combine combine, Downsweep downsweep) {
    return TreeStep(transport, step).run(std::move(mine), combine, downsweep);
}

void announce_refusal(Transport &transport, const Step &refused, std::string_view reason,
                      std::span<const int> may_send_to) {
    std::vector<int> members(refused.members.begin(), refused.members.end());
    std::sort(members.begin(), members.end());
    const TreePosition tree = find_tree_position(members, transport.rank());
    std::vector<int> neighbours = tree.children;
    if (tree.parent >= 0)
        neighbours.push_back(tree.parent);
    Writer content;
    content.put(reason);
    const Bytes packet = encode(Packet{label_of(refused), Direction::refused, 0, false, content.take()});
    for (const int peer : neighbours)
        if (std::binary_search(may_send_to.begin(), may_send_to.end(), peer))
            transport.post(peer, tag_tree_step, packet);
}

} // namespace dri::transport
