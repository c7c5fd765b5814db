// Arrays that end while a loop of theirs has timed out: on process 0, and the others come late.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>

namespace dri::test {
namespace {

class ArrayEndings : public testing::Test {
protected:
    const int64_t n_ = 64 * world().size;
    DRI_Kernel kernel_ = nullptr;
    void *copy_ = nullptr;

    void SetUp() override {
        if (world().size == 1)
            GTEST_SKIP() << "nobody comes late";
        if (const char *const check = std::getenv("DRI_CHECK"); check && std::string(check) == "1")
            GTEST_SKIP() << "comparing the calls waits for the others";
        expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel_, &copy_, nullptr), "DRI_loop_kernel");
    }
    static bool is_first() { return world().rank == 0; }
    // Its elements are i + first.
    Array made(double first) const {
        Array array = shape_array({n_}, make_world());
        fill_flat(array, {n_}, [first](int64_t i) { return static_cast<double>(i) + first; });
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 200), "DRI_array_set_attr");
        return array;
    }
    // target[i] = read[i + 64]: each process reads what the next one owns.
    Loop shift(const Array &target, const Array &read) const {
        const DRI_Operand to = operand_of(target, {{0, 1, n_ - 64}}), from = operand_of(read, {{64, 1, n_ - 64}});
        Loop loop;
        expect_success(DRI_loop_create(&to, 1, &from, loop.out()), "DRI_loop_create");
        return loop;
    }
    int shifted(const Array &target, const Array &read) const {
        const DRI_Operand to = operand_of(target, {{0, 1, n_ - 64}}), from = operand_of(read, {{64, 1, n_ - 64}});
        Loop loop;
        const int code = DRI_loop_create(&to, 1, &from, loop.out());
        return code == DRI_SUCCESS ? DRI_loop_run(loop, kernel_, copy_) : code;
    }
    // In memory of the caller, of equal size on all processes.
    static Array array_in(Values &memory) {
        const auto n = static_cast<int64_t>(memory.size()) * world().size;
        const Domain domain = make_domain(make_map({block_dim(0, n)}, make_world()), {{0, 1, n}});
        Array made;
        expect_success(DRI_array_create(domain, DRI_DOUBLE, memory.data(), made.out()), "DRI_array_create");
        expect_success(DRI_array_set_attr(made, DRI_ARRAY_TIMEOUT_MS, 200), "DRI_array_set_attr");
        return made;
    }
    static void repeat(const std::function<int()> &call) {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = call();
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    }
    void expect_shifted(const Array &target, double first) const {
        Values wanted(64);
        const double own = static_cast<double>(64 * world().rank);
        std::iota(wanted.begin(), wanted.end(), world().rank + 1 < world().size ? own + 64 + first : own);
        EXPECT_EQ(elements_of(parts_of(target)[1]), wanted);
    }
};

// The plan serves other arrays later, and first ends its run in the memory of those that have ended.
TEST_F(ArrayEndings, ALoopThatHasTimedOutOutlivesItsArrays) {
    {
        const Array target = made(0), read = made(100);
        repeat([&] { return shifted(target, read); });
        barrier();
        if (is_first()) {
            EXPECT_EQ(shifted(target, read), DRI_ERR_TIMEOUT);
        }
        barrier();
        if (!is_first()) {
            repeat([&] { return shifted(target, read); });
        }
    }
    // Four plans are kept. The fifth pair of arrays has the first one.
    std::vector<Array> arrays;
    for (int turn = 0; turn < 8; ++turn) {
        arrays.push_back(made(0));
        arrays.push_back(made(1000 * turn));
        const Array &target = arrays[arrays.size() - 2], &read = arrays.back();
        repeat([&] { return shifted(target, read); });
        expect_shifted(target, 1000 * turn);
    }
}

// In memory of the caller. It is freed behind the call that destroys the array, so that waits for the others.
TEST_F(ArrayEndings, ALoopInMemoryOfTheCallerEndsBeforeItsArrays) {
    const auto arrays_in = [&](std::vector<Values> &memory) {
        std::vector<Array> made;
        for (Values &one : memory) {
            one.resize(64);
            const double first = static_cast<double>(64 * world().rank) + (made.empty() ? 0 : 100);
            std::iota(one.begin(), one.end(), first);
            made.push_back(array_in(one));
        }
        return made;
    };
    const auto run = [&](const std::vector<Array> &arrays) { return shifted(arrays[0], arrays[1]); };
    const auto expect_found = [&](const Values &found) {
        const double own = static_cast<double>(64 * world().rank);
        EXPECT_EQ(found[5], world().rank + 1 < world().size ? own + 64 + 105 : own + 5);
    };
    for (int turn = 0; turn < 3; ++turn) {
        std::vector<Values> memory(2);
        std::vector<Array> arrays = arrays_in(memory);
        repeat([&] { return run(arrays); });
        barrier();
        if (is_first()) {
            EXPECT_EQ(run(arrays), DRI_ERR_TIMEOUT);
            const std::string message = DRI_error_message();
            arrays.clear();
            EXPECT_EQ(DRI_error_message(), message);
            for (Values &one : memory)
                std::fill(one.begin(), one.end(), -1);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            repeat([&] { return run(arrays); });
            expect_found(memory[0]);
        }
    }
    // All processes still have the plan.
    std::vector<Values> memory(2);
    const std::vector<Array> arrays = arrays_in(memory);
    const auto start = std::chrono::steady_clock::now();
    repeat([&] { return run(arrays); });
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    expect_found(memory[0]);
}

