// A plan bound to kernels and prepared messages: what one process does between one source side and one sink
// side of a transfer. Allocates nothing after it is made.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <vector>

namespace dri {

class Link {
public:
    // source_depth: frames that may be under way at once, each with its own memory for messages.
    Link(std::shared_ptr<const Plan> plan, int64_t source_depth, Isa isa, Transport &transport, int64_t tag);

    // Whether the sink of this process takes something from the source of this process.
    bool has_own_part() const { return has_own_part_; }
    // Whether some of that goes without a message.
    bool copies_own_part() const { return !self_.empty(); }
    bool has_messages_out() const { return !outgoing_.empty(); }
    // Memory for messages of this process's source, or of its sink.
    int64_t workspace_bytes(bool of_source) const;
    const Plan &plan() const { return *plan_; }

    // Fills the pads that hold zeros.
    void fill_pads(std::byte *sink) const;
    void post_receives();
    // Packs and posts the frame's messages to those who are still there; waits until those of the frame
    // source_depth before it are away.
    void send(int64_t frame, const std::byte *source);
    void copy_self(const std::byte *source, std::byte *sink) const;
    // Unpacks the posted messages in the order of their arrival.
    void receive(std::byte *sink);
    bool sends_done();

    // One of the processes that messages go to, where all of them have left; looks for news of that.
    std::optional<Departure> all_receivers_left();
    // A process that will not send its messages of the frame; looks for news of that.
    std::optional<Departure> sender_left(int64_t frame);
    // This process's source, or its sink, ends after so many frames: the processes at the other end are told, and
    // the memory of its messages goes as soon as they are away.
    void leave_source(int64_t frames);
    void leave_sink(int64_t frames);

    // Lines of text, one per copy, with the kernels.
    std::string explain_source() const;
    std::string explain_sink() const;

private:
    using Copies = std::vector<BoundCopy>;

    std::shared_ptr<const Plan> plan_;
    bool has_own_part_ = false;
    Copies self_;
    std::vector<Copies> packs_, unpacks_; // one list per message
    std::vector<std::unique_ptr<Exchange>> outgoing_;
    std::unique_ptr<Exchange> incoming_;
};

} // namespace dri
