// Measured choices: which candidates exist, that the fastest one is kept, and that time and memory are bounded.
#include "kernel_cases.hpp"

#include "kernel/bind.hpp"
#include "kernel/chooser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using dri::CacheBytes;
using dri::kernel::Choice;
using dri::kernel::Isa;
using dri::kernel::Stores;
using dri::plan::StridedCopy;

namespace {

constexpr CacheBytes caches{1 << 20, 28 << 20}; // streaming stores from 4 MiB
const StridedCopy short_turn{8, 0, 0, {{64, 8, 512}, {64, 512, 8}}};

// A clock that advances only while candidates run.
struct FakeTime {
    double now = 0;
    std::vector<double> cost;
    std::vector<size_t> order; // of runs

    std::optional<dri::kernel::Times> measure(double until) {
        return dri::kernel::measure(
            cost.size(),
            [this](size_t i) {
                order.push_back(i);
                now += cost[i];
                return cost[i];
            },
            [this] { return now; }, until);
    }
};

std::set<Stores> stores_of(const std::vector<Choice> &choices) {
    std::set<Stores> stores;
    for (const Choice &c : choices)
        stores.insert(c.stores);
    return stores;
}

} // namespace

TEST(Measure, KeepsTheFastest) {
    for (size_t fastest = 0; fastest < 4; ++fastest) {
        FakeTime time{0, {5, 6, 7, 8}, {}};
        time.cost[fastest] = 4;
        const auto times = time.measure(1e9);
        ASSERT_TRUE(times);
        EXPECT_EQ(times->fastest, fastest);
        EXPECT_EQ(times->seconds, time.cost);
    }
}

TEST(Measure, KeepsTheFirstOfEqualChoices) { EXPECT_EQ((FakeTime{0, {4, 4, 4}, {}}.measure(1e9)->fastest), 0u); }

TEST(Measure, RunsAlternateAndTheFirstRoundDoesNotCount) {
    FakeTime time{0, {2, 3}, {}};
    ASSERT_TRUE(time.measure(1e9));
    std::vector<size_t> expected;
    for (int round = 0; round < 1 + dri::kernel::max_rounds; ++round)
        expected.insert(expected.end(), {0, 1});
    EXPECT_EQ(time.order, expected);
    // Only the first run of the second candidate is slow.
    int runs = 0;
    const auto times = dri::kernel::measure(
        2, [&](size_t i) { return i == 1 && runs++ == 0 ? 100.0
                                  : i == 0              ? 2.0
                                                        : 1.5; }, [] { return 0.0; }, 1);
    EXPECT_EQ(times->fastest, 1u);
    EXPECT_EQ(times->seconds[1], 1.5);
}

TEST(Measure, OccasionalSlowRunsDoNotCount) {
    std::map<size_t, int> runs;
    const auto times = dri::kernel::measure(
        2, [&](size_t i) { return i == 1 ? (++runs[i] % 3 == 0 ? 50.0 : 3.0) : 4.0; }, [] { return 0.0; }, 1);
    EXPECT_EQ(times->fastest, 1u);
    EXPECT_EQ(times->seconds[1], 3.0);
}

TEST(Measure, StopsMeasuringAChoiceThatIsTwiceAsSlow) {
    FakeTime time{0, {10, 4, 7}, {}};
    const auto times = time.measure(1e9);
    ASSERT_TRUE(times);
    EXPECT_EQ(std::count(time.order.begin(), time.order.end(), 0u), 2);
    EXPECT_EQ(std::count(time.order.begin(), time.order.end(), 2u), 1 + dri::kernel::max_rounds);
    EXPECT_EQ(times->fastest, 1u);
    EXPECT_EQ(times->seconds[0], 10);
}

TEST(Measure, StartsNoRunAfterItsTime) {
    for (double until = 0; until < 100; until += 1) {
        FakeTime time{0, {3, 2}, {}};
        const auto times = time.measure(until);
        EXPECT_LE(time.now, until + 3) << "one run may exceed the time";
        EXPECT_EQ(times.has_value(), 5 * (1 + dri::kernel::min_rounds) - 2 <= until)
            << until << ": the last run of the minimum rounds, and of the round before, must start in time";
        if (times) {
            EXPECT_EQ(times->fastest, 1u);
        }
    }
}

