// Commits that must fail: identically on all processes, with the lowest wrong name, and without waiting.
#include "support/sanitizer.hpp"
#include "unit/commit_scope.hpp"

#include <algorithm>
#include <barrier>
#include <random>
#include <set>
#include <thread>

namespace dri::test {

using namespace dri;

namespace {

using Sides = std::vector<SideDeclared>;

// The error of all processes; its code is DRI_SUCCESS if none failed.
Error common_error(const std::vector<Committed> &all) {
    for (const Committed &one : all) {
        EXPECT_EQ(one.error.code(), all[0].error.code()) << one.rank << ": " << one.error.what();
        EXPECT_STREQ(one.error.what(), all[0].error.what()) << one.rank;
    }
    return all[0].error;
}

// Whether all endpoints of a name are declared, computed from the table alone.
bool is_whole(const Sides &sides, const std::string &name) {
    int sources = 0, sinks = 0;
    for (const SideDeclared &side : sides) {
        if (side.name != name)
            continue;
        int declared = 0;
        for (int rank : side.dist->group().ranks())
            declared += side.here(rank);
        if (declared == 0)
            continue;
        if (declared < side.dist->group().size())
            return false;
        ++(side.role == commit::Role::source ? sources : sinks);
    }
    return sources + sinks == 0 || (sources == 1 && sinks >= 1);
}

} // namespace

TEST(CommitDisputes, MissingEndpointsAreNamed) {
    for (int missing : {0, 1, 2, 3, 4})
        for (commit::Role role : {commit::Role::source, commit::Role::sink}) {
            Sides sides{{"zebra", commit::Role::source, cut_evenly(100, stepping(5))},
                        {"zebra", commit::Role::sink, cut_evenly(90, stepping(5))}};
            sides[1].dist = cut_evenly(100, {4, 3, 2, 1, 0});
            sides[role == commit::Role::source ? 0 : 1].here = [=](int rank) { return rank != missing; };
            const Error error = common_error(commit_scope(6, sides));
            EXPECT_EQ(error.code(), DRI_ERR_UNMATCHED);
            for (const std::string part : {"'zebra'", commit::role_name(role), "block"})
                EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(fmt::format("process {} has not declared", missing)),
                      std::string::npos)
                << error.what();
        }
}

TEST(CommitDisputes, TheLowestNameDecides) {
    Sides sides;
    for (int n = 9; n >= 0; --n) {
        const std::string name = fmt::format("name {}", n);
        sides.push_back({name, commit::Role::source, cut_evenly(100, {n % 3, 3})});
        if (n != 4 && n != 7)
            sides.push_back({name, commit::Role::sink, cut_evenly(n == 5 ? 99 : 100, {n % 3})});
    }
    const Error error = common_error(commit_scope(7, sides));
    EXPECT_EQ(error.code(), DRI_ERR_UNMATCHED);
    EXPECT_NE(std::string(error.what()).find("'name 4' has no sink"), std::string::npos) << error.what();
}

TEST(CommitDisputes, DifferentArraysAreNamedWithTheirProcesses) {
    const Error error = common_error(commit_scope(4, {{"zebra", commit::Role::source, cut_evenly(100, {1, 2})},
                                                      {"zebra", commit::Role::sink, cut_evenly(100, {0})},
                                                      {"zebra", commit::Role::sink, cut_evenly(99, {3})}}));
    EXPECT_EQ(error.code(), DRI_ERR_MISMATCH);
    for (const std::string part : {"source on process 1", "[100]", "sink on process 3", "[99]"})
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
}

// A process's own failure is reported without its rank.
TEST(CommitDisputes, TheProcessThatFailedIsNamedToTheOthersOnly) {
    const transport::Outcome theirs{DRI_ERR_ARG, "nothing to say", 2};
    const auto failure_text = [&](const transport::Outcome &mine) -> std::string {
        try {
            commit::fail_with(theirs, mine);
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), DRI_ERR_ARG);
            return e.what();
        }
    };
    EXPECT_EQ(failure_text({}), "process 2: nothing to say");
    EXPECT_EQ(failure_text({DRI_ERR_ARG, "something else", 3}), "process 2: nothing to say");
    EXPECT_EQ(failure_text(theirs), "nothing to say");
    EXPECT_EQ(failure_text({DRI_ERR_ARG, "nothing to say", 3}), "nothing to say") << "all fail with the same text";
}

