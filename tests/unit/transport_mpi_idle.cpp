// What Open MPI's launcher says in the environment about yielding.
#include "transport/mpi_idle.hpp"

#include "support/variable.hpp"

#include <gtest/gtest.h>

namespace dri::test {
namespace {

using transport::mpi_yields_when_idle;

bool yields(const char *chosen, const char *crowded) {
    const Variable a("OMPI_MCA_mpi_yield_when_idle", chosen), b("OMPI_MCA_mpi_oversubscribe", crowded);
    return mpi_yields_when_idle();
}

TEST(MpiIdle, YieldsOnCrowdedNodes) {
    EXPECT_FALSE(yields(nullptr, nullptr));
    EXPECT_FALSE(yields(nullptr, "0"));
    EXPECT_TRUE(yields(nullptr, "1"));
}

TEST(MpiIdle, FollowsTheChoiceOfTheUserFirst) {
    EXPECT_TRUE(yields("1", "0"));
    EXPECT_TRUE(yields("true", nullptr));
    EXPECT_FALSE(yields("0", "1"));
    EXPECT_FALSE(yields("false", "1"));
}

} // namespace
} // namespace dri::test
