// Measured planning and wisdom through the interface: they change times but no bytes.
#include "kernel/kernel.hpp"
#include "support/allocation_counter.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <dri/dri_mpi.h>

#include <algorithm>
#include <cstring>
#include <regex>

namespace dri::test {
namespace {

// The library runs while this object exists, initially without wisdom.
class WisdomOfTransfers : public testing::Test {
protected:
    void SetUp() override { expect_success(DRI_init_comm(MPI_COMM_WORLD), "DRI_init_comm"); }
    void TearDown() override { expect_success(DRI_finalize(), "DRI_finalize"); }
};

std::string wisdom() {
    size_t needed = 0;
    expect_success(DRI_wisdom_export(nullptr, 0, &needed), "DRI_wisdom_export");
    std::string text(needed, '?');
    expect_success(DRI_wisdom_export(text.data(), needed, nullptr), "DRI_wisdom_export");
    EXPECT_EQ(text.find('\0'), needed - 1);
    text.pop_back();
    return text;
}

const std::string no_wisdom = "dri-wisdom 1\n";

bool has(const std::string &text, const char *word) { return text.find(word) != std::string::npos; }

void plan(DRI_Xfer xfer, DRI_Planning planning) {
    expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_PLAN, planning), "DRI_xfer_set_attr");
}

// Runs a case and returns the explain text of this process's endpoints. The oracle checks the frames.
std::string run(const std::string &name, const std::string &line, DRI_Planning planning) {
    TransferRun run(name, line);
    run.declare();
    if (run.has_source())
        plan(run.source(), planning);
    if (run.has_sink())
        plan(run.sink(), planning);
    commit(make_world());
    run.bind();
    run.frame();
    run.frame();
    std::string text;
    if (run.has_source())
        text += explain(run.source());
    if (run.has_sink())
        text += explain(run.sink());
    return text;
}

// With more processes than cores a measurement may run out of time, so it is repeated up to 20 times. attempt()
// returns whether this process has the result, and is called equally often on all processes.
template <class F> void try_until_all(const F &attempt) {
    for (int chances = 20; chances > 0; --chances)
        if (range_of(attempt() ? 1 : 0).first == 1)
            return;
    ADD_FAILURE() << "nothing was measured";
}

// Large enough to be measured on 7 processes.
const std::vector<std::string> cases{
    "complex-float [320,330] block,* rm -> *,block 10 direct",
    "complex-float [320,330] block,* rm -> *,block 10/split direct",
    "float [320,330] block,* rm -> *,cyclic(0,3) rm direct buffers=2,3 memory=heap",
    "complex-double [90,1000] block,* rm -> *,block rm direct memory=mixed,library",
    "complex-float [320,330] block,* rm -> *,block 10 no-self limit=20000",
};

TEST_F(WisdomOfTransfers, MeasuredTransfersMoveTheSameBytesAndAreRemembered) {
    EXPECT_EQ(wisdom(), no_wisdom);
    for (const std::string &c : cases) {
        SCOPED_TRACE(c);
        const std::string first = run("measured", c, DRI_MEASURE);
        const std::string known = wisdom();
        for (const DRI_Planning planning : {DRI_ESTIMATE, DRI_MEASURE}) {
            const std::string again = run("known", c, planning);
            // What time did not allow before may be measured now. What was measured is not measured again.
            if (planning == DRI_ESTIMATE) {
                EXPECT_FALSE(has(again, "measured")) << again;
                EXPECT_EQ(wisdom(), known);
            }
            EXPECT_TRUE(has(known, " = ") || !has(again, "; wisdom: ")) << again;
            // The user's memory may lie differently within cache lines each time.
            const bool same_alignment = !has(c, "memory=");
            if (same_alignment && has(first, "; measured: ")) {
                EXPECT_TRUE(has(again, "; wisdom: ")) << first << again;
            }
        }
    }
}

TEST_F(WisdomOfTransfers, WithoutMeasuringThereIsNoWisdom) {
    for (const std::string &c : cases) {
        const std::string text = run("estimated", c, DRI_ESTIMATE);
        EXPECT_FALSE(has(text, "measured") || has(text, "wisdom")) << text;
    }
    EXPECT_EQ(wisdom(), no_wisdom);
}

TEST_F(WisdomOfTransfers, OutlivesTheLibrary) {
    if (dri::kernel::best_isa() == dri::kernel::Isa::scalar)
        GTEST_SKIP() << "plain code has one kernel for everything";
    const std::string &turn = cases[0];
    try_until_all([&] {
        run("measured", turn, DRI_MEASURE);
        return has(wisdom(), " = ");
    });
    const std::string known = wisdom();
    expect_success(DRI_finalize(), "DRI_finalize");
    expect_success(DRI_init_comm(MPI_COMM_WORLD), "DRI_init_comm");
    EXPECT_EQ(wisdom(), no_wisdom) << "wisdom does not outlive the library";
    // A wisdom that selects the plain kernel for corner turns, which no measurement would choose.
    const std::string plain =
        std::regex_replace(known, std::regex("(copy 8B.* = ).*"), "$1elements scalar cached");
    expect_success(DRI_wisdom_import(plain.c_str()), "DRI_wisdom_import");
    EXPECT_EQ(wisdom(), plain);
    const std::string text = run("known", turn, DRI_MEASURE);
    EXPECT_TRUE(has(text, "[elements; wisdom: elements scalar cached]")) << text;
    expect_success(DRI_wisdom_import(known.c_str()), "DRI_wisdom_import");
    EXPECT_EQ(wisdom(), known) << "a later import replaces an earlier one";
    const std::string with_carriage_returns = std::regex_replace(plain, std::regex("\n"), "\r\n");
    expect_success(DRI_wisdom_import(with_carriage_returns.c_str()), "DRI_wisdom_import");
    EXPECT_EQ(wisdom(), plain) << "carriage returns at the ends of lines";
}

