// The cases of the property tests between real processes: those that once went wrong, and random ones of every
// kind of partition, overlap, layout and conversion. Judged by the same oracle, place by place.
#include "support/case_objects.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dri_test {
namespace {

using dri::test::CaseData;
using dri::test::GuardedBuffer;
using dri::test::TransferCase;

// Two frames, the second into a sink that shows its pattern again. All processes of the world take part, each with
// so many threads.
void expect_case(const TransferCase &c, int threads = 1) {
    SCOPED_TRACE(to_line(c));
    const CaseData data(c);
    const int rank = world().rank;
    const auto from = data.source().dist->group().position(rank), to = data.sink().dist->group().position(rank);
    std::optional<GuardedBuffer> source, sink;
    std::optional<CaseEnd> source_end, sink_end;
    if (from) {
        source.emplace(data.new_source(*from));
        source_end.emplace(make_case_end(c, c.source, data.source(), DRI_SOURCE, *from, source->data(), threads));
    }
    if (to) {
        sink.emplace(data.new_sink(*to));
        sink_end.emplace(make_case_end(c, c.sink, data.sink(), DRI_SINK, *to, sink->data(), threads));
    }
    const Group all = make_world();
    commit(all);
    if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0)
        return;
    for (int frame = 0; frame < 2; ++frame) {
        if (to) {
            GuardedBuffer fresh = data.new_sink(*to);
            std::copy_n(fresh.data(), fresh.bytes(), sink->data());
        }
        if (from || to)
            expect_success(DRI_do("case", DRI_XFER_NULL), "DRI_do");
        try {
            if (from)
                data.check_source(*from, *source);
            if (to)
                data.check_sink(*to, *sink);
        } catch (const std::runtime_error &e) {
            ADD_FAILURE() << "frame " << frame << ": " << e.what();
        }
    }
}

// All stop together where one has failed: the first case tells enough.
bool all_well() { return sum_of(testing::Test::HasFailure() ? 1 : 0) == 0; }

TEST(Cases, ThatWentWrongOnce) {
    const auto path = std::filesystem::path(DRI_TESTS_FOLDER) / "regressions.txt";
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    for (std::string line; std::getline(file, line) && all_well();)
        if (!line.empty() && line[0] != '#')
            if (const TransferCase c = dri::test::from_line(line); c.world() <= world().size)
                for (const int threads : {1, 2})
                    expect_case(c, threads);
}

template <class Threads> void expect_random_cases(uint64_t first_seed, int wanted, const Threads &threads) {
    int run = 0;
    for (uint64_t seed = 0; run < wanted && all_well(); ++seed) {
        const TransferCase c = dri::test::make_case(first_seed + seed, static_cast<int>(10 + seed % 40));
        // Small worlds come up often; large jobs take those that need them.
        if (c.world() > world().size || (c.world() < world().size && seed % 4 != 0))
            continue;
        expect_case(c, threads(run));
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

TEST(Cases, Random) {
    expect_random_cases(7000, 120, [](int) { return 1; });
}

// One to three of them on each process, which need not be as many as on the next.
TEST(Cases, RandomByThreads) {
    expect_random_cases(9000, 60, [](int i) { return 1 + (i + world().rank) % 3; });
}

} // namespace
} // namespace dri_test
