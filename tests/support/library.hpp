// An MPI test program that includes this file has the library started on MPI_COMM_WORLD while its tests run.
#pragma once

#include <dri/dri_mpi.h>
#include <gtest/gtest.h>

namespace dri::test {

class Library : public testing::Environment {
public:
    void SetUp() override { ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message(); }
    void TearDown() override { ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message(); }
};

inline testing::Environment *const running_library = testing::AddGlobalTestEnvironment(new Library);

} // namespace dri::test
