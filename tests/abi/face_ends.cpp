// What endpoints of the C++ interface tell of themselves, what may be set later, and buffers of the program's own.
#include "face.hpp"

#include <chrono>

namespace {

using dri::Index;
using namespace std::chrono_literals;

TEST(FaceEnds, TellTheirStrips) {
    const dri::Gdo<int, 2> whole(10, 6);
    const dri::Group alone{face::rank()};
    const dri::Dist first(whole.subset({0, 0}, {4, 6}), {dri::whole(), dri::whole()}, alone);
    auto source = dri::source_strips("told", whole, 0, first);
    dri::Sink sink("told", dri::Dist(whole, {dri::whole(), dri::whole()}, alone));
    EXPECT_EQ(source.strips().count, 3) << "before the commit";
    EXPECT_EQ(source.strips().in_hand, -1);
    dri::commit(alone, source, sink);
    for (int frame = 0; frame < 3; ++frame) {
        source.next();
        const auto strips = source.strips();
        EXPECT_EQ(strips.count, 3);
        EXPECT_EQ(strips.in_hand, frame);
        EXPECT_EQ(strips.dim, 0);
        EXPECT_EQ(strips.whole.sizes(), whole.sizes());
        source.insert();
        EXPECT_EQ(source.strips().in_hand, -1) << "it is handed over";
    }
    EXPECT_EQ(sink.strips().in_hand, -1);
    ASSERT_TRUE(sink.extract());
    EXPECT_EQ(sink.strips().count, 1);
    EXPECT_EQ(sink.strips().in_hand, 0);
    EXPECT_EQ(sink.strips().dim, -1);
    EXPECT_EQ(sink.strips().whole.sizes(), whole.sizes());
    EXPECT_EQ(face::code_of([] { dri::Sink<int, 2>().strips(); }), DRI_ERR_HANDLE);
}

TEST(FaceEnds, TakeATimeoutAfterTheCommit) {
    const int last = face::processes() - 1;
    const dri::Gdo<int, 1> line(8);
    dri::Source source("later", dri::Dist(line, {dri::block()}, dri::Group{0}));
    dri::Sink sink("later", dri::Dist(line, {dri::block()}, dri::Group{last}));
    dri::commit();
    if (sink && last > 0) { // alone it would be told that it waits for itself
        sink.timeout(5ms);
        EXPECT_THROW(sink.extract(), dri::Timeout);
        sink.timeout(0ms);
    }
    dri::world().agree();
    if (source)
        source.insert();
    if (sink) {
        EXPECT_TRUE(sink.extract());
        face::expect_failure(DRI_ERR_ARG, "", [&] { sink.timeout(-1ms); });
    }
    EXPECT_EQ(face::code_of([] { dri::Sink<int, 1>().timeout(1ms); }), DRI_ERR_HANDLE);
}

TEST(FaceEnds, TellTheBytesOfTheirBuffers) {
    const dri::Gdo<double, 2> matrix(4 * face::processes(), 10);
    const dri::Dist dist(matrix,
                         {dri::block().overlap(1, 0).edges(dri::Edge::wrap, dri::Edge::truncate), dri::whole()});
    dri::Sink sink("bytes", dist, {.layout = dri::row_major.pitch(16)});
    EXPECT_EQ(sink.buffer_bytes(), 5u * 16 * 8) << "before there are buffers";
    EXPECT_EQ((dri::Sink<double, 2>().buffer_bytes()), 0u);
    const auto strip =
        dri::source_strips("bytes of a strip", matrix, 1,
                           dri::Dist(matrix.subset({0, 0}, {4 * face::processes(), 4}), dri::cut_dim<2>(0)));
    EXPECT_EQ(strip.buffer_bytes(), 4u * 4 * 8);
}

TEST(FaceEnds, LieInTheUsersMemory) {
    const dri::Gdo<int, 2> matrix(6 * face::processes(), 10);
    const dri::Dist dist(matrix, {dri::block(), dri::whole()});
    std::vector<int> first(60), second(60), wide(6 * 16);
    const dri::View<int, 2> view(wide.data(), {6, 10}, {16, 1});
    {
        dri::Source source("own", dist, {}, {std::span(first), std::span(second)});
        dri::Sink sink("own", dist, {.layout = dri::Layout::strides({16, 1})}, view);
        dri::commit();
        EXPECT_EQ(source.buffers().size(), 2u);
        EXPECT_EQ(source.next().data(), first.data());
        for (auto [at, x] : source.elements())
            x = face::number(at);
        dri::run("own");
        EXPECT_EQ(sink.buffer().data(), wide.data());
        for (auto [at, x] : sink.elements())
            EXPECT_EQ(x, face::number(at));
        EXPECT_EQ(source.next().data(), second.data());
    }
    std::vector<dri::View<int, 2>> views{view, dri::View<int, 2>(first.data(), {6, 10})};
    EXPECT_TRUE(dri::Source("views", dist, {}, views));
    std::array<int, 59> small{};
    face::expect_failure(DRI_ERR_ARG, "236 bytes, but needs 240", [&] { dri::Sink("small", dist, {}, small); });
    std::array<std::span<int>, 2> both{std::span(first), std::span(second).first(3)};
    face::expect_failure(DRI_ERR_ARG, "buffer 1", [&] { dri::Sink("small", dist, {}, both); });
    face::expect_failure(DRI_ERR_ARG, "stride", [&] {
        dri::Sink("small", dist, {}, dri::View<int, 2>(first.data() + 59, {6, 10}, {-10, -1}));
    });
}

// The second of three buffers is the program's.
TEST(FaceEnds, ShareTheirBuffersWithTheLibrary) {
    const dri::Dist dist(dri::Gdo<int, 1>(10 * face::processes()), {dri::block()});
    std::vector<int> memory(10), short_one(9);
    dri::Source source("mixed", dist, {}, {std::span<int>(), std::span(memory), std::span<int>()});
    const std::vector<dri::View<int, 1>> views{dri::View<int, 1>(memory.data(), {10}), {}};
    EXPECT_TRUE(dri::Source("mixed views", dist, {}, views));
    dri::Sink sink("mixed", dist, {}, std::array<std::span<int>, 2>{});
    dri::commit(dri::world(), source, sink);
    const auto buffers = source.buffers();
    ASSERT_EQ(buffers.size(), 3u);
    EXPECT_EQ(buffers[1].data(), memory.data());
    EXPECT_NE(buffers[0].data(), nullptr);
    EXPECT_NE(buffers[2].data(), buffers[0].data());
    EXPECT_EQ(sink.buffers().size(), 2u);
    for (int frame = 0; frame < 4; ++frame) {
        for (auto [at, x] : source.next().elements())
            x = frame + static_cast<int>(at[0]);
        dri::run("mixed");
        for (auto [at, x] : sink.elements())
            EXPECT_EQ(x, frame + at[0]);
    }
    std::vector<std::vector<int>> owners{memory, {}};
    face::expect_failure(DRI_ERR_ARG, "buffer 1 has 0 bytes", [&] { dri::Source("forgotten", dist, {}, owners); });
    face::expect_failure(DRI_ERR_ARG, "buffer 0 has 0 bytes",
                         [&] { dri::Source("forgotten", dist, {}, std::vector<int>()); });
    face::expect_failure(DRI_ERR_ARG, "buffer 2 has 36 bytes", [&] {
        dri::Source("small", dist, {}, {std::span<int>(), std::span(memory), std::span(short_one)});
    });
}

// In place a buffer holds the larger part, which the commit alone knows: the sink's has one byte more.
TEST(FaceEnds, AreRefusedInPlaceIfAByteIsMissing) {
    const dri::Gdo<std::int8_t, 1> line(6 * face::processes());
    const dri::Dist dist(line, {dri::block()});
    const dri::Dist wide(line, {dri::block().overlap(1, 0).edges(dri::Edge::wrap, dri::Edge::truncate)});
    std::vector<std::int8_t> memory(7);
    const dri::Options in_place{.in_place = dri::InPlace::yes};
    {
        dri::Source source("byte", dist, in_place, std::span(memory).first(6));
        dri::Sink sink("byte", wide, in_place);
        face::expect_failure(DRI_ERR_ARG, "have 6 bytes", [] { dri::commit(); });
    }
    dri::Source source("byte", dist, in_place, memory);
    dri::Sink sink("byte", wide, in_place);
    dri::commit();
    for (auto [at, x] : source.elements())
        x = static_cast<std::int8_t>(at[0] + 1);
    dri::run("byte");
    for (auto [at, x] : sink.elements())
        EXPECT_EQ(x, at[0] + 1);
}

} // namespace
