// Loops over elements() on one process, for compilers that make loops of their own of some parts: blocks, blocks
// apart, elements apart and nothing.
#include <dri/dri.hpp>

#include <cstdint>
#include <cstdio>

namespace {

int failed = 0;

std::int64_t value(const auto &at) {
    std::int64_t sum = 1;
    for (const std::int64_t i : at)
        sum = sum * 1009 + i;
    return sum;
}

// Fills by elements() and reads by forall(), then the other way round. The range is walked twice.
template <std::size_t N>
void check(const char *what, const dri::Gdo<std::int64_t, N> &gdo, const dri::Partition<N> &partition,
           const dri::Options &options = {}) {
    const dri::Dist dist(gdo, partition);
    dri::Source source(what, dist, options);
    dri::Sink sink(what, dist, options);
    dri::commit();
    std::int64_t filled = 0, wrong = 0, read = 0;
    for (auto [at, x] : source.elements()) {
        x = value(at);
        ++filled;
    }
    source.forall([&](const auto &at, std::int64_t &x) { wrong += x != value(at); });
    source.forall([](std::int64_t &x) { x += 1; });
    const auto elements = source.elements();
    for (int i = 0; i < 2; ++i)
        for (auto [at, x] : elements)
            x += 2;
    for (auto [at, x] : elements) {
        wrong += x != value(at) + 5;
        ++read;
    }
    if (wrong == 0 && filled == dist.owned() && read == filled)
        return;
    std::fprintf(stderr, "%s: %lld of %lld elements are wrong, %lld filled and %lld read\n", what,
                 static_cast<long long>(wrong), static_cast<long long>(dist.owned()),
                 static_cast<long long>(filled), static_cast<long long>(read));
    failed = 1;
}

} // namespace

int main(int argc, char **argv) {
    const dri::Environment env(argc, argv);
    for (const int n : {1, 2, 5, 64, 1000}) {
        const dri::Gdo<std::int64_t, 1> line(n);
        check<1>("a block", line, {dri::block()});
        check<1>("a block with overlap", line,
                 {dri::block().overlap(2, 1).edges(dri::Edge::wrap, dri::Edge::zero)});
        check<1>("blocks apart", line, {dri::cyclic(3).overlap(1, 2)});
        check<1>("elements apart", line, {dri::block()}, {.layout = dri::Layout::strides({3})});
    }
    for ([[maybe_unused]] const auto &element : dri::Elements<std::int64_t, 1>())
        failed = 1; // it has none
    const dri::Gdo<std::int64_t, 2> field(7, 9);
    check<2>("rows", field, {dri::block(), dri::whole()});
    check<2>("columns", field, {dri::cyclic(2), dri::block().overlap(1, 1)}, {.layout = dri::col_major});
    return failed;
}
