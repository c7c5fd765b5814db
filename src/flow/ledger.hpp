// Ledgers: how many frames each endpoint of a process has inserted, acquired, posted, received, extracted and
// released, and what the process knows about its peers. Each transition is one function, which keeps the counters
// consistent. The rules over these counters are in admission.hpp.
#pragma once

#include "base/published.hpp"
#include "flow/frames.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace dri::flow {

// A process that has left: it has destroyed its endpoint, or the stream has ended for it.
struct Departed {
    int peer = 0;
    SourceFrames frames; // handed over before, or up to the last received one; of a sink that drops: of the flow
    bool ended = false;  // because the stream has ended
};

// What the commit fixes for a source.
struct SourceTerms {
    int64_t buffers = 1;
    int64_t message_frames = INT64_MAX; // frames in a row whose messages fit into the staging at the same time
    bool stream = false;                // frames have headers, and the stream can be closed
    bool in_place = false;              // the caller gets a frame's buffer back with the sink's frame in it
};

// The source of one process. The caller inserts frames and acquires buffers. Messages of inserted frames are then
// posted in their order; the close of a stream is posted like one more frame.
class SourceLedger {
public:
    explicit SourceLedger(const SourceTerms &terms = {}) : terms_(terms) {}

    const SourceTerms &terms() const { return terms_; }
    SourceFrames inserted() const { return {inserted_}; }
    // The caller holds the buffers of the frames from inserted() to acquired() - 1.
    SourceFrames acquired() const { return {acquired_}; }
    bool holds_buffer() const { return acquired_ > inserted_; }
    // The next buffer to be acquired is free when all sinks have these frames. In place these are all inserted
    // ones, because the caller may change the last one's buffer at once.
    SourceFrames frames_before_next_buffer() const {
        return {acquired_ + 1 - (terms_.in_place ? 1 : terms_.buffers)};
    }
    // Frames whose messages are all posted, and frames to post. The close counts as one.
    SourceFrames posted() const { return {posted_}; }
    SourceFrames to_post() const { return {inserted_ + (closed_ ? 1 : 0)}; }
    bool has_to_post() const { return posted_ < to_post().count; }
    // Frames whose messages are all posted, without the close.
    SourceFrames posted_frames() const { return {std::min(posted_, inserted_.own())}; }
    bool has_posted_close() const { return posted_ > inserted_; }
    bool next_is_close() const { return posted_ == inserted_; } // the frame to post next is the close
    bool posting() const { return posting_; }
    // In place, where a sink's frame follows the source's: the source has begun to post that frame.
    bool has_begun(FlowFrames frame) const { return posted_ + (posting_ ? 1 : 0) > frame.count; }
    bool closed() const { return closed_; }   // no frame follows the inserted ones
    bool started() const { return started_; } // the first half of a frame is done, the second is not
    bool left() const { return left_; }

    // The next four are calls of the source's caller. start() is the first half of a call with two halves.
    void insert() { inserted_.publish(inserted_ + 1); }
    void start();
    void acquire();
    void close();

    void begin_post() { posting_ = true; }
    void finish_post();
    void post_all() { posted_ = to_post().count; } // if no frame has messages: sinks fetch the frames themselves
    void leave();

    // For any thread.
    SourceFrames read_inserted() const { return {inserted_.read()}; }
    SourceFrames read_acquired() const { return {acquired_.read()}; }

private:
    SourceTerms terms_;
    Published<int64_t> inserted_ = 0, acquired_ = 1;
    int64_t posted_ = 0;
    bool posting_ = false, closed_ = false, started_ = false, left_ = false;
};

// What the commit fixes for a sink.
struct SinkTerms {
    int64_t buffers = 1;     // in frames of the sink: a store of 4 strips counts as 4
    int64_t strips = 1;      // frames that arrive together
    bool fills_ahead = true; // frames may arrive before the caller waits for them
    bool fills_all = false;  // all buffers may be filled ahead
};

// What a call does at a sink.
struct SinkUse {
    bool extracts = false; // waits for the next frame
    bool releases = false; // gives a buffer back
};

// One sink of one process. Frames become whole in their buffers in order; the caller extracts and releases them.
class SinkLedger {
public:
    explicit SinkLedger(const SinkTerms &terms = {})
        : terms_(terms), strips_{terms.strips},
          spare_(terms.fills_ahead ? strips_.array_of({terms.buffers}).count - 1 : 0) {}

