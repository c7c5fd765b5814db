// Calls of two threads on arrays over the same processes: the second one is refused at once, by name.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <thread>

namespace dri::test {
namespace {

using Clock = std::chrono::steady_clock;

// What a call gave, and its message, which belongs to the thread.
struct Outcome {
    int code = DRI_SUCCESS;
    std::string message;
    explicit Outcome(int given) : code(given), message(given == DRI_SUCCESS ? "" : DRI_error_message()) {}
};

// A kernel that is inside until it is let go.
struct Gate {
    std::atomic<bool> is_inside = false, is_open = false;
    static int add(void *context, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
        auto &gate = *static_cast<Gate *>(context);
        gate.is_inside = true;
        while (!gate.is_open)
            std::this_thread::yield();
        double sum = 0;
        for (int64_t i = 0; i < sizes[0]; ++i)
            sum += *reinterpret_cast<const double *>(static_cast<char *>(data[1]) + i * steps[1][0]);
        *static_cast<double *>(data[0]) = sum;
        return DRI_SUCCESS;
    }
};

class ArrayThreads : public testing::Test {
protected:
    const int64_t n_ = 4 * world().size;
    const double sum_ = static_cast<double>(n_ * (n_ - 1) / 2);
    const Array a_ = made(), b_ = made();

    Array made() const {
        Array array = shape_array({n_}, make_world());
        fill_flat(array, {n_}, [](int64_t i) { return static_cast<double>(i); });
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 200), "DRI_array_set_attr");
        return array;
    }
    Loop loop_over(const Array &array) const {
        const DRI_Operand read = operand_of(array, {{0, 1, n_}});
        Loop loop;
        expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
        return loop;
    }
    static void expect_refused(const Outcome &outcome, const std::string &name) {
        EXPECT_EQ(outcome.code, DRI_ERR_STATE) << outcome.message;
        EXPECT_NE(outcome.message.find("another thread is in a call of " + name), std::string::npos)
            << outcome.message;
    }
    // Calls until it has ended, also where another thread is in the way.
    static int repeated(const std::function<int()> &call) {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT || code == DRI_ERR_STATE)
            code = call();
        return code;
    }
    // Goes on as long as others are late.
    static int until_others_come(const std::function<int()> &call) {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = call();
        return code;
    }
    // Process 0 calls on two threads, while the others are late. Between two calls of the first thread the second
    // one may time out, or be refused for another reason. It tries again then.
    static void refuses_the_second(const std::function<int()> &first, const std::function<int()> &second,
                                   const std::string &name) {
        for (const auto &call : {first, second})
            expect_success(repeated(call), "alone");
        barrier();
        if (world().rank == 0) {
            std::atomic<int> code = -1, first_code = -1;
            std::thread other([&] {
                first_code = first();
                code = repeated(first);
            });
            while (first_code == -1)
                std::this_thread::yield();
            EXPECT_EQ(first_code, DRI_ERR_TIMEOUT);
            const Clock::time_point start = Clock::now();
            Outcome mine(second());
            while (mine.message.find("another thread") == std::string::npos &&
                   Clock::now() - start < std::chrono::seconds(20))
                mine = Outcome(second());
            expect_refused(mine, name);
            barrier();
            other.join();
            EXPECT_EQ(code, DRI_SUCCESS);
        } else {
            barrier();
            expect_success(repeated(first), "late");
        }
        expect_success(repeated(second), "afterwards");
    }
};

TEST_F(ArrayThreads, OneThreadReducesLoopsOverSomeProcesses) {
    const Loop of_a = loop_over(a_), of_b = loop_over(b_);
    Gate gate, open;
    open.is_open = true;
    double first = -1, second = -1;
    const auto reduce = [](const Loop &loop, Gate &context, double &sum) {
        return DRI_loop_reduce(loop, Gate::add, &context, DRI_DOUBLE, 1, DRI_OP_SUM, &sum);
    };
    std::atomic<int> code = -1;
    std::thread other([&] { code = until_others_come([&] { return reduce(of_a, gate, first); }); });
    while (!gate.is_inside)
        std::this_thread::yield();
    expect_refused(Outcome(reduce(of_b, open, second)), "DRI_loop_reduce over the same processes");
    expect_refused(Outcome(reduce(of_a, open, second)), "this loop");
    EXPECT_EQ(second, -1);
    gate.is_open = true;
    other.join();
    EXPECT_EQ(code, DRI_SUCCESS);
    EXPECT_EQ(first, sum_);
    expect_success(until_others_come([&] { return reduce(of_b, open, second); }), "DRI_loop_reduce");
    EXPECT_EQ(second, sum_);
}

TEST_F(ArrayThreads, OneThreadReducesArraysOverSomeProcesses) {
    if (world().size == 1)
        GTEST_SKIP() << "nobody is late";
    double first = -1, second = -1;
    refuses_the_second([&] { return DRI_array_reduce(a_, nullptr, DRI_OP_SUM, &first); },
                       [&] { return DRI_array_reduce(b_, nullptr, DRI_OP_SUM, &second); },
                       "DRI_array_reduce over the same processes");
    EXPECT_EQ(first, sum_);
    EXPECT_EQ(second, sum_);
}

TEST_F(ArrayThreads, OneThreadRepartitionsArraysOverSomeProcesses) {
    if (world().size == 1)
        GTEST_SKIP() << "nobody is late";
    const DRI_Box all{{0}, {n_}};
    const auto repartition = [&](const Array &array) {
        Array piece;
        return DRI_array_repartition(array, &all, piece.out());
    };
    refuses_the_second([&] { return repartition(a_); }, [&] { return repartition(b_); },
                       "DRI_array_repartition over the same processes");
    refuses_the_second([&] { return repartition(a_); }, [&] { return repartition(a_); },
                       "DRI_array_repartition of this array");
}