// As long as calls of set-up, also where frames have a shorter deadline. So all still have the plan.
TEST_F(ArrayEndings, AnArrayWaitsForOthersAsCallsOfSetUpDo) {
    const int64_t row[]{1, n_}; // of process 0
    for (const bool moves : {false, true})
        for (int turn = 0; turn < 5; ++turn) { // four plans are kept, so the last one has the first one's
            std::vector<Values> memory(2, Values(64, 1));
            std::vector<Array> arrays;
            Array result;
            for (Values &one : memory)
                arrays.push_back(array_in(one));
            const auto call = [&] {
                if (moves)
                    return DRI_array_reshape(arrays[0], 2, row, result.out());
                const DRI_Operand to = operand_of(arrays[0], {{0, 1, n_ - 32}});
                const DRI_Operand from = operand_of(arrays[1], {{32, 1, n_ - 32}});
                Loop loop;
                const int code = DRI_loop_create(&to, 1, &from, loop.out());
                return code == DRI_SUCCESS ? DRI_loop_run(loop, kernel_, copy_) : code;
            };
            repeat(call);
            result = Array();
            if (turn > 0)
                continue;
            barrier();
            if (is_first()) {
                EXPECT_EQ(call(), DRI_ERR_TIMEOUT);
                ASSERT_EQ(setenv("DRI_TIMEOUT", "0.1", 1), 0);
                arrays.clear();
                unsetenv("DRI_TIMEOUT");
            } else {
                std::this_thread::sleep_for(std::chrono::milliseconds(700));
                repeat(call);
            }
            barrier();
        }
}

// Others do not come in time: the array waits once, and not for the ends of the plan again. These have the
// deadline of the library's start, which is longer than a test. No other test has arrays of this form.
TEST_F(ArrayEndings, AnArrayWaitsOnceForOthersThatDoNotCome) {
    const int64_t n = 1024 * world().size, row[]{1, n};
    for (const bool moves : {false, true}) {
        std::vector<Values> memory(2, Values(1024, 1));
        std::vector<Array> arrays;
        for (Values &one : memory)
            arrays.push_back(array_in(one));
        const auto call = [&] { // others read what process 0 owns, where it lies
            Array result;
            if (moves)
                return DRI_array_reshape(arrays[0], 2, row, result.out());
            const DRI_Operand to = operand_of(arrays[0], {{640, 1, n - 640}});
            const DRI_Operand from = operand_of(arrays[1], {{0, 1, n - 640}});
            return DRI_loop_do(&to, 1, &from, kernel_, copy_, nullptr);
        };
        repeat(call);
        barrier();
        if (is_first()) {
            EXPECT_EQ(call(), DRI_ERR_TIMEOUT);
            ASSERT_EQ(setenv("DRI_SETUP_TIMEOUT", "0.3", 1), 0);
            arrays.clear();
            unsetenv("DRI_SETUP_TIMEOUT");
        }
        barrier();
    }
}

TEST_F(ArrayEndings, ARunIsRefusedToOtherArraysWhileItIsUnderWay) {
    std::vector<Array> arrays;
    for (int pair = 0; pair < 5; ++pair) {
        arrays.push_back(made(0));
        arrays.push_back(made(1000 * pair));
    }
    const auto run = [&](size_t pair) { return shifted(arrays[2 * pair], arrays[2 * pair + 1]); };
    for (size_t pair = 0; pair < 4; ++pair)
        repeat([&] { return run(pair); });
    barrier();
    if (is_first()) {
        EXPECT_EQ(run(0), DRI_ERR_TIMEOUT);
        for (size_t pair = 1; pair < 4; ++pair)
            EXPECT_EQ(run(pair), DRI_ERR_TIMEOUT);
        EXPECT_EQ(run(4), DRI_ERR_STATE) << "it would take the plan of the first pair";
    }
    barrier();
    for (size_t pair = 0; pair < 5; ++pair) {
        repeat([&] { return run(pair); });
        expect_shifted(arrays[2 * pair], 1000 * static_cast<double>(pair));
    }
}

TEST_F(ArrayEndings, ADomainStaysWhileALoopIsUnderWay) {
    const Array target = made(0), read = made(100);
    const Loop loop = shift(target, read);
    repeat([&] { return DRI_loop_run(loop, kernel_, copy_); });
    barrier();
    if (is_first()) {
        EXPECT_EQ(DRI_loop_run(loop, kernel_, copy_), DRI_ERR_TIMEOUT);
    }
    barrier();
    Domain domain;
    expect_success(DRI_array_get_domain(read, domain.out()), "DRI_array_get_domain");
    const DRI_Range fewer{0, 1, n_ - 1};
    EXPECT_EQ(DRI_domain_set(domain, DRI_Map{}, &fewer), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("under way"), std::string::npos) << DRI_error_message();
    repeat([&] { return DRI_loop_run(loop, kernel_, copy_); });
    expect_shifted(target, 100);
    expect_success(DRI_domain_set(domain, DRI_Map{}, &fewer), "DRI_domain_set");
}

} // namespace
} // namespace dri::test
