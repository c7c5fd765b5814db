// What goes on after a timeout, and what is refused meanwhile: process 0 calls alone, and the others come late.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/late_arrays.hpp"
#include "support/library.hpp"

#include <dri/stream.h>

#include <functional>

namespace dri::test {
namespace {

TEST_F(ArrayTimeouts, AGatherGoesOnWithItsOwnMemory) {
    Values first(static_cast<size_t>(n_), -1), other = first;
    const auto gather = [&](Values &to) { return DRI_array_gather(a_, nullptr, 0, to.data()); };
    repeat([&] { return gather(other); });
    std::fill(other.begin(), other.end(), -1);
    barrier();
    if (is_first()) {
        EXPECT_EQ(gather(first), DRI_ERR_TIMEOUT);
        EXPECT_EQ(gather(other), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("its own memory"), std::string::npos)
            << DRI_error_message();
    }
    barrier();
    repeat([&] { return gather(first); });
    if (is_first()) {
        EXPECT_EQ(first, counting(0, n_));
        EXPECT_EQ(other, Values(other.size(), -1));
    }
}

// A receiver without memory fails alone, and nobody waits for it: the first time, and with a known plan. Where
// calls are compared all fail alike.
TEST_F(ArrayTimeouts, AGatherWithoutMemoryHoldsNobodyUp) {
    const DRI_Range some{1, 1, n_ - 1};
    for (const DRI_Range *const slice : {static_cast<const DRI_Range *>(nullptr), &some})
        for (const int root : {0, -1}) {
            const int64_t first = slice ? 1 : 0;
            Values found(static_cast<size_t>(n_ - first), -1);
            const bool receives = root == -1 || is_first();
            const auto gathered = [&](int code, bool is_whole) {
                EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
                EXPECT_EQ(found, receives && is_whole ? counting(first, n_) : Values(found.size(), -1));
                std::fill(found.begin(), found.end(), -1);
            };
            for (int again = 0; again < 3; ++again) {
                int code = DRI_ERR_TIMEOUT;
                while (code == DRI_ERR_TIMEOUT)
                    code = DRI_array_gather(a_, slice, root, is_first() ? nullptr : found.data());
                if (is_first() || compares_calls()) {
                    EXPECT_EQ(code, DRI_ERR_ARG);
                    EXPECT_NE(std::string(DRI_error_message()).find("data"), std::string::npos);
                } else {
                    gathered(code, true);
                }
            }
            for (int turn = 0; turn < 2; ++turn) {
                int code = DRI_ERR_TIMEOUT;
                while (code == DRI_ERR_TIMEOUT)
                    code = DRI_array_gather(a_, slice, root, found.data());
                gathered(code, true);
            }
        }
}

// Process 0 asks for another target than in its call that has timed out, the others for the same.
TEST_F(ArrayTimeouts, ARepartitionIsOfItsOwnTarget) {
    const auto held = [&](int64_t more) {
        const int64_t begin = 4 * world().rank, rows = is_first() ? 4 + more : 4;
        const DRI_Box box{{begin}, {rows}};
        Array piece;
        repeat([&] { return DRI_array_repartition(a_, &box, piece.out()); });
        Values found;
        for (const DRI_View &part : parts_of(piece))
            for (const double one : elements_of(part))
                found.push_back(one);
        EXPECT_EQ(found, counting(begin, begin + rows)) << more;
    };
    held(1);
    held(2);
    barrier();
    if (is_first()) {
        const DRI_Box box{{0}, {5}};
        Array piece;
        EXPECT_EQ(DRI_array_repartition(a_, &box, piece.out()), DRI_ERR_TIMEOUT);
    }
    barrier();
    if (!is_first())
        held(1);
    held(2);
    held(1);
}

int add_neighbours(void *, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    for (int64_t i = 0; i < sizes[0]; ++i) {
        const auto *at = static_cast<char *>(data[1]) + i * steps[1][0];
        *reinterpret_cast<double *>(static_cast<char *>(data[0]) + i * steps[0][0]) =
            *reinterpret_cast<const double *>(at - steps[1][0]) +
            *reinterpret_cast<const double *>(at + steps[1][0]);
    }
    return DRI_SUCCESS;
}

// Calls that exchange some bytes between all, on one of two arrays.
class ArrayTimeoutsOfOne : public ArrayTimeouts, public testing::WithParamInterface<const char *> {
protected:
    // What the process learns of an array whose elements are i + first.
    double sum_of(double first) const {
        const double n = static_cast<double>(n_);
        return is("repartition") ? 4 * world().rank + first : n * (n - 1) / 2 + n * first;
    }
    static bool is(const std::string &call) { return GetParam() == call; }
    static Loop loop_over(const Array &array, int64_t n) {
        Loop loop;
        if (is("loop")) {
            const DRI_Operand read = operand_of(array, {{0, 1, n}});
            expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
        }
        return loop;
    }
    int call(const Array &array, const Loop &loop, double &found) const {
        if (is("reduce"))
            return DRI_array_reduce(array, nullptr, DRI_OP_SUM, &found);
        if (is("loop"))
            return DRI_loop_reduce(loop, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &found);
        const DRI_Box own{{4 * world().rank}, {4}};
        Array piece;
        const int code = DRI_array_repartition(array, &own, piece.out());
        if (code == DRI_SUCCESS)
            found = elements_of(parts_of(piece)[1])[0];
        return code;
    }
};

TEST_P(ArrayTimeoutsOfOne, AnswersNoOtherArray) {
    Array more = made();
    for (const auto &[array, first] : {std::pair{&b_, 100.}, std::pair{static_cast<const Array *>(&more), 200.}})
        fill_flat(*array, {n_}, [first = first](int64_t i) { return static_cast<double>(i) + first; });
    const Loop of_a = loop_over(a_, n_), of_b = loop_over(b_, n_);
    Loop of_more = loop_over(more, n_);
    double sum = -1;
    const auto expect_sum = [&](const Array &array, const Loop &loop, double first) {
        repeat([&] { return call(array, loop, sum); });
        EXPECT_EQ(sum, sum_of(first));
        sum = -1;
    };
    expect_sum(a_, of_a, 0);
    expect_sum(b_, of_b, 100);
    expect_sum(more, of_more, 200);
    barrier();
    if (is_first() && !compares_calls()) {
        EXPECT_EQ(call(a_, of_a, sum), DRI_ERR_TIMEOUT);
        expect_another(call(b_, of_b, sum));
        EXPECT_EQ(call(a_, of_a, sum), DRI_ERR_TIMEOUT);
    }
    barrier();
    expect_sum(a_, of_a, 0);
    expect_sum(b_, of_b, 100);
    if (compares_calls())
        return;
    barrier();
    // The array ends meanwhile.
    if (is_first()) {
        EXPECT_EQ(call(more, of_more, sum), DRI_ERR_TIMEOUT);
        of_more = Loop();
        more = Array();
    }
    barrier();
    if (!is_first())
        expect_sum(more, of_more, 200);
    expect_sum(b_, of_b, 100);
}

INSTANTIATE_TEST_SUITE_P(Of, ArrayTimeoutsOfOne, testing::Values("reduce", "loop", "repartition"),
                         [](const auto &of) { return std::string(of.param); });

// Plans that are known wait as the array says now. Without a timeout they would wait for minutes.
TEST_F(ArrayTimeouts, ATimeoutThatIsSetLaterHolds) {
    const Array from = shape_array({n_}, make_world()), to = shape_array({n_}, make_world());
    MapDim rule = block_dim(0, n_);
    rule.left = rule.right = 1;
    rule.left_edge = rule.right_edge = DRI_WRAP;
    const Array ring = make_array(make_domain(make_map({rule}, make_world()), {{0, 1, n_}}));
    DRI_Kernel kernel = nullptr;
    void *copy = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &copy, nullptr), "DRI_loop_kernel");
    const DRI_Operand target = operand_of(to, {{0, 1, n_ - 1}}), read = operand_of(from, {{1, 1, n_ - 1}});
    Loop loop, reduction;
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    expect_success(DRI_loop_create(nullptr, 1, &read, reduction.out()), "DRI_loop_create");
    const DRI_Range rest{1, 1, n_ - 1}, start{0, 1, n_ - 1};
    const DRI_Box all{{0}, {n_}};
    double sum = 0;
    Values found(static_cast<size_t>(n_));
    Array piece;
    const std::vector<std::function<int()>> calls{
        [&] { return DRI_loop_run(loop, kernel, copy); },
        [&] { return DRI_loop_reduce(reduction, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &sum); },
        [&] { return DRI_array_reduce(from, nullptr, DRI_OP_SUM, &sum); },
        [&] { return DRI_array_gather(from, nullptr, 0, found.data()); },
        [&] {
            piece = Array();
            return DRI_array_repartition(from, &all, piece.out());
        },
        [&] { return DRI_assign(to, &start, from, &rest, nullptr); },
        [&] { return DRI_array_update_overlap(ring); },
    };
    for (const auto &call : calls)
        expect_success(call(), "the first time");
    for (const DRI_Array array : {from.get(), to.get(), ring.get()})
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 50), "DRI_array_set_attr");
    for (size_t i = 0; i < calls.size(); ++i) {
        barrier();
        if (is_first() && !compares_calls()) {
            EXPECT_EQ(calls[i](), DRI_ERR_TIMEOUT) << i;
        }
        barrier();
        repeat(calls[i]);
    }
}

