// The cases of the property tests between real processes: those that failed once, and random ones of every kind of
// partition, overlap, layout and conversion. The same oracle checks every element.
#include "support/case_objects.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace dri_test {
namespace {

using dri::test::CaseData;
using dri::test::GuardedBuffer;
using dri::test::TransferCase;

// A sink on this process.
struct SinkHere {
    const CaseData &data;
    int position;
    GuardedBuffer buffer;
    CaseEndpoint endpoint;
};

// Sends the source of the first case to the sinks of all cases, under one name. Runs two frames; before the second
// one the sinks hold their fill pattern again. Collective over the world; each process uses `threads` threads.
void expect_cases(const std::vector<TransferCase> &cases, int threads = 1) {
    std::string lines;
    for (const TransferCase &c : cases)
        lines += to_line(c) + "\n";
    SCOPED_TRACE(lines);
    std::deque<CaseData> data;
    const bool numbers =
        std::any_of(cases.begin(), cases.end(), [](const TransferCase &c) { return c.converts(); });
    for (const TransferCase &c : cases)
        data.emplace_back(c, numbers);
    const int rank = world().rank;
    const CaseData &first = data.front();
    const auto from = first.source().dist->group().position(rank);
    std::optional<GuardedBuffer> source;
    std::optional<CaseEndpoint> source_endpoint;
    if (from) {
        source.emplace(first.new_source(*from));
        source_endpoint.emplace(make_case_endpoint(cases[0], cases[0].source, first.source(), DRI_SOURCE, *from,
                                                   source->data(), threads));
    }
    std::vector<SinkHere> sinks;
    for (size_t k = 0; k < cases.size(); ++k)
        if (const auto to = data[k].sink().dist->group().position(rank)) {
            GuardedBuffer buffer = data[k].new_sink(*to);
            CaseEndpoint endpoint =
                make_case_endpoint(cases[k], cases[k].sink, data[k].sink(), DRI_SINK, *to, buffer.data(), threads);
            sinks.push_back({data[k], *to, std::move(buffer), std::move(endpoint)});
        }
    const Group all = make_world();
    commit(all);
    if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0)
        return;
    for (int frame = 0; frame < 2; ++frame) {
        for (SinkHere &sink : sinks) {
            GuardedBuffer fresh = sink.data.new_sink(sink.position);
            std::copy_n(fresh.data(), fresh.bytes(), sink.buffer.data());
        }
        if (from || !sinks.empty())
            expect_success(DRI_do("case", DRI_XFER_NULL), "DRI_do");
        try {
            if (from)
                first.check_source(*from, *source);
            for (SinkHere &sink : sinks)
                sink.data.check_sink(sink.position, sink.buffer);
        } catch (const std::runtime_error &e) {
            ADD_FAILURE() << "frame " << frame << ": " << e.what();
        }
    }
}

// All processes stop at the first case that fails on any of them.
bool all_well() { return sum_of(testing::Test::HasFailure() ? 1 : 0) == 0; }

TEST(Cases, ThatFailedOnce) {
    const auto path = std::filesystem::path(DRI_TESTS_FOLDER) / "regressions.txt";
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    for (std::string line; std::getline(file, line) && all_well();)
        if (!line.empty() && line[0] != '#')
            if (const TransferCase c = dri::test::from_line(line); c.world() <= world().size)
                for (const int threads : {1, 2})
                    expect_cases({c}, threads);
}

template <class Threads> void expect_random_cases(uint64_t first_seed, int wanted, const Threads &threads) {
    int run = 0;
    for (uint64_t seed = 0; run < wanted && all_well(); ++seed) {
        const TransferCase c = dri::test::make_case(first_seed + seed, static_cast<int>(10 + seed % 40));
        // Cases for small worlds are frequent, so large jobs skip most of them.
        if (c.world() > world().size || (c.world() < world().size && seed % 4 != 0))
            continue;
        expect_cases({c}, threads(run));
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

TEST(Cases, Random) {
    expect_random_cases(7000, rounds(120), [](int) { return 1; });
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
        const auto cases = dri::test::make_cases_of_one_source(11'000 + seed, static_cast<int>(10 + seed % 40),
                                                               static_cast<int>(2 + seed % 3));
        const int needed = std::max_element(cases.begin(), cases.end(), by_world)->world();
        if (needed > world().size || (needed < world().size && seed % 4 != 0) || have_equal_sinks(cases))
            continue;
        expect_cases(cases);
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

} // namespace
} // namespace dri_test
