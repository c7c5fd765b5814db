// Frames through the C++ interface: whole, in halves, and as ranges.
#include "face.hpp"

#include <chrono>
#include <complex>
#include <ranges>

namespace {

using dri::Index;
using namespace std::chrono_literals;

// The frames of a sink can be read once, and algorithms of ranges take them.
static_assert(std::ranges::input_range<dri::Frames<float, 2>> &&
              !std::ranges::forward_range<dri::Frames<float, 2>>);
static_assert(std::same_as<std::ranges::range_value_t<dri::Frames<float, 2>>, dri::Received<float, 2>>);

// A corner turn of all processes whose elements carry their index and the frame.
class Turn {
public:
    Turn(const char *name, const dri::Options &of_source = {}, dri::Options of_sink = {})
        : source(name, dri::Dist(matrix, {dri::block(), dri::whole()}), of_source),
          sink(name, dri::Dist(matrix, {dri::whole(), dri::block()}), with_columns(of_sink)) {}

    void fill(int frame, const dri::Part<int, 2> &part) {
        for (auto [at, x] : part.elements())
            x = frame + face::number(at);
    }
    static void expect(int frame, const dri::Part<int, 2> &part) {
        int64_t wrong = 0;
        for (auto [at, x] : part.elements())
            wrong += x != frame + face::number(at);
        EXPECT_EQ(wrong, 0) << "frame " << frame;
    }

    const dri::Gdo<int, 2> matrix{24, 17};
    dri::Source<int, 2> source;
    dri::Sink<int, 2> sink;

private:
    static dri::Options with_columns(dri::Options options) {
        options.layout = dri::col_major;
        return options;
    }
};

TEST(FaceFrames, MoveByNameAndByEndpoint) {
    Turn turn("by name", {.buffers = 2});
    dri::commit();
    for (int frame = 0; frame < 4; ++frame) {
        turn.fill(frame, turn.source.next());
        if (frame % 2 == 0) {
            EXPECT_TRUE(dri::run("by name"));
        } else {
            EXPECT_TRUE(turn.source.run());
            EXPECT_TRUE(turn.sink.run());
        }
        Turn::expect(frame, turn.sink.buffer());
    }
    EXPECT_EQ(turn.sink.info().frames, 4);
    EXPECT_EQ(turn.source.times().size(), 4u);
    int64_t bytes = 0;
    for (const DRI_Peer &peer : turn.sink.peers())
        bytes += peer.bytes;
    EXPECT_EQ(bytes, turn.sink.dist().owned() * 4);
    EXPECT_NE(turn.source.explain().find("by name"), std::string::npos) << turn.source.explain();
    EXPECT_EQ(turn.source.explain().find('\0'), std::string::npos);
    dri::progress();
}

TEST(FaceFrames, MoveInHalves) {
    Turn turn("halves", {.buffers = 2});
    dri::commit();
    const std::string name = "halves";
    for (int frame = 0; frame < 4; ++frame) {
        turn.fill(frame, turn.source.next());
        if (frame % 2 == 0) {
            dri::start(name);
            while (dri::test(name) == dri::Status::pending) {
            }
        } else {
            turn.source.start();
            turn.sink.start();
            EXPECT_TRUE(turn.source.wait());
            while (turn.sink.test() == dri::Status::pending) {
            }
        }
        Turn::expect(frame, turn.sink.buffer());
    }
    dri::start("halves");
    EXPECT_TRUE(dri::wait("halves"));
    face::expect_failure(DRI_ERR_ARG, "no such name", [] { dri::run("no such name"); });
}

TEST(FaceFrames, AreInsertedAndExtracted) {
    Turn turn("stream", {.buffers = 3, .stream = true}, {.buffers = 2});
    dri::commit();
    const auto before = std::chrono::system_clock::now();
    auto first = turn.source.next(), second = turn.source.acquire(); // two are held
    EXPECT_NE(first.data(), second.data());
    EXPECT_EQ(turn.source.next().data(), first.data()) << "the oldest of those held";
    turn.fill(0, first);
    turn.fill(1, second);
    turn.source.insert("zero");
    EXPECT_EQ(turn.source.next().data(), second.data());
    dri::Frame frame("one");
    frame.time = std::chrono::system_clock::time_point(5s);
    turn.source.insert(frame);
    auto got = turn.sink.extract();
    ASSERT_TRUE(got);
    Turn::expect(0, *got);
    EXPECT_EQ(got->frame().text(), "zero");
    EXPECT_EQ(got->frame().number, 0);
    EXPECT_GT(got->frame().time, before - 1h);
    EXPECT_EQ(got->frame().bytes().size(), 4u);
    turn.sink.release();
    got = turn.sink.extract();
    ASSERT_TRUE(got);
    Turn::expect(1, *got);
    EXPECT_EQ(got->frame().time.time_since_epoch(), 5s);
    turn.fill(2, turn.source.next());
    turn.source.insert();
    turn.source.close();
    turn.sink.release();
    got = turn.sink.extract();
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->frame().text().empty());
    turn.sink.release();
    EXPECT_FALSE(turn.sink.extract()) << "the stream has ended";
    EXPECT_FALSE(turn.sink.run());
    for ([[maybe_unused]] const auto &none : turn.sink.frames())
        ADD_FAILURE();
    EXPECT_FALSE(turn.sink.wait());
    face::expect_failure(DRI_ERR_ARG, "256", [] { dri::Frame long_one(std::string(257, 'x')); });
    const std::vector<std::byte> data(256, std::byte{7});
    EXPECT_EQ(dri::Frame(data).bytes().size(), 256u);
}

