// The order of MPI's calls in a frame. In a call that looks for messages, MPI copies all long ones that it finds,
// so what this process has not sent by then waits for all of them.
#include "support/halo.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dri::test {

// Rows of 1 MB are several messages each way, of which none is packed.
TEST(SendOrder, AllLongRowsLeaveBeforeThisProcessLooks) {
    const auto size = static_cast<size_t>(world().size);
    Halo halo({.cuts = {{std::vector<int64_t>(size, 2), 1, 1, DRI_WRAP}, {{131'072}}},
               .ways = DRI_WAY_SELF | DRI_WAY_MESSAGE});
    commit(make_world());
    for (int f = 0; f < 20; ++f) {
        halo.fill();
        std::string calls;
        mpi_calls.order = &calls;
        expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        mpi_calls.order = nullptr;
        halo.check();
        const size_t first = calls.find('s'), last = calls.rfind('s');
        EXPECT_EQ(first != std::string::npos, size > 1 && halo.info().bytes_message > 0);
        if (first != std::string::npos) {
            EXPECT_GE(last - first, 7u) << "two rows of four messages";
            EXPECT_EQ(calls.substr(first, last - first + 1).find('?'), std::string::npos) << calls.substr(0, 60);
        }
    }
}

} // namespace dri::test
