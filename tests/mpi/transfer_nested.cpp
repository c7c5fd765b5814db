// A program and a library inside it use the same names: each commits and calls its own endpoints alone.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <array>
#include <thread>

namespace dri::test {
namespace {

constexpr const char *each_way[]{"", " direct", " no-self"};

std::vector<DRI_Xfer> endpoints_of(const TransferRun &run) {
    std::vector<DRI_Xfer> endpoints;
    if (run.has_source())
        endpoints.push_back(run.source());
    for (size_t k = 0; k < run.sinks(); ++k)
        endpoints.push_back(run.sink(k));
    return endpoints;
}

void commit_ends(DRI_Group scope, const std::vector<DRI_Xfer> &endpoints) {
    expect_success(DRI_commit_ends(scope, static_cast<int>(endpoints.size()), endpoints.data()),
                   "DRI_commit_ends");
}

// What the library does: it declares, commits its own endpoints, and calls them by their handles.
struct LibraryTurn {
    LibraryTurn(const std::string &name, const char *way, int salt)
        : run(name, std::string("double [9,14] *,block rm -> block,* 10 buffers=2,1") + way, salt) {}

    void commit() {
        commit_ends(make_world(), endpoints_of(run));
        run.bind();
    }
    void frame() {
        run.fill();
        run.execute_source();
        run.execute_sink();
        run.check();
    }
    TransferRun run;
};

// The program's transfer has another shape than the library's, on fewer processes.
std::string program_line(const char *way) {
    return fmt::format("float [12,10] block,* rm over 0-{} -> *,block rm buffers=2,2{}", world().size / 2, way);
}

TEST(Nested, OneNameInTurn) {
    for (const char *way : each_way)
        for (const bool library_first : {false, true}) {
            SCOPED_TRACE(fmt::format("{}, library first: {}", way, library_first));
            TransferRun program("turn", program_line(way), 1);
            LibraryTurn library("turn", way, 2);
            if (library_first)
                library.run.declare();
            program.declare();
            if (!library_first)
                library.run.declare();
            library.commit();
            library.frame();
            for (const DRI_Xfer endpoint : endpoints_of(program))
                EXPECT_EQ(DRI_do(nullptr, endpoint), DRI_ERR_STATE) << "not committed by the library";
            commit(make_world());
            program.bind();
            for (int f = 0; f < 3; ++f) {
                program.frame(); // by name
                library.frame();
            }
            program.check_info();
            library.run.check_info();
            library.run.destroy();
            program.frame();
        }
}

// The program has declared one end of a transfer, and nobody the other one: the library asks about its own name.
TEST(Nested, AQueryBesideWhatIsHalfDeclared) {
    Xfer half;
    if (world().rank == 0)
        half = make_xfer("theirs", DRI_SOURCE, make_dist(make_gdo({8}), make_blocks(1, 0), make_group({0})));
    LibraryTurn library("ours", "", 2);
    library.run.declare();
    const std::vector<DRI_Xfer> endpoints = endpoints_of(library.run);
    std::vector<DRI_Memory> memory(endpoints.size());
    expect_success(
        DRI_xfer_query(make_world(), static_cast<int>(endpoints.size()), endpoints.data(), memory.data()),
        "DRI_xfer_query");
    library.commit();
    for (size_t i = 0; i < endpoints.size(); ++i) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(endpoints[i], &info), "DRI_xfer_get_info");
        EXPECT_EQ(memory[i].plan_bytes, info.plan_bytes);
    }
    library.frame();
    EXPECT_EQ(DRI_xfer_query(make_world(), 0, nullptr, nullptr), DRI_ERR_UNMATCHED) << "about all names";
}

// The library makes and destroys its transfer inside each frame of the program, which is half-declared at first.
TEST(Nested, AroundEachFrame) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({12, 6}), make_blocks(2, 0), all),
               columns = make_dist(make_gdo({12, 6}), make_blocks(2, 1), all);
    Xfer source = make_xfer("turn", DRI_SOURCE, rows, DRI_ROW_MAJOR, 2);
    const auto call_library = [](int salt) {
        LibraryTurn library("turn", "", salt);
        library.run.declare();
        library.commit();
        library.frame();
        library.frame();
    };
    call_library(1);
    const Xfer sink = make_xfer("turn", DRI_SINK, columns);
    call_library(2);
    commit(all);
    int64_t owned = 0;
    expect_success(DRI_dist_get_count(rows, world().rank, &owned, nullptr), "DRI_dist_get_count");
    for (int f = 0; f < 3; ++f) {
        std::fill_n(buffer_of<float>(source), owned, static_cast<float>(f + 5));
        expect_success(DRI_start("turn", DRI_XFER_NULL), "DRI_start");
        call_library(3 + f); // the program's frame is under way meanwhile
        expect_success(DRI_wait("turn", DRI_XFER_NULL), "DRI_wait");
        expect_success(DRI_dist_get_count(columns, world().rank, &owned, nullptr), "DRI_dist_get_count");
        const auto *in = buffer_of<float>(sink);
        EXPECT_EQ(std::count(in, in + owned, static_cast<float>(f + 5)), owned);
        expect_success(DRI_dist_get_count(rows, world().rank, &owned, nullptr), "DRI_dist_get_count");
    }
}

