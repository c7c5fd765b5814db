// Wrong commits. Collective: a mistake of one process gives all processes of the scope the same code.
#include "support/good_turn.hpp"
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/wrong_call.hpp"

#include <array>

namespace dri::test {
namespace {

class WrongCommit : public LastErrs {
protected:
    Dist rows_ = make_dist(make_gdo({12, 5}), make_blocks(2, 0), world_);
    Dist columns_ = make_dist(make_gdo({12, 5}), make_blocks(2, 1), world_);
};

// An endpoint to declare, commit and destroy.
struct DeclaredEndpoint {
    DRI_Role role;
    DRI_Dist dist;
    bool here = true; // whether this process declares it
    void *buffer = nullptr;
};

std::function<int()> committing(const std::string &name, const std::vector<DeclaredEndpoint> &endpoints,
                                DRI_Group scope) {
    return [=] {
        std::vector<Xfer> declared;
        for (const DeclaredEndpoint &endpoint : endpoints) {
            if (!endpoint.here)
                continue;
            Xfer xfer;
            expect_success(DRI_xfer_create(name.c_str(), endpoint.role, endpoint.dist, DRI_ROW_MAJOR, 1,
                                           endpoint.buffer ? &endpoint.buffer : nullptr, xfer.out()),
                           "DRI_xfer_create");
            declared.push_back(std::move(xfer));
        }
        return DRI_commit(scope);
    };
}

TEST_F(WrongCommit, ScopesAreRefused) {
    Group gone = make_world();
    const DRI_Group old = gone;
    gone.reset();
    const DRI_Gdo gdo{rows_.get().id};
    WrongCalls table{
        {"null scope", [] { return DRI_commit({}); }, DRI_ERR_HANDLE, {"group"}},
        {"a distribution for a scope", [=] { return DRI_commit(as<DRI_Group>(gdo)); }, DRI_ERR_HANDLE, {"group"}},
        {"a destroyed scope", [=] { return DRI_commit(old); }, DRI_ERR_HANDLE, {"group"}},
    };
    const Group others = make_group({(rank_ + 1) % size_});
    const DRI_Group next = others;
    if (size_ > 1)
        table.push_back({"a scope without the caller",
                         [=] { return DRI_commit(next); },
                         DRI_ERR_ARG,
                         {"process " + std::to_string(rank_), std::to_string((rank_ + 1) % size_)}});
    expect_refused_by_all(table);
}

TEST_F(WrongCommit, MissingEndpointsAreRefusedByAll) {
    const DRI_Dist r = rows_, c = columns_;
    const DRI_Group w = world_;
    WrongCalls table{
        {"a source without a sink",
         committing("alone", {{DRI_SOURCE, r}}, w),
         DRI_ERR_UNMATCHED,
         {"'alone'", "no sink"}},
        {"a sink without a source",
         committing("alone", {{DRI_SINK, r}}, w),
         DRI_ERR_UNMATCHED,
         {"'alone'", "no source"}},
    };
    if (size_ > 1) {
        const bool not_last = !last_;
        table.push_back({"a process without its sink",
                         committing("part", {{DRI_SOURCE, r}, {DRI_SINK, c, not_last}}, w),
                         DRI_ERR_UNMATCHED,
                         {"'part'", "process " + who_, "sink"}});
        table.push_back({"a process without its source",
                         committing("part", {{DRI_SOURCE, r, not_last}, {DRI_SINK, c}}, w),
                         DRI_ERR_UNMATCHED,
                         {"'part'", "process " + who_, "source"}});
        table.push_back({"a process without any endpoint",
                         committing("part", {{DRI_SOURCE, r, not_last}, {DRI_SINK, c, not_last}}, w),
                         DRI_ERR_UNMATCHED,
                         {"'part'", "process " + who_}});
        table.push_back({"another name on one process",
                         committing(last_ ? "part" : "apart", {{DRI_SOURCE, r}, {DRI_SINK, c}}, w),
                         DRI_ERR_UNMATCHED,
                         {"'apart'", "process " + who_}});
    }
    expect_refused_by_all(table);
}

TEST_F(WrongCommit, EndpointsThatDisagreeAreRefusedByAll) {
    const DRI_Dist r = rows_, c = columns_;
    const DRI_Group w = world_;
    const Part part = make_blocks(2, 1);
    const Dist longer = make_dist(make_gdo({13, 5}), part, world_),
               flat = make_dist(make_gdo({60}), make_blocks(1, 0), world_);
    const Dist doubles = make_dist(make_gdo({12, 5}, DRI_DOUBLE), part, world_);
    const Dist integers = make_dist(make_gdo({12, 5}, DRI_INT32), part, world_);
    Type record;
    EXPECT_EQ(DRI_type_create(4, 4, record.out()), DRI_SUCCESS);
    const Dist records = make_dist(make_gdo({12, 5}, record), part, world_);
    const auto both_sides = [&](DRI_Dist sink) {
        return std::vector<DeclaredEndpoint>{{DRI_SOURCE, r}, {DRI_SINK, sink}};
    };
    WrongCalls table{
        {"other sizes",
         committing("differ", both_sides(longer), w),
         DRI_ERR_MISMATCH,
         {"'differ'", "[12,5]", "[13,5]"}},
        {"other dimensions",
         committing("differ", both_sides(flat), w),
         DRI_ERR_MISMATCH,
         {"'differ'", "[12,5]", "[60]"}},
        {"another type",
         committing("differ", both_sides(doubles), w),
         DRI_ERR_MISMATCH,
         {"'differ'", "float", "double", "DRI_ATTR_CONVERT"}},
        {"another type of the same size",
         committing("differ", both_sides(integers), w),
         DRI_ERR_MISMATCH,
         {"float", "int32"}},
        {"a record of the same size",
         committing("differ", both_sides(records), w),
         DRI_ERR_MISMATCH,
         {"float", "4 bytes"}},
    };
    if (size_ > 1)
        table.push_back({"another source on one process",
                         committing("two", {{DRI_SOURCE, last_ ? c : r}, {DRI_SINK, c}}, w),
                         DRI_ERR_MISMATCH,
                         {"'two'", "two sources"}});
    expect_refused_by_all(table);
}

TEST_F(WrongCommit, TwoSourceGroupsAreRefusedByAll) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two groups";
    // The even processes and the odd ones each offer the whole object.
    std::vector<int> mine;
    for (int q = rank_ % 2; q < size_; q += 2)
        mine.push_back(q);
    const Dist source = make_dist(make_gdo({12, 5}), make_blocks(2, 0), make_group(mine));
    expect_refused_by_all({{"two source groups",
                            committing("two", {{DRI_SOURCE, source}, {DRI_SINK, columns_}}, world_),
                            DRI_ERR_MISMATCH,
                            {"'two'", "two sources", "process 0", "process 1"}}});
}

TEST_F(WrongCommit, AScopeThatLacksAProcessIsRefusedByItsProcesses) {
    if (size_ < 2)
        GTEST_SKIP() << "needs a process outside";
    Xfer source = make_xfer("outside", DRI_SOURCE, rows_), sink = make_xfer("outside", DRI_SINK, columns_);
    const Group scope = make_group(last_ ? all_ranks() : ranks(size_ - 1));
    if (!last_) {
        EXPECT_EQ(DRI_commit(scope), DRI_ERR_UNMATCHED);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("process " + who_), std::string::npos) << message;
        EXPECT_NE(message.find("'outside'"), std::string::npos) << message;
    }
    barrier();
    commit(world_);
    expect_success(DRI_do("outside", DRI_XFER_NULL), "DRI_do");
}

