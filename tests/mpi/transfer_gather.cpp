// Agreement and small exchanges among the processes of a group.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace dri::test {
namespace {

// What process `rank` brings: a length of its own, and bytes that name it.
std::vector<unsigned char> brought_by(int rank) {
    std::vector<unsigned char> bytes(static_cast<size_t>(rank * rank * 5 % 17));
    for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(31 * rank + static_cast<int>(i));
    return bytes;
}

// All bytes in the order of the group, and the sizes.
void expect_gathered(const std::vector<int> &procs) {
    const Group group = make_group(procs);
    std::vector<unsigned char> expected;
    std::vector<int64_t> expected_sizes;
    for (const int rank : procs) {
        const auto bytes = brought_by(rank);
        expected.insert(expected.end(), bytes.begin(), bytes.end());
        expected_sizes.push_back(std::ssize(bytes));
    }
    const auto mine = brought_by(world().rank);
    for (const size_t more : {size_t{0}, size_t{5}}) {
        std::vector<unsigned char> all(expected.size() + more, 0xEE);
        std::vector<int64_t> sizes(procs.size(), -1);
        expect_success(DRI_group_gather(group, DRI_SUCCESS, mine.data(), std::ssize(mine), sizes.data(),
                                        all.data(), std::ssize(all)),
                       "DRI_group_gather");
        EXPECT_EQ(sizes, expected_sizes);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), all.begin()));
        EXPECT_EQ(std::count(all.end() - static_cast<ptrdiff_t>(more), all.end(), 0xEE),
                  static_cast<ptrdiff_t>(more));
    }
}

TEST(Gather, EveryProcessReceivesWhatAllBring) {
    const auto [rank, size] = world();
    std::vector<int> backwards = all_ranks(), rotated = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    std::rotate(rotated.begin(), rotated.begin() + size / 2, rotated.end());
    for (const auto &procs : {all_ranks(), backwards, rotated})
        expect_gathered(procs);
    // Groups without a common process do so at the same time.
    std::vector<int> mine;
    for (int other = rank % 2; other < size; other += 2)
        mine.push_back(other);
    expect_gathered(mine);
    expect_gathered({rank});
}

TEST(Gather, MuchIsGatheredToo) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const int64_t n = 300000;
    std::vector<int32_t> mine(static_cast<size_t>(n)), received(static_cast<size_t>(n * size));
    std::iota(mine.begin(), mine.end(), rank * 1000000);
    expect_success(DRI_group_gather(all, DRI_SUCCESS, mine.data(), 4 * n, nullptr, received.data(), 4 * n * size),
                   "DRI_group_gather");
    for (int64_t i = 0; i < n * size; i += 9973)
        EXPECT_EQ(received[static_cast<size_t>(i)], i / n * 1000000 + i % n);
}

TEST(Gather, NothingButAgreement) {
    expect_success(DRI_group_gather(make_world(), DRI_SUCCESS, nullptr, 0, nullptr, nullptr, 0),
                   "DRI_group_gather");
}

// The sizes come back even if the bytes do not fit, so the call can be repeated.
TEST(Gather, TooLittleCapacityOfOneProcessIsALimitForAll) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const int64_t mine = 7, sum = 8 * size;
    std::vector<int64_t> received(static_cast<size_t>(size), -1), sizes(static_cast<size_t>(size), -1);
    const auto call = [&](int64_t capacity) {
        return DRI_group_gather(all, DRI_SUCCESS, &mine, 8, sizes.data(), received.data(), capacity);
    };
    EXPECT_EQ(call(rank == size - 1 ? sum - 1 : sum), DRI_ERR_LIMIT);
    const std::string message = DRI_error_message();
    for (const std::string &word : {"bring " + std::to_string(sum) + " bytes",
                                    "process " + std::to_string(size - 1) + " is " + std::to_string(sum - 1)})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(sizes, std::vector<int64_t>(static_cast<size_t>(size), 8));
    EXPECT_EQ(std::count(received.begin(), received.end(), -1), size) << "nothing is written";
    expect_success(call(sum), "DRI_group_gather");
    EXPECT_EQ(received, std::vector<int64_t>(static_cast<size_t>(size), 7));
}

class WrongGather : public LastErrs {
protected:
    int64_t seven_ = 7;
    std::vector<int64_t> received_ = std::vector<int64_t>(static_cast<size_t>(size_));
    int gather(int code, const void *mine, int64_t bytes, void *all, int64_t capacity) {
        return DRI_group_gather(world_, code, mine, bytes, nullptr, all, capacity);
    }
    int gather(int code) { return gather(code, &seven_, 8, received_.data(), 8 * size_); }
};

