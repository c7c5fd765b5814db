// Parts that were made by hand and are wrong: names and ends.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

namespace dri::test {
namespace {

// A part with the lists that it points to.
struct HandMadePart {
    int pid = 0;
    std::vector<DRI_Operation> recvs{}, sends{};
    std::vector<const char *> outputs{};

    DRI_Graph_part shown() const {
        DRI_Graph_part part{};
        part.pid = pid;
        part.recvs = recvs.data();
        part.nrecvs = static_cast<int>(recvs.size());
        part.sends = sends.data();
        part.nsends = static_cast<int>(sends.size());
        part.outputs = outputs.data();
        part.noutputs = static_cast<int>(outputs.size());
        return part;
    }
};

DRI_Operation operation(int src, int dest, const char *tag, const char *name = nullptr) {
    return {src, dest, tag, DRI_Gdo{}, name};
}

int verify_code(const std::vector<HandMadePart> &parts) {
    std::vector<DRI_Graph_part> shown;
    for (const HandMadePart &part : parts)
        shown.push_back(part.shown());
    const int code = DRI_graph_verify(make_world(), static_cast<int>(shown.size()), shown.data());
    EXPECT_EQ(range_of(code).first, range_of(code).second);
    return code;
}

void expect_only(DRI_Fault_kind kind, int rank, int pid) {
    const auto faults = faults_now();
    ASSERT_EQ(faults.size(), 1u) << DRI_error_message();
    EXPECT_EQ(faults[0].kind, kind);
    EXPECT_EQ(faults[0].rank, rank);
    EXPECT_EQ(faults[0].pid, pid);
}

// Process 0 sends "a" and "b" to process 1, which has the given parts.
std::vector<HandMadePart> sent_to(const std::vector<HandMadePart> &parts) {
    if (world().rank == 0)
        return {{0, {}, {operation(0, 1, "a"), operation(0, 1, "b")}, {"made"}}};
    return world().rank == 1 ? parts : std::vector<HandMadePart>{};
}

TEST(GraphVerify, NamesThatTwoPartsGive) {
    if (world().size < 2)
        GTEST_SKIP() << "needs 2 processes";
    const DRI_Operation a = operation(0, 1, "a", "x"), b = operation(0, 1, "b", "x");
    const DRI_Operation other = operation(0, 1, "b", "y"), no_name = operation(0, 1, "b");
    EXPECT_EQ(verify_code(sent_to({{3, {a}, {}, {"z"}}, {5, {b}, {}, {}}})), DRI_ERR_DUPLICATE) << "two receives";
    expect_only(DRI_FAULT_DUPLICATE_OUTPUT, 1, 5);
    EXPECT_STREQ(faults_now()[0].name, "x");
    EXPECT_EQ(verify_code(sent_to({{3, {a, other}, {}, {}}, {5, {}, {}, {"x"}}})), DRI_ERR_DUPLICATE)
        << "a receive and an output";
    EXPECT_EQ(faults_now().size(), 1u);
    EXPECT_EQ(verify_code(sent_to({{3, {a}, {}, {"x"}}, {5, {other}, {}, {"z"}}})), DRI_SUCCESS)
        << "a received output of the same part";
    EXPECT_EQ(verify_code(sent_to({{3, {operation(0, 1, "a")}, {}, {}}, {5, {no_name}, {}, {}}})), DRI_SUCCESS)
        << "no names";
}

TEST(GraphVerify, TransfersWithOneEnd) {
    const int last = world().size - 1;
    const DRI_Operation transfer = operation(-1, -1, "turn");
    const auto on_last = [&](const std::vector<HandMadePart> &parts) {
        return world().rank == last ? parts : std::vector<HandMadePart>{};
    };
    EXPECT_EQ(verify_code(on_last({{2, {transfer}, {}, {}}})), DRI_ERR_UNMATCHED) << "nobody sends it";
    expect_only(DRI_FAULT_MISSING_SEND, last, -1);
    EXPECT_STREQ(faults_now()[0].operation.tag, "turn");
    EXPECT_EQ(verify_code(on_last({{2, {}, {transfer}, {}}})), DRI_ERR_UNMATCHED) << "nobody receives it";
    expect_only(DRI_FAULT_MISSING_RECV, last, -1);
    EXPECT_EQ(verify_code(on_last({{2, {}, {transfer}, {}}, {4, {}, {transfer}, {}}, {6, {transfer}, {}, {}}})),
              DRI_ERR_DUPLICATE)
        << "one process sends it in two parts";
    expect_only(DRI_FAULT_DUPLICATE_SEND, last, 4);
    EXPECT_EQ(verify_code(on_last({{2, {}, {transfer}, {}}, {4, {transfer}, {}, {}}, {6, {transfer}, {}, {}}})),
              DRI_ERR_DUPLICATE)
        << "one process receives it in two parts";
    expect_only(DRI_FAULT_DUPLICATE_RECV, last, 6);
    const DRI_Operation one = operation(-1, -1, "turn", "x"), other = operation(-1, -1, "turn", "y");
    EXPECT_EQ(verify_code(on_last({{2, {}, {transfer}, {}}, {4, {one, other}, {}, {}}})), DRI_SUCCESS)
        << "two sinks of a part";
    // Each process has a source and a sink.
    EXPECT_EQ(verify_code({{0, {}, {transfer}, {}}, {1, {transfer}, {}, {}}}), DRI_SUCCESS);
}

} // namespace
} // namespace dri::test
