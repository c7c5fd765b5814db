// Collective steps that fail: with members that disagree, are missing, wait in other steps, or lose their
// connection.
#include "support/forwarding_transport.hpp"
#include "unit/transport_steps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace dri;
using namespace dri_test;

class CollectiveDisputes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, CollectiveDisputes, testing::Values(2, 3, 4, 7, 33));

constexpr int gave_up = 9; // tag

TEST_P(CollectiveDisputes, AnotherOrderIsAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one = 0; odd_one < size; odd_one += std::max(1, size / 5)) {
        const auto begin = transport::Clock::now();
        const auto all = outcomes_before_peace(size, [&](transport::Transport &t) {
            std::vector<int> members = all_ranks(size);
            if (t.rank() == odd_one)
                std::reverse(members.begin(), members.end());
            transport::all_gather(t, members, 1, as_bytes("x"), soon());
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
                transport::all_gather(t, members, 1, as_bytes(fmt::format("{}", t.rank())), at_once());
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

TEST_P(CollectiveDisputes, DifferentOperationsAreAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one : {0, size / 2, size - 1}) {
        const auto begin = transport::Clock::now();
        const auto all = outcomes_before_peace(size, [&](transport::Transport &t) {
            if (t.rank() == odd_one)
                transport::agree(t, all_ranks(size), 1, {}, soon());
            else
                transport::all_gather(t, all_ranks(size), 1, as_bytes("x"), soon());
        });
        for (const Error &error : all) {
            EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
            EXPECT_NE(std::string(error.what()).find("agree on an outcome"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("gather contents"), std::string::npos) << error.what();
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
                    error_of([&] { transport::all_gather(t, members, 2, as_bytes("x"), at_once()); });
                EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                EXPECT_TRUE(std::string(error.what()).ends_with(fmt::format("waited for process {}", missing)))
                    << error.what();
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 1);
            all_are_here.arrive_and_wait();
            // The reverse case: one member comes alone.
            if (t.rank() == missing) {
                EXPECT_EQ(code_of([&] { transport::all_gather(t, members, 2, as_bytes("y"), at_once()); }),
                          DRI_ERR_TIMEOUT);
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 2);
            EXPECT_EQ(transport::agree(t, members, 2, {}, soon()).code, DRI_SUCCESS);
        });
    }
}

TEST(Collective, ALateProcessJoinsTheNextStep) {
    on_ranks(3, [](transport::Transport &t) {
        if (t.rank() == 1) {
            t.receive(0, gave_up, soon());
            t.receive(2, gave_up, soon());
        } else {
            EXPECT_EQ(code_of([&] { transport::agree(t, all_ranks(3), 0, {}, at_once()); }), DRI_ERR_TIMEOUT);
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
            EXPECT_EQ(code_of([&] { transport::agree(t, all, 0, {}, at_once()); }), DRI_ERR_TIMEOUT);
        }
        all_are_here.arrive_and_wait();
        for (int round = 0; round < 3; ++round)
            if (contains(pair, t.rank())) {
                EXPECT_EQ(transport::all_gather(t, pair, 0, {}, soon()).size(), 2u);
            }
        EXPECT_EQ(transport::agree(t, all, 0, {}, soon()).code, DRI_SUCCESS);
    });
}

// Ranks 0 to 2 wait for rank 3. Rank 3 waits for rank 1 in another group, with a deadline of a minute.
TEST(Collective, AProcessThatWaitsForAFailedStepFails) {
    const auto begin = transport::Clock::now();
    const auto all = outcomes_before_peace(4, [](transport::Transport &t) {
        const std::vector<int> pair{1, 3};
        if (t.rank() == 3)
            transport::all_gather(t, pair, 1, {}, soon());
        else
            transport::all_gather(t, all_ranks(4), 1, {},
                                  transport::Clock::now() + std::chrono::milliseconds(300));
    });
    for (const Error &error : all)
        EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT) << error.what();
    const std::string message = all[3].what();
    for (const char *word :
         {"process 3 waits for process 1", "group of 4 processes", "gather contents", "waited for process 3"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(30)) << "a process waited for the deadline";
}

// Rank 2 is not in the group of rank 0, but it is in the group of rank 1.
TEST(Collective, AllProcessesThatWaitForARefusedStepAreRefused) {
    const auto begin = transport::Clock::now();
    const auto all = outcomes_before_peace(3, [](transport::Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(300)); // so that both others are waiting
        transport::agree(t, t.rank() == 0 ? pair : all_ranks(3), 1, {}, soon());
    });
    for (const Error &error : all)
        EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
    EXPECT_LT(transport::Clock::now() - begin, std::chrono::seconds(30)) << "a process waited for the deadline";
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
                    transport::agree(t, all_ranks(3), 1, {}, soon());
                else
                    transport::all_gather(t, all_ranks(3), 1, {}, soon());
            });
            EXPECT_EQ(code, DRI_ERR_MISMATCH);
            if (t.rank() > 0) {
                EXPECT_EQ(transport::all_gather(t, pair, 1, {}, soon()).size(), 2u);
            }
        }
    });
}

// Rank 3 has completed many steps, but no other rank knows, because rank 2 is its parent. It leaves last.
TEST(Collective, AProcessThatStillWaitsDoesNotFailTheNextStep) {
    on_ranks(5, [](transport::Transport &t) {
        const std::vector<int> alone{3}, others{0, 1, 3, 4};
        for (int round = 0; round < 10 && t.rank() == 3; ++round)
            EXPECT_EQ(transport::agree(t, alone, 1, {}, soon()).code, DRI_SUCCESS);
        if (t.rank() == 2)
            return;
        EXPECT_EQ(code_of([&] { transport::agree(t, all_ranks(5), 1, {}, at_once()); }), DRI_ERR_TIMEOUT);
        EXPECT_EQ(transport::agree(t, others, 1, {}, soon()).code, DRI_SUCCESS);
    });
}

TEST(Collective, ForeignMessageIsAMismatch) {
    on_ranks(2, [](transport::Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 1)
            t.send(0, 0, text("no packet"), soon());
        const DRI_Code code = code_of([&] { transport::agree(t, pair, 0, {}, at_once()); });
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
            transport::agree(line, all_ranks(4), 0, {}, at_once());
        },
        [](transport::Transport &) {});
    EXPECT_EQ(all[0].code(), DRI_ERR_TIMEOUT);
    EXPECT_EQ(all[1].code(), DRI_ERR_TIMEOUT);
    EXPECT_NE(all[2].code(), DRI_SUCCESS);
    EXPECT_NE(all[3].code(), DRI_SUCCESS);
    EXPECT_NE(std::string(all[1].what()).find("process 2"), std::string::npos) << all[1].what();
}

} // namespace
