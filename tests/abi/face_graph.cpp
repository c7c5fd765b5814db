// Graphs through the C++ interface: nodes, sends and values.
#include "face.hpp"

#include <array>
#include <memory>
#include <stdexcept>

namespace {

int behind() { return (face::rank() + 1) % face::processes(); }
int before() { return (face::rank() + face::processes() - 1) % face::processes(); }

// Each process doubles its input and sends it on; the sum of its own and of what arrives is an output.
struct Ring {
    Ring() {
        x = g.input<double, 2>("x", {2, 3});
        twice = g.value<double, 2>({2, 3});
        sum = g.value<double, 2>({2, 3});
        g.call(
            "twice",
            [this](dri::Call &call, auto out, auto in) {
                frames.push_back(call.frame());
                for (int i = 0; i < 2; ++i)
                    for (int j = 0; j < 3; ++j)
                        out(i, j) = 2 * in(i, j);
            },
            twice, x);
        dri::Node<double, 2> theirs = x;
        if (face::processes() > 1) {
            theirs = g.recv<double, 2>(before(), "ring", {2, 3});
            g.output("sent", g.send(twice, behind(), "ring"));
        }
        g.call(
            "sum",
            [](dri::Call &, dri::View<double, 2> out, dri::View<const double, 2> a, dri::View<const double, 2> b) {
                for (int i = 0; i < 6; ++i)
                    out.data()[i] = a.data()[i] + b.data()[i];
            },
            sum, twice, theirs);
        g.output("sum", sum);
    }