TEST(Choices, StartWithTheModelsChoiceAndAllFit) {
    kernel_cases::Random random(11);
    for (int round = 0; round < 300; ++round) {
        const auto loops = static_cast<size_t>(kernel_cases::between(random, 0, 4));
        const StridedCopy copy = dri::plan::canonical(
            kernel_cases::random_copy(random, kernel_cases::between(random, 1, 2000), loops, int64_t{1} << 22));
        for (const Isa isa : {Isa::scalar, Isa::sse4, Isa::avx2, Isa::avx512}) {
            const auto choices = dri::kernel::close_choices(copy, isa, dri::plan::copy_bytes(copy), caches);
            ASSERT_FALSE(choices.empty());
            EXPECT_EQ(choices[0], dri::kernel::model_choice(copy, isa, dri::plan::copy_bytes(copy), caches));
            std::set<std::string> different;
            for (const Choice &c : choices) {
                EXPECT_TRUE(c.kernel->fits(copy))
                    << dri::kernel::to_text(c) << " for " << dri::plan::to_text(copy);
                EXPECT_LE(c.kernel->isa, isa);
                different.insert(dri::kernel::to_text(c));
            }
            EXPECT_EQ(different.size(), choices.size());
        }
    }
}

TEST(Choices, OfStoresAreTriedWithinAFactorOfFour) {
    const int64_t kib = 1 << 10, mib = 1 << 20;
    const std::vector<std::pair<int64_t, std::set<Stores>>> rows{
        {255 * kib, {Stores::cached}},
        {256 * kib, {Stores::cached, Stores::fetched}},
        {mib - 1, {Stores::cached, Stores::fetched}},
        {mib, {Stores::cached, Stores::fetched, Stores::streaming}},
        {4 * mib, {Stores::cached, Stores::fetched, Stores::streaming}},
        {5 * mib, {Stores::fetched, Stores::streaming}},
        {16 * mib, {Stores::fetched, Stores::streaming}},
        {17 * mib, {Stores::streaming}},
        {INT64_MAX, {Stores::streaming}},
    };
    if (dri::kernel::best_isa() == Isa::scalar)
        GTEST_SKIP() << "plain code has one kind of stores";
    for (const auto &[bytes, stores] : rows)
        EXPECT_EQ(stores_of(dri::kernel::close_choices(short_turn, dri::kernel::best_isa(), bytes, caches)),
                  stores)
            << bytes;
    EXPECT_EQ(dri::kernel::close_choices(short_turn, Isa::scalar, 4 * mib, caches).size(), 1u);
}

TEST(FirstPart, IsAShortPartOfTheCopy) {
    constexpr int64_t nowhere = INT64_MIN;
    kernel_cases::Random random(12);
    for (int round = 0; round < 200 && !testing::Test::HasFailure(); ++round) {
        const auto loops = static_cast<size_t>(kernel_cases::between(random, 0, 4));
        StridedCopy copy = kernel_cases::random_copy(random, kernel_cases::between(random, 1, 6000), loops, 30000);
        kernel_cases::settle(copy, 0, 0);
        copy = dri::plan::canonical(copy);
        if (std::any_of(copy.loops.begin(), copy.loops.end(),
                        [](const dri::plan::Loop &l) { return l.count == 2; }))
            continue; // loops of count 2 may be shortened differently
        const int64_t max = kernel_cases::between(random, 4096, 25000);
        StridedCopy part = dri::kernel::first_part(copy, max);
        EXPECT_GT(dri::plan::copy_bytes(part), 0);
        std::vector<int64_t> source_of; // for each byte of the destination
        kernel_cases::walk(copy, [&](int64_t from, int64_t to) {
            source_of.resize(std::max(source_of.size(), static_cast<size_t>(to) + 1), nowhere);
            source_of[static_cast<size_t>(to)] = from;
        });
        kernel_cases::walk(part, [&](int64_t from, int64_t to) {
            ASSERT_LT(to, std::ssize(source_of)) << dri::plan::to_text(part) << " of " << dri::plan::to_text(copy);
            ASSERT_EQ(source_of[static_cast<size_t>(to)], from)
                << dri::plan::to_text(part) << " of " << dri::plan::to_text(copy);
        });
        const auto extent = kernel_cases::settle(part, 0, 0), all = kernel_cases::settle(copy, 0, 0);
        EXPECT_LE(std::max(extent.source, extent.destination), max)
            << dri::plan::to_text(part) << " of " << dri::plan::to_text(copy);
        if (std::max(all.source, all.destination) <= max) {
            EXPECT_EQ(dri::plan::copy_bytes(part), dri::plan::copy_bytes(copy));
        }
    }
}