TEST(FaceFrames, AreARange) {
    Turn turn("range", {.buffers = 2, .stream = true}, {.buffers = 2});
    dri::commit();
    int frame = 0;
    turn.fill(0, turn.source.next());
    turn.source.insert();
    for (auto got : turn.sink.frames()) {
        Turn::expect(frame, got);
        if (++frame == 3)
            break; // holds frame 2
        turn.fill(frame, turn.source.next());
        turn.source.insert();
    }
    EXPECT_EQ(frame, 3);
    EXPECT_EQ(turn.sink.info().frames, 3);
    Turn::expect(2, turn.sink.buffer());
    turn.fill(3, turn.source.next());
    turn.source.insert(std::string("three"));
    turn.source.close();
    for (const auto &got : turn.sink.frames()) { // goes on with the next one
        Turn::expect(frame++, got);
        EXPECT_EQ(got.frame().text(), "three");
    }
    EXPECT_EQ(frame, 4);
    for ([[maybe_unused]] const auto &got : turn.sink.frames())
        ADD_FAILURE() << "the stream has ended";
    EXPECT_EQ(turn.sink.test(), dri::Status::ended);
}

// A loop gives back what DRI_do by name has extracted.
TEST(FaceFrames, MixWithCallsByName) {
    Turn turn("mixed", {.buffers = 2, .stream = true});
    dri::commit();
    turn.fill(0, turn.source.next());
    dri::run("mixed");
    turn.fill(1, turn.source.next());
    dri::start("mixed");
    dri::wait("mixed");
    Turn::expect(1, turn.sink.buffer());
    turn.fill(2, turn.source.next());
    turn.source.insert();
    turn.source.close();
    int frame = 2;
    for (const auto &got : turn.sink.frames())
        Turn::expect(frame++, got);
    EXPECT_EQ(frame, 3);
}

TEST(FaceFrames, TimeOutAndGoOn) {
    if (face::processes() < 2)
        return;
    const dri::Gdo<int, 1> line(1000);
    dri::Source source("late", dri::Dist(line, {dri::block()}, dri::Group{0}), {.stream = true});
    dri::Sink sink("late", dri::Dist(line, {dri::block()}, dri::Group{1}), {.timeout = 20ms});
    dri::Source ready("ready", dri::Dist(line, {dri::block()}, dri::Group{1}));
    dri::Sink wait("ready", dri::Dist(line, {dri::block()}, dri::Group{0}));
    dri::commit();
    if (sink) {
        EXPECT_THROW(for ([[maybe_unused]] const auto &frame : sink.frames()) ADD_FAILURE(), dri::Timeout);
        EXPECT_THROW(sink.extract(), dri::Timeout);
        ready.run();
        for (bool arrived = false; !arrived;)
            try {
                for (const auto &frame : sink.frames()) {
                    EXPECT_EQ(frame(7), 7);
                    arrived = true;
                    break;
                }
            } catch (const dri::Timeout &) {
            }
    }
    if (wait) {
        wait.run();
        for (auto [at, x] : source.next().elements())
            x = static_cast<int>(at[0]);
        source.insert();
        source.close();
    }
}

TEST(FaceFrames, ConvertAndScale) {
    using Sample = std::complex<float>;
    const dri::Dist from(dri::Gdo<dri::cint16, 2>(8, 12), {dri::block(), dri::whole()});
    const dri::Dist to(dri::Gdo<Sample, 2>(8, 12), {dri::whole(), dri::block()});
    dri::Source source("convert", from);
    dri::Sink sink("convert", to, {.convert = true, .scale = 0.5});
    dri::commit();
    for (auto [at, x] : source.elements())
        x = {static_cast<int16_t>(2 * at[0]), static_cast<int16_t>(4 * at[1])};
    dri::run("convert");
    for (auto [at, x] : sink.elements())
        EXPECT_EQ(x, Sample(static_cast<float>(at[0]), static_cast<float>(2 * at[1])));
}

TEST(FaceFrames, DropForSlowSinks) {
    Turn turn("drop", {.buffers = 2, .stream = true}, {.buffers = 2, .drop = true});
    dri::commit();
    for (int frame = 0; frame < 6; ++frame) {
        turn.fill(frame, turn.source.next());
        turn.source.insert();
    }
    turn.source.close();
    int64_t got = 0;
    for (const auto &frame : turn.sink.frames()) {
        Turn::expect(static_cast<int>(frame.frame().number), frame);
        ++got;
    }
    EXPECT_GE(got, 1);
    EXPECT_EQ(got + turn.sink.info().dropped, 6);
}

