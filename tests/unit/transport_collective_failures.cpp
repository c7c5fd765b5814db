// Collective steps that fail: with members that disagree, are missing, wait in other steps, or lose their
// connection.
#include "support/forwarding_transport.hpp"
#include "unit/transport_steps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace dri;
using namespace dri::test;

class CollectiveDisputes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, CollectiveDisputes, testing::ValuesIn(group_sizes()));

constexpr int gave_up = 9; // tag

TEST_P(CollectiveDisputes, AnotherOrderIsAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one = 0; odd_one < size; odd_one += std::max(1, size / 5)) {
        const auto begin = transport::Clock::now();
        const auto all = outcomes_before_peace(size, [&](transport::Transport &t) {
            std::vector<int> members = all_ranks(size);
            if (t.rank() == odd_one)
                std::reverse(members.begin(), members.end());
            transport::all_gather(t, step_over(members, soon()), as_bytes("x"));
        });
        for (const Error &error : all)
            EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
        EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(50))
            << "a process waited for the deadline";
    }
}

// A member that succeeds has the contents of the members of its own group. All others return with an error.
TEST_P(CollectiveDisputes, DifferentGroupsNeverReturnWrongContents) {
    const int size = GetParam();
    for (int odd_one = 0; odd_one < size; odd_one += std::max(1, size / 3)) {
        const auto all = outcomes_before_peace(size, [&](transport::Transport &t) {
            std::vector<int> members = all_ranks(size);
            if (t.rank() == odd_one)
                members.erase(members.begin() + (odd_one ? 0 : size - 1));
            const auto got =
                transport::all_gather(t, step_over(members, at_once()), as_bytes(fmt::format("{}", t.rank())));
            ASSERT_EQ(got.size(), members.size());
            for (size_t i = 0; i < got.size(); ++i)
                EXPECT_EQ(as_string(got[i]), fmt::format("{}", members[i]));
        });
        for (int rank = 0; rank < size; ++rank) {
            const Error &error = all[static_cast<size_t>(rank)];
            const bool alone = rank == odd_one && size == 2;
            if (!alone) {
                EXPECT_TRUE(error.code() == DRI_ERR_MISMATCH || error.code() == DRI_ERR_TIMEOUT)
                    << "rank " << rank << ", odd one " << odd_one << ": " << error.code() << " " << error.what();
            }
        }
    }
}

TEST_P(CollectiveDisputes, DifferentCallsAreAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one : {0, size / 2, size - 1}) {
        const auto begin = transport::Clock::now();
        const auto all = outcomes_before_peace(size, [&](transport::Transport &t) {
            if (t.rank() == odd_one)
                transport::agree(t, step_over(all_ranks(size), soon(), "DRI_query"), {});
            else
                transport::all_gather(t, step_over(all_ranks(size), soon(), "DRI_commit"), as_bytes("x"));
        });
        for (const Error &error : all) {
            EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
            const std::string message = error.what();
            for (const std::string &word :
                 {std::string("calls DRI_query over"), std::string("calls DRI_commit over"),
                  std::string("the same group"), fmt::format("process {} calls", odd_one)})
                EXPECT_NE(message.find(word), std::string::npos) << message;
        }
        EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(50))
            << "a process waited for the deadline";
    }
}

TEST_P(CollectiveDisputes, AMissingProcessIsNamedOnAllAndMayComeBack) {
    const int size = GetParam();
    const auto members = all_ranks(size);
    for (int missing : {0, 1, size / 2, size - 1}) {
        if (missing >= size)
            continue;
        std::barrier all_are_here(size);
        on_ranks(size, [&](transport::Transport &t) {
            expect_gathered(t, members, 0);
            if (t.rank() != missing) {
                const Error error =
                    error_of([&] { transport::all_gather(t, step_over(members, at_once()), as_bytes("x")); });
                EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                EXPECT_TRUE(std::string(error.what()).ends_with(fmt::format("waited for process {}", missing)))
                    << error.what();
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 1);
            all_are_here.arrive_and_wait();
            // The reverse case: one member comes alone.
            if (t.rank() == missing) {
                EXPECT_EQ(code_of([&] { transport::all_gather(t, step_over(members, at_once()), as_bytes("y")); }),
                          DRI_ERR_TIMEOUT);
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 2);
            EXPECT_EQ(transport::agree(t, step_over(members, soon()), {}).code, DRI_SUCCESS);
        });
    }
}