TEST(FirstPart, KeepsThePlanesOfComplexNumbers) {
    const int64_t n = 2048, max = int64_t{16} << 20;
    for (const int64_t extra : {0, 1000, 4096 + 64}) {
        const StridedCopy split{4, 0, 0, {{2, 4, 4 * n * n + extra}, {n, 8, 4 * n}, {n, 8 * n, 4}}};
        const StridedCopy part = dri::kernel::first_part(split, max);
        ASSERT_EQ(part.loops.size(), 3u) << dri::plan::to_text(part);
        const dri::plan::Loop planes = part.loops[0], across = part.loops[1], down = part.loops[2];
        EXPECT_EQ(planes.count, 2);
        EXPECT_EQ(planes.src_stride, 4);
        EXPECT_EQ(planes.dst_stride % 4096, (4 * n * n + extra) % 4096);
        EXPECT_GE(planes.dst_stride, (across.count - 1) * 4 * n + down.count * 4) << "planes do not overlap";
        EXPECT_LE(planes.dst_stride + (across.count - 1) * 4 * n + down.count * 4, max);
        EXPECT_GT(dri::plan::copy_bytes(part), max / 8);
        EXPECT_EQ(across.dst_stride, 4 * n);
        EXPECT_EQ(down.src_stride, 8 * n);
    }
}

namespace {

// The addresses passed to a kernel.
const std::byte *seen_src;
std::byte *seen_dst;
int seen_runs;

} // namespace

TEST(Scratch, HasTheOffsetInAPageOfTheBuffers) {
    const dri::kernel::Kernel spy{"spy", Isa::scalar, nullptr, nullptr,
                                  [](const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores) {
                                      seen_src = src + copy.src_offset;
                                      seen_dst = dst + copy.dst_offset;
                                      ++seen_runs;
                                  }};
    dri::kernel::Scratch scratch;
    const auto in_page = [](const void *p) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % 4096); };
    for (const int64_t offset : {0, 24, 5000}) {
        const StridedCopy copy{8, offset + 600, offset, {{64, -8, 512}, {64, 512, 8}}};
        scratch.prepare(copy, 0x7000040, 0x9000ff0, 1000);
        seen_runs = 0;
        EXPECT_GT(scratch.time({scratch.copy(), &spy}), 0);
        EXPECT_EQ(seen_runs, 1) << "other memory is read between runs";
        EXPECT_EQ(in_page(seen_src), (0x40 + offset + 600) % 4096);
        EXPECT_EQ(in_page(seen_dst), (0xff0 + offset) % 4096);
        scratch.prepare(copy, 0, 0, 0);
        scratch.time({scratch.copy(), &spy});
        EXPECT_GT(seen_runs, 2) << "short runs are repeated";
    }
}

namespace {

// A corner turn with several candidates, with memory of its own.
struct TurnedMemory {
    int64_t n = 256;
    StridedCopy copy{8, 0, 0, {{n, 8, 8 * n}, {n, 8 * n, 8}}};
    std::vector<int64_t> src = std::vector<int64_t>(static_cast<size_t>(n * n)), dst = src;

    dri::kernel::BoundCopy bind(dri::kernel::Chooser &chooser, bool measures) {
        dri::kernel::BoundCopy bound = chooser.bind(
            copy, 0, {reinterpret_cast<uintptr_t>(src.data()), reinterpret_cast<uintptr_t>(dst.data())}, measures);
        EXPECT_EQ(std::count(dst.begin(), dst.end(), 0), n * n) << "choosing a kernel writes nothing";
        for (size_t i = 0; i < src.size(); ++i)
            src[i] = static_cast<int64_t>(i) + 1;
        bound(reinterpret_cast<std::byte *>(src.data()), reinterpret_cast<std::byte *>(dst.data()));
        for (int64_t i = 0; i < n * n; ++i)
            EXPECT_EQ(dst[static_cast<size_t>(i)], i % n * n + i / n + 1);
        std::fill(dst.begin(), dst.end(), 0);
        return bound;
    }
};

} // namespace

