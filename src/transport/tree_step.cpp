#include "transport/tree_step.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>

namespace dri {

namespace {

constexpr uint32_t packet_mark = 0x44524953;

// What a process at one level of the tree allows the next one beyond the deadline, so that the level that
// sees who is missing can tell the others before they give up on it.
constexpr auto grace_per_level = std::chrono::milliseconds(50);

constexpr size_t missing_ranks_named = 16;

enum class Direction : uint8_t { up, down };

// Which step a message belongs to.
struct Label {
    Digest group;
    int64_t members = 0;
    uint64_t step = 0;
    Operation operation{};
    friend bool operator==(const Label &, const Label &) = default;
};

struct Packet {
    Label label;
    Direction direction{};
    bool failed = false;
    Bytes content; // of the operation, or the failure
};

Bytes encode(const Packet &packet) {
    Writer out;
    out.put(packet_mark);
    out.put(packet.label.group.high);
    out.put(packet.label.group.low);
    out.put(packet.label.members);
    out.put(packet.label.step);
    out.put(packet.label.operation);
    out.put(packet.direction);
    out.put(packet.failed);
    out.put(std::span<const std::byte>(packet.content));
    return out.take();
}

Packet decode_packet(const Bytes &bytes, int peer) {
    Reader in(bytes);
    if (bytes.size() < sizeof packet_mark || in.get<uint32_t>() != packet_mark)
        fail(DRI_ERR_MISMATCH, "rank {} sent a message that belongs to no collective step", peer);
    Packet packet;
    packet.label.group.high = in.get<uint64_t>();
    packet.label.group.low = in.get<uint64_t>();
    packet.label.members = in.get<int64_t>();
    packet.label.step = in.get<uint64_t>();
    packet.label.operation = in.get<Operation>();
    packet.direction = in.get<Direction>();
    packet.failed = in.get<bool>();
    packet.content = in.get_bytes();
    return packet;
}

struct Failure {
    DRI_Code code = DRI_ERR_INTERNAL;
    std::string message;
    std::vector<int> missing; // ranks waited for in vain, where the code is DRI_ERR_TIMEOUT
};

Bytes encode(const Failure &failure) {
    Writer out;
    out.put(failure.code);
    out.put(std::string_view(failure.message));
    out.put_all(failure.missing);
    return out.take();
}

Failure decode_failure(const Bytes &bytes) {
    Reader in(bytes);
    Failure failure;
    failure.code = in.get<DRI_Code>();
    failure.message = in.get_string();
    failure.missing = in.get_all<std::vector<int>>();
    return failure;
}

const char *name(Operation operation) {
    switch (operation) {
    case Operation::all_gather: return "all_gather";
    case Operation::agree: return "agree";
    }
    return "unknown operation";
}

std::string describe(const Label &label) {
    return fmt::format("{} (step {}) over group {:08x} of {} processes", name(label.operation), label.step,
                       label.group.high >> 32, label.members);
}

class TreeStep {
public:
    TreeStep(Transport &transport, std::span<const int> members, int tag, Operation operation, Deadline deadline);
    Bytes run(Bytes content, Combine combine);

private:
    // One level of grace per level of the tree that a failure has to pass.
    Deadline after(int levels) const;
    Packet next_from(int peer, Deadline until);
    void send(int peer, const Packet &packet, Deadline until);
    void ask_children(Bytes &content, Combine combine);
    void ask_parent(Bytes &content);
    [[noreturn]] void mismatch(int peer, const Label &theirs) const;
    void note(Failure found);
    template <class Action> void guard(int peer, Action action);
    [[noreturn]] void give_up() const;

    Transport &transport_;
    int tag_;
    Deadline deadline_;
    Label label_;
    int parent_ = -1; // rank; -1 at the root
    int depth_ = 0, height_ = 0;
    std::vector<int> children_;       // ranks, ascending; below child k there are at most k levels
    std::vector<Label> child_labels_; // in whose terms a child is answered
    std::optional<Failure> failure_;
};

Digest digest_of(std::span<const int> members) { return digest(std::as_bytes(members)); }

TreeStep::TreeStep(Transport &transport, std::span<const int> members, int tag, Operation operation,
                   Deadline deadline)
    : transport_(transport), tag_(tag), deadline_(deadline) {
    const int self = transport.rank();
    std::vector<int> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end());
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), self);
    if (at == sorted.end() || *at != self)
        fail(DRI_ERR_INTERNAL, "rank {} is no member of the group of its step", self);
    const auto position = static_cast<size_t>(at - sorted.begin());
    for (size_t bit = 1; !(position & bit) && position + bit < sorted.size(); bit <<= 1)
        children_.push_back(sorted[position + bit]);
    if (position)
        parent_ = sorted[position & (position - 1)];
    depth_ = std::popcount(position);
    height_ = static_cast<int>(std::bit_width(members.size() - 1));
    label_ = {digest_of(members), static_cast<int64_t>(members.size()), 0, operation};
    label_.step = transport.steps().begin(label_.group, tag);
    child_labels_.assign(children_.size(), label_);
}

Deadline TreeStep::after(int levels) const {
    const auto grace = levels * grace_per_level;
    return deadline_ > Deadline::max() - grace ? deadline_ : deadline_ + grace;
}

