// The conformance cases, which are stored beside this project; each becomes a test. Without the file of cases
// nothing runs. The last line of the output says so, and names each case that was skipped, with the reason. ctest
// then reports the test as skipped, not as passed.
#include "support/conformance.hpp"
#include "support/allocation_counter.hpp"
#include "support/conformance_run.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"
#include "support/resident_bytes.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <map>

namespace dri::test {
namespace {

void make_local_objects() {
    const Gdo gdo = make_gdo({8, 8});
    const Part part = make_blocks(2, 0);
    const Group group = make_world();
    const int order[]{1, 0};
    Layout layout;
    expect_success(DRI_layout_create_packed(2, order, layout.out()), "DRI_layout_create_packed");
}

// What the first tenth of the loops leaves, such as memory that the allocator keeps, the others must not add to. A
// sanitizer's allocator grows by itself.
std::string check_loops(const Json &c) {
    const Group alone = make_group({world().rank});
    const int loops = c["input"]["loops"];
    const long communicators = mpi_calls.communicators, types = mpi_calls.types;
    int64_t resident = 0, given_out = 0;
    for (int i = 0; i < loops; ++i) {
        if (i == loops / 10) {
            resident = resident_bytes();
            given_out = bytes_from_new();
        }
        make_local_objects();
        const Dist dist = make_dist(make_gdo({8}), make_blocks(1, 0), alone);
        if (i % 100)
            continue;
        const Xfer source = make_xfer("loop", DRI_SOURCE, dist), sink = make_xfer("loop", DRI_SINK, dist);
        commit(alone);
    }
    EXPECT_EQ(mpi_calls.communicators, communicators);
    EXPECT_EQ(mpi_calls.types, types);
    EXPECT_TRUE(sanitized || bytes_from_new() - given_out < 10000) << bytes_from_new() - given_out;
    EXPECT_TRUE(sanitized || resident_bytes() - resident < 2 << 20) << resident_bytes() - resident;
    return sanitized ? "only communicators and types: the sanitizer's allocator grows by itself" : "";
}

std::string check_local_calls(const Json &c) {
    const long before = all_traffic();
    make_local_objects();
    EXPECT_EQ(all_traffic() - before, c["expect"]["mpi_calls"].get<long>());
    // Making a distribution involves only the processes of its group: here one process, while the others continue.
    if (world().rank == 0)
        make_dist(make_gdo({8}), make_blocks(1, 0), make_group({0}));
    return "";
}

// The input says what a case of these kinds is about.
std::string check_state(const Json &c) {
    const Json &input = c["input"];
    if (input.contains("steps"))
        return check_steps(c);
    if (input.contains("rank0"))
        return check_disagreement(c);
    if (input.contains("loops"))
        return check_loops(c);
    if (input.contains("calls"))
        return check_local_calls(c);
    return "no function for its input";
}

std::string check_no_allocations(const Json &c) {
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({64, 64}), make_blocks(2, 0), all),
               turned = make_dist(make_gdo({64, 64}), make_blocks(2, 1), all);
    const Xfer source = make_xfer("frames", DRI_SOURCE, dist), sink = make_xfer("frames", DRI_SINK, turned);
    commit(all);
    int failed = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < c["input"]["frames"].get<int>(); ++f)
            failed += DRI_do("frames", DRI_XFER_NULL) != DRI_SUCCESS;
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, c["expect"]["allocations"].get<long>());
    return sanitized ? "the sanitizer's allocator stays" : "";
}

std::string check_buffers(const Json &c) {
    const Json &input = c["input"], &expect = c["expect"];
    if (input.contains("kinds"))
        return check_user_buffers(c);
    if (input.contains("nbuffs") && expect.contains("buffer_of_frame"))
        return check_buffers_in_turn(c);
    if (input.contains("frames") && expect.contains("allocations"))
        return check_no_allocations(c);
    if (input.empty() && expect.contains("error"))
        return check_small_buffer(c);
    return "no function for its input";
}

std::string check_records_and_types(const Json &c) {
    if (c["input"].contains("types"))
        return check_types(c);
    return c["input"].contains("payload_bytes") ? check_records(c) : "no function for its input";
}

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"gdo", check_gdo},
    {"gdo_error", check_gdo_error},
    {"gdo_large", check_gdo_large},
    {"part_query", check_part_query},
    {"constraints", check_constraints},
    {"default", check_default},
    {"source_error", check_source_error},
    {"sink_ok", check_sink_ok},
    {"no_stride", check_no_stride},
    {"independent", check_independent},
    {"partxy", check_partxy},
    {"overlap", check_overlap},
    {"transfer", check_transfer},
    {"layout_count", check_layout_count},
    {"layout_strides", check_layout_strides},
    {"layout_error", check_layout_error},
    {"sequence", check_sequence},
    {"commit", check_commit},
    {"state", check_state},
    {"buffers", check_buffers},
    {"records", check_records_and_types},
    {"subset", check_subset},
    {"offset", check_offset},
    {"status", check_status},
    {"budget", check_budget},
    {"strips", check_strips},
    {"one_sided", check_one_sided},
    {"roles", check_roles},
    {"chain", check_chain},
    {"two_stage_fft", check_two_stage_fft},
    {"property", check_property},
};

const CasesFile &cases() {
    static const CasesFile file(DRI_CASES_FOLDER, "dri.json");
    return file;
}

LastLine *const last_line = [] {
    auto *const environment = new LastLine(cases());
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Conformance : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conformance);

TEST_P(Conformance, Case) { run_case(GetParam(), kinds, *last_line); }

INSTANTIATE_TEST_SUITE_P(Dri, Conformance, testing::ValuesIn(cases().cases()), name_of_case);

TEST(ConformanceCases, AreThere) {
    if (!cases().exists())
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(cases().cases().empty());
}

} // namespace
} // namespace dri::test