// Random names over random groups, in which random processes do not declare their endpoints.
TEST(CommitDisputes, FailExactlyIfATableSaysSo) {
    std::mt19937 random(20);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int failed = 0;
    for (int round = 0; round < dri::test::rounds(200); ++round) {
        const int size = 1 + below(9);
        Sides sides;
        std::set<std::string> names;
        for (int n = below(5); n >= 0; --n) {
            const std::string name = fmt::format("{}", below(100));
            if (!names.insert(name).second)
                continue;
            std::set<std::vector<int>> used;
            const int sinks = below(12) ? 1 + below(3) : 0;
            for (int k = below(15) ? 0 : 1; k <= sinks; ++k) {
                std::vector<int> group;
                for (int rank = 0; rank < size; ++rank)
                    if (below(2))
                        group.push_back(rank);
                if (group.empty())
                    group.push_back(below(size));
                std::shuffle(group.begin(), group.end(), random);
                if (!used.insert(group).second)
                    continue;
                const int forgets = below(10) ? -1 : group[random() % group.size()];
                sides.push_back({name, k == 0 ? commit::Role::source : commit::Role::sink, cut_evenly(50, group)});
                sides.back().here = [forgets](int rank) { return rank != forgets; };
            }
        }
        const auto wrong =
            std::find_if(names.begin(), names.end(), [&](const auto &name) { return !is_whole(sides, name); });
        const Error error = common_error(commit_scope(size, sides));
        if (wrong == names.end()) {
            EXPECT_EQ(error.code(), DRI_SUCCESS) << "round " << round << ": " << error.what();
        } else {
            ++failed;
            EXPECT_EQ(error.code(), DRI_ERR_UNMATCHED) << "round " << round << ": " << error.what();
            EXPECT_NE(std::string(error.what()).find("'" + *wrong + "'"), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(failed, dri::test::rounds(40));
    EXPECT_LT(failed, 160);
}

TEST(CommitDisputes, AMissingProcessIsNamedAndTheOthersContinue) {
    const Sides sides{{"zebra", commit::Role::source, cut_evenly(100, {0, 1})},
                      {"zebra", commit::Role::sink, cut_evenly(100, {0, 3})}};
    on_ranks(5, [&](transport::Transport &t) {
        commit::Counters counters;
        if (t.rank() != 2) {
            const Committed one =
                commit_endpoints(t, model::Group(stepping(5)), sides, counters, std::chrono::milliseconds(500));
            EXPECT_EQ(one.error.code(), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(one.error.what()).find("waited for process 2"), std::string::npos)
                << one.error.what();
            const Committed again =
                commit_endpoints(t, model::Group({0, 1, 3, 4}), sides, counters, std::chrono::seconds(60));
            EXPECT_EQ(again.error.code(), DRI_SUCCESS) << again.error.what();
        }
    });
}

// Process 3 commits over another scope than the others, which wait for it. Each process waits for its own
// deadline.
TEST(CommitDisputes, DifferentScopesFailOnAllAndMayBeCorrected) {
    const model::Group four(stepping(4)), other({1, 3});
    const Sides sides{{"zebra", commit::Role::source, cut_evenly(100, stepping(4))},
                      {"zebra", commit::Role::sink, cut_evenly(100, {3, 2, 1, 0})}};
    std::vector<Committed> all(4);
    std::barrier all_have_failed(4);
    on_ranks(4, [&](transport::Transport &t) {
        Committed &one = all[static_cast<size_t>(t.rank())];
        const bool odd = t.rank() == 3;
        one = commit_endpoints(t, odd ? other : four, sides, {}, std::chrono::milliseconds(odd ? 900 : 300));
        all_have_failed.arrive_and_wait();
        const Committed again = commit_endpoints(t, four, sides, one.counters, std::chrono::seconds(60));
        EXPECT_EQ(again.error.code(), DRI_SUCCESS) << again.error.what();
    });
    for (const Committed &one : all)
        EXPECT_EQ(one.error.code(), DRI_ERR_TIMEOUT) << one.rank << ": " << one.error.what();
}

// A transport that loses its connection half-way. All other processes must return as well.
class Breaking final : public ForwardingTransport {
public:
    Breaking(transport::Transport &inner, int good_posts) : ForwardingTransport(inner), good_posts_(good_posts) {}
    void post(int peer, int tag, Bytes bytes) override {
        if (good_posts_-- == 0)
            fail(DRI_ERR_TRANSPORT, "rank {} lost its line", rank());
        ForwardingTransport::post(peer, tag, std::move(bytes));
    }

private:
    int good_posts_;
};

// The others wait until their deadline for the process without a connection. The deadline is longer than a busy
// machine delays a thread, because otherwise deadlines would pass without a fault. The cases run in parallel, so
// that the test takes no longer than one wait.
TEST(CommitDisputes, ALostConnectionFailsOnAllProcesses) {
    const Sides sides{{"zebra", commit::Role::source, cut_evenly(100, {0, 1, 2, 3})},
                      {"zebra", commit::Role::sink, cut_evenly(100, {4, 5})}};
    const model::Group scope(stepping(6));
    constexpr auto patience = std::chrono::milliseconds(1500);
    struct Case {
        int broken, good_posts;
        std::vector<transport::Outcome> outcomes;
    };
    std::vector<Case> cases{{0, 0, {}}, {0, 5, {}}, {3, 0, {}}, {3, 4, {}}, {5, 1, {}}, {5, 6, {}}};
    std::vector<std::thread> threads;
    for (Case &c : cases)
        threads.emplace_back([&] {
            c.outcomes.resize(6);
            on_ranks(6, [&](transport::Transport &t) {
                Breaking line(t, t.rank() == c.broken ? c.good_posts : -1);
                const Committed one = commit_endpoints(line, scope, sides, {}, patience);
                transport::Outcome &outcome = c.outcomes[static_cast<size_t>(t.rank())];
                outcome = {one.error.code(), one.error.what(), t.rank()};
                if (!one.shared)
                    outcome = commit::agree_outcome({line, "DRI_commit", scope, patience, nullptr}, outcome);
            });
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const Case &c : cases)
        for (const transport::Outcome &outcome : c.outcomes) {
            const transport::Outcome &first = c.outcomes[0];
            EXPECT_NE(outcome.code, DRI_SUCCESS);
            EXPECT_EQ(outcome.code, first.code) << outcome.message << " / " << first.message;
            EXPECT_NE(outcome.message.find(first.message), std::string::npos)
                << outcome.message << " / " << first.message;
        }
}

} // namespace dri::test