TEST_F(WrongGather, ArgumentsAreRefusedByAll) {
    const int64_t sum = 8 * size_;
    void *const to = received_.data();
    const auto call = [=, this](int code, const void *mine, int64_t bytes, void *all, int64_t capacity) {
        return [=, this] { return last_ ? gather(code, mine, bytes, all, capacity) : gather(DRI_SUCCESS); };
    };
    expect_refused_by_all({
        {"a code that is none", call(57, &seven_, 8, to, sum), DRI_ERR_ARG, {"code is 57"}},
        {"a negative code", call(-1, &seven_, 8, to, sum), DRI_ERR_ARG, {"code is -1"}},
        {"negative bytes", call(DRI_SUCCESS, &seven_, -8, to, sum), DRI_ERR_ARG, {"bytes is -8"}},
        {"a negative capacity", call(DRI_SUCCESS, &seven_, 8, to, -1), DRI_ERR_ARG, {"capacity is -1"}},
        {"nothing to bring", call(DRI_SUCCESS, nullptr, 8, to, sum), DRI_ERR_ARG, {"mine is NULL"}},
        {"nowhere to receive", call(DRI_SUCCESS, &seven_, 8, nullptr, sum), DRI_ERR_ARG, {"all is NULL"}},
    });
    std::vector<WrongCall> alone{{"no group",
                                  [] { return DRI_group_gather({}, 0, nullptr, 0, nullptr, nullptr, 0); },
                                  DRI_ERR_HANDLE,
                                  {"group"}}};
    const Group other = make_group({(rank_ + 1) % size_});
    const DRI_Group next = other;
    if (size_ > 1)
        alone.push_back({"a group without the caller",
                         [=] { return DRI_group_gather(next, 0, nullptr, 0, nullptr, nullptr, 0); },
                         DRI_ERR_ARG,
                         {"process " + std::to_string(rank_)}});
    expect_refused(alone);
}

// The first process in the group's order that cannot go on decides, with its own message.
TEST_F(WrongGather, TheFirstFailureIsThatOfAll) {
    std::vector<int> order = all_ranks();
    std::reverse(order.begin(), order.end());
    const Group backwards = make_group(order);
    const bool errs = rank_ % 2 == 0 || size_ == 1; // the last even process is the first one in the order
    const int first = (size_ - 1) / 2 * 2;
    int code = DRI_SUCCESS;
    if (errs) {
        code = DRI_do(("nobody " + std::to_string(rank_)).c_str(), DRI_XFER_NULL);
        EXPECT_EQ(code, DRI_ERR_ARG);
        code = rank_ == first ? code : static_cast<int>(DRI_ERR_CONSTRAINT);
    }
    const DRI_Group w = backwards;
    expect_refused({{"several processes fail",
                     [=] { return DRI_group_gather(w, code, nullptr, 0, nullptr, nullptr, 0); },
                     DRI_ERR_ARG,
                     {"DRI_group_gather", "DRI_ERR_ARG: DRI_do on process " + std::to_string(first),
                      "'nobody " + std::to_string(first) + "'"}}});
    const std::string message = DRI_error_message();
    const std::string who = "process " + std::to_string(first) + ": DRI_ERR_ARG: DRI_do";
    EXPECT_NE(message.find((rank_ == first ? "DRI_group_gather on " : ": ") + who), std::string::npos) << message;
    // The end of a stream is agreed on in the same way, and is no failure.
    const bool last = last_;
    EXPECT_EQ(DRI_group_gather(world_, last ? DRI_END_OF_STREAM : DRI_SUCCESS, nullptr, 0, nullptr, nullptr, 0),
              DRI_END_OF_STREAM);
    expect_success(gather(DRI_SUCCESS), "DRI_group_gather");
}

// All would see the bytes in orders of their own.
TEST_F(WrongGather, AnotherOrderIsRefusedByAll) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes";
    std::vector<int> order = all_ranks();
    if (last_)
        std::reverse(order.begin(), order.end());
    const Group group = make_group(order);
    expect_refused_by_all(
        {{"another order",
          [&] { return DRI_group_gather(group, DRI_SUCCESS, &seven_, 8, nullptr, received_.data(), 8 * size_); },
          DRI_ERR_MISMATCH,
          {"processes 0 and " + who_, "in different orders"}}});
}

TEST_F(WrongGather, AnotherCallOverTheGroupIsRefusedByAll) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes";
    const DRI_Group w = world_;
    expect_refused_by_all({{"a commit beside it",
                            [=, this] { return last_ ? DRI_commit(w) : gather(DRI_SUCCESS); },
                            DRI_ERR_MISMATCH,
                            {"DRI_commit over", "DRI_group_gather over", "process " + who_}}});
}

} // namespace
} // namespace dri::test
