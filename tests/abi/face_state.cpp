// What an endpoint holds is the library's knowledge: each call of the C++ interface works after any other one, by
// name, by handle or in C, and after failures.
#include "face.hpp"

#include <chrono>

namespace {

using dri::Index;
using namespace std::chrono_literals;

// Each process turns an array of its own, so that frames go as far as one process moves them.
struct Own {
    explicit Own(const std::string &name, int buffers = 2)
        : source(name, dri::Dist(line, {dri::block()}, alone), {.buffers = buffers, .stream = true}),
          sink(name, dri::Dist(line, {dri::block()}, alone), {.buffers = buffers}) {
        dri::commit(alone, source, sink);
    }
    void give(int value, const char *text) {
        source.next()(3) = value;
        source.insert(text);
    }

    dri::Group alone{face::rank()};
    dri::Gdo<int, 1> line{8};
    dri::Source<int, 1> source;
    dri::Sink<int, 1> sink;
};

TEST(FaceState, NextFollowsCallsOfAllKinds) {
    Own own("next after all");
    void *buffers[2];
    ASSERT_EQ(DRI_xfer_get_buffers(own.source.handle(), nullptr, buffers), DRI_SUCCESS);
    EXPECT_EQ(own.source.next().data(), buffers[0]) << "held since the commit";
    ASSERT_EQ(DRI_insert(own.source.handle(), nullptr), DRI_SUCCESS);
    EXPECT_EQ(own.source.next().data(), buffers[1]) << "after a hand-over in C";
    EXPECT_EQ(own.source.next().data(), buffers[1]);
    ASSERT_TRUE(own.sink.extract());
    own.sink.release();
    dri::start(own.source.name()); // hands over, and starts the sink
    EXPECT_EQ(own.source.next().data(), buffers[0]) << "after the first half by name";
    EXPECT_EQ(own.sink.test(), dri::Status::done);
    dri::run(own.source.name());
    EXPECT_EQ(own.source.next().data(), buffers[1]) << "after a whole frame by name";
    face::expect_failure(DRI_ERR_ARG, "256", [&] { own.source.insert(std::string(300, 'x')); });
    EXPECT_EQ(own.source.next().data(), buffers[1]) << "what failed has handed nothing over";
    own.source.insert("text");
    face::expect_failure(DRI_ERR_STATE, "", [&] { own.source.insert(); });
    own.sink.run();
    EXPECT_EQ(own.source.next().data(), buffers[0]);
}

TEST(FaceState, NextBeforeTheCommitFails) {
    dri::Source source("too early", dri::Dist(dri::Gdo<int, 1>(8), {dri::block()}));
    face::expect_failure(DRI_ERR_STATE, "too early", [&] { source.next(); });
    dri::Source<int, 1> none;
    EXPECT_EQ(face::code_of([&] { none.next(); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { none.insert(); }), DRI_ERR_HANDLE);
}

// No call looks for the state by a call that fails: the program's handler would see it.
TEST(FaceState, IsLookedUpWithoutFailures) {
    Own own("quiet");
    int failures = 0;
    dri::on_error([&](int, const char *) { ++failures; });
    for (int f = 0; f < 3; ++f) {
        own.give(f, "a");
        own.give(f + 10, "b");
        int got = 0;
        for (const auto &frame : own.sink.frames()) {
            EXPECT_EQ(frame(3), f + 10 * got);
            EXPECT_EQ(frame.frame().text(), got == 0 ? "a" : "b");
            if (++got == 2)
                break;
        }
        own.sink.release();
    }
    own.source.close();
    for ([[maybe_unused]] const auto &frame : own.sink.frames())
        ADD_FAILURE() << "the stream has ended";
    dri::on_error(nullptr);
    EXPECT_EQ(failures, 0);
}

TEST(FaceState, FramesFollowCallsOfAllKinds) {
    Own own("frames after all", 3);
    const auto expect_next = [&](int value, const char *text) {
        for (const auto &frame : own.sink.frames()) {
            EXPECT_EQ(frame(3), value);
            EXPECT_EQ(frame.frame().text(), text);
            break;
        }
    };
    own.give(1, "one");
    own.sink.start();
    expect_next(1, "one"); // completes what was started
    own.give(2, "two");
    expect_next(2, "two"); // gives the first frame back
    ASSERT_EQ(DRI_release(own.sink.handle()), DRI_SUCCESS);
    own.give(3, "three");
    expect_next(3, "three"); // nothing is held
    own.give(4, "four");
    EXPECT_THROW(for ([[maybe_unused]] const auto &frame : own.sink.frames()) throw 1, int);
    own.give(5, "five");
    expect_next(5, "five"); // the frame of the loop that was left is given back
    own.give(6, "six");
    own.give(7, "seven");
    ASSERT_TRUE(own.sink.extract());
    ASSERT_TRUE(own.sink.extract()); // three are held
    own.give(8, "eight");
    expect_next(8, "eight");
    EXPECT_EQ(own.sink.info().frames, 8);
    const auto last = own.sink.last();
    EXPECT_EQ(last.frame().text(), "eight");
    EXPECT_EQ(last.data(), own.sink.buffer().data());
    own.sink.release();
    own.sink.release();
    own.sink.release();
    EXPECT_EQ(face::code_of([&] { own.sink.release(); }), DRI_ERR_STATE);
    face::expect_failure(DRI_ERR_STATE, "holds no frame", [&] { own.sink.last(); });
    own.source.next()(3) = 9;
    dri::run(own.sink.name());
    EXPECT_EQ(own.sink.last().frame().number, 8) << "also after a frame by name";
    EXPECT_EQ(own.sink.last()(3), 9);
}

// A failure is no end of the stream, and is told once by the call that fails.
TEST(FaceState, FramesReportFailures) {
    Own own("failing");
    face::expect_failure(DRI_ERR_DEADLOCK, "failing", [&] {
        for ([[maybe_unused]] const auto &frame : own.sink.frames())
            ADD_FAILURE() << "no frame was handed over";
    });
    own.give(1, "one");
    int frames = 0;
    own.source.close();
    for (const auto &frame : own.sink.frames())
        frames += frame(3);
    EXPECT_EQ(frames, 1);
}

TEST(FaceState, IsTriedWithoutWaiting) {
    Own own("tried");
    dri::Received<int, 1> frame;
    EXPECT_EQ(own.sink.try_extract(frame), dri::Status::pending);
    own.give(1, "one");
    const auto second = own.source.try_acquire();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->data(), own.source.buffer().data());
    EXPECT_EQ(own.source.next().data(), second->data());
    while (own.source.try_acquire()) { // two buffers at most
    }
    dri::Status found = dri::Status::pending;
    while (found == dri::Status::pending)
        found = own.sink.try_extract(frame);
    ASSERT_EQ(found, dri::Status::done);
    EXPECT_EQ(frame(3), 1);
    EXPECT_EQ(frame.frame().text(), "one");
    own.sink.release();
    own.source.insert();
    own.source.close();
    while (own.sink.try_extract(frame) == dri::Status::pending) {
    }
    own.sink.release();
    EXPECT_EQ(own.sink.try_extract(frame), dri::Status::ended);
}

// The last strip of three is shorter. Two buffers take the strips in turn.
TEST(FaceState, KnowsTheStripInEachBuffer) {
    const dri::Gdo<int, 2> whole(10, 6);
    const dri::Group alone{face::rank()};
    const dri::Dist first(whole.subset({0, 0}, {4, 6}), {dri::whole(), dri::whole()}, alone);
    std::array<std::vector<int>, 2> memory{std::vector<int>(24), std::vector<int>(24)};
    auto source = dri::source_strips("shorter", whole, 0, first, {}, memory);
    auto sink = dri::sink_strips("shorter", whole, 0, first, {.buffers = 2});
    dri::commit(alone, source, sink);
    EXPECT_EQ(source.next().data(), memory[0].data());
    const auto rows_of = [&](int frame) { return frame % 3 == 2 ? 2 : 4; };
    ASSERT_EQ(sink.buffers().size(), 6u);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(sink.part(i).extent(0), rows_of(i));
    for (int frame = 0; frame < 6; ++frame) {
        // The frame in hand, and the buffer of the next one.
        EXPECT_EQ(source.next().extent(0), rows_of(frame));
        EXPECT_EQ(source.part(frame % 2).extent(0), rows_of(frame));
        EXPECT_EQ(source.part((frame + 1) % 2).extent(0), rows_of(frame + 1));
        EXPECT_EQ(source.buffers()[static_cast<size_t>((frame + 1) % 2)].extent(0), rows_of(frame + 1));
        if (frame == 1) {
            const auto ahead = source.acquire(); // the strip after the one in hand
            EXPECT_EQ(ahead.extent(0), 2);
            EXPECT_EQ(source.buffer().extent(0), 4);
        }
        for (auto [at, x] : source.next().elements())
            x = frame * 100 + static_cast<int>(at[0] * 6 + at[1]);
        source.insert();
        if (frame % 3 == 2)
            for (int k = frame - 2; k <= frame; ++k) {
                const auto got = sink.extract();
                ASSERT_TRUE(got);
                EXPECT_EQ(got->extent(0), rows_of(k));
                for (auto [at, x] : got->elements())
                    EXPECT_EQ(x, k * 100 + static_cast<int>(at[0] * 6 + at[1]));
                sink.release();
            }
    }
}

// A source whose last frame waits for the sink of its process ends with that sink.
TEST(FaceState, EndpointsMayEndInAnyOrder) {
    const dri::Group alone{face::rank()};
    const dri::Dist dist(dri::Gdo<int, 1>(8), {dri::block()}, alone);
    for (int round = 0; round < 3; ++round) {
        dri::Sink sink("any order", dist); // ends last
        std::vector<int> memory(8);
        dri::Source source("any order", dist, {}, memory);
        dri::commit(alone); // refuses a name that an endpoint of an earlier round still has
        source.insert();
        if (round == 1) {
            EXPECT_EQ(face::code_of([&] { source.destroy(); }), DRI_ERR_STATE);
            EXPECT_TRUE(source) << "what failed has ended nothing";
            sink.destroy();
            EXPECT_FALSE(sink);
            source.destroy();
            EXPECT_FALSE(source);
            EXPECT_EQ(source.extent(0), 0);
        }
    }
}

TEST(FaceState, AnEndpointThatIsAbandonedIsEmpty) {
    const dri::Group alone{face::rank()};
    const dri::Dist dist(dri::Gdo<int, 1>(8), {dri::block()}, alone);
    for (int round = 0; round < 2; ++round) {
        dri::Source source("abandoned", dist);
        dri::Sink sink("abandoned", dist);
        dri::commit(alone); // refuses a name that an endpoint of an earlier round still has
        source.insert();
        source.abandon(); // before the sink that would take its frame
        EXPECT_FALSE(source);
        EXPECT_EQ(source.extent(0), 0);
        source.abandon();
        sink.abandon();
        EXPECT_FALSE(sink);
    }
}

TEST(FaceState, StaysWithWhatWasMovedFrom) {
    Own own("moved");
    dri::Source moved = std::move(own.source);
    EXPECT_FALSE(own.source);
    EXPECT_EQ(own.source.extent(0), 0);
    EXPECT_TRUE(own.source.buffers().empty());
    EXPECT_EQ(own.source.elements().begin(), std::default_sentinel);
    EXPECT_EQ(face::code_of([&] { own.source.next(); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { own.source.buffer(); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { own.source.keep(); }), DRI_ERR_HANDLE);
    face::expect_failure(DRI_ERR_ARG, "dimension 7", [&] { moved.extent(7); });
    face::expect_failure(DRI_ERR_ARG, "dimension -1", [&] { moved.extent(-1); });
    dri::Gdo<int, 1> gdo(8), other_gdo = std::move(gdo);
    dri::Layout layout = dri::col_major.pitch(4), other_layout = std::move(layout);
    dri::Group group = dri::world(), other_group = std::move(group);
    dri::Dist dist(other_gdo, {dri::block()}), other_dist = std::move(dist);
    EXPECT_EQ(gdo.sizes(), other_gdo.sizes());
    EXPECT_EQ(layout.handle().id, other_layout.handle().id);
    EXPECT_EQ(group.size(), other_group.size());
    EXPECT_EQ(dist, other_dist);
}

} // namespace
