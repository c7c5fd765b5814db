// What DRI_domain_set costs: one assignment for each array over the domain, of the members that both domains have.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <string>

namespace dri::test {
namespace {

double value_of(const Indices &at) { return static_cast<double>(at[0] + 1); }

// The function that an assignment calls once for each element counts assignments.
void copy_one(const void *from, void *to, void *ctx) {
    *static_cast<double *>(to) = *static_cast<const double *>(from);
    ++*static_cast<std::atomic<long> *>(ctx);
}

Array counting_array(const Domain &domain, std::atomic<long> &copies) {
    Array array = make_array(domain);
    expect_success(DRI_array_set_copy(array, copy_one, &copies), "DRI_array_set_copy");
    fill(array, domain, value_of);
    return array;
}

// How often each array was put since the last call, on all processes.
std::vector<long long> taken(std::deque<std::atomic<long>> &copies) {
    std::vector<long long> found;
    for (std::atomic<long> &one : copies)
        found.push_back(sum_of(one.exchange(0)));
    return found;
}

TEST(SetCosts, EachElementIsAssignedOnce) {
    for (size_t n = 0; n <= 4; ++n) {
        SCOPED_TRACE(std::to_string(n) + " arrays");
        const Map blocks = make_map({block_dim(0, 20)}, make_world()),
                  cyclic = make_map({cyclic_dim(1)}, make_world());
        const Domain domain = make_domain(blocks, {{0, 1, 20}});
        std::deque<std::atomic<long>> copies(n);
        std::vector<Array> arrays;
        for (std::atomic<long> &one : copies)
            arrays.push_back(counting_array(domain, one));
        // Neither an array that is gone, nor one over a clone of the domain is an array over the domain. A slice
        // is its array.
        std::deque<std::atomic<long>> others(2);
        counting_array(domain, others[0]).reset();
        Domain clone;
        expect_success(DRI_domain_clone(domain, clone.out()), "DRI_domain_clone");
        const Array over_clone = counting_array(clone, others[1]);
        Array slice;
        const DRI_Range some{2, 2, 5};
        if (n > 0)
            expect_success(DRI_array_slice(arrays[0], &some, 0, slice.out()), "DRI_array_slice");

        const DRI_Range next{4, 2, 20}; // 4, 6, .. 18 are members of both
        ASSERT_EQ(DRI_domain_set(domain, cyclic, &next), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(taken(copies), std::vector<long long>(n, 8));
        for (const Array &array : arrays)
            EXPECT_EQ(difference(array, domain, [](const Indices &at) { return at[0] < 20 ? value_of(at) : 0; }),
                      "");

        ASSERT_EQ(DRI_domain_set(domain, cyclic, &next), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(DRI_domain_set(domain, {}, &next), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(taken(copies), std::vector<long long>(n, 0)) << "nothing changes";
        const DRI_Range back{42, -2, 10}; // the same members the other way, and half of them
        ASSERT_EQ(DRI_domain_set(domain, {}, &back), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(taken(copies), std::vector<long long>(n, 10)) << "the function stays with the array";
        const DRI_Range odd{5, 2, 6};
        ASSERT_EQ(DRI_domain_set(domain, {}, &odd), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(taken(copies), std::vector<long long>(n, 0)) << "no member stays";
        for (const Array &array : arrays)
            EXPECT_EQ(difference(array, domain, [](const Indices &) { return 0; }), "");
        EXPECT_EQ(taken(others), std::vector<long long>(2, 0));
        EXPECT_EQ(difference(over_clone, clone, value_of), "");
    }
}

// Messages of a set, and of the same done by hand, with a number of arrays.
std::array<long, 2> messages_of(int arrays) {
    const Map blocks = make_map({block_dim(0, 60)}, make_world()),
              cyclic = make_map({cyclic_dim(0)}, make_world());
    const DRI_Range all{0, 1, 60};
    const Domain domain = make_domain(blocks, {all}), target = make_domain(cyclic, {all});
    std::vector<Array> old, made;
    for (int i = 0; i < arrays; ++i)
        old.push_back(make_array(domain));
    std::array<long, 2> found{};
    for (const bool by_hand : {true, false}) {
        barrier();
        const long before = all_traffic();
        for (int i = 0; i < arrays && by_hand; ++i) {
            made.push_back(make_array(target));
            expect_success(DRI_assign(made.back(), nullptr, old[static_cast<size_t>(i)], nullptr, nullptr),
                           "DRI_assign");
        }
        if (!by_hand)
            expect_success(DRI_domain_set(domain, cyclic, &all), "DRI_domain_set");
        found[by_hand ? 0 : 1] = all_traffic() - before;
    }
    barrier();
    return found;
}

// Beside the assignments there are agreements: one before all, and two for each array.
TEST(SetCosts, MessagesAreThoseOfTheAssignments) {
    const auto one = messages_of(1), five = messages_of(5);
    const long by_hand = five[0] - one[0], by_set = five[1] - one[1];
    EXPECT_LE(by_set, 2 * by_hand) << "for four more arrays";
    EXPECT_LE(five[1], 2 * five[0] + one[0]);
    if (world().size > 1) {
        EXPECT_GT(by_hand, 0);
    }
}

} // namespace
} // namespace dri::test
