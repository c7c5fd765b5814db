// Each rule of flow control by a case of its own: one process, its ledgers and one call.
#include "flow/admission.hpp"
#include "flow/waiting.hpp"

#include <gtest/gtest.h>

namespace dri::flow::test {

namespace {

constexpr int own_rank = 3;
const std::string transfer_name = "turn";

// A source and its own sink, which takes everything from it without messages.
Ledgers own(const SourceTerms &source, const SinkTerms &sink, FlowTerms terms = {}) {
    terms.has_own_part = terms.copies_own_part = true;
    return {SourceLedger(source), {{.terms = terms, .sink = SinkLedger(sink)}}, own_rank, false};
}
// A source whose frames go to other processes, and a sink of other processes' frames.
Ledgers only_source(const SourceTerms &source = {}) {
    return {SourceLedger(source), {{.terms = {.has_outflow = true}, .sink = std::nullopt}}, own_rank, false};
}
Ledgers only_sink(const SinkTerms &sink = {}) {
    return {std::nullopt, {{.terms = {.has_inflow = true}, .sink = SinkLedger(sink)}}, own_rank, false};
}

constexpr CallEndpoints the_source{.source = true};
constexpr CallEndpoints the_sink{.sink = 0};
CallEndpoints both(const Ledgers &l) { return existing(l, CallEndpoints::all(l)); }

void arrive(SinkLedger &sink, int frames = 1) {
    for (int i = 0; i < frames; ++i) {
        sink.begin_frame();
        sink.finish_frame();
    }
}
void insert(SourceLedger &source, int frames = 1) {
    for (int i = 0; i < frames; ++i) {
        source.insert();
        source.acquire();
    }
}

// The message of a refusal, or what the call does instead.
std::string words(const Ruling &ruling) {
    switch (ruling.kind) {
    case Ruling::go: return "go";
    case Ruling::wait: return "waits";
    case Ruling::refused: return text_of(*ruling.refusal, {transfer_name, own_rank});
    }
    return {};
}
std::string words(const Ledgers &l, Act act, const CallEndpoints &endpoints) {
    return words(admit(l, {act, endpoints}));
}
std::string words(const Ledgers &l, const CallEndpoints &endpoints) { return words(resume(l, endpoints)); }

} // namespace

TEST(FlowRules, a_source_alone_waits_for_its_buffers) {
    Ledgers l = only_source({.buffers = 2});
    EXPECT_EQ(words(l, Act::execute, the_source), "go");
    l.source->insert();
    l.flows[0].peers.lagging_puller = 1;
    EXPECT_EQ(words(l, the_source), "waits");
    l.source->post_all();
    EXPECT_EQ(words(l, the_source), "waits");
    l.flows[0].peers.lagging_puller.reset();
    EXPECT_EQ(words(l, the_source), "go");
}

TEST(FlowRules, a_sink_alone_waits_for_data) {
    Ledgers l = only_sink();
    EXPECT_EQ(words(l, Act::execute, the_sink), "go");
    EXPECT_EQ(words(l, the_sink), "waits");
    arrive(*l.flows[0].sink);
    EXPECT_EQ(words(l, the_sink), "go");
}

// What only the caller could bring about is not there yet. Other refusals stay.
TEST(FlowRules, an_attempt_is_no_deadlock) {
    Ledgers l = own({.buffers = 1}, {});
    const auto attempt = [&](const CallEndpoints &endpoints) {
        return words(admit(l, {Act::attempt, endpoints}).without_wait());
    };
    EXPECT_EQ(admit(l, {Act::attempt, the_source}).refusal->reason, Reason::source_buffers_held);
    EXPECT_EQ(attempt(the_source), "waits") << "the caller holds the only buffer";
    EXPECT_EQ(attempt(the_sink), "waits") << "nothing is inserted";
    l.source->insert();
    EXPECT_EQ(attempt(the_source), "waits") << "the sink has not taken the frame";
    EXPECT_EQ(attempt(the_sink), "go");
    arrive(*l.flows[0].sink);
    EXPECT_EQ(attempt(the_source), "go");
    l.flows[0].sink->extract();
    EXPECT_EQ(attempt(the_sink), "waits") << "the caller holds the buffer";
    l.flows[0].sink->leave();
    EXPECT_EQ(attempt(the_sink), "the sink of transfer 'turn' is destroyed");
}

TEST(FlowRules, a_source_is_not_ahead_of_its_own_sink) {
    Ledgers l = own({.buffers = 2}, {.buffers = 1});
    EXPECT_EQ(words(l, Act::execute, the_source), "go");
    insert(*l.source);
    EXPECT_EQ(words(l, Act::execute, both(l)), "go");
    EXPECT_EQ(words(l, Act::execute, the_source),
              "transfer 'turn': after frame 1 no buffer of the source (2 in all) would be free before this "
              "process's own sink has taken frame 0; execute both endpoints together (by name, or DRI_start of "
              "both, then DRI_wait), or the sink first");
    EXPECT_EQ(words(l, Act::insert, the_source), "go") << "an insert does not wait";
}

TEST(FlowRules, a_source_gets_the_advice_that_helps) {
    const auto advice = [](const Ledgers &l) {
        const Ruling ruling = admit(l, {Act::execute, the_source});
        EXPECT_EQ(code_of(ruling.refusal->reason), DRI_ERR_DEADLOCK);
        const std::string text = text_of(*ruling.refusal, {transfer_name, own_rank});
        return text.substr(text.rfind("; ") + 2);
    };
    EXPECT_EQ(advice(own({.buffers = 1}, {})), "execute both endpoints together (by name, or DRI_start of both, "
                                               "then DRI_wait), or give the source another buffer");
    Ledgers inserted = own({.buffers = 2}, {});
    insert(*inserted.source);
    EXPECT_EQ(advice(inserted),
              "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or the sink first");
    EXPECT_EQ(advice(own({.buffers = 2, .message_frames = 0}, {})),
              "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or raise the "
              "source's workspace limit");

    // Strips, at either side: a call by name does not suit them.
    const std::string start = "release the frames of the sink, or start it (DRI_start)";
    EXPECT_EQ(advice(own({.buffers = 1}, {.buffers = 2, .strips = 2, .fills_ahead = false})), start);
    EXPECT_EQ(advice(own({.buffers = 1}, {.fills_ahead = false}, {.pattern = SourcePattern::strips(2)})), start);
    Ledgers strips = own({.buffers = 2}, {.buffers = 2, .strips = 2, .fills_ahead = false});
    insert(*strips.source);
    EXPECT_EQ(advice(strips), "execute the sink first");
    // The same holds for a sink that takes each second frame.
    Ledgers every = own({.buffers = 1}, {}, {.pattern = SourcePattern::every(2, 0)});
    EXPECT_EQ(advice(every), start);
    insert(*every.source);
    EXPECT_EQ(advice(every), "execute the sink first");
}

TEST(FlowRules, staging_limits_how_far_a_source_is_ahead) {
    Ledgers l = own({.buffers = 4, .message_frames = 1}, {.buffers = 1});
    insert(*l.source);
    EXPECT_EQ(
        words(l, Act::execute, the_source),
        "transfer 'turn': frame 1 of the source would wait: its workspace holds the messages of 1 frames, and "
        "this process's own sink has not taken frame 0; execute both endpoints together (by name, or DRI_start of "
        "both, then DRI_wait), or the sink first");
}

TEST(FlowRules, a_source_waits_for_sinks_of_its_process_that_take_from_others) {
    const auto ledgers = [](bool outflow, bool inflow) {
        FlowLedger flow{.terms = {.has_outflow = outflow, .has_inflow = inflow}, .sink = SinkLedger()};
        return Ledgers(SourceLedger(), {flow}, own_rank, false);
    };
    EXPECT_EQ(words(ledgers(true, false), Act::execute, the_source), "go");
    EXPECT_EQ(words(ledgers(false, true), Act::execute, the_source), "go");
    EXPECT_EQ(admit(ledgers(true, true), {Act::execute, the_source}).refusal->reason, Reason::too_far_ahead);
}

TEST(FlowRules, sinks_that_drop_hold_no_source_back) {
    Ledgers l = own({.buffers = 1, .stream = true}, {}, {.drops = true});
    EXPECT_FALSE(l.flows[0].terms.binds);
    EXPECT_EQ(words(l, Act::execute, the_source), "go");
}

TEST(FlowRules, a_sink_is_not_ahead_of_its_own_source) {
    Ledgers l = own({.buffers = 2}, {.buffers = 2});
    EXPECT_EQ(words(l, Act::execute, the_sink),
              "transfer 'turn': part of frame 0 comes from this process's own source, which has handed over 0 "
              "frames; execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or the "
              "source first");
    EXPECT_EQ(words(l, Act::execute, both(l)), "go");
    insert(*l.source);
    EXPECT_EQ(words(l, Act::execute, the_sink), "go");
}

TEST(FlowRules, a_sink_of_strips_is_not_advised_to_be_called_by_name) {
    const Ledgers sink = own({.buffers = 2}, {.buffers = 4, .strips = 2, .fills_all = true});
    EXPECT_EQ(words(sink, Act::execute, the_sink),
              "transfer 'turn': part of frame 0 comes from this process's own source, which has handed over 0 "
              "frames; execute the source first");
    Ledgers source = own({.buffers = 4}, {.fills_all = true}, {.pattern = SourcePattern::strips(4)});
    insert(*source.source);
    EXPECT_EQ(words(source, Act::execute, the_sink),
              "transfer 'turn': part of frame 0 comes from this process's own source, which has handed over 1 "
              "strips of the 4 that the frame needs; execute the source first");
}

TEST(FlowRules, nobody_else_frees_buffers_that_the_caller_holds) {
    Ledgers source = only_source({.buffers = 2});
    source.source->acquire();
    EXPECT_EQ(
        words(source, Act::finish, the_source),
        "transfer 'turn': the caller holds all 2 buffers of the source, so no buffer can become free; insert "
        "one first");
    Ledgers sink = only_sink({.buffers = 1});
    arrive(*sink.flows[0].sink);
    sink.flows[0].sink->extract();
    EXPECT_EQ(words(sink, Act::finish, the_sink),
              "transfer 'turn': the caller holds all 1 buffers of the sink, so there is no buffer for frame 1; "
              "release one first");
    EXPECT_EQ(words(sink, Act::execute, the_sink), "go") << "it releases one";
    Ledgers store = only_sink({.buffers = 2, .strips = 2, .fills_all = true});
    arrive(*store.flows[0].sink);
    store.flows[0].sink->extract();
    store.flows[0].sink->extract();
    EXPECT_EQ(words(store, Act::execute, the_sink),
              "transfer 'turn': the caller holds 2 strips of the sink, so there is no memory for strip 2; it can "
              "arrive after a whole store of 2 strips is released");
}

TEST(FlowRules, callers_give_only_what_they_hold) {
    Ledgers l = own({.buffers = 2}, {});
    l.source->insert();
    EXPECT_EQ(words(l, Act::insert, the_source),
              "transfer 'turn': the caller holds no buffer of the source; DRI_next gives one");
    EXPECT_EQ(words(l, Act::release, the_sink), "transfer 'turn': the caller holds no frame of the sink");
}

TEST(FlowRules, a_started_frame_is_completed_first) {
    Ledgers l = own({.buffers = 2}, {});
    EXPECT_EQ(words(l, Act::finish, started(l, both(l))),
              "transfer 'turn': no frame is started; DRI_start comes first");
    EXPECT_EQ(words(l, Act::finish, started(l, the_sink)),
              "transfer 'turn': no frame is started; DRI_start comes first");
    EXPECT_EQ(words(l, Act::start, both(l)), "go");
    l.source->start();
    EXPECT_EQ(words(l, Act::start, the_source),
              "transfer 'turn': a frame of the source is started already; DRI_wait completes it");
    l.flows[0].sink->start();
    EXPECT_EQ(words(l, Act::start, both(l)),
              "transfer 'turn': a frame of the sink is started already; DRI_wait completes it");
    EXPECT_EQ(words(l, Act::finish, started(l, both(l))), "go");
}

TEST(FlowRules, a_frame_needs_a_sink_that_is_there) {
    Ledgers l = only_source();
    l.flows[0].peers.receivers_left = Departed{5, {2}};
    EXPECT_EQ(words(l, Act::insert, the_source), "go") << "the sink had taken two frames";
    l.source->insert();
    l.source->acquire();
    l.source->insert();
    l.source->acquire();
    EXPECT_EQ(words(l, Act::insert, the_source),
              "transfer 'turn': the source of process 3 has no sink left for frame 2: all sinks that take from it "
              "are destroyed, that of process 5 after 2 frames");
    Ledgers mine = own({}, {});
    mine.flows[0].sink->leave();
    EXPECT_EQ(admit(mine, {Act::insert, the_source}).refusal->reason, Reason::no_sink_left);
}

TEST(FlowRules, a_frame_needs_sources_that_are_there) {
    Ledgers l = only_sink();
    l.flows[0].peers.sender_left = Departed{5, {0}};
    const std::string gone =
        "transfer 'turn': the sink of process 3 will never receive all of frame 0: the source "
        "of process 5 is destroyed after 0 frames";
    EXPECT_EQ(words(l, Act::execute, the_sink), gone);
    EXPECT_EQ(words(l, the_sink), gone) << "while it waits";
    Ledgers mine = own({.buffers = 2}, {.buffers = 2});
    insert(*mine.source);
    mine.source->leave();
    EXPECT_EQ(words(mine, Act::execute, the_sink), "go") << "the frame was handed over";
    arrive(*mine.flows[0].sink);
    mine.flows[0].sink->extract();
    EXPECT_EQ(
        words(mine, Act::execute, the_sink),
        "transfer 'turn': the sink of process 3 will never receive all of frame 1: the source of process 3 is "
        "destroyed after 1 frames");
}

TEST(FlowRules, destroyed_endpoints_take_no_calls) {
    Ledgers l = own({}, {});
    l.source->leave();
    EXPECT_EQ(words(l, Act::insert, the_source), "the source of transfer 'turn' is destroyed");
    EXPECT_EQ(words(l, Act::close, the_source), "the source of transfer 'turn' is destroyed");
    l.flows[0].sink->leave();
    for (const Act act : {Act::release, Act::start, Act::execute})
        EXPECT_EQ(words(l, act, the_sink), "the sink of transfer 'turn' is destroyed");
    EXPECT_EQ(words(l, Act::execute, both(l)), "the endpoints of transfer 'turn' are destroyed");
}

TEST(FlowRules, a_source_does_not_leave_with_frames_of_its_own_sink) {
    Ledgers l = own({.buffers = 3}, {.buffers = 2});
    EXPECT_EQ(words(l, Act::leave, {}), "go");
    insert(*l.source, 2);
    arrive(*l.flows[0].sink);
    l.flows[0].sink->extract();
    EXPECT_EQ(words(l, Act::leave, {}),
              "transfer 'turn': frame 1 of the source is handed over and waits for this process's sink");
    Ledgers strips = own({.buffers = 3}, {.buffers = 2, .strips = 2, .fills_ahead = false});
    insert(*strips.source);
    EXPECT_EQ(admit(strips, {Act::leave, {}}).refusal->frame, 0);
    arrive(*strips.flows[0].sink);
    strips.flows[0].sink->extract();
    EXPECT_EQ(words(strips, Act::leave, {}), "go") << "the store holds the whole array";
}

TEST(FlowRules, a_stream_ends_once) {
    Ledgers l = own({.buffers = 2, .stream = true}, {}, {.first_source = own_rank});
    EXPECT_EQ(words(only_source(), Act::close, the_source),
              "transfer 'turn' is not a stream; set DRI_ATTR_STREAM before the commit");
    EXPECT_EQ(words(l, Act::close, the_source), "go");
    insert(*l.source);
    l.source->close();
    EXPECT_EQ(words(l, Act::close, the_source), "the source of transfer 'turn' is closed already");
    EXPECT_EQ(words(l, Act::insert, the_source), "the source of transfer 'turn' is closed after 1 frames");
    EXPECT_FALSE(both(l).source) << "a call by name is for the sink alone";
    SinkLedger &sink = *l.flows[0].sink;
    arrive(sink);
    sink.extract();
    sink.begin_frame();
    sink.take_header({1}, {1}, true);
    EXPECT_EQ(words(l, Act::execute, the_sink), "go") << "it releases a frame";
    EXPECT_EQ(words(l, the_sink), "transfer 'turn': the source has closed the stream after 1 frames");
    EXPECT_EQ(code_of(Reason::end_of_stream), DRI_END_OF_STREAM);
}

TEST(FlowRules, sources_close_after_the_same_frame) {
    Ledgers source = only_source({.buffers = 3, .stream = true});
    source.flows[0].terms.first_source = 1;
    insert(*source.source, 2);
    source.flows[0].peers.receiver_at_end = Departed{5, {2}, true};
    EXPECT_EQ(words(source, Act::close, the_source), "go");
    source.source->insert();
    EXPECT_EQ(
        words(source, Act::close, the_source),
        "transfer 'turn': processes of the source differ about the end of the stream: process 1 has closed it "
        "after 2 frames, process 3 goes on with frame 2");
    EXPECT_EQ(code_of(Reason::close_mismatch), DRI_ERR_MISMATCH);

    Ledgers sink = only_sink();
    sink.flows[0].terms.first_source = 1;
    sink.flows[0].peers.sender_left = Departed{2, {0}, true};
    EXPECT_EQ(words(sink, Act::execute, the_sink), "go") << "the frame may not exist";
    EXPECT_EQ(words(sink, the_sink), "waits");
    sink.flows[0].sink->begin_frame();
    sink.flows[0].sink->take_header({0}, {0}, false);
    EXPECT_EQ(
        words(sink, the_sink),
        "transfer 'turn': processes of the source differ about the end of the stream: process 2 has closed it "
        "after 0 frames, process 1 goes on with frame 0");
}

TEST(FlowRules, a_sink_that_drops_does_not_wait_for_its_own_source) {
    Ledgers l = own({.buffers = 2, .stream = true}, {}, {.drops = true});
    const std::string dropped =
        "transfer 'turn': the sink drops frames and has all 0 that this process's own source "
        "has handed over and did not drop; a further frame needs a call of that source by "
        "its handle";
    EXPECT_EQ(words(l, Act::execute, the_sink), dropped);
    l.source->insert();
    EXPECT_EQ(words(l, Act::execute, the_sink), "go");
    EXPECT_EQ(words(l, the_sink), "waits");
    l.flows[0].drop.begin(false);
    l.flows[0].drop.drop();
    EXPECT_EQ(words(l, the_sink), dropped) << "the frame was dropped during the wait";
}

TEST(FlowRules, a_call_does_not_wait_for_verdicts) {
    Ledgers l = only_source({.buffers = 2, .stream = true});
    l.flows[0].terms.drops = l.drops = true;
    l.source->insert();
    l.source->begin_post();
    l.flows[0].drop.begin(false);
    EXPECT_TRUE(has_moved(l, the_source));
    l.flows[0].peers.has_to_send = true;
    EXPECT_FALSE(has_moved(l, the_source));
    EXPECT_TRUE(has_moved(l, the_source, true)) << "the progress thread posts it";
}

TEST(FlowRules, in_place_both_endpoints_move_together) {
    Ledgers l = own({}, {.fills_ahead = false});
    l.in_place = true;
    const std::string together =
        "transfer 'turn' is in place: source and sink share their buffers, so only DRI_do, "
        "DRI_start, DRI_test and DRI_wait move frames, for both endpoints together";
    EXPECT_EQ(words(l, Act::insert, the_source), together);
    EXPECT_EQ(words(l, Act::release, the_sink), together);
    EXPECT_EQ(words(l, Act::execute, both(l)), "go");
    l.flows[0].peers.slot_holder = Departed{4, {7}};
    EXPECT_EQ(words(l, Act::execute, both(l)),
              "transfer 'turn' is in place, and process 4 has destroyed its endpoints after 7 frames");
    Ledgers sink_left = l;
    sink_left.flows[0].sink->leave();
    EXPECT_EQ(words(sink_left, Act::execute, CallEndpoints::all(l)),
              "transfer 'turn' is in place, and its sink is destroyed on this process");
    l.source->leave();
    EXPECT_EQ(words(l, Act::execute, CallEndpoints::all(l)),
              "transfer 'turn' is in place, and its source is destroyed on this process");
}

} // namespace dri::flow::test