TEST(Chooser, MeasuresOnceAndRemembers) {
    if (dri::kernel::best_isa() == Isa::scalar)
        GTEST_SKIP() << "only one kernel fits";
    dri::kernel::Wisdom wisdom;
    dri::kernel::Chooser chooser(dri::kernel::best_isa(), wisdom);
    TurnedMemory memory;
    chooser.allow(60);
    const auto first = memory.bind(chooser, true);
    EXPECT_EQ(chooser.measured(), 1);
    EXPECT_GT(chooser.seconds(), 0);
    EXPECT_LT(chooser.seconds(), 60);
    EXPECT_EQ(first.origin.rfind("; measured: " + dri::kernel::to_text(Choice{first.kernel, first.stores}), 0), 0u)
        << first.origin;
    EXPECT_GE(std::count(first.origin.begin(), first.origin.end(), ','), 1) << first.origin;
    for (const bool measures : {true, false}) {
        const auto again = memory.bind(chooser, measures);
        EXPECT_EQ(chooser.measured(), 1);
        EXPECT_EQ(again.kernel, first.kernel);
        EXPECT_EQ(again.stores, first.stores);
        EXPECT_EQ(again.origin, "; wisdom: " + dri::kernel::to_text(Choice{first.kernel, first.stores}));
    }
}

TEST(Chooser, KeepsTheModelsChoiceUnlessItMayMeasure) {
    dri::kernel::Wisdom wisdom;
    dri::kernel::Chooser chooser(dri::kernel::best_isa(), wisdom);
    TurnedMemory memory;
    const dri::kernel::BoundCopy model = dri::kernel::bind(memory.copy, dri::kernel::best_isa());
    const auto expect_model = [&](const dri::kernel::BoundCopy &bound) {
        EXPECT_EQ(bound.kernel, model.kernel);
        EXPECT_EQ(bound.stores, model.stores);
        EXPECT_EQ(bound.origin, "");
        EXPECT_EQ(chooser.measured(), 0);
    };
    expect_model(memory.bind(chooser, true)); // no time is allowed
    chooser.allow(1e-9);
    expect_model(memory.bind(chooser, true)); // the time is over after the first check
    chooser.allow(60);
    expect_model(memory.bind(chooser, false)); // measuring is not requested
    memory = {16};
    const auto small = memory.bind(chooser, true); // too small to be worth a measurement
    EXPECT_EQ(small.origin, "");
    EXPECT_EQ(chooser.measured(), 0);
    EXPECT_EQ(wisdom.to_text(), "dri-wisdom 1\n");
}

TEST(Chooser, LeavesTablesToTheModel) {
    dri::kernel::Wisdom wisdom;
    dri::kernel::Chooser chooser(dri::kernel::best_isa(), wisdom);
    chooser.allow(60);
    const StridedCopy listed{4096, 0, 0, {}, {{0, 0, {{0, 0, 1}, {8192, 4096, 1}, {12288, 8192, 1}}}}};
    EXPECT_EQ(chooser.bind(listed, 0, {}, true).origin, "");
    EXPECT_EQ(wisdom.to_text(), "dri-wisdom 1\n");
}

TEST(Chooser, MeasuresCopiesLargerThanItsMemory) {
    if (dri::kernel::best_isa() == Isa::scalar)
        GTEST_SKIP() << "only one kernel fits";
    dri::kernel::Wisdom wisdom;
    dri::kernel::Chooser chooser(dri::kernel::best_isa(), wisdom);
    chooser.allow(60);
    const int64_t n = int64_t{1} << 20; // 8 TiB
    const StridedCopy huge{8, 0, 0, {{n, 8, 8 * n}, {n, 8 * n, 8}}};
    const auto bound = chooser.bind(huge, 0, {}, true);
    EXPECT_EQ(chooser.measured(), 0) << "two rows already fill the memory, so nothing can be measured";
    EXPECT_EQ(bound.origin, "");
    const int64_t m = int64_t{1} << 14; // 2 GiB
    const StridedCopy large{8, 0, 0, {{m, 8, 8 * m}, {m, 8 * m, 8}}};
    EXPECT_EQ(chooser.bind(large, 0, {}, true).copy, dri::kernel::bind(large, dri::kernel::best_isa()).copy);
    EXPECT_EQ(chooser.measured(), 1);
}