TEST(Collective, ALateProcessJoinsTheNextStep) {
    on_ranks(3, [](transport::Transport &t) {
        if (t.rank() == 1) {
            t.receive(0, gave_up, soon());
            t.receive(2, gave_up, soon());
        } else {
            EXPECT_EQ(code_of([&] { transport::agree(t, step_over(all_ranks(3), at_once()), {}); }),
                      DRI_ERR_TIMEOUT);
            t.send(1, gave_up, {}, soon());
        }
        for (int round = 0; round < 3; ++round)
            expect_gathered(t, all_ranks(3), round);
    });
}

TEST(Collective, AnAbandonedStepDoesNotDisturbAnotherGroup) {
    std::barrier all_are_here(4);
    on_ranks(4, [&](transport::Transport &t) {
        const std::vector<int> all{0, 1, 2, 3}, pair{0, 2};
        if (t.rank() != 2) {
            EXPECT_EQ(code_of([&] { transport::agree(t, step_over(all, at_once()), {}); }), DRI_ERR_TIMEOUT);
        }
        all_are_here.arrive_and_wait();
        for (int round = 0; round < 3; ++round)
            if (contains(pair, t.rank())) {
                EXPECT_EQ(transport::all_gather(t, step_over(pair, soon()), {}).size(), 2u);
            }
        EXPECT_EQ(transport::agree(t, step_over(all, soon()), {}).code, DRI_SUCCESS);
    });
}

// Ranks 0 to 2 wait for rank 3. Rank 3 waits for rank 1 in another group, until a later deadline.
TEST(Collective, AProcessThatWaitsForAFailedStepOfAnotherGroupHasItsOwnTimeout) {
    const auto begin = transport::Clock::now();
    const auto all = outcomes_before_peace(4, [](transport::Transport &t) {
        const std::vector<int> pair{1, 3};
        if (t.rank() == 3)
            transport::all_gather(
                t, step_over(pair, transport::Clock::now() + std::chrono::milliseconds(600), "DRI_query"), {});
        else
            transport::all_gather(
                t, step_over(all_ranks(4), transport::Clock::now() + std::chrono::milliseconds(300)), {});
    });
    const std::string of_four =
        "DRI_test over the group of 4 processes: 0, 1, 2, 3 (step: try); waited for process 3";
    const std::string of_two = "DRI_query over the group of 2 processes: 1, 3 (step: try); waited for process 1";
    for (size_t rank = 0; rank < all.size(); ++rank) {
        EXPECT_EQ(all[rank].code(), DRI_ERR_TIMEOUT) << all[rank].what();
        EXPECT_EQ(all[rank].what(),
                  "the deadline (DRI_SETUP_TIMEOUT) passed in " + (rank == 3 ? of_two : of_four));
    }
    EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(30)) << "a process waited too long";
}

// Rank 2 is not in the group of rank 0, but it is in the group of rank 1.
TEST(Collective, ARefusedStepRefusesItsMembersAndAThirdProcessHasItsOwnTimeout) {
    const auto begin = transport::Clock::now();
    const auto all = outcomes_before_peace(3, [](transport::Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(300)); // so that both others are waiting
        const auto deadline = t.rank() == 2 ? transport::Clock::now() + std::chrono::milliseconds(600) : soon();
        transport::agree(t, step_over(t.rank() == 0 ? pair : all_ranks(3), deadline), {});
    });
    for (const int rank : {0, 1}) {
        const Error &error = all[static_cast<size_t>(rank)];
        EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
        EXPECT_STREQ(error.what(),
                     "process 0 calls DRI_test over the group of 2 processes: 0, 1; but process 1 calls "
                     "DRI_test over another group, of 3 processes");
    }
    EXPECT_EQ(all[2].code(), DRI_ERR_TIMEOUT) << all[2].what();
    EXPECT_TRUE(std::string(all[2].what()).ends_with("waited for process 0")) << all[2].what();
    EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(30)) << "a process waited too long";
}