// Pads and gaps in the user's memory keep what the user wrote.
TEST_F(WisdomOfTransfers, MeasuringChangesNoBuffer) {
    const Group all = make_world();
    const Gdo gdo = make_gdo({600, 600}, DRI_FLOAT);
    const Dist rows = make_dist(gdo, make_blocks(2, 0), all), columns = make_dist(gdo, make_blocks(2, 1), all);
    std::vector<float> in(360000, 3), out(360000, 5);
    void *from = in.data(), *to = out.data();
    Xfer source, sink;
    expect_success(DRI_xfer_create("untouched", DRI_SOURCE, rows, DRI_ROW_MAJOR, 1, &from, source.out()),
                   "create");
    expect_success(DRI_xfer_create("untouched", DRI_SINK, columns, DRI_COL_MAJOR, 1, &to, sink.out()), "create");
    plan(source, DRI_MEASURE);
    plan(sink, DRI_MEASURE);
    commit(all);
    EXPECT_EQ(std::count(in.begin(), in.end(), 3.0F), std::ssize(in));
    EXPECT_EQ(std::count(out.begin(), out.end(), 5.0F), std::ssize(out));
}

TEST_F(WisdomOfTransfers, OneEndpointOfOneProcessMayMeasureAlone) {
    if (dri::kernel::best_isa() == dri::kernel::Isa::scalar)
        GTEST_SKIP() << "plain code has one kernel for everything";
    const Group all = make_world();
    const Gdo gdo = make_gdo({600, 600}, DRI_FLOAT);
    const Dist rows = make_dist(gdo, make_blocks(2, 0), all), columns = make_dist(gdo, make_blocks(2, 1), all);
    const bool last = world().rank == world().size - 1;
    try_until_all([&] {
        const Xfer source = make_xfer("alone", DRI_SOURCE, rows),
                   sink = make_xfer("alone", DRI_SINK, columns, DRI_COL_MAJOR);
        if (last)
            plan(sink, DRI_MEASURE);
        commit(all);
        expect_success(DRI_do("alone", DRI_XFER_NULL), "DRI_do");
        return !last || has(explain(sink), "measured");
    });
    EXPECT_EQ(has(wisdom(), " = "), last);
}

TEST_F(WisdomOfTransfers, MeasuredFramesAllocateNothing) {
    const std::string &turn = cases[0];
    TransferRun run("frames of a measured transfer", turn);
    run.declare();
    plan(run.source(), DRI_MEASURE);
    plan(run.sink(), DRI_MEASURE);
    commit(make_world());
    run.bind();
    run.frame();
    int failed = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < 50; ++f)
            failed += DRI_do(run.name().c_str(), DRI_XFER_NULL) != DRI_SUCCESS;
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, 0) << "allocations in 50 frames";
    barrier();
}

TEST_F(WisdomOfTransfers, WrongCallsAreRefused) {
    run("measured", cases[0], DRI_MEASURE);
    const std::string known = wisdom();
    static char text[8];
    static size_t needed;
    std::strcpy(text, "before");
    const std::string size = std::to_string(known.size() + 1);
    const auto imports = [](const std::string &given) {
        return [given] { return DRI_wisdom_import(given.c_str()); };
    };
    expect_refused({
        {"nowhere to put anything", [] { return DRI_wisdom_export(nullptr, 0, nullptr); }, DRI_ERR_ARG, {"NULL"}},
        {"no text", [] { return DRI_wisdom_export(nullptr, 8, &needed); }, DRI_ERR_ARG, {"text", "8"}},
        {"a short text", [] { return DRI_wisdom_export(text, 8, &needed); }, DRI_ERR_ARG, {"8", size}},
        {"a text of no bytes", [] { return DRI_wisdom_export(text, 0, nullptr); }, DRI_ERR_ARG, {"0", size}},
        {"importing NULL", [] { return DRI_wisdom_import(nullptr); }, DRI_ERR_ARG, {"text"}},
        {"importing nothing", imports(""), DRI_ERR_ARG, {"line 1"}},
        {"another version", imports("dri-wisdom 7\n"), DRI_ERR_UNSUPPORTED, {"'7'", "version 1"}},
        {"a wrong line",
         imports(known + "nonsense\n"),
         DRI_ERR_ARG,
         {"line " + std::to_string(std::count(known.begin(), known.end(), '\n') + 1)}},
    });
    EXPECT_STREQ(text, "before");
    EXPECT_EQ(needed, known.size() + 1);
    EXPECT_EQ(wisdom(), known);
}

} // namespace
} // namespace dri::test