    dri::Graph g;
    dri::Node<double, 2> x;
    dri::Value<double, 2> twice, sum;
    std::vector<int64_t> frames;
};

TEST(FaceGraph, PartitionsAndTellsItsParts) {
    Ring ring;
    const dri::Plan plan = ring.g.partition();
    ASSERT_TRUE(plan);
    const bool is_ring = face::processes() > 1;
    EXPECT_EQ(plan.parts().size(), is_ring ? 2u : 1u);
    EXPECT_EQ(plan.batch(0).size(), is_ring ? static_cast<std::size_t>(face::processes()) : 0u);
    EXPECT_TRUE(plan.batch(1).empty());
    EXPECT_EQ(plan.part_of(ring.sum), is_ring ? 1 : 0);
    EXPECT_EQ(plan.part_of(ring.x), -1);
    EXPECT_EQ(plan.name_of(ring.x), "");
    if (is_ring) {
        EXPECT_TRUE(plan.needs(plan.batch(0)[0]).empty());
        EXPECT_STREQ(plan.parts()[0].sends[0].tag, "ring");
        EXPECT_NE(plan.describe().find("ring"), std::string::npos) << plan.describe();
    }
    EXPECT_EQ(face::code_of([&] { ring.g.value<int, 1>({1}); }), DRI_ERR_STATE);
    EXPECT_EQ(face::code_of([&] { static_cast<void>(ring.g.partition()); }), DRI_ERR_STATE);
}

TEST(FaceGraph, TellsAllFaultsOnAllProcesses) {
    if (face::processes() == 1)
        GTEST_SKIP() << "needs 2 processes";
    dri::Graph g;
    g.output("r", g.recv<float, 1>(before(), "nobody", {4}));
    face::expect_failure(DRI_ERR_UNMATCHED, "nobody", [&] { static_cast<void>(g.partition()); });
    const std::vector<DRI_Fault> faults = dri::graph_faults();
    ASSERT_EQ(faults.size(), static_cast<std::size_t>(face::processes()));
    EXPECT_EQ(faults[0].kind, DRI_FAULT_MISSING_SEND);
    EXPECT_STREQ(faults[0].operation.tag, "nobody");
}

TEST(FaceGraph, ChecksPartsOfTheProgramsOwn) {
    const std::vector<std::vector<int64_t>> needs{{}, {0}, {0}, {1, 2}};
    EXPECT_EQ(dri::task_levels(needs), (std::vector<int64_t>{0, 1, 1, 2}));
    const std::vector<std::vector<int64_t>> looped{{1}, {0}};
    face::expect_failure(DRI_ERR_CYCLE, "", [&] { dri::task_levels(looped); });

    const std::vector<std::string> tags{"a", face::rank() == 0 ? "zero" : "other", "a"};
    const auto [numbers, next] = dri::number_tags(dri::world(), tags, 5);
    EXPECT_EQ(numbers, (std::vector<int>{5, face::rank() == 0 ? 6 : 7, 5}));
    EXPECT_EQ(next, face::processes() > 1 ? 8 : 7);

    std::array<DRI_Graph_part, 2> parts{};
    parts[1].pid = 1;
    dri::verify(dri::world(), parts);
    parts[0].pid = 1;
    parts[1].pid = 0;
    const std::array<int, 1> itself{0};
    parts[1].nneeded = 1;
    parts[1].needed = itself.data();
    face::expect_failure(DRI_ERR_CYCLE, "", [&] { dri::verify(dri::world(), parts); });
    EXPECT_EQ(dri::graph_faults().front().kind, DRI_FAULT_PARTS_CYCLE);
}

TEST(FaceGraph, StapledSendsLive) {
    if (face::processes() == 1)
        GTEST_SKIP() << "needs 2 processes";
    dri::Graph g;
    const std::array<int, 2> numbers{3, 4};
    const auto data = g.data(dri::View<const int, 1>(std::span<const int>(numbers)));
    const auto arrived = g.recv<int, 1>(before(), "t", {2});
    g.output("out", g.staple(g.send(data, behind(), "t"), arrived));
    g.store(arrived);
    const dri::Plan plan = g.partition();
    EXPECT_EQ(plan.part_of(arrived), plan.part_of(data) + 1);
}

TEST(FaceGraph, EmptyNodesMakeEmptyCalls) {
    dri::Graph g;
    dri::Value<int, 1> nothing;
    g.call(
        "nothing", [](dri::Call &, auto) { ADD_FAILURE(); }, nothing);
    g.output("nothing", nothing);
    EXPECT_FALSE(g.send(nothing, behind(), "t"));
    EXPECT_EQ(g.partition().parts().size(), 1u);
}

TEST(FaceGraph, RefusesMemoryWithGaps) {
    dri::Graph g;
    std::array<int, 6> memory{};
    const dri::View<int, 1> gaps(memory.data(), {3}, {2});
    face::expect_failure(DRI_ERR_ARG, "gaps", [&] { static_cast<void>(g.data(gaps)); });
}

TEST(FaceGraph, RunsFrameAfterFrame) {
    Ring ring;
    dri::Plan plan = ring.g.partition();
    EXPECT_EQ(face::code_of([&] { plan.run(); }), DRI_ERR_STATE);
    plan.commit();
    std::array<double, 6> mine{};
    plan.input("x", dri::View<double, 2>(mine.data(), {2, 3}));
    for (int frame = 0; frame < 5; ++frame) {
        mine.fill(10 * frame + face::rank());
        plan.run();
        const auto sum = plan.output<double, 2>("sum");
        const double theirs = face::processes() > 1 ? 2 * (10 * frame + before()) : mine[0];
        for (const double value : sum.span())
            EXPECT_EQ(value, 2 * mine[0] + theirs);
    }
    EXPECT_EQ(ring.frames, (std::vector<int64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(plan.times().back().frames, 5);
    EXPECT_EQ(face::code_of([&] { plan.output<float, 2>("sum"); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { plan.output<double, 1>("sum"); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { plan.output<double, 2>("none"); }), DRI_ERR_ARG);
    std::array<double, 5> five{};
    EXPECT_EQ(face::code_of([&] { plan.input("x", dri::View<double, 1>(std::span<double>(five))); }), DRI_ERR_ARG);
    plan.destroy();
    EXPECT_FALSE(plan);
}

// More milliseconds than an int holds.
TEST(FaceGraph, AWaitMayLastMonths) {
    Ring ring;
    dri::Plan plan = ring.g.partition();
    plan.commit({.timeout = std::chrono::hours(24 * 30)});
    const std::array<double, 6> ones{1, 1, 1, 1, 1, 1};
    plan.input("x", dri::View<const double, 2>(ones.data(), {2, 3}));
    plan.run();
    EXPECT_EQ((plan.output<double, 2>("sum")(0, 0)), face::processes() > 1 ? 4 : 3);
}

TEST(FaceGraph, ThePlanOutlivesItsGraph) {
    auto ring = std::make_unique<Ring>();
    dri::Plan plan = ring->g.partition();
    ring->g = dri::Graph();
    plan.commit();
    const std::array<double, 6> ones{1, 1, 1, 1, 1, 1};
    plan.input("x", dri::View<const double, 2>(ones.data(), {2, 3}));
    plan.run();
    EXPECT_EQ((plan.output<double, 2>("sum")(1, 2)), face::processes() > 1 ? 4 : 3);
}

TEST(FaceGraph, ExceptionsLeaveTheRunAsTheyWereThrown) {
    struct Odd : std::runtime_error {
        Odd() : std::runtime_error("odd") {}
    };
    dri::Graph g;
    const auto x = g.value<int, 1>({1});
    g.call(
        "odd", [](dri::Call &, auto) { throw Odd(); }, x);
    g.output("x", x);
    dri::Plan plan = g.partition();
    plan.commit();
    EXPECT_THROW(plan.run(), Odd);
    EXPECT_EQ(face::code_of([&] { plan.run(); }), DRI_ERR_STATE);
}

TEST(FaceGraph, FunctionsThatCannotBeCopiedAreMoved) {
    dri::Graph g;
    const auto x = g.value<int, 1>({1});
    g.call(
        "own", [own = std::make_unique<int>(7)](dri::Call &, auto out) mutable { out(0) = (*own)++; }, x);
    g.output("x", x);
    dri::Plan plan = g.partition();
    plan.commit();
    plan.run();
    plan.run();
    EXPECT_EQ((plan.output<int, 1>("x")(0)), 8);
}

TEST(FaceGraph, ANodeMayBeSeveralOutputs) {
    dri::Graph g;
    const auto count = g.value<int64_t, 1>({2});
    g.call(
        "count", [](dri::Call &call, auto out) { out(0) = out(1) = call.frame(); }, count);
    g.output("a", count);
    g.output("b", count);
    dri::Plan plan = g.partition();
    plan.commit();
    for (int64_t frame = 0; frame < 3; ++frame) {
        plan.run();
        EXPECT_EQ((plan.output<int64_t, 1>("a")(1)), frame);
        EXPECT_EQ((plan.output<int64_t, 1>("b").data()), (plan.output<int64_t, 1>("a").data()));
    }
}

} // namespace