// A transport that delivers what it receives with a delay.
class Slow final : public ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    std::optional<Bytes> try_receive(int peer, int tag) override {
        auto bytes = ForwardingTransport::try_receive(peer, tag);
        if (bytes)
            wait();
        return bytes;
    }
    Bytes receive(int peer, int tag, transport::Deadline deadline) override {
        Bytes bytes = ForwardingTransport::receive(peer, tag, deadline);
        wait();
        return bytes;
    }

private:
    void wait() const { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
};

// Rank 2 learns of the failure first. It waits in the next step before rank 1 has left the failed step.
TEST(Collective, AFailedStepDoesNotFailTheNextStep) {
    const std::vector<int> pair{1, 2};
    on_ranks(3, [&](transport::Transport &inner) {
        Slow slow(inner);
        transport::Transport &t = inner.rank() == 1 ? slow : inner;
        for (int round = 0; round < 20; ++round) {
            const DRI_Code code = code_of([&] {
                if (t.rank() == 0)
                    transport::agree(t, step_over(all_ranks(3), soon(), "DRI_query"), {});
                else
                    transport::all_gather(t, step_over(all_ranks(3), soon(), "DRI_commit"), {});
            });
            EXPECT_EQ(code, DRI_ERR_MISMATCH);
            if (t.rank() > 0) {
                EXPECT_EQ(transport::all_gather(t, step_over(pair, soon()), {}).size(), 2u);
            }
        }
    });
}

// Rank 3 has completed many steps, but no other rank knows, because rank 2 is its parent. It leaves last.
TEST(Collective, AProcessThatStillWaitsDoesNotFailTheNextStep) {
    on_ranks(5, [](transport::Transport &t) {
        const std::vector<int> alone{3}, others{0, 1, 3, 4};
        for (int round = 0; round < 10 && t.rank() == 3; ++round)
            EXPECT_EQ(transport::agree(t, step_over(alone, soon()), {}).code, DRI_SUCCESS);
        if (t.rank() == 2)
            return;
        EXPECT_EQ(code_of([&] { transport::agree(t, step_over(all_ranks(5), at_once()), {}); }), DRI_ERR_TIMEOUT);
        EXPECT_EQ(transport::agree(t, step_over(others, soon()), {}).code, DRI_SUCCESS);
    });
}

TEST(Collective, ForeignMessageIsAMismatch) {
    on_ranks(2, [](transport::Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 1)
            t.send(0, transport::tag_tree_step, text("no packet"), soon());
        const DRI_Code code = code_of([&] { transport::agree(t, step_over(pair, at_once()), {}); });
        EXPECT_EQ(code, t.rank() == 0 ? DRI_ERR_MISMATCH : DRI_ERR_TIMEOUT);
    });
}

// A transport whose sends fail after a given number of them.
class Failing final : public ForwardingTransport {
public:
    Failing(transport::Transport &inner, int good_sends) : ForwardingTransport(inner), good_sends_(good_sends) {}
    void send(int peer, int tag, std::span<const std::byte> bytes, transport::Deadline deadline) override {
        if (good_sends_-- == 0)
            fail(DRI_ERR_TRANSPORT, "rank {} lost its line", rank());
        ForwardingTransport::send(peer, tag, bytes, deadline);
    }

private:
    int good_sends_;
};

TEST(Collective, ATransportErrorReachesTheProcessesConnectedToIt) {
    // Rank 2 of 4 cannot send the contents of rank 3 and itself to rank 0, but it can still send to rank 3.
    const auto all = outcomes(
        4,
        [](transport::Transport &t) {
            Failing line(t, t.rank() == 2 ? 0 : -1);
            transport::agree(line, step_over(all_ranks(4), at_once()), {});
        },
        [](transport::Transport &) {});
    EXPECT_EQ(all[0].code(), DRI_ERR_TIMEOUT);
    EXPECT_EQ(all[1].code(), DRI_ERR_TIMEOUT);
    for (const size_t rank : {2, 3}) {
        EXPECT_EQ(all[rank].code(), DRI_ERR_TRANSPORT);
        EXPECT_NE(std::string(all[rank].what()).find("process 2 in DRI_test over the group of 4 processes"),
                  std::string::npos)
            << all[rank].what();
    }
    EXPECT_NE(std::string(all[1].what()).find("process 2"), std::string::npos) << all[1].what();
}

} // namespace