    const SinkTerms &terms() const { return terms_; }
    const SinkStrips &strips() const { return strips_; }
    SinkFrames extracted() const { return {extracted_}; }
    // The caller holds the frames from released() to extracted() - 1.
    SinkFrames released() const { return {released_}; }
    bool holds_frame() const { return extracted_ > released_; }
    FlowFrames whole() const { return {whole_}; }
    // The frames that the caller may extract, or has extracted.
    SinkFrames arrived() const { return strips().of_sink(whole()); }
    bool has_next() const { return arrived() > extracted(); }
    // The array that holds the next frame to be extracted.
    FlowFrames next_array() const { return strips().array_of(extracted()); }
    // The upper bound of whole() without a further call of the caller.
    FlowFrames reach(const SinkUse &use = {}) const;
    bool moving() const { return moving_; } // steps of frame whole() are under way
    bool wanted() const { return wanted_; } // the caller waits for a frame
    bool started() const { return started_; }
    bool left() const { return left_; }
    // Streams: the header of frame whole() is here, and it is not the close. Or it is the close.
    bool header_arrived() const { return header_arrived_; }
    bool over() const { return over_; }
    // Frames of the source up to the close, if over().
    SourceFrames closed_after() const { return closed_after_; }
    // Own source in strips: strips of the moving frame that this sink no longer needs from it.
    int64_t copied_strips() const { return moving_ ? copied_strips_ : 0; }

    // The next four are calls of the sink's caller. start() is the first half of a call with two halves; it
    // releases the oldest frame if the caller holds one. want(): the caller waits. extract() ends the wait.
    void release() { ++released_; }
    void start();
    void want() { wanted_ = true; }
    void extract();

    void begin_frame();
    void copy_strips(int64_t copied) { copied_strips_ = copied; }
    void finish_frame();
    // The header of the moving frame has arrived. number: that of the source. before: frames for this sink that
    // came before it, with the dropped ones.
    void take_header(SourceFrames number, FlowFrames before, bool closes);
    void leave();

    // For any thread.
    SinkFrames read_extracted() const { return {extracted_.read()}; }
    int64_t read_dropped() const { return dropped_.read(); } // frames missed, as far as it is known

private:
    SinkTerms terms_;
    SinkStrips strips_;
    int64_t spare_; // arrays that fit beside the one that the caller waits for
    Published<int64_t> extracted_ = 0, dropped_ = 0;
    int64_t released_ = 0, whole_ = 0, copied_strips_ = 0;
    SourceFrames closed_after_;
    bool moving_ = false, wanted_ = false, started_ = false, left_ = false;
    bool header_arrived_ = false, over_ = false;
};

// The verdicts on the frames of a source for one sink that drops frames. Frames that the sink does not take have
// none.
class DropLedger {
public:
    // decides: this process is the first of the source, and gives the verdicts itself.
    explicit DropLedger(bool decides = false) : decides_(decides) {}

    // Frames that were decided, and those of them that are sent. The close does not count.
    FlowFrames decided() const { return {decided_}; }
    FlowFrames kept() const { return {decided_ - dropped_}; }
    bool undecided() const { return undecided_; } // a frame waits for its verdict
    bool closing() const { return closing_; }     // the frame is the close, which is always sent
    // The frame waits for the verdict of the first process.
    bool awaits_verdict() const { return undecided_ && !decides_; }
    bool decides() const { return decides_; }
    // The first process has closed the stream before a frame of this process.
    const std::optional<Departed> &closed_before() const { return closed_before_; }

    void begin(bool closes) { undecided_ = true, closing_ = closes; }
    void keep();
    void drop();
    void drop_after_close(const Departed &first); // the first process has closed the stream before this frame
    void send_close() { undecided_ = false; }
    void leave() { undecided_ = false; }

    int64_t read_dropped() const { return dropped_.read(); } // for any thread

private:
    bool decides_ = false, undecided_ = false, closing_ = false;
    int64_t decided_ = 0;
    Published<int64_t> dropped_ = 0;
    std::optional<Departed> closed_before_;
};

// What is known about the other processes of a flow. The engine writes it down before it asks admission.hpp.
struct PeerLedger {
    // The sink's next frame needs data of a process that has left. It has ended the stream only if there is no
    // other.
    std::optional<Departed> sender_left;
    std::optional<Departed> receivers_left;  // all processes that take from this source have left: the last one
    std::optional<Departed> receiver_at_end; // one of them has reached the end of the stream
    std::optional<Departed> slot_holder;     // in place: a process that has left and keeps slots of messages
    std::optional<int> lagging_puller;       // has not pulled the frames before the source's next buffer
    std::optional<int> reader; // has not pulled all inserted frames; looked for while a source is destroyed
    bool has_to_send = false;  // messages of the source's moving frame are not posted yet
};

