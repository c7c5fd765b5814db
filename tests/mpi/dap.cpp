// The conformance cases of the Distributed Array Protocol, as far as they can be said in C. See conformance.cpp.
#include "support/conformance_run.hpp"
#include "support/dap_cases.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"

#include <map>

namespace dri::test {
namespace {

const CasesFile &cases() {
    static const CasesFile file(DRI_CASES_FOLDER, "dap.json");
    return file;
}

std::string check_version(const Json &c) {
    EXPECT_EQ(c["expect"]["version"].get<std::string>(), DRI_DAP_VERSION);
    return "";
}

// Export, checks and maps of local descriptions, while other processes do something else.
std::string check_no_communication(const Json &c) {
    const Dist dist = make_dist(make_gdo({50, 7}), make_blocks(2, 0), make_world());
    const long before = all_traffic();
    std::vector<DRI_Dap> all(static_cast<size_t>(world().size));
    for (int rank = 0; rank < world().size; ++rank) {
        DRI_Dap &dap = all[static_cast<size_t>(rank)];
        int64_t memory = 0, n = 0, place = 0;
        expect_success(DRI_dap_export(dist, rank, DRI_ROW_MAJOR, &memory, nullptr, nullptr, &dap),
                       "DRI_dap_export");
        expect_success(DRI_dap_validate(&dap, nullptr), "DRI_dap_validate");
        expect_success(DRI_dap_owned(&dap.dim_data[0], &n), "DRI_dap_owned");
        expect_success(DRI_dap_local_index(&dap.dim_data[1], 6, &place), "DRI_dap_local_index");
        EXPECT_EQ(place, 6);
    }
    expect_success(DRI_dap_check_all(world().size, all.data(), nullptr), "DRI_dap_check_all");
    EXPECT_EQ(all_traffic() - before, c["expect"]["mpi_calls"].get<long>());
    return "";
}

// Words that the messages of other cases must have.
std::string check_messages(const Json &c) {
    for (size_t i = 0; i < c["input"]["of"].size(); ++i)
        for (const Json &other : cases().cases()) {
            if (other["id"] != c["input"]["of"][i])
                continue;
            const DapOfCase read =
                read_dims(other["input"]["dim_data"], other["input"]["buffer_shape"].get<Numbers>());
            DRI_Dap_fault fault;
            EXPECT_EQ(DRI_dap_validate_dim(read.dap.dim_data, 0, -1, &fault), DRI_ERR_ARG);
            for (const Json &word : c["expect"]["contains"][i])
                EXPECT_NE(std::string(fault.message).find(word), std::string::npos) << fault.message;
            EXPECT_EQ(fault.dim, 0);
            EXPECT_EQ(std::string(fault.key), c["expect"]["contains"][i][0].get<std::string>());
        }
    return "";
}

// Plans between processes, and grids for a shape, are calls of the Python package.
std::string check_in_python(const Json &c) {
    note_only_elsewhere(c);
    return "";
}

// It names the cases of export, which are all here.
std::string check_struct(const Json &) { return ""; }

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"validate", check_dap_validate},
    {"validate_group", check_dap_group},
    {"owned_count", check_dap_owned},
    {"owned_sum", check_dap_owned_sum},
    {"index_map", check_dap_map},
    {"cyclic_slice", check_dap_cyclic_slice},
    {"equivalence", check_dap_equivalence},
    {"alias", check_dap_alias},
    {"export", check_dap_export},
    {"c_struct", check_struct},
    {"owner_table", check_dap_owner_table},
    {"redistribute", check_dap_redistribute},
    {"halo_update", check_dap_halo},
    {"round_trip", check_dap_round_trip},
    {"buffer", check_dap_buffer},
    {"constants", check_version},
    {"no_communication", check_no_communication},
    {"message", check_messages},
    {"redist_plan", check_in_python},
    {"grid_choice", check_in_python},
};

LastLine *const last_line = [] {
    auto *const environment = new LastLine(cases());
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Dap : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Dap);

TEST_P(Dap, Case) { run_case(GetParam(), kinds, *last_line); }

INSTANTIATE_TEST_SUITE_P(Conformance, Dap, testing::ValuesIn(cases().cases()), name_of_case);

TEST(DapCases, AreThere) {
    if (!cases().exists())
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(cases().cases().empty());
}

} // namespace
} // namespace dri::test
