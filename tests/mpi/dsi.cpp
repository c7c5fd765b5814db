// The conformance cases of domain maps. See conformance.cpp.
#include "support/conformance_run.hpp"
#include "support/dsi_kinds.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"

#include <map>

namespace dri::test {
namespace {

const CasesFile &cases() {
    static const CasesFile file(DRI_CASES_FOLDER, "dsi.json");
    return file;
}

// Every query about every process, while other processes do something else.
std::string check_no_communication(const Json &c) {
    const int n = c["input"]["nprocs"];
    if (const auto reason = left_out(n); reason && !reason->empty())
        return *reason;
    const std::vector<int> list = ranks(n);
    Group group;
    expect_success(DRI_group_create(n, list.data(), group.out()), "DRI_group_create");
    const long before = all_traffic();
    for (const MapDim &rule : {block_dim(0, 40), cyclic_dim(3), cyclic_dim(3, 4)}) {
        const Map map = make_map({rule, MapDim{}}, group);
        const Ranges ranges{{37, -3, 13}, {0, 1, 2}};
        const Domain domain = make_domain(map, ranges);
        for (const Indices &index : tuples_of(ranges)) {
            int rank = -1;
            int64_t order = -1, offset = -1;
            Indices back(2);
            expect_success(DRI_domain_order(domain, index.data(), &order), "DRI_domain_order");
            expect_success(DRI_domain_owner(domain, index.data(), &rank), "DRI_domain_owner");
            expect_success(DRI_domain_local_index(domain, rank, index.data(), &offset), "DRI_domain_local_index");
            expect_success(DRI_domain_global_index(domain, rank, offset, back.data()), "DRI_domain_global_index");
            EXPECT_EQ(back, index);
        }
        for (int rank = 0; rank < n; ++rank)
            static_cast<void>(boxes_of(domain, rank));
    }
    EXPECT_EQ(all_traffic() - before, c["expect"]["mpi_calls"].get<long>());
    return "";
}

// The cases about bulk transfers, each of which also runs without.
std::string check_switch(const Json &c) {
    for (const Json &one : cases().cases())
        for (const Json &id : c["input"]["cases"])
            if (one["id"] == id)
                check_dsi_bulk(one);
    return "";
}

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"densify", check_dsi_densify},
    {"property", check_dsi_property},
    {"owner", check_dsi_owner},
    {"local_indices", check_dsi_local},
    {"queries", check_dsi_queries},
    {"leader", check_dsi_leader},
    {"follower", check_dsi_follower},
    {"zip", check_dsi_zip},
    {"serial", check_dsi_serial},
    {"standalone", check_dsi_standalone},
    {"equality", check_dsi_equality},
    {"clone", check_dsi_clone},
    {"display", check_dsi_display},
    {"constructor", check_dsi_constructor},
    {"unsupported", check_dsi_unsupported},
    {"links", check_dsi_links},
    {"no_communication", check_no_communication},
    {"access", check_dsi_access},
    {"accessors", check_dsi_accessors},
    {"bulk", check_dsi_bulk},
    {"decision", check_dsi_decision},
    {"halo", check_dsi_halo},
    {"no_recursion", check_dsi_recursion},
    {"reprivatize", check_dsi_set},
    {"set_indices", check_dsi_set},
    {"switch", check_switch},
    {"user_map", check_dsi_user_map},
};

LastLine *const last_line = [] {
    auto *const environment = new LastLine(cases());
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Dsi : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Dsi);

TEST_P(Dsi, Case) { run_case(GetParam(), kinds, *last_line); }

INSTANTIATE_TEST_SUITE_P(Conformance, Dsi, testing::ValuesIn(cases().cases()), name_of_case);

TEST(DsiCases, AreThere) {
    if (!cases().exists())
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(cases().cases().empty());
}

} // namespace
} // namespace dri::test
