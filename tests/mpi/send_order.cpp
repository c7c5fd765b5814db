// The order of MPI's calls in a frame. In a call that looks for messages, MPI copies all long ones that it finds,
// so what this process has not sent by then waits for all of them.
#include "support/halo.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dri::test {

namespace {

// Moves frames of a halo exchange. The first so many messages leave before the first look.
void expect_sends_before_looks(Halo &halo, int64_t messages) {
    commit(make_world());
    for (int f = 0; f < 20; ++f) {
        halo.fill();
        std::string calls;
        mpi_calls.order = &calls;
        expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        mpi_calls.order = nullptr;
        halo.check();
        EXPECT_GE(std::count(calls.begin(), calls.end(), 's'), messages);
        if (const size_t first = calls.find('s'); first != std::string::npos) {
            const std::string sends = calls.substr(first, static_cast<size_t>(messages));
            EXPECT_EQ(std::count(sends.begin(), sends.end(), '?'), 0) << calls.substr(0, 100);
        }
    }
}

} // namespace

// Rows of 1 MB are four messages each, and none is packed.
TEST(SendOrder, LongRowsLeaveBeforeThisProcessLooks) {
    const auto size = static_cast<size_t>(world().size);
    Halo halo({.cuts = {{std::vector<int64_t>(size, 2), 1, 1, DRI_WRAP}, {{131'072}}}, .ways = by_messages});
    expect_sends_before_looks(halo, size > 1 ? 8 : 0);
}

// The columns of parts that are cut in both dimensions are packed. Rows to all neighbours leave before them.
TEST(SendOrder, LongRowsLeaveBeforeColumns) {
    const auto size = static_cast<size_t>(world().size);
    if (size % 2)
        GTEST_SKIP() << "cuts both dimensions: an even number of processes is needed";
    Halo halo({.cuts = {{{8, 8}, 1, 1, DRI_WRAP}, {std::vector<int64_t>(size / 2, 131'072), 1, 1, DRI_WRAP}},
               .ways = by_messages});
    expect_sends_before_looks(halo, 8);
}

} // namespace dri::test
