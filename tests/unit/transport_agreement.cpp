// Agreement on a record: each field by its rule, over groups of loopback ranks.
#include "transport/agreement.hpp"

#include "unit/transport_steps.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace dri;
using namespace dri::test;

struct Inner {
    int32_t number = 0;
    std::string text;
    friend bool operator==(const Inner &, const Inner &) = default;
    template <class F> static void fields(F f) {
        f(&Inner::number, transport::Keep{});
        f(&Inner::text, transport::Keep{});
    }
};

struct Everything {
    int64_t largest = 0, sum = 0, start = 0;
    bool any = false;
    double first_member = 0;
    Inner first;
    std::optional<std::string> lowest;
    std::map<std::string, int> lowest_names;
    std::map<std::string, int> largest_by_name;
    friend bool operator==(const Everything &, const Everything &) = default;
    template <class F> static void fields(F f) {
        f(&Everything::largest, transport::Largest{});
        f(&Everything::sum, transport::Sum{});
        f(&Everything::start, transport::Keep{});
        f(&Everything::any, transport::Any{});
        f(&Everything::first_member, transport::Keep{});
        f(&Everything::first, transport::First{});
        f(&Everything::lowest, transport::Lowest{});
        f(&Everything::lowest_names, transport::LowestKeys<3>{});
        f(&Everything::largest_by_name, transport::Largest{});
    }
};

// What rank `rank` contributes. Some have nothing in a field.
Everything record_of(int rank) {
    Everything mine;
    mine.largest = (rank * 37) % 11 - 20;
    mine.sum = rank % 4;
    mine.any = rank == 6;
    mine.first_member = rank + 0.5;
    if (rank % 3 == 1)
        mine.first = {rank, "of " + std::to_string(rank)};
    if (rank % 3 != 2)
        mine.lowest_names = {{std::string(1, static_cast<char>('z' - rank % 26)), rank}, {"most", -rank}};
    if (rank % 2 == 1)
        mine.lowest = std::string(1, static_cast<char>('z' - rank % 26));
    if (rank % 5 != 0)
        mine.largest_by_name = {{"all", rank * 7 % 13}, {"only " + std::to_string(rank % 3), -rank}};
    return mine;
}

// The same result, computed one member after the other, without the functions under test. members: rising.
Everything expected_of(const std::vector<int> &members, int me) {
    Everything all = record_of(members.front());
    all.start = 0;
    for (const int rank : members) {
        const Everything one = record_of(rank);
        if (rank < me)
            all.start += one.sum;
        if (rank == members.front())
            continue;
        all.largest = std::max(all.largest, one.largest);
        all.sum += one.sum;
        all.any |= one.any;
        if (all.first.text.empty())
            all.first = one.first;
        if (one.lowest && (!all.lowest || *one.lowest < *all.lowest))
            all.lowest = one.lowest;
        for (const auto &[name, value] : one.lowest_names)
            all.lowest_names.try_emplace(name, value);
        for (const auto &[name, value] : one.largest_by_name)
            all.largest_by_name[name] =
                all.largest_by_name.contains(name) ? std::max(all.largest_by_name[name], value) : value;
    }
    if (all.lowest_names.size() > 3)
        all.lowest_names.erase(std::next(all.lowest_names.begin(), 3), all.lowest_names.end());
    return all;
}

class AgreementSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, AgreementSizes, testing::Values(1, 2, 3, 4, 7, 33));

TEST_P(AgreementSizes, EachFieldFollowsItsRule) {
    const int size = GetParam();
    std::vector<int> every_second;
    for (int rank = size - 1; rank >= 0; rank -= 2)
        every_second.push_back(rank);
    std::reverse(every_second.begin(), every_second.end());
    on_ranks(size, [&](transport::Transport &t) {
        for (const auto &members : {all_ranks(size), every_second}) {
            if (!contains(members, t.rank()))
                continue;
            const Everything mine = record_of(t.rank());
            const auto numbered = transport::agree_and_number<&Everything::sum, &Everything::start>(
                t, step_over(members, soon()), mine);
            Everything expected = expected_of(members, t.rank());
            EXPECT_EQ(numbered, expected) << t.rank() << " of " << members.size();
            expected.start = 0;
            EXPECT_EQ(transport::agree_on(t, step_over(members, soon()), mine), expected) << t.rank();
        }
    });
}

TEST(Agreement, RecordsSurviveTheWire) {
    std::set<size_t> lengths;
    for (int rank = 0; rank < 20; ++rank) {
        const Bytes bytes = transport::to_bytes(record_of(rank));
        EXPECT_EQ(transport::from_bytes<Everything>(bytes), record_of(rank));
        const Bytes less(bytes.begin(), bytes.end() - 1);
        EXPECT_THROW(transport::from_bytes<Everything>(less), Error);
        lengths.insert(bytes.size());
    }
    EXPECT_GT(lengths.size(), 3u) << "fields that are empty take less";
}

// The tree may combine neighbours in any order.
TEST(Agreement, RulesAreAssociative) {
    for (int rank = 0; rank < 40; ++rank) {
        Everything left = record_of(rank), right = record_of(rank + 1), all = record_of(rank);
        transport::combine(left, record_of(rank + 1));
        transport::combine(left, record_of(rank + 2));
        transport::combine(right, record_of(rank + 2));
        transport::combine(all, std::move(right));
        EXPECT_EQ(left, all) << rank;
    }
}

} // namespace
