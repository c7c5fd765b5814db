// Distributions that were packed and made again, on processes that take part and on others.
#include "support/case_part.hpp"
#include "support/library.hpp"
#include "support/packed.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {
namespace {

// Processes that take no part unpack what the first one has packed, and ask about every process.
TEST(Packed, DistributionsAreUnpackedElsewhere) {
    const int n = world().size;
    const std::vector<int> few = ranks(std::max(1, n - 1));
    const bool member = world().rank < static_cast<int>(few.size());
    std::vector<std::byte> bytes;
    Dist dist;
    const std::vector<DRI_Run> own{
        {world().rank, 1, (20 - world().rank + std::ssize(few) - 1) / std::ssize(few), std::ssize(few)}};
    if (member) {
        dist = make_dist(
            make_gdo({20, 6}),
            make_part({{.kind = DRI_RUNS, .left = 1, .right_edge = DRI_WRAP, .runs = own.data(), .nruns = 1}, {}}),
            make_group(few));
        bytes = packed(dist);
    }
    share(bytes);
    Dist made;
    expect_success(DRI_dist_unpack(bytes.data(), bytes.size(), made.out()), "DRI_dist_unpack");
    for (int64_t i = 0; i < 20; ++i) {
        const int64_t index[]{i, 3};
        int rank = -1;
        expect_success(DRI_dist_owner(made, index, &rank), "DRI_dist_owner");
        EXPECT_EQ(rank, i % std::ssize(few));
    }
    EXPECT_EQ(packed(made), bytes);
    if (member) {
        int flag = 0;
        expect_success(DRI_dist_equal(made, dist, &flag), "DRI_dist_equal");
        EXPECT_EQ(flag, 1);
    }
}

// An unpacked distribution serves as well as one that was made collectively.
TEST(Packed, AnUnpackedDistributionMovesData) {
    const std::string line = "float [12,10] cyclic(0,2,phase=0),* rm over all -> *,block rm over all";
    const CasePart from(case_of(line), DRI_SOURCE), to(case_of(line), DRI_SINK);
    CaseEndpoint source = from.make(), sink = to.make();
    for (CaseEndpoint *endpoint : {&source, &sink}) {
        const auto bytes = packed(endpoint->dist);
        Dist made;
        expect_success(DRI_dist_unpack(bytes.data(), bytes.size(), made.out()), "DRI_dist_unpack");
        endpoint->dist = std::move(made);
    }
    source.xfer = make_xfer("unpacked", DRI_SOURCE, source.dist);
    sink.xfer = make_xfer("unpacked", DRI_SINK, sink.dist);
    commit(make_world());
    from.fill(buffer_of<void>(source.xfer), 1);
    expect_success(DRI_do("unpacked", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(to.wrong(buffer_of<void>(sink.xfer), 1), 0);
}

} // namespace
} // namespace dri::test
