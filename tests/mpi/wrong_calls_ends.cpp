// Wrong commits of some endpoints, and what a commit that fails says about endpoints that are missing.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

#include <array>

namespace dri::test {
namespace {

class WrongEnds : public LastErrs {
protected:
    Dist rows_ = make_dist(make_gdo({12, 5}), make_blocks(2, 0), world_),
         columns_ = make_dist(make_gdo({12, 5}), make_blocks(2, 1), world_);
    // Commits these endpoints; the last process passes others.
    std::function<int()> commits(const std::vector<DRI_Xfer> &endpoints, const std::vector<DRI_Xfer> &of_last) {
        return [=, this] {
            const auto &mine = last_ ? of_last : endpoints;
            return DRI_commit_ends(world_, static_cast<int>(mine.size()), mine.data());
        };
    }
};

TEST_F(WrongEnds, ArgumentsAreRefusedByAll) {
    const Xfer source = make_xfer("ends", DRI_SOURCE, rows_), sink = make_xfer("ends", DRI_SINK, columns_),
               done = make_xfer("done", DRI_SOURCE, rows_), done_sink = make_xfer("done", DRI_SINK, columns_);
    const DRI_Xfer in = source, out = sink, committed = done;
    const std::array<DRI_Xfer, 2> two{done, done_sink};
    expect_success(DRI_commit_ends(world_, 2, two.data()), "DRI_commit_ends");
    Xfer destroyed = make_xfer("gone", DRI_SINK, columns_);
    const DRI_Xfer gone = destroyed;
    destroyed.reset();
    const DRI_Group w = world_;
    const bool last = last_;
    expect_refused({
        {"an endpoint twice",
         commits({in, out}, {in, out, in}),
         DRI_ERR_ARG,
         {"entries 0 and 2", "'ends'", "source"}},
        {"a committed endpoint", commits({in, out}, {in, out, committed}), DRI_ERR_STATE, {"'done'", "committed"}},
        {"a null handle", commits({in, out}, {in, DRI_XFER_NULL}), DRI_ERR_HANDLE, {"null"}},
        {"a destroyed endpoint", commits({in, out}, {in, gone}), DRI_ERR_HANDLE, {"stale"}},
        {"a group for an endpoint", commits({in, out}, {as<DRI_Xfer>(w), out}), DRI_ERR_HANDLE, {"group"}},
        {"no handles",
         [=] {
             const std::array<DRI_Xfer, 2> mine{in, out};
             return DRI_commit_ends(w, 2, last ? nullptr : mine.data());
         },
         DRI_ERR_ARG,
         {"xfers"}},
        {"-1 endpoints",
         [=] {
             const std::array<DRI_Xfer, 2> mine{in, out};
             return DRI_commit_ends(w, last ? -1 : 2, mine.data());
         },
         DRI_ERR_ARG,
         {"n is -1"}},
    });
    expect_refused({{"no scope", [=] { return DRI_commit_ends({}, 1, &in); }, DRI_ERR_HANDLE, {"group"}}});
    // The endpoints are declared as before.
    expect_success(commits({in, out}, {in, out})(), "DRI_commit_ends");
    expect_success(DRI_do("ends", DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongEnds, EndpointsThatAreLeftOutAreNamed) {
    const Xfer source = make_xfer("ends", DRI_SOURCE, rows_), sink = make_xfer("ends", DRI_SINK, columns_);
    const DRI_Xfer in = source, out = sink;
    expect_refused({{"a sink that no process passes",
                     commits({in}, {in}),
                     DRI_ERR_UNMATCHED,
                     {"'ends' has no sink", "process 0 has declared a sink of it, but has not passed it"}}});
    if (size_ > 1)
        expect_refused(
            {{"a sink that the last process does not pass",
              commits({in, out}, {in}),
              DRI_ERR_UNMATCHED,
              {"'ends'", "process " + who_ + " has declared a sink of it, but has not passed it"}},
             {"a process that passes nothing", commits({in, out}, {}), DRI_ERR_UNMATCHED, {"'ends'", who_}}});
    commit(world_);
    expect_success(DRI_do("ends", DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongEnds, TheTwoKindsOfCommitAreTwoCalls) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes";
    const Xfer source = make_xfer("ends", DRI_SOURCE, rows_), sink = make_xfer("ends", DRI_SINK, columns_);
    const std::array<DRI_Xfer, 2> mine{source, sink};
    const DRI_Group w = world_;
    const bool last = last_;
    expect_refused({{"DRI_commit beside DRI_commit_ends",
                     [=] { return last ? DRI_commit(w) : DRI_commit_ends(w, 2, mine.data()); },
                     DRI_ERR_MISMATCH,
                     {"DRI_commit over", "DRI_commit_ends over", "process " + who_}}});
    commit(world_);
    expect_success(DRI_do("ends", DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongEnds, OneEndpointIsDeclaredTwice) {
    const Xfer source = make_xfer("twice", DRI_SOURCE, rows_), sink = make_xfer("twice", DRI_SINK, columns_);
    Xfer again = make_xfer("twice", DRI_SOURCE, rows_);
    const auto commits_all = [this] { return DRI_commit(world_); };
    expect_refused({{"two sources with one distribution",
                     commits_all,
                     DRI_ERR_MISMATCH,
                     {"'twice'", "process 0", "two sources", "DRI_commit_ends"}}});
    again.reset();
    again = make_xfer("twice", DRI_SINK, columns_, DRI_COL_MAJOR);
    expect_refused({{"two sinks with one distribution",
                     commits_all,
                     DRI_ERR_MISMATCH,
                     {"'twice'", "two sinks", "different distributions", "DRI_commit_ends"}}});
    again.reset();
    commit(world_);
    expect_success(DRI_do("twice", DRI_XFER_NULL), "DRI_do");
}

// A sink that comes too late learns that the other endpoints are committed.
TEST_F(WrongEnds, ALateSinkLearnsThatTheSourceIsCommitted) {
    const Xfer source = make_xfer("late", DRI_SOURCE, rows_), sink = make_xfer("late", DRI_SINK, columns_);
    commit(world_);
    const Dist last_rows = last_ ? make_dist(make_gdo({12, 5}), make_blocks(2, 0), make_group({rank_})) : Dist();
    Xfer late;
    if (last_)
        late = make_xfer("late", DRI_SINK, last_rows);
    const DRI_Xfer mine = late;
    expect_refused({{"a sink after the commit",
                     [=, this] { return DRI_commit_ends(world_, last_ ? 1 : 0, last_ ? &mine : nullptr); },
                     DRI_ERR_UNMATCHED,
                     {"'late' has no source", "process 0 has a source", "committed already", "destroy it"}}});
    late.reset();
    expect_success(DRI_do("late", DRI_XFER_NULL), "DRI_do");
}

// What a library inside the program has committed is its own: the program cannot destroy it.
TEST_F(WrongEnds, NoHintNamesWhatALibraryHasCommitted) {
    const Xfer source = make_xfer("inside", DRI_SOURCE, rows_), sink = make_xfer("inside", DRI_SINK, columns_);
    const std::array<DRI_Xfer, 2> of_library{source, sink};
    expect_success(DRI_commit_ends(world_, 2, of_library.data()), "DRI_commit_ends");
    const Xfer own = make_xfer("inside", DRI_SINK, columns_);
    EXPECT_EQ(DRI_commit(world_), DRI_ERR_UNMATCHED);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("'inside' has no source"), std::string::npos) << message;
    EXPECT_EQ(message.find("committed already"), std::string::npos) << message;
    EXPECT_EQ(message.find("destroy"), std::string::npos) << message;
    for (const DRI_Xfer end : of_library)
        expect_success(DRI_start(nullptr, end), "DRI_start");
    for (const DRI_Xfer end : of_library)
        expect_success(DRI_wait(nullptr, end), "DRI_wait");
}

// All names that do not match are described, with the nearest one. Beyond eight they are counted.
TEST_F(WrongEnds, AllNamesThatDoNotMatchAreTold) {
    std::vector<Xfer> declared;
    const auto declare = [&](const char *name, DRI_Role role, DRI_Dist dist) {
        declared.push_back(make_xfer(name, role, dist));
    };
    const auto commits_all = [this] { return DRI_commit(world_); };
    declare("corner turn", DRI_SOURCE, rows_);
    declare("corner trun", DRI_SINK, columns_);
    declare("halo", DRI_SOURCE, rows_);
    declare("good", DRI_SOURCE, rows_);
    declare("good", DRI_SINK, columns_);
    expect_refused({{"three names",
                     commits_all,
                     DRI_ERR_UNMATCHED,
                     {"'corner trun' has no source", "the nearest name of a source is 'corner turn', on process 0",
                      "'corner turn' has no sink", "the nearest name of a sink is 'corner trun', on process 0",
                      "'halo' has no sink; its source is declared on 0"}}});
    const std::string message = [&] {
        EXPECT_EQ(DRI_commit(world_), DRI_ERR_UNMATCHED);
        return std::string(DRI_error_message());
    }();
    EXPECT_EQ(message.find("'good'"), std::string::npos) << message;
    EXPECT_EQ(message.find("more name"), std::string::npos) << message;
    const size_t halo = message.find("'halo'");
    EXPECT_EQ(message.find("nearest", halo), std::string::npos) << message;
    for (const char *name : {"a1", "b2", "c3", "d4", "e5", "f6", "g7"})
        declare(name, DRI_SINK, columns_);
    expect_refused({{"ten names",
                     commits_all,
                     DRI_ERR_UNMATCHED,
                     {"'a1' has no source", "'f6'", "2 more names do not match"}}});
}

// The process that declared another name than the others is the one whose name is told.
TEST_F(WrongEnds, AMissingEndpointHasTheNearestNameOfItsProcess) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes";
    const Xfer source = make_xfer("pulses", DRI_SOURCE, rows_),
               sink = make_xfer(last_ ? "pulse" : "pulses", DRI_SINK, columns_);
    expect_refused(
        {{"a letter is missing on one process",
          [this] { return DRI_commit(world_); },
          DRI_ERR_UNMATCHED,
          {"'pulse' has no source", "'pulses': process " + who_ + " has not declared its endpoint of the sink",
           "the nearest name of a sink is 'pulse', on process " + who_}}});
}

// Two letters that are swapped count as one. Of the one process that is missing any name helps.
TEST_F(WrongEnds, AMissingEndpointHasAnyNameOfItsProcess) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes";
    for (const auto &[wrong, words] :
         {std::pair("trun", "the nearest name of a sink is 'trun', on process " + who_),
          std::pair("columns",
                    "process " + who_ + " has declared a sink of 'columns', which does not match either")}) {
        const Xfer source = make_xfer("turn", DRI_SOURCE, rows_),
                   sink = make_xfer(last_ ? wrong : "turn", DRI_SINK, columns_);
        expect_refused({{wrong,
                         [this] { return DRI_commit(world_); },
                         DRI_ERR_UNMATCHED,
                         {"'turn': process " + who_ + " has not declared its endpoint of the sink", words}}});
    }
}

} // namespace
} // namespace dri::test
