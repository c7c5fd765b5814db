// Users' maps that are slow on one process. The others return DRI_ERR_TIMEOUT by a deadline and say where that
// process is.
#include "support/arrays.hpp"

#include <dri/dri_mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace dri::test {
namespace {

constexpr int64_t n = 12;

// Members in turn. One function is slow on the last process, once: it returns when all others have given up.
struct Slow {
    bool in_owner = false, in_known = false;
};

bool is_last() { return world().rank == world().size - 1; }

void wait_for_others(bool &is_slow) {
    if (is_slow && is_last())
        for (int rank = 0; rank < world().size - 1; ++rank)
            MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    is_slow = false;
}

int slow_owner(void *ctx, const int64_t index[], int *position) {
    if (index[0] == 0)
        wait_for_others(static_cast<Slow *>(ctx)->in_owner);
    *position = static_cast<int>(index[0] % world().size);
    return DRI_SUCCESS;
}

int slow_known(void *ctx, const DRI_Assignment *, int *done) {
    wait_for_others(static_cast<Slow *>(ctx)->in_known);
    *done = 0;
    return DRI_SUCCESS;
}

Domain domain_of(Slow &slow) {
    DRI_Map_ops ops = map_ops("slow", slow_owner);
    ops.known = slow_known;
    return make_domain(make_user_map(1, ops, &slow), {{0, 1, n}});
}

double twice(const Indices &at) { return static_cast<double>(2 * at[0]); }

class SlowMaps : public testing::Test {
protected:
    using Clock = std::chrono::steady_clock;

    void SetUp() override {
        if (world().size < 2)
            GTEST_SKIP() << "nobody waits";
        setenv("DRI_SETUP_TIMEOUT", "2", 1);
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    }
    void TearDown() override {
        if (world().size < 2)
            return;
        barrier();
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
    // Of the processes that waited, from then on.
    static void expect_late(int code, Clock::time_point begin) {
        MPI_Send(nullptr, 0, MPI_BYTE, world().size - 1, 0, MPI_COMM_WORLD);
        const std::string message = DRI_error_message(), who = "process " + std::to_string(world().size - 1);
        EXPECT_EQ(code, DRI_ERR_TIMEOUT) << message;
        EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(3500)) << "not twice";
        EXPECT_NE(message.find(who + " waits in no call"), std::string::npos) << message;
        EXPECT_NE(message.find("may be in a function of the user's map 'slow'"), std::string::npos) << message;
    }
    static void expect_works() {
        barrier();
        Slow fast;
        const Domain domain = domain_of(fast);
        const Array array = make_array(domain), other = make_array(domain);
        fill(array, domain, twice);
        expect_success(DRI_assign(other, nullptr, array, nullptr, nullptr), "DRI_assign");
        EXPECT_EQ(difference(other, domain, twice), "");
    }
};

TEST_F(SlowMaps, AnOwnerThatIsSlowWhenAnArrayIsMade) {
    {
        Slow slow;
        const Domain domain = domain_of(slow);
        slow.in_owner = true;
        barrier();
        const auto begin = Clock::now();
        DRI_Array array{7};
        const int code = DRI_array_create(domain, DRI_DOUBLE, nullptr, &array);
        EXPECT_EQ(array.id, 0u);
        EXPECT_EQ(code, DRI_ERR_TIMEOUT) << DRI_error_message();
        if (!is_last())
            expect_late(code, begin);
    }
    expect_works();
}

TEST_F(SlowMaps, AMapThatIsSlowToDeclineAnAssignment) {
    {
        Slow slow;
        const Domain domain = domain_of(slow);
        const Array array = make_array(domain), other = make_array(domain);
        fill(array, domain, twice);
        slow.in_known = true;
        barrier();
        const auto begin = Clock::now();
        int code = DRI_assign(other, nullptr, array, nullptr, nullptr);
        if (!is_last())
            expect_late(code, begin);
        barrier();
        code = DRI_assign(other, nullptr, array, nullptr, nullptr);
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(difference(other, domain, twice), "");
    }
    expect_works();
}

} // namespace
} // namespace dri::test
