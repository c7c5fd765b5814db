// Base of the tests of the progress thread. They are skipped if MPI allows calls of one thread only.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <mpi.h>

namespace dri::test {

// A timeout for waits that never finish without the progress thread.
inline constexpr int64_t long_enough_ms = 60000;

class ThreadTest : public testing::Test {
protected:
    void SetUp() override {
        int granted = MPI_THREAD_SINGLE;
        MPI_Query_thread(&granted);
        if (granted < MPI_THREAD_MULTIPLE)
            GTEST_SKIP() << "this MPI allows calls of one thread only";
    }

    const int last_ = world().size - 1;
    const Group all_ = make_world();
};

} // namespace dri::test