// The next message of a peer that is not left over from a step that is over for this process.
Packet TreeStep::next_from(int peer, Deadline until) {
    for (;;) {
        Packet packet = decode_packet(transport_.receive(peer, tag_, until), peer);
        const Label &theirs = packet.label;
        const bool same_group = theirs.group == label_.group;
        const uint64_t begun = same_group ? label_.step : transport_.steps().begun(theirs.group, tag_);
        if (theirs.step < begun)
            continue;
        // The peer gave up on a step of another group that this process never began.
        if (!same_group && packet.failed && packet.direction == Direction::down) {
            transport_.steps().skip_to(theirs.group, tag_, theirs.step + 1);
            continue;
        }
        return packet;
    }
}

void TreeStep::send(int peer, const Packet &packet, Deadline until) {
    transport_.send(peer, tag_, encode(packet), until);
}

// The graver failure is kept, which is any but a deadline; of several deadlines the missing ranks are.
void TreeStep::note(Failure found) {
    if (!failure_ || (failure_->code == DRI_ERR_TIMEOUT && found.code != DRI_ERR_TIMEOUT))
        failure_ = std::move(found);
    else if (failure_->code == DRI_ERR_TIMEOUT && found.code == DRI_ERR_TIMEOUT)
        failure_->missing.insert(failure_->missing.end(), found.missing.begin(), found.missing.end());
}

// Keeps a failure for later, so that the step goes on and passes it to the others.
template <class Action> void TreeStep::guard(int peer, Action action) {
    try {
        action();
    } catch (const Error &error) {
        if (error.code() == DRI_ERR_TIMEOUT)
            note({DRI_ERR_TIMEOUT, "", {peer}});
        else
            note({error.code(), error.what(), {}});
    } catch (const std::bad_alloc &) {
        note({DRI_ERR_MEMORY,
              fmt::format("rank {} has no memory for {}", transport_.rank(), describe(label_)),
              {}});
    }
}

void TreeStep::mismatch(int peer, const Label &theirs) const {
    fail(DRI_ERR_MISMATCH, "rank {} takes part in {}, but rank {} in {}", transport_.rank(), describe(label_),
         peer, describe(theirs));
}

void TreeStep::ask_children(Bytes &content, Combine combine) {
    for (size_t k = 0; k < children_.size(); ++k)
        guard(children_[k], [&] {
            Packet packet = next_from(children_[k], after(static_cast<int>(k)));
            child_labels_[k] = packet.label;
            if (packet.label != label_)
                mismatch(children_[k], packet.label);
            if (packet.failed)
                note(decode_failure(packet.content));
            else
                combine(content, std::move(packet.content));
        });
    // A child that is there has nothing more to say, unless it has given up since.
    for (size_t k = 0; k < children_.size() && !failure_; ++k)
        guard(children_[k], [&] {
            if (const auto withdrawal = transport_.try_receive(children_[k], tag_))
                note(decode_failure(decode_packet(*withdrawal, children_[k]).content));
        });
}

void TreeStep::ask_parent(Bytes &content) {
    const Deadline until = after(height_ + depth_);
    const bool failed_before = failure_.has_value();
    guard(parent_, [&] {
        send(parent_,
             {label_, Direction::up, failed_before, failed_before ? encode(*failure_) : std::move(content)},
             until);
    });
    guard(parent_, [&] {
        Packet packet = next_from(parent_, until);
        if (packet.label != label_)
            mismatch(parent_, packet.label);
        if (packet.failed)
            failure_ = decode_failure(packet.content);
        else
            content = std::move(packet.content);
    });
    // A parent that comes after all must not take the content for that of a child that is still there.
    if (!failed_before && failure_ && failure_->code == DRI_ERR_TIMEOUT)
        guard(parent_, [&] { send(parent_, {label_, Direction::up, true, encode(*failure_)}, until); });
}

void TreeStep::give_up() const {
    if (failure_->code != DRI_ERR_TIMEOUT)
        throw Error(failure_->code, failure_->message);
    const auto &missing = failure_->missing;
    const size_t named = std::min(missing.size(), missing_ranks_named);
    std::string ranks =
        fmt::format("{}", fmt::join(missing.begin(), missing.begin() + static_cast<ptrdiff_t>(named), ", "));
    if (named < missing.size())
        ranks += fmt::format(" and {} more", missing.size() - named);
    fail(DRI_ERR_TIMEOUT, "the deadline passed in {}; waited for rank{} {}", describe(label_),
         missing.size() == 1 ? "" : "s", ranks);
}

Bytes TreeStep::run(Bytes content, Combine combine) {
    ask_children(content, combine);
    if (parent_ >= 0)
        ask_parent(content);

    Packet answer{label_, Direction::down, failure_.has_value(),
                  failure_ ? encode(*failure_) : std::move(content)};
    for (size_t k = children_.size(); k-- > 0;)
        guard(children_[k], [&] {
            answer.label = child_labels_[k];
            send(children_[k], answer, after(height_ + depth_ + 1));
        });
    if (failure_)
        give_up();
    return std::move(answer.content);
}

} // namespace

Bytes tree_step(Transport &transport, std::span<const int> members, int tag, Operation operation, Bytes mine,
                Combine combine, Deadline deadline) {
    return TreeStep(transport, members, tag, operation, deadline).run(std::move(mine), combine);
}

} // namespace dri
