// Plans of assignments: how many are kept, processes that disagree, and deadlines.
#include "support/arrays.hpp"
#include "support/library.hpp"

#include <cstdlib>
#include <functional>

namespace dri::test {
namespace {

constexpr int64_t plan_size = 84; // so that each of seven blocks has elements from all processes

// Calls again until the others have come.
int until_done(const std::function<int()> &call) {
    int code = DRI_ERR_TIMEOUT;
    while (code == DRI_ERR_TIMEOUT)
        code = call();
    return code;
}

class ArrayPlans : public testing::Test {
protected:
    Domain blocks_ = make_domain(make_map({block_dim(0, plan_size)}, make_world()), {{0, 1, plan_size}});
    Domain cyclic_ = make_domain(make_map({cyclic_dim(0)}, make_world()), {{0, 1, plan_size}});
    Array dst_ = make_array(blocks_), src_ = make_array(cyclic_);

    // Assigns all elements from `first` on, and says whether a plan was made.
    int planned(DRI_Array dst, DRI_Array src, int64_t first) {
        const Ranges some{{first, 1, plan_size - first}};
        DRI_Assigned info{};
        EXPECT_EQ(DRI_assign(dst, some.data(), src, some.data(), &info), DRI_SUCCESS) << DRI_error_message();
        return info.planned;
    }
    std::vector<int> planned(const std::vector<int64_t> &firsts) {
        std::vector<int> all;
        for (const int64_t first : firsts)
            all.push_back(planned(dst_, src_, first));
        return all;
    }
    void keep(int64_t plans) {
        expect_success(DRI_array_set_attr(dst_, DRI_ARRAY_PLANS, plans), "DRI_array_set_attr");
    }
};

using Flags = std::vector<int>;

TEST_F(ArrayPlans, TheLastUsedOnesAreKept) {
    EXPECT_EQ(planned({0, 1, 2, 0, 1, 2}), (Flags{1, 1, 1, 0, 0, 0})) << "16 by default";
    keep(0);
    EXPECT_EQ(planned({0, 0, 1, 1}), (Flags{0, 1, 1, 1})) << "one was kept until now";
    keep(1);
    EXPECT_EQ(planned({0, 0, 1, 1, 0, 0}), (Flags{1, 0, 1, 0, 1, 0}));
    keep(2);
    // 0 is used between 1 and 2, so 1 goes.
    EXPECT_EQ(planned({0, 1, 0, 2, 0, 1, 2, 1}), (Flags{0, 1, 0, 1, 0, 1, 1, 0}));
}

// The limit is one of each ordered pair of arrays.
TEST_F(ArrayPlans, OtherPairsHaveTheirOwn) {
    const Array third = make_array(blocks_);
    keep(1);
    EXPECT_EQ(planned(dst_, src_, 0), 1);
    EXPECT_EQ(planned(dst_, third, 0), 1);
    EXPECT_EQ(planned(src_, dst_, 0), 1);
    EXPECT_EQ(planned(dst_, src_, 0), 0);
    EXPECT_EQ(planned(dst_, third, 0), 0);
    EXPECT_EQ(planned(src_, dst_, 0), 0);
}

// Bulk is part of what a plan is for, and aliases share the plans of their arrays.
TEST_F(ArrayPlans, BulkAndAliases) {
    const Ranges some{{3, 1, plan_size - 3}};
    Array left, right;
    expect_success(DRI_array_slice(dst_, some.data(), 0, left.out()), "DRI_array_slice");
    expect_success(DRI_array_slice(src_, some.data(), 0, right.out()), "DRI_array_slice");
    EXPECT_EQ(planned(dst_, src_, 3), 1);
    EXPECT_EQ(planned(left, right, 3), 0);
    expect_success(DRI_array_set_attr(left, DRI_ARRAY_BULK, 0), "DRI_array_set_attr");
    DRI_Assigned info{};
    EXPECT_EQ(DRI_assign(dst_, some.data(), src_, some.data(), &info), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(info.planned, 1);
    EXPECT_EQ(info.path, DRI_ASSIGN_ELEMENT);
    EXPECT_EQ(info.tried, 0);
}

// Equal ranges have one plan, however they are written, also if processes write them differently.
TEST_F(ArrayPlans, EqualRangesAreWrittenInManyWays) {
    fill(src_, cyclic_, [](const Indices &i) { return static_cast<double>(i[0]); });
    const Ranges one{{3, 1, 1}}, same{{3, -5, 1}}, none{{0, 1, 0}}, nothing{{40, 7, 0}};
    const auto assign = [&](const Ranges &to, const Ranges &from) {
        DRI_Assigned info{};
        EXPECT_EQ(DRI_assign(dst_, to.data(), src_, from.data(), &info), DRI_SUCCESS) << DRI_error_message();
        return info.planned;
    };
    const bool odd = world().rank % 2 == 1;
    EXPECT_EQ(assign(odd ? one : same, odd ? same : one), 1);
    EXPECT_EQ(assign(one, same), 0);
    EXPECT_EQ(assign(odd ? none : nothing, nothing), 1);
    EXPECT_EQ(assign(nothing, none), 0);
    EXPECT_EQ(difference(dst_, blocks_, [](const Indices &i) { return i[0] == 3 ? 3.0 : 0.0; }), "");
}

// So have equal maps and domains.
TEST_F(ArrayPlans, EqualMapsAreMadeInManyWays) {
    const int p = world().size;
    const bool odd = world().rank % 2 == 1;
    const Map map =
        make_map({cyclic_dim(odd ? 1 : 1 - 3 * p), cyclic_dim(odd ? 0 : 7, odd ? 1 : 3, 1)}, make_world());
    const Domain domain = make_domain(map, {{0, 1, 30}, {3, odd ? 1 : 9, 1}});
    const Array array = make_array(domain), other = make_array(domain);
    EXPECT_EQ(DRI_assign(array, nullptr, other, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
}

// A plan of a destroyed array is not found by one that comes after it.
TEST_F(ArrayPlans, GoWithTheArray) {
    EXPECT_EQ(planned(dst_, src_, 0), 1);
    dst_ = make_array(blocks_);
    EXPECT_EQ(planned(dst_, src_, 0), 1);
}

// Found in the first call, always.
TEST_F(ArrayPlans, ProcessesThatDisagreeAboutANewOne) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    fill(dst_, blocks_, [](const Indices &) { return 7; });
    const Ranges some{{world().rank == 0 ? 1 : 2, 1, 20}};
    EXPECT_EQ(DRI_assign(dst_, some.data(), src_, some.data(), nullptr), DRI_ERR_MISMATCH);
    EXPECT_NE(std::string(DRI_error_message()).find("disagree about an assignment"), std::string::npos)
        << DRI_error_message();
    EXPECT_EQ(difference(dst_, blocks_, [](const Indices &) { return 7; }), "");
    EXPECT_EQ(planned(dst_, src_, 0), 1) << "the next call is as good as ever";
}

bool checks() {
    const char *const check = std::getenv("DRI_CHECK");
    return check && std::string(check) == "1";
}

// Process 0 calls another assignment than the others, both of which have plans. With DRI_CHECK=1 all are told.
// Otherwise they wait until the deadline, and each goes on when the others come.
TEST_F(ArrayPlans, ProcessesThatDisagreeAboutKeptOnes) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    expect_success(DRI_array_set_attr(dst_, DRI_ARRAY_TIMEOUT_MS, 100), "DRI_array_set_attr");
    expect_success(DRI_array_set_attr(src_, DRI_ARRAY_TIMEOUT_MS, 100), "DRI_array_set_attr");
    fill(src_, cyclic_, [](const Indices &i) { return static_cast<double>(i[0]); });
    const Ranges all{{0, 1, plan_size}}, down{{plan_size - 1, -1, plan_size}};
    const auto assign = [&](bool forwards) {
        return DRI_assign(dst_, all.data(), src_, forwards ? all.data() : down.data(), nullptr);
    };
    for (const bool forwards : {true, false})
        ASSERT_EQ(until_done([&] { return assign(forwards); }), DRI_SUCCESS) << DRI_error_message();
    barrier();
    EXPECT_EQ(assign(world().rank == 0), checks() ? DRI_ERR_MISMATCH : DRI_ERR_TIMEOUT);
    barrier();
    // Both go on, in an order that all share. What they leave behind is a mixture, so they run once more.
    for (int turn = 0; turn < 2; ++turn)
        for (const bool forwards : {true, false}) {
            ASSERT_EQ(until_done([&] { return assign(forwards); }), DRI_SUCCESS) << DRI_error_message();
            barrier();
            if (turn == 0)
                continue;
            EXPECT_EQ(difference(dst_, blocks_,
                                 [&](const Indices &i) {
                                     return static_cast<double>(forwards ? i[0] : plan_size - 1 - i[0]);
                                 }),
                      "");
            barrier();
        }
}

// A process that comes late. What the others have packed before the deadline is what arrives.
TEST_F(ArrayPlans, AfterADeadlineTheSameCallGoesOn) {
    if (checks())
        GTEST_SKIP() << "checked calls wait for each other before they have a deadline";
    for (const int64_t bulk : {1, 0}) {
        expect_success(DRI_array_set_attr(src_, DRI_ARRAY_BULK, bulk), "DRI_array_set_attr");
        expect_success(DRI_array_set_attr(dst_, DRI_ARRAY_TIMEOUT_MS, 50), "DRI_array_set_attr");
        expect_success(DRI_array_set_attr(src_, DRI_ARRAY_TIMEOUT_MS, 50), "DRI_array_set_attr");
        fill(src_, cyclic_, [](const Indices &i) { return static_cast<double>(i[0]); });
        const auto assign = [&] { return DRI_assign(dst_, nullptr, src_, nullptr, nullptr); };
        ASSERT_EQ(until_done(assign), DRI_SUCCESS) << DRI_error_message();
        fill(src_, cyclic_, [&](const Indices &i) { return static_cast<double>(100 * (bulk + 1) + i[0]); });
        barrier();
        if (world().rank > 0) {
            EXPECT_EQ(assign(), DRI_ERR_TIMEOUT);
        }
        barrier();
        ASSERT_EQ(until_done(assign), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(difference(dst_, blocks_,
                             [&](const Indices &i) { return static_cast<double>(100 * (bulk + 1) + i[0]); }),
                  "");
    }
}

// What has timed out is still under way, so the memory must stay.
TEST_F(ArrayPlans, AfterADeadlineTheDomainStays) {
    if (world().size == 1 || checks())
        GTEST_SKIP() << "nobody comes late";
    for (const DRI_Array array : {dst_.get(), src_.get()})
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 50), "DRI_array_set_attr");
    fill(src_, cyclic_, [](const Indices &i) { return static_cast<double>(i[0]); });
    const auto assign = [&] { return DRI_assign(dst_, nullptr, src_, nullptr, nullptr); };
    ASSERT_EQ(until_done(assign), DRI_SUCCESS) << DRI_error_message();
    barrier();
    if (world().rank > 0) {
        EXPECT_EQ(assign(), DRI_ERR_TIMEOUT);
    }
    barrier();
    const Ranges next{{0, 1, plan_size / 2}};
    for (const DRI_Domain domain : {blocks_.get(), cyclic_.get()}) {
        EXPECT_EQ(DRI_domain_set(domain, {}, next.data()), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("assignment under way"), std::string::npos)
            << DRI_error_message();
    }
    ASSERT_EQ(until_done(assign), DRI_SUCCESS) << DRI_error_message();
    ASSERT_EQ(DRI_domain_set(blocks_, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(dst_, blocks_, [](const Indices &i) { return static_cast<double>(i[0]); }), "");
}

} // namespace
} // namespace dri::test
