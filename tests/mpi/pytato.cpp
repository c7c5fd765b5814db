// The conformance cases of distributed graphs. See conformance.cpp.
#include "support/conformance_run.hpp"
#include "support/library.hpp"
#include "support/pytato_cases.hpp"

#include <map>

namespace dri::test {
namespace {

const CasesFile &cases() {
    static const CasesFile file(DRI_CASES_FOLDER, "pytato.json");
    return file;
}

std::string check_determinism(const Json &c) { return check_pytato_determinism(c, cases().cases()); }

std::string check_collective(const Json &c) { return check_pytato_collective(c, cases().cases()); }

std::string check_orders(const Json &c) { return check_pytato_orders(c, cases().cases()); }

std::string check_release(const Json &c) { return check_pytato_release(c, cases().cases()); }

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"schedule", check_pytato_schedule},
    {"complexity", check_pytato_complexity},
    {"verify_partition", check_pytato_verify},
    {"number_tags", check_pytato_tags},
    {"partition", check_pytato_partition},
    {"shapes", check_pytato_shapes},
    {"determinism", check_determinism},
    {"any_order", check_orders},
    {"release", check_release},
    {"repeat", check_pytato_repeat},
    {"property", check_pytato_property},
    {"collective", check_collective},
};

LastLine *const last_line = [] {
    auto *const environment = new LastLine(cases());
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Pytato : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Pytato);

TEST_P(Pytato, Case) { run_case(GetParam(), kinds, *last_line); }

INSTANTIATE_TEST_SUITE_P(Conformance, Pytato, testing::ValuesIn(cases().cases()), name_of_case);

TEST(PytatoCases, AreThere) {
    if (!cases().exists())
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(cases().cases().empty());
}

} // namespace
} // namespace dri::test