// What the commit fixes for a flow on one process.
struct FlowTerms {
    SourcePattern pattern{};      // which frames of the source the flow takes; with the dropped ones
    int first_source = -1;        // the first process of the source, if the source is a stream
    bool drops = false;           // the sink drops frames
    bool has_own_part = false;    // this process's sink takes data or headers from its own source
    bool copies_own_part = false; // some of that data moves without a message
    bool has_outflow = false;     // processes take from this process's source by messages or pulls
    bool has_inflow = false;      // this process's sink takes from processes by messages or pulls
    bool binds = false;           // the source waits for the sink of its own process; set by Ledgers
};

// One flow: what the source of a process sends to one sink side, and the sink of that side on this process.
struct FlowLedger {
    FlowTerms terms;
    size_t number = 0; // among the flows of the transfer; set by Ledgers
    std::optional<SinkLedger> sink;
    DropLedger drop{};
    PeerLedger peers{};

    bool has_sink() const { return sink && !sink->left(); } // this process has one that has not left
    SinkStrips sink_strips() const { return sink ? sink->strips() : SinkStrips{}; }
    // Whether source and sink count the same frames, except dropped ones.
    bool counts_alike() const { return terms.pattern.counts_alike() && sink_strips().count.number() == 1; }
    // An upper bound on the frames that the source has handed over, or still will, to this flow. Undecided frames
    // count, and the close as one. more: frames that the source inserts before.
    FlowFrames to_come(const SourceLedger &source, int64_t more = 0) const;
    // The frames that the source has handed over, in the unit of departures. Undecided frames do not count.
    SourceFrames handed_over(const SourceLedger &source) const;
    // The frames that the source need not keep for the process's sink, and those that its next frame needs.
    SourceFrames taken() const;
    SourceFrames needed() const;
    // The header of the sink's moving frame has arrived.
    void take_header(SourceFrames frame, bool closes);
    // At the end of a stream: the frames of the source, in the unit of departures.
    SourceFrames frames_at_end() const;
    // The number by which a frame of the sink is known: that of the source, if the sink takes only every k-th
    // frame. Strips count as if the sink took all. With drops it is the sink's own, because nothing else is known.
    int64_t number_of(SinkFrames frame) const;
};

// All ledgers of one transfer on one process.
struct Ledgers {
    std::optional<SourceLedger> source;
    std::vector<FlowLedger> flows;
    int rank = 0;
    bool in_place = false; // source and sink share their buffers
    bool drops = false;    // some flow drops frames

    Ledgers() = default;
    // Numbers the flows, and derives from the terms of all which sinks bind the source.
    Ledgers(std::optional<SourceLedger> source, std::vector<FlowLedger> flows, int rank, bool in_place);

    // The close that this process knows of: the process that closed the stream, and after how many frames.
    std::optional<Departed> known_close() const;
};

// What every frame uses is inline.

// A sink is filled ahead of its caller in all buffers except one. That last one is filled while the caller waits
// for a frame. Buffers of the user (fills_ahead is false) are filled only during such a wait, because the caller
// may use them elsewhere at other times. A sink with fills_all is filled as far as its buffers reach.
inline FlowFrames SinkLedger::reach(const SinkUse &use) const {
    const SinkFrames free{released_ + (use.releases && holds_frame() ? 1 : 0) + terms_.buffers};
    const FlowFrames free_until = strips().array_of(free);
    if (terms_.fills_all)
        return std::max(whole(), free_until);
    const int64_t waits = use.extracts || wanted_ ? 1 : 0;
    return std::max(whole(), std::min(next_array() + spare_ + waits, free_until));
}

inline SourceFrames FlowLedger::taken() const {
    return terms.pattern.first(sink->whole()) + sink->copied_strips();
}

inline SourceFrames FlowLedger::needed() const { return terms.pattern.end(sink->next_array()); }

inline FlowFrames FlowLedger::to_come(const SourceLedger &source, int64_t more) const {
    const FlowFrames all = terms.pattern.arrays_in(source.inserted() + more) + (source.closed() ? 1 : 0);
    return terms.drops ? drop.kept() + (all - drop.decided()) : all;
}

inline void SinkLedger::start() {
    if (holds_frame())
        release();
    started_ = wanted_ = true;
}

inline void SinkLedger::extract() {
    started_ = wanted_ = false;
    extracted_.publish(extracted_ + 1);
}

inline void SinkLedger::begin_frame() {
    moving_ = true;
    header_arrived_ = false;
    copied_strips_ = 0;
}

inline void SinkLedger::finish_frame() {
    moving_ = header_arrived_ = false;
    ++whole_;
}

inline void SourceLedger::start() {
    insert();
    started_ = true;
}

inline void SourceLedger::acquire() {
    acquired_.publish(acquired_ + 1);
    started_ = false;
}

inline void SourceLedger::finish_post() {
    posting_ = false;
    ++posted_;
}

} // namespace dri::flow