TEST_F(WrongCommit, DifferentScopesAreReportedWithTheirMembers) {
    if (size_ < 3)
        GTEST_SKIP() << "needs a process beyond the smaller scope";
    const Group two = make_group({0, 1});
    if (rank_ < 2) {
        EXPECT_EQ(DRI_commit(rank_ == 0 ? two : world_), DRI_ERR_MISMATCH);
        const std::string message = DRI_error_message(), other = std::to_string(size_);
        EXPECT_NE(message.find("2 processes: 0, 1"), std::string::npos) << message;
        EXPECT_NE(message.find("process 1 calls DRI_commit over another group, of " + other + " processes"),
                  std::string::npos)
            << message;
        EXPECT_EQ(message.find("DRI_commit on process " + std::to_string(rank_)), 0u) << message;
    }
    barrier();
    expect_good_turn();
}

TEST_F(WrongCommit, BuffersThatShareMemoryAreRefusedByAll) {
    alignas(64) static std::array<std::byte, 2048> memory;
    const DRI_Dist r = rows_, c = columns_;
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(make_xfer("probe", DRI_SOURCE, rows_), &bytes), "DRI_xfer_buffer_bytes");
    const std::string who = "process 0"; // process 0 has elements on both sides for any number of processes
    const auto at = [&](size_t offset, bool here) { return here ? memory.data() + offset : nullptr; };
    const WrongCalls table{
        {"the same buffer at both endpoints",
         committing("share", {{DRI_SOURCE, r, true, at(0, true)}, {DRI_SINK, c, true, at(0, true)}}, world_),
         DRI_ERR_ARG,
         {"'share'", "source", "sink", "share memory"}},
        {"one element in common, on one process",
         committing("share",
                    {{DRI_SOURCE, r, true, at(0, rank_ == 0)}, {DRI_SINK, c, true, at(bytes - 4, rank_ == 0)}},
                    world_),
         DRI_ERR_ARG,
         {"'share'", "source", "sink", who}},
    };
    EXPECT_TRUE(rank_ != 0 || bytes > 4);
    expect_refused_by_all(table);
}

