// Memory through the C++ interface: pieces of the library's, buffers that move, and buffers that are kept.
#include "face.hpp"

#include <complex>

namespace {

using dri::Index;

TEST(FaceMemory, IsAllocated) {
    auto memory = dri::allocate<float>(100, 4096);
    EXPECT_EQ(memory.size(), 100u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 4096, 0u);
    for (const float x : memory)
        EXPECT_EQ(x, 0);
    const dri::Dist dist(dri::Gdo<float, 1>(20 * face::processes()), {dri::block()});
    {
        dri::Source source("allocated", dist, {}, memory.span().first(20));
        dri::Sink sink("allocated", dist, {}, memory.span().subspan(64, 20));
        dri::commit();
        for (auto [at, x] : source.elements())
            x = static_cast<float>(at[0]);
        EXPECT_EQ(source.next().data(), memory.data());
        dri::run("allocated");
        EXPECT_EQ(memory[64 + 3], memory[3]);
        face::expect_failure(DRI_ERR_STATE, "allocated", [&] { memory.free(); });
        EXPECT_EQ(memory.size(), 100u) << "what failed has freed nothing";
    }
    dri::Memory<float> moved = std::move(memory);
    EXPECT_EQ(memory.data(), nullptr);
    EXPECT_EQ(memory.span().size(), 0u);
    moved = dri::Memory<float>(3);
    EXPECT_EQ(moved.size(), 3u);
    moved.free();
    EXPECT_EQ(moved.data(), nullptr);
    EXPECT_EQ(face::code_of([] { dri::Memory<float>(-1); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([] { dri::Memory<float>(8, 3); }), DRI_ERR_ARG);
}

TEST(FaceMemory, MovesFromFrameToFrame) {
    const int n = 6 * face::processes();
    const dri::Dist dist(dri::Gdo<int, 2>(n, 5), {dri::block(), dri::whole()});
    std::array<std::vector<int>, 3> from{std::vector<int>(30), std::vector<int>(30), std::vector<int>(30)},
        to = from;
    dri::Source source("moving", dist, {.rebind = true}, from[0]);
    dri::Sink sink("moving", dist, {.rebind = true}, to[0]);
    dri::commit();
    for (int f = 0; f < 3; ++f) {
        const auto i = static_cast<size_t>(f);
        source.rebind(from[i]);
        sink.rebind(dri::View<int, 2>(to[i].data(), {6, 5}));
        EXPECT_EQ(source.next().data(), from[i].data());
        for (auto [at, x] : source.next().elements())
            x = f + face::number(at);
        dri::run("moving");
        EXPECT_EQ(to[i], from[i]);
        EXPECT_EQ(sink.last().data(), to[i].data());
    }
    std::vector<int> small(29);
    face::expect_failure(DRI_ERR_ARG, "116 bytes, but needs 120", [&] { source.rebind(small); });
    EXPECT_EQ(source.next().data(), from[2].data());
    EXPECT_EQ(face::allocations_of([&] { source.rebind(from[0]); }), 0);
}

TEST(FaceMemory, IsKept) {
    const dri::Dist dist(dri::Gdo<int, 2>(4 * face::processes(), 7), {dri::block().overlap(1, 1), dri::whole()});
    dri::Kept<int, 2> kept, copy;
    EXPECT_FALSE(kept);
    {
        dri::Source source("kept", dri::Dist(dist.gdo(), {dri::block(), dri::whole()}));
        dri::Sink sink("kept", dist);
        dri::commit();
        for (auto [at, x] : source.elements())
            x = face::number(at);
        dri::run("kept");
        kept = sink.keep();
        copy = kept;
    }
    kept = {};
    ASSERT_TRUE(copy);
    ASSERT_EQ(copy.buffers().size(), 1u);
    int64_t found = 0;
    for (auto [at, x] : copy.buffers()[0].elements()) {
        EXPECT_EQ(x, face::number(at));
        ++found;
    }
    EXPECT_EQ(found, 28);
}

TEST(FaceMemory, ComesInBraces) {
    const dri::Dist dist(dri::Gdo<int, 2>(6 * face::processes(), 10), {dri::block(), dri::whole()});
    std::vector<int> first(60), second(60);
    const dri::View<int, 2> a(first.data(), {6, 10}), b(second.data(), {6, 10});
    const dri::Source views("views in braces", dist, {}, {a, b});
    EXPECT_EQ(views.name(), "views in braces");
    const dri::Sink vectors("vectors in braces", dist, {}, {first, second});
    dri::Source spans("spans in braces", dist, {}, {std::span(first), std::span(second)});
    dri::Sink sink("spans in braces", dist);
    dri::commit(dri::world(), spans, sink);
    EXPECT_EQ(spans.buffers()[1].data(), second.data());
}

// The View of a split part has no elements: its strides count components.
TEST(FaceMemory, OfASplitLayoutHasPlanesOnly) {
    using Sample = std::complex<float>;
    const dri::Dist dist(dri::Gdo<Sample, 2>(4, 5), {dri::whole(), dri::whole()}, dri::Group{face::rank()});
    dri::Source source("split", dist, {.layout = dri::row_major.split()});
    dri::Sink sink("split", dist);
    dri::commit(dist.group(), source, sink);
    const auto part = source.next();
    EXPECT_NE(part.data(), nullptr);
    EXPECT_EQ(part.size(), 0);
    face::expect_failure(DRI_ERR_ARG, "planes()", [&] { part.sub(0, dri::range(0, 5)); });
    face::expect_failure(DRI_ERR_ARG, "extents", [&] { dri::copy(part, sink.part(0)); });
    auto [re, im] = part.planes();
    EXPECT_EQ(re.extents(), (Index<2>{4, 5}));
    re(2, 3) = 1;
    im(2, 3) = 2;
    dri::run("split");
    EXPECT_EQ(sink.buffer()(2, 3), Sample(1, 2));
    const auto elements = sink.elements(); // const, and twice
    for (int round = 0; round < 2; ++round) {
        int64_t found = 0;
        for (auto [at, x] : elements)
            found += x == Sample(1, 2);
        EXPECT_EQ(found, 1);
    }
}

} // namespace
