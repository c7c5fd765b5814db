// Graphs through the C++ interface: whole transfers, streams and pictures.
#include "face.hpp"

#include <fstream>
#include <sstream>

namespace {

using dri::Index;

struct PortTurn {
    const dri::Gdo<int, 2> numbers{12, 9};
    const dri::Gdo<double, 2> doubles{12, 9};
    dri::Graph g;
    int64_t wrong = 0, taken = 0, frames = 0;

    // Rows to columns of doubles; every element is the frame and its index.
    explicit PortTurn(int64_t end_after) {
        auto [rows, columns] = g.transfer("turn", dri::end(dri::Dist(numbers, {dri::block(), dri::whole()})),
                                          dri::end(dri::Dist(doubles, {dri::whole(), dri::block()}),
                                                   {.layout = dri::col_major, .convert = true, .scale = 0.5}));
        EXPECT_EQ(columns.extent(0), 12);
        const DRI_Part_tuple mine = columns.part(1);
        g.call(
            "fill",
            [end_after](dri::Call &call, auto out) {
                if (call.frame() == end_after)
                    return call.end();
                for (auto [at, x] : out.elements())
                    x = static_cast<int>(call.frame()) + face::number(at);
                call.record(Index<2>{call.frame(), 7});
            },
            rows);
        g.call(
            "check",
            [this, mine](dri::Call &call, auto in) {
                for (int i = 0; i < in.extent(0); ++i)
                    for (int j = 0; j < in.extent(1); ++j)
                        wrong += in(i, j) != 0.5 * (static_cast<double>(call.frame()) +
                                                    face::number(Index<2>{i, mine.left_x + j}));
                frames += call.frame() == taken++;
                if (end_of_stream)
                    wrong += call.record<Index<2>>() != Index<2>{call.frame(), 7};
            },
            columns);
    }
    bool end_of_stream = false;
};

TEST(FaceGraphPorts, WholeTransfersRunInFrames) {
    PortTurn turn(-1);
    dri::Plan plan = turn.g.partition();
    plan.commit();
    for (int frame = 0; frame < 4; ++frame)
        plan.run();
    EXPECT_EQ(turn.taken, 4);
    EXPECT_EQ(turn.wrong, 0);
}

TEST(FaceGraphPorts, StreamsEndWhereTheInputEnds) {
    for (const int in_flight : {1, 2, 3}) {
        PortTurn turn(11);
        turn.end_of_stream = true;
        dri::Plan plan = turn.g.partition();
        plan.commit({.frames = in_flight, .stream = true});
        plan.stream(3);
        plan.stream();
        EXPECT_EQ(turn.taken, 11) << in_flight;
        EXPECT_EQ(turn.frames, 11) << in_flight;
        EXPECT_EQ(turn.wrong, 0) << in_flight;
        EXPECT_EQ(face::code_of([&] { plan.run(); }), DRI_END_OF_STREAM);
    }
}

TEST(FaceGraphPorts, PortsAreEmptyOutsideTheirGroups) {
    const int last = face::processes() - 1;
    dri::Graph g;
    const dri::Gdo<int, 1> line(10);
    auto [all, one] = g.transfer("gather", dri::end(dri::Dist(line, {dri::block()})),
                                 dri::end(dri::Dist(line, {dri::whole()}, dri::Group{last})));
    EXPECT_TRUE(all);
    EXPECT_EQ(static_cast<bool>(one), face::rank() == last);
    EXPECT_EQ(one.part(0).right_x, face::rank() == last ? 10 : 0);
    int64_t sum = 0;
    g.call(
        "fill",
        [](dri::Call &, auto out) { out.forall([](const Index<1> &at, int &x) { x = static_cast<int>(at[0]); }); },
        all);
    g.call(
        "add",
        [&sum](dri::Call &, auto in) {
            for (const int x : in.span())
                sum += x;
        },
        one);
    dri::Plan plan = g.partition();
    plan.commit();
    plan.run();
    EXPECT_EQ(sum, face::rank() == last ? 45 : 0);
}

TEST(FaceGraphPorts, RefusesWhatIsThePlans) {
    const dri::Gdo<std::complex<float>, 1> line(10);
    const dri::Dist dist(line, {dri::block()});
    dri::Graph g;
    const auto refused = [&](const dri::Options &options) {
        return face::code_of([&] { g.transfer("t", dri::end(dist, options), dri::end(dist)); });
    };
    EXPECT_EQ(refused({.buffers = 2}), DRI_ERR_UNSUPPORTED);
    EXPECT_EQ(refused({.layout = dri::row_major.split()}), DRI_ERR_UNSUPPORTED);
    EXPECT_EQ(refused({.stream = true}), DRI_ERR_UNSUPPORTED);
}

TEST(FaceGraphPorts, OutputsLieInTheirLayout) {
    const dri::Gdo<int, 2> numbers(12, 9);
    dri::Graph g;
    auto [rows, columns] =
        g.transfer("turn", dri::end(dri::Dist(numbers, {dri::block(), dri::whole()}), {.layout = dri::col_major}),
                   dri::end(dri::Dist(numbers, {dri::whole(), dri::block()}), {.layout = dri::col_major}));
    g.call(
        "fill",
        [](dri::Call &, auto out) {
            for (auto [at, x] : out.elements())
                x = face::number(at);
        },
        rows);
    g.output("rows", rows);
    g.output("columns", columns);
    dri::Plan plan = g.partition();
    plan.commit();
    plan.run();
    const auto expect_numbers = [](const auto &view, int64_t top, int64_t left) {
        int64_t wrong = 0;
        for (int i = 0; i < view.extent(0); ++i)
            for (int j = 0; j < view.extent(1); ++j)
                wrong += view(i, j) != face::number(Index<2>{top + i, left + j});
        EXPECT_EQ(wrong, 0);
    };
    const auto in = plan.output<int, 2>("columns");
    ASSERT_EQ(in.extent(0), 12);
    EXPECT_EQ(in.strides()[0], 1);
    expect_numbers(in, 0, columns.part(1).left_x);
    const auto out = plan.output<int, 2>("rows");
    ASSERT_EQ(out.extent(1), 9);
    expect_numbers(out, rows.part(0).left_x, 0);
}

TEST(FaceGraphPorts, ThePictureIsWrittenOnce) {
    PortTurn turn(-1);
    dri::Plan plan = turn.g.partition();
    const std::string file = "face_graph_" + std::to_string(face::processes()) + ".dot";
    plan.draw(file);
    const std::string text = plan.draw();
    EXPECT_NE(text.find("turn"), std::string::npos) << text;
    if (face::rank() == 0) {
        std::stringstream written;
        written << std::ifstream(file).rdbuf();
        EXPECT_EQ(written.str(), text);
        std::remove(file.c_str());
    }
    face::expect_failure(DRI_ERR_ARG, "cannot be written", [&] { plan.draw("/nowhere/at/all.dot"); });
}

} // namespace