TEST_F(WrongCommit, TooLittleMemoryOnOneProcessIsRefusedByAll) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer terminates programs that request too much";
    // The last process holds all elements, which are more than an address space can hold.
    std::vector<int64_t> sizes(static_cast<size_t>(size_), 0);
    sizes.back() = int64_t{1} << 52;
    const Part part = make_part({{.kind = DRI_SIZES, .nparts = size_, .sizes = sizes.data()}});
    const Dist huge = make_dist(make_gdo({sizes.back()}, DRI_INT8), part, world_);
    expect_refused_by_all(
        {{"more memory than there is",
          committing("huge", {{DRI_SOURCE, huge}, {DRI_SINK, huge}}, world_),
          DRI_ERR_MEMORY,
          {"process " + who_, std::to_string(sizes.back()), "'huge'", "buffer 0 of the source"}}});
}

class AfterAFailedCommit : public WrongCommit {
protected:
    void expect_uncommitted(const Xfer &endpoint) {
        void *buffer = nullptr;
        EXPECT_EQ(DRI_xfer_get_buffer(endpoint, &buffer), DRI_ERR_STATE);
        EXPECT_EQ(DRI_do("mend", DRI_XFER_NULL), DRI_ERR_STATE);
    }
    void expect_works(const Xfer &source, const Xfer &sink) {
        commit(world_);
        expect_frame(source, sink);
    }
    // Runs a frame of 12 x 5 floats, from rows to columns.
    void expect_frame(const Xfer &source, const Xfer &sink) {
        DRI_Part_tuple tuples[2];
        expect_success(DRI_dist_get_part(rows_, rank_, tuples), "DRI_dist_get_part");
        auto *out = buffer_of<float>(source);
        for (int64_t i = tuples[0].left_x * 5; i < tuples[0].right_x * 5; ++i)
            *out++ = static_cast<float>(i);
        expect_success(DRI_do("mend", DRI_XFER_NULL), "DRI_do");
        expect_success(DRI_dist_get_part(columns_, rank_, tuples), "DRI_dist_get_part");
        const int64_t width = tuples[1].right_x - tuples[1].left_x;
        const auto *in = buffer_of<float>(sink);
        for (int64_t i = 0; i < 12; ++i)
            for (int64_t j = 0; j < width; ++j)
                EXPECT_EQ(in[i * width + j], static_cast<float>(i * 5 + tuples[1].left_x + j)) << i << "," << j;
    }
};

TEST_F(AfterAFailedCommit, AMissingEndpointCanBeDeclared) {
    const Xfer source = make_xfer("mend", DRI_SOURCE, rows_);
    Xfer sink;
    if (!last_)
        sink = make_xfer("mend", DRI_SINK, columns_);
    EXPECT_EQ(DRI_commit(world_), DRI_ERR_UNMATCHED);
    expect_uncommitted(source);
    if (last_)
        sink = make_xfer("mend", DRI_SINK, columns_);
    expect_works(source, sink);
}

TEST_F(AfterAFailedCommit, AWrongEndpointCanBeReplaced) {
    const Dist longer = make_dist(make_gdo({13, 5}), make_blocks(2, 1), world_);
    const Xfer source = make_xfer("mend", DRI_SOURCE, rows_);
    Xfer sink = make_xfer("mend", DRI_SINK, longer);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(DRI_commit(world_), DRI_ERR_MISMATCH) << "however often";
    expect_uncommitted(source);
    EXPECT_EQ(sink.reset(), DRI_SUCCESS);
    sink = make_xfer("mend", DRI_SINK, columns_);
    expect_works(source, sink);
}

TEST_F(AfterAFailedCommit, NoneOfItsTransfersIsCommitted) {
    Xfer source = make_xfer("mend", DRI_SOURCE, rows_), sink = make_xfer("mend", DRI_SINK, columns_);
    Xfer lonely = make_xfer("lonely", DRI_SOURCE, rows_);
    EXPECT_EQ(DRI_commit(world_), DRI_ERR_UNMATCHED);
    expect_uncommitted(source);
    EXPECT_EQ(lonely.reset(), DRI_SUCCESS);
    expect_works(source, sink);
}

TEST_F(AfterAFailedCommit, ACommittedTransferContinues) {
    const Xfer source = make_xfer("mend", DRI_SOURCE, rows_), sink = make_xfer("mend", DRI_SINK, columns_);
    commit(world_);
    const Xfer lonely = make_xfer("lonely", DRI_SINK, rows_);
    EXPECT_EQ(DRI_commit(world_), DRI_ERR_UNMATCHED);
    expect_frame(source, sink);
}

TEST_F(WrongCommit, AnEmptyCommitIsNoError) {
    commit(world_);
    expect_good_turn();
}

} // namespace
} // namespace dri::test
