// A plan bound to kernels, prepared messages and the memory of other processes: what one process does between one
// source side and one sink side of a transfer. Allocates nothing after it is made.
#pragma once

#include "base/memory.hpp"
#include "exec/remote_copy.hpp"
#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "transport/shared_source.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <vector>

namespace dri {

// What the direct way of one flow needs beside the plan.
struct DirectEnds {
    std::shared_ptr<SharedSource> source; // where the plan has takers
    int64_t first_taker = 0;              // the number of the plan's first taker there; the others follow
    std::vector<SourceView> views;        // one for each of the plan's pulls
};

class Link {
public:
    // source_depth: frames that may be under way at once, each with its own memory for messages.
    Link(std::shared_ptr<const Plan> plan, DirectEnds direct, int64_t source_depth, Isa isa, Transport &transport,
         int64_t tag);

    // Whether the sink of this process takes something from the source of this process.
    bool has_own_part() const { return has_own_part_; }
    // Whether some of that goes without a message.
    bool copies_own_part() const { return !self_.empty(); }
    // Whether other processes take from this one's source, or this one's sink from theirs; messages to itself
    // count.
    bool has_outflow() const { return !outgoing_.empty() || !plan_->takers.empty(); }
    bool has_inflow() const { return incoming_ || !plan_->pulls.empty(); }
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
    // Begins the pulls of a frame.
    void start_pulls();
    // Pulls from those that have handed the frame over, whoever they are; true when none is left. Does not wait.
    bool pull(int64_t frame, std::byte *sink);
    // Unpacks the posted messages in the order of their arrival.
    void receive(std::byte *sink);
    bool sends_done();
    // One that pulls from this source, is still there and lacks some of the first `frames` frames.
    std::optional<int> lacks(int64_t frames) const;

    // One of the processes that take from this source, where all of them have left; looks for news of that.
    std::optional<Departure> all_receivers_left();
    // A process whose data of the frame will not come; looks for news of that.
    std::optional<Departure> sender_left(int64_t frame);
    // The same for pulls alone.
    std::optional<Departure> lost_pull(int64_t frame) const;
    // This process's source, or its sink, ends after so many frames: the processes at the other end are told, and
    // the memory of its messages goes as soon as they are away.
    void leave_source(int64_t frames);
    void leave_sink(int64_t frames);

    // Lines of text, one per copy, with the kernels.
    std::string explain_source() const;
    std::string explain_sink() const;

private:
    using Copies = std::vector<BoundCopy>;
    void pull_from(size_t i, int64_t frame, std::byte *sink) const;

    std::shared_ptr<const Plan> plan_;
    bool has_own_part_ = false;
    Copies self_;
    std::vector<Copies> packs_, unpacks_;               // one list per message
    std::vector<Copies> pulls_;                         // one list per pull
    std::vector<std::vector<RemoteCopy>> remote_pulls_; // the same where the peer's buffers are not all shared
    AlignedBuffer scratch_;                             // of their tiles
    std::vector<char> to_pull_;                         // per pull: this frame's is not done yet
    DirectEnds direct_;
    std::vector<std::unique_ptr<Exchange>> outgoing_;
    std::unique_ptr<Exchange> incoming_;
};

} // namespace dri
