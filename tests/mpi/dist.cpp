// The conformance cases of distributed arrays. See conformance.cpp.
#include "support/conformance_run.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <map>

namespace dri::test {
namespace {

const CasesFile &cases() {
    static const CasesFile file(DRI_CASES_FOLDER, "dist.json");
    return file;
}

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"default_partition", check_dist_partition},
    {"local_target_of_slice", check_dist_target},
    {"local_bounding_box", check_dist_box},
    {"property", check_dist_property},
    {"local_core", check_dist_core},
    {"init_dist_array", check_dist_init},
    {"init_error", check_dist_init_error},
    {"env_text", check_dist_env},
    {"device", check_dist_device},
    {"subview", check_dist_subview},
    {"repartition", check_dist_repartition},
    {"no_copy", check_dist_no_copy},
    {"collective", check_dist_collective},
    {"persist", check_dist_persist},
    {"ewuny", check_dist_ewuny},
    {"ewbin_chain", check_dist_chain},
    {"ewbin", check_dist_ewbin},
    {"stencil", check_dist_stencil},
    {"insert_slice", check_dist_insert},
    {"copy_reshape", check_dist_reshape},
    {"copy_permute", check_dist_permute},
    {"locals", check_dist_locals},
    {"gather", check_dist_gather},
};

LastLine *const last_line = [] {
    auto *const environment = new LastLine(cases());
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Dist : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Dist);

TEST_P(Dist, Case) { run_case(GetParam(), kinds, *last_line); }

INSTANTIATE_TEST_SUITE_P(Conformance, Dist, testing::ValuesIn(cases().cases()), name_of_case);

TEST(DistCases, AreThere) {
    if (!cases().exists())
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(cases().cases().empty());
}

} // namespace
} // namespace dri::test