// The user ends the update that the piece has begun. The next one begins anew.
TEST_F(ArrayTimeouts, AnUpdateOfAPieceThatFailsBeginsAnew) {
    MapDim rule = block_dim(0, n_);
    rule.left = rule.right = 1;
    const Array array = make_array(make_domain(make_map({rule}, make_world()), {{0, 1, n_}}));
    const int64_t begin = std::max<int64_t>(4 * world().rank - 1, 0);
    const DRI_Box target{{begin}, {std::min<int64_t>(4 * world().rank + 5, n_) - begin}};
    Array piece;
    repeat([&] { return DRI_array_repartition(array, &target, piece.out()); });
    for (int turn = 0; turn < 2; ++turn) {
        expect_success(DRI_array_update_overlap_start(piece), "DRI_array_update_overlap_start");
        expect_success(DRI_array_update_overlap_wait(array), "DRI_array_update_overlap_wait of the array");
        EXPECT_EQ(DRI_array_update_overlap_wait(piece), DRI_ERR_STATE);
    }
    expect_success(DRI_array_update_overlap(piece), "DRI_array_update_overlap");
}

// The whole call goes on with itself, and not with what its halves have begun.
TEST_F(ArrayTimeouts, AnUpdateOfAPieceGoesOn) {
    const int64_t begin = std::max<int64_t>(4 * world().rank - 1, 0);
    const DRI_Box target{{begin}, {std::min<int64_t>(4 * world().rank + 5, n_) - begin}};
    Array piece;
    repeat([&] { return DRI_array_repartition(a_, &target, piece.out()); });
    const auto update = [&] { return DRI_array_update_overlap(piece); };
    repeat(update);
    fill_flat(a_, {n_}, [](int64_t i) { return static_cast<double>(-i); });
    barrier();
    if (is_first() && !compares_calls()) {
        EXPECT_EQ(update(), DRI_ERR_TIMEOUT);
        EXPECT_EQ(DRI_array_update_overlap_start(piece), DRI_ERR_STATE);
        EXPECT_EQ(update(), DRI_ERR_TIMEOUT);
    }
    barrier();
    repeat(update);
    Values found, wanted = counting(begin, begin + target.size[0]);
    for (const DRI_View &part : parts_of(piece))
        for (const double one : elements_of(part))
            found.push_back(-one);
    EXPECT_EQ(found, wanted);
    repeat([&] { return DRI_array_update_overlap_start(piece); });
    EXPECT_EQ(update(), DRI_ERR_STATE);
    repeat([&] { return DRI_array_update_overlap_wait(piece); });
    repeat(update);
}