// Each process passes what it has: one endpoint, several or none. Endpoints of other names wait for another call.
TEST(Nested, SomeOfManyEndpoints) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const std::string from_first = "int32 [7,5] block,* rm over 0 -> *,block rm direct buffers=2,1",
                      to_last = fmt::format("int32 [7,5] block,* rm -> block,* rm over {} buffers=2,1", size - 1);
    TransferRun first("first", from_first, 1), second("second", to_last, 2), third("third", from_first, 3);
    for (TransferRun *run : {&first, &second, &third})
        run->declare();
    std::vector<DRI_Xfer> chosen = endpoints_of(third);
    for (const DRI_Xfer endpoint : endpoints_of(first))
        chosen.insert(chosen.begin(), endpoint);
    commit_ends(all, chosen);
    commit_ends(all, {});
    for (TransferRun *run : {&first, &third}) {
        run->bind();
        run->frame();
    }
    commit_ends(all, endpoints_of(second));
    second.bind();
    for (TransferRun *run : {&second, &first, &third})
        run->frame();
}

// The scope of a library may be a part of the world. Other processes do something else meanwhile.
TEST(Nested, OverSomeProcesses) {
    const auto [rank, size] = world();
    const int half = (size + 1) / 2;
    const bool lower = rank < half;
    if (size == 1)
        GTEST_SKIP() << "needs a process outside";
    const std::string line =
        fmt::format("int64 [13,4] block,* rm over {0}-{1} -> *,block rm over {0}-{1} buffers=2,1",
                    lower ? 0 : half, lower ? half - 1 : size - 1);
    TransferRun program("turn", program_line(""), 1), library("turn", line, 2);
    program.declare();
    library.declare();
    commit_ends(make_group(lower ? ranks(half) : ranks(size - half, half)), endpoints_of(library));
    library.bind();
    library.fill();
    library.execute_source();
    library.execute_sink();
    library.check();
    commit(make_world());
    program.bind();
    program.frame();
}

// A name means what DRI_commit has committed, otherwise the only transfer of that name.
TEST(Nested, WhatANameMeans) {
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo({4}, DRI_INT32), make_blocks(1, 0), alone);
    struct NamedPair {
        explicit NamedPair(DRI_Dist dist)
            : source(make_xfer("name", DRI_SOURCE, dist)), sink(make_xfer("name", DRI_SINK, dist)) {}
        std::vector<DRI_Xfer> both() const { return {source, sink}; }
        Xfer source, sink;
    };
    const auto executed = [](const NamedPair &pair) {
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(pair.sink, &info), "DRI_xfer_get_info");
        return info.frames;
    };
    const auto expect_several = [] {
        EXPECT_EQ(DRI_do("name", DRI_XFER_NULL), DRI_ERR_STATE);
        const std::string message = DRI_error_message();
        for (const char *word : {"'name'", "several transfers", "handle"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
    };
    NamedPair first(dist);
    commit_ends(alone, first.both());
    expect_success(DRI_do("name", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(executed(first), 1);
    NamedPair second(dist);
    expect_several(); // it is declared
    commit_ends(alone, second.both());
    expect_several();
    NamedPair third(dist);
    commit(alone);
    expect_success(DRI_do("name", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(executed(third), 1);
    // At most one transfer of a name is committed by DRI_commit.
    NamedPair fourth(dist);
    EXPECT_EQ(DRI_commit(alone), DRI_ERR_STATE);
    const std::string message = DRI_error_message();
    for (const char *word : {"'name'", "committed", "destroy it"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    third.source.reset();
    EXPECT_EQ(DRI_commit(alone), DRI_ERR_STATE) << "its sink is left";
    third.sink.reset();
    expect_several();
    commit(alone);
    expect_success(DRI_do("name", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(executed(fourth), 1);
    for (NamedPair *pair : {&second, &fourth}) {
        pair->source.reset();
        pair->sink.reset();
    }
    expect_success(DRI_do("name", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(executed(first), 2) << "the only one that is left";
}

// A thread of a library declares under a name that another thread of the program commits. A commit that the other
// one excludes is repeated.
TEST(Nested, InTwoThreads) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    if (granted < MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "needs MPI for several threads";
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo({6}, DRI_INT32), make_blocks(1, 0), alone);
    const auto work = [&](bool is_library) {
        for (int i = 0; i < 40; ++i) {
            const Xfer source = make_xfer("both", DRI_SOURCE, dist, DRI_ROW_MAJOR, 2),
                       sink = make_xfer("both", DRI_SINK, dist);
            const std::array<DRI_Xfer, 2> mine{source, sink};
            int code = DRI_ERR_STATE;
            while (code == DRI_ERR_STATE) {
                code = DRI_commit_ends(alone, 2, mine.data());
                std::this_thread::yield();
            }
            expect_success(code, "DRI_commit_ends");
            const int32_t mark = is_library ? 1000 + i : i;
            std::fill_n(buffer_of<int32_t>(source), 6, mark);
            expect_success(DRI_do(nullptr, source), "DRI_do");
            expect_success(DRI_do(nullptr, sink), "DRI_do");
            EXPECT_EQ(buffer_of<int32_t>(sink)[5], mark);
        }
    };
    std::thread library([&] { work(true); });
    work(false);
    library.join();
}

} // namespace
} // namespace dri::test