TEST_F(ArrayThreads, OneThreadMakesAMove) {
    if (world().size == 1)
        GTEST_SKIP() << "nobody is late";
    std::vector<double> first(static_cast<size_t>(n_)), second(first);
    refuses_the_second([&] { return DRI_array_gather(a_, nullptr, -1, first.data()); },
                       [&] { return DRI_array_gather(a_, nullptr, -1, second.data()); }, "this move");
    EXPECT_EQ(first, second);
}

// Which plan another array takes follows from the order of the calls, which must be the same on all processes.
TEST_F(ArrayThreads, OneThreadMovesArraysOfOneForm) {
    if (world().size == 1)
        GTEST_SKIP() << "nobody is late";
    const int64_t row[]{1, n_}; // of process 0
    const auto reshape = [&](const Array &array) {
        Array made;
        return DRI_array_reshape(array, 2, row, made.out());
    };
    refuses_the_second([&] { return reshape(a_); }, [&] { return reshape(b_); }, "this move");
    const Numbers shape{n_, 4};
    const Array c = shape_array(shape, make_world()), d = shape_array(shape, make_world());
    for (const Array *const array : {&c, &d})
        expect_success(DRI_array_set_attr(*array, DRI_ARRAY_TIMEOUT_MS, 200), "DRI_array_set_attr");
    const int turned[]{1, 0};
    const auto permute = [&](const Array &array) {
        Array made;
        return DRI_array_permute(array, turned, made.out());
    };
    refuses_the_second([&] { return permute(c); }, [&] { return permute(d); }, "this move");
}

// Loops over arrays of their own run beside each other.
TEST_F(ArrayThreads, EachRunsItsOwnLoop) {
    const Loop of_a = loop_over(a_);
    Gate gate, open;
    open.is_open = true;
    const auto copy = [](const Array &to, const Array &from, int64_t n) {
        const DRI_Operand target = operand_of(to, {{0, 1, n}}), read = operand_of(from, {{0, 1, n}});
        DRI_Kernel kernel = nullptr;
        void *context = nullptr;
        Loop loop;
        expect_success(DRI_loop_kernel(DRI_OP_NEG, DRI_DOUBLE, &kernel, &context, nullptr), "DRI_loop_kernel");
        expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
        return DRI_loop_run(loop, kernel, context);
    };
    const Array c = made();
    expect_success(copy(c, b_, n_), "alone");
    double sum = -1;
    std::atomic<int> code = -1;
    const auto reduce = [&] { return DRI_loop_reduce(of_a, Gate::add, &gate, DRI_DOUBLE, 1, DRI_OP_SUM, &sum); };
    std::thread other([&] { code = until_others_come(reduce); });
    while (!gate.is_inside)
        std::this_thread::yield();
    expect_success(copy(b_, c, n_), "beside the other");
    gate.is_open = true;
    other.join();
    EXPECT_EQ(code, DRI_SUCCESS);
    EXPECT_EQ(sum, sum_);
    Values wanted;
    for (const double one : elements_of(parts_of(a_)[1]))
        wanted.push_back(one);
    EXPECT_EQ(elements_of(parts_of(b_)[1]), wanted);
}

// One thread runs a loop, whose plan another array had until now. That ends on a second thread at the same time.
TEST_F(ArrayThreads, AnArrayEndsWhileItsPlanGoesToAnother) {
    const int64_t n = 5 * world().size;
    const auto made_of_fives = [n] {
        Array array = shape_array({n}, make_world());
        fill_flat(array, {n}, [](int64_t i) { return static_cast<double>(i); });
        return array;
    };
    const auto shift = [n](const Array &array) {
        const DRI_Operand target = operand_of(array, {{0, 1, n - 1}}), read = operand_of(array, {{1, 1, n - 1}});
        DRI_Kernel kernel = nullptr;
        void *copy = nullptr;
        int code = DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &copy, nullptr);
        while (code == DRI_SUCCESS || code == DRI_ERR_TIMEOUT)
            if (code = DRI_loop_do(&target, 1, &read, kernel, copy, nullptr); code != DRI_ERR_TIMEOUT)
                return code;
        return code;
    };
    std::list<Array> arrays; // four plans are kept
    for (int i = 0; i < 4; ++i)
        expect_success(shift(arrays.emplace_back(made_of_fives())), "first");
    const int64_t begin = 5 * world().rank, end = std::min(begin + 5, n - 1);
    int wrong = 0;
    for (int turn = 0; turn < rounds(500); ++turn) {
        arrays.push_back(made_of_fives());
        std::atomic<int> ready = 0;
        const auto meet = [&ready, turn](int of) {
            for (++ready; ready < 2;)
                std::this_thread::yield();
            for (std::atomic<int> spin = turn % 100 * of; spin > 0; --spin) {
            }
        };
        std::thread other([&] {
            meet(turn % 2);
            arrays.pop_front();
        });
        meet(1 - turn % 2);
        const int code = shift(arrays.back());
        other.join();
        wrong += code != DRI_SUCCESS;
        const Values found = elements_of(parts_of(arrays.back())[1]);
        for (int64_t i = begin; i < end; ++i)
            wrong += found[static_cast<size_t>(i - begin)] != static_cast<double>(i + 1);
    }
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace dri::test
