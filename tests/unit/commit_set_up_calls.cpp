// Which collective set-up calls of several threads of a process exclude each other.
#include "commit/set_up_calls.hpp"
#include "unit/transport_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>

namespace {

using namespace dri;
using dri::test::error_of;

constexpr std::array calls{"DRI_dist_create", "DRI_commit", "DRI_xfer_query", "DRI_finalize"};

class SetUpCalls : public testing::Test {
protected:
    // The error of a call that starts while another one goes on. DRI_SUCCESS: both may go on.
    Error error_during(std::string_view first, const model::Group &a, std::string_view second,
                       const model::Group &b) {
        const commit::SetUpCalls::Entry entry(calls_, *world_[0], first, a);
        return error_of([&] { commit::SetUpCalls::Entry(calls_, *world_[0], second, b); });
    }
    std::vector<std::unique_ptr<transport::Transport>> world_ = test::make_loopback(4);
    commit::SetUpCalls calls_;
    const model::Group alone_{{0}}, pair_{{0, 1}}, other_pair_{{0, 2}}, three_{{0, 1, 3}};
};

TEST_F(SetUpCalls, ExcludeEachOtherOverTwoCommonProcesses) {
    for (const std::string_view first : calls)
        for (const std::string_view second : calls)
            for (const auto &[a, b] : {std::pair(pair_, pair_), {pair_, three_}, {three_, pair_}}) {
                const Error error = error_during(first, a, second, b);
                EXPECT_EQ(error.code(), DRI_ERR_STATE);
                EXPECT_EQ(error.what(),
                          fmt::format("another thread of this process is in {} over the processes {}: repeat {} "
                                      "over {} when that call has returned",
                                      first, model::to_text(a), second, model::to_text(b)));
            }
}

TEST_F(SetUpCalls, OfDistributionsOverOneCommonProcessGoOnTogether) {
    for (const std::string_view first : calls)
        for (const std::string_view second : calls)
            for (const auto &[a, b] : {std::pair(pair_, other_pair_), {alone_, pair_}, {three_, alone_}}) {
                const bool both = first == calls[0] || second == calls[0];
                EXPECT_EQ(error_during(first, a, second, b).code(), both ? DRI_SUCCESS : DRI_ERR_STATE)
                    << first << " " << second;
            }
}

TEST_F(SetUpCalls, MayFollowEachOther) {
    for (const std::string_view call : calls)
        for (int i = 0; i < 2; ++i)
            EXPECT_NO_THROW(commit::SetUpCalls::Entry(calls_, *world_[0], call, pair_));
}

// Every thread is refused or alone, and enters at last.
TEST_F(SetUpCalls, OfManyThreadsEnterOneAfterTheOther) {
    constexpr int turns = 200;
    std::atomic<int> inside = 0, entered = 0;
    std::vector<std::thread> threads;
    for (const char *call : calls)
        threads.emplace_back([&, call] {
            for (int i = 0; i < turns;)
                try {
                    const commit::SetUpCalls::Entry entry(calls_, *world_[0], call, i % 2 ? pair_ : three_);
                    EXPECT_EQ(++inside, 1);
                    std::this_thread::yield();
                    --inside;
                    ++entered;
                    ++i;
                } catch (const Error &error) {
                    EXPECT_EQ(error.code(), DRI_ERR_STATE);
                    std::this_thread::yield();
                }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(entered, turns * static_cast<int>(calls.size()));
}

} // namespace
