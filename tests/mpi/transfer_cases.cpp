// The cases of the property tests between real processes: those that failed once, and random ones of every kind of
// partition, overlap, layout and conversion. The same oracle checks every element.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace dri::test {
namespace {

// How the processes execute a case: one to three buffers of any memory on each side, two or three frames.
TransferCase executed(TransferCase c, uint64_t seed) {
    Dice dice(seed);
    for (SideSpec *side : {&c.source, &c.sink}) {
        side->buffers = static_cast<int>(dice.range(1, 3));
        side->memory = static_cast<Memory>(dice.range(0, std::ssize(memory_names) - 1));
    }
    c.frames = static_cast<int>(dice.range(2, 3));
    return c;
}

// All processes stop at the first case that fails on any of them.
bool all_well() { return sum_of(testing::Test::HasFailure() ? 1 : 0) == 0; }

TEST(Cases, ThatFailedOnce) {
    const auto path = std::filesystem::path(DRI_TESTS_FOLDER) / "regressions.txt";
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    for (std::string line; std::getline(file, line) && all_well();)
        if (!line.empty() && line[0] != '#')
            if (const TransferCase c = from_line(line); c.world() <= world().size)
                for (const int threads : {1, 2})
                    expect_transfer({executed(c, static_cast<uint64_t>(threads))}, threads);
}

// Always the same cases, or with --gtest_shuffle others in each repetition.
template <class Threads> void expect_random_cases(uint64_t first_seed, int wanted, const Threads &threads) {
    constexpr uint64_t seeds_of_a_repetition = 1'000'000;
    if (GTEST_FLAG_GET(shuffle)) // googletest may choose another number on each process
        first_seed +=
            seeds_of_a_repetition *
            static_cast<uint64_t>(sum_of(world().rank == 0 ? testing::UnitTest::GetInstance()->random_seed() : 0));
    int run = 0;
    for (uint64_t seed = 0; run < wanted && all_well(); ++seed) {
        const TransferCase c = make_case(first_seed + seed, static_cast<int>(10 + seed % 40));
        // Cases for small worlds are frequent, so large jobs skip most of them.
        if (c.world() > world().size || (c.world() < world().size && seed % 4 != 0))
            continue;
        expect_transfer({executed(c, seed)}, threads(run));
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

TEST(Cases, Random) {
    expect_random_cases(7000, rounds(220), [](int) { return 1; });
}

bool by_world(const TransferCase &a, const TransferCase &b) { return a.world() < b.world(); }

// A process may not be in two sinks of a name with the same distribution.
bool have_equal_sinks(const std::vector<TransferCase> &cases) {
    for (const TransferCase &a : cases)
        for (const TransferCase &b : cases)
            if (&a < &b && make_side(a, a.sink).dist->id() == make_side(b, b.sink).dist->id())
                return true;
    return false;
}

// One to three threads on each process, different ones on neighbouring processes.
TEST(Cases, RandomByThreads) {
    expect_random_cases(9000, rounds(60), [](int i) { return 1 + (i + world().rank) % 3; });
}

// Two to four sinks of one name, each with its own box, partition, overlap, processes, layout and type.
TEST(Cases, RandomOfSeveralSinks) {
    const int wanted = rounds(40);
    int run = 0;
    for (uint64_t seed = 0; run < wanted && all_well(); ++seed) {
        auto cases = make_cases_of_one_source(11'000 + seed, static_cast<int>(10 + seed % 40),
                                              static_cast<int>(2 + seed % 3));
        const int needed = std::max_element(cases.begin(), cases.end(), by_world)->world();
        if (needed > world().size || (needed < world().size && seed % 4 != 0) || have_equal_sinks(cases))
            continue;
        for (TransferCase &c : cases)
            c = executed(c, seed);
        expect_transfer(cases);
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

} // namespace
} // namespace dri::test