TEST(FaceFrames, GoToSinksInTurn) {
    Turn turn("in turn", {.buffers = 3, .stream = true}, {.buffers = 2, .every = 2, .phase = 1});
    dri::commit();
    for (int frame = 0; frame < 5; ++frame) {
        turn.fill(frame, turn.source.next());
        turn.source.insert();
    }
    turn.source.close();
    int64_t expected = 1;
    for (const auto &frame : turn.sink.frames()) {
        EXPECT_EQ(frame.frame().number, expected);
        Turn::expect(static_cast<int>(expected), frame);
        expected += 2;
    }
    EXPECT_EQ(expected, 5) << "frames 1 and 3";
}

TEST(FaceFrames, ShareTheirMemoryInPlace) {
    Turn turn("in place", {.in_place = dri::InPlace::yes}, {.in_place = dri::InPlace::yes});
    dri::commit();
    EXPECT_EQ(turn.source.part(0).data(), turn.sink.part(0).data());
    turn.fill(5, turn.source.buffer());
    dri::run("in place");
    Turn::expect(5, turn.sink.buffer());
}

TEST(FaceFrames, SlideWindows) {
    const dri::Gdo<int, 2> whole(10, 4 * face::processes());
    const auto window = whole.subset({0, 0}, {3, 4 * face::processes()});
    dri::Source source("window", dri::Dist(whole, {dri::whole(), dri::block()}), {.rebase = {0}});
    dri::Sink sink("window", dri::Dist(window, {dri::block(), dri::whole()}));
    dri::commit();
    for (auto [at, x] : source.elements())
        x = face::number(at);
    for (const int64_t offset : {0, 7, 2}) {
        source.rebase({offset, 0});
        dri::run("window");
        for (auto [at, x] : sink.elements())
            EXPECT_EQ(x, face::number(Index<2>{at[0] + offset, at[1]}));
    }
    face::expect_failure(DRI_ERR_ARG, "", [&] { source.rebase({8, 0}); });
}

// Rows arrive in strips of 4 of 10, columns leave in strips of 5 of 12.
TEST(FaceFrames, MoveStrips) {
    const dri::Gdo<int, 2> whole(10, 12);
    auto source = dri::source_strips("strips", whole, 0,
                                     dri::Dist(whole.subset({0, 0}, {4, 12}), {dri::whole(), dri::block()}));
    auto sink = dri::sink_strips("strips", whole, 1,
                                 dri::Dist(whole.subset({0, 0}, {10, 5}), {dri::block(), dri::whole()}),
                                 {.layout = dri::col_major});
    dri::commit();
    EXPECT_EQ(sink.buffers().size(), 3u);
    EXPECT_EQ(sink.strip(2).sizes(), (Index<2>{10, 2}));
    for (int array = 0; array < 2; ++array) {
        for (int strip = 0; strip < 3; ++strip) {
            const auto part = source.next();
            EXPECT_EQ(part.extent(0), strip < 2 ? 4 : 2);
            for (auto [at, x] : part.elements())
                x = array + face::number(Index<2>{at[0] + 4 * strip, at[1]});
            source.run();
        }
        int strip = 0;
        for (const auto &got : sink.frames()) {
            EXPECT_EQ(got.extent(1), strip < 2 ? 5 : 2);
            for (auto [at, x] : got.elements())
                EXPECT_EQ(x, array + face::number(Index<2>{at[0], at[1] + 5 * strip}));
            if (++strip == 3)
                break;
        }
        sink.release();
    }
}

TEST(FaceFrames, AreQueriedBeforeTheCommit) {
    Turn turn("query");
    dri::Sink<int, 2> none;
    const auto memory = dri::query(dri::world(), turn.source, none, turn.sink);
    static_assert(memory.size() == 3);
    EXPECT_EQ(memory[0].buffer_bytes, turn.source.dist().owned() * 4);
    EXPECT_EQ(memory[1].buffer_bytes, 0);
    EXPECT_EQ(memory[2].buffer_bytes, turn.sink.dist().owned() * 4);
    EXPECT_EQ(dri::query(dri::world()).size(), 0u);
    dri::commit(dri::world());
    EXPECT_EQ(turn.sink.info().workspace_bytes, memory[2].workspace_bytes);
}

// A part of a program commits its own endpoints, whatever else is declared.
TEST(FaceFrames, AreOfCommittedEndpointsAlone) {
    Turn turn("chosen", {.buffers = 2}), other("other", {.buffers = 2});
    dri::Sink<int, 2> none;
    dri::commit(dri::world(), turn.source, none, turn.sink);
    turn.fill(1, turn.source.next());
    turn.source.run();
    turn.sink.run();
    Turn::expect(1, turn.sink.buffer());
    face::expect_failure(DRI_ERR_STATE, "", [&] { other.source.run(); });
    dri::commit();
    EXPECT_TRUE(dri::run("other"));
}

} // namespace