// The user ends the update that a loop has begun, so the loop cannot go on. It runs anew then.
TEST_F(ArrayTimeouts, ALoopThatFailsBeginsAnew) {
    MapDim rule = block_dim(0, n_);
    rule.left = rule.right = 1;
    rule.left_edge = rule.right_edge = DRI_WRAP;
    const Domain domain = make_domain(make_map({rule}, make_world()), {{0, 1, n_}});
    const Array from = make_array(domain), to = make_array(domain);
    for (const DRI_Array array : {from.get(), to.get()})
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 100), "DRI_array_set_attr");
    const DRI_Operand target = operand_of(to, {{0, 1, n_}});
    DRI_Operand read = operand_of(from, {{0, 1, n_}});
    read.left[0] = read.right[0] = 1;
    Loop loop;
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    const auto run = [&] { return DRI_loop_run(loop, add_neighbours, nullptr); };
    repeat(run);
    barrier();
    if (is_first()) {
        EXPECT_EQ(run(), DRI_ERR_TIMEOUT);
    }
    barrier();
    if (is_first()) {
        repeat([&] { return DRI_array_update_overlap_wait(from); });
        EXPECT_EQ(run(), DRI_ERR_STATE);
    } else {
        repeat(run);
    }
    barrier();
    fill(from, domain, [](const Indices &i) { return static_cast<double>(i[0]); });
    repeat(run);
    const auto wanted = [this](const Indices &i) {
        return static_cast<double>((i[0] + n_ - 1) % n_ + (i[0] + 1) % n_);
    };
    EXPECT_EQ(difference(to, domain, wanted), "");
}

} // namespace
} // namespace dri::test
