// A DRI_init that starts MPI and then fails. DRI_finalize must finish MPI, so that the program can exit properly.
#include "support/child.hpp"

#include <dri/dri_mpi.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace dri::test {
namespace {

TEST(FailedStart, IsEndedByFinalize) {
    setenv("DRI_ISA", "zzz", 1);
    EXPECT_EQ(DRI_init(nullptr, nullptr), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("DRI_ISA=zzz"), std::string::npos) << DRI_error_message();
    int flag = 1, ended = 1;
    EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS);
    EXPECT_EQ(flag, 0);
    MPI_Finalized(&ended);
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(outcome_of([] { // the child has no MPI to finish
                  return is_refused(DRI_finalize()) && is_refused(DRI_init(nullptr, nullptr)) ? 0 : 1;
              }),
              "0");
    EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    MPI_Finalized(&ended);
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(DRI_finalize(), DRI_ERR_STATE) << "once";
}

} // namespace
} // namespace dri::test

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
