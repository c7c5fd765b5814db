// Checks a property of random transfers. Each test sets its number of cases unless RC_PARAMS contains one.
#pragma once

#include "support/random_case.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <ostream>
#include <string>

namespace dri::test {

// RapidCheck prints a case as the option that replays it.
inline void showValue(const TransferCase &c, std::ostream &out) { out << "replay: --case='" << to_line(c) << "'"; }

inline rc::Gen<TransferCase> random_transfers() {
    return [](const rc::Random &random, int size) {
        rc::Random numbers = random;
        return rc::shrinkable::shrinkRecur(make_case(numbers.next(), size), [](const TransferCase &c) {
            return rc::seq::fromContainer(smaller_cases(c));
        });
    };
}

template <class Testable> void run_property(int cases, const Testable &property) {
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    if (params.maxSuccess == rc::detail::TestParams{}.maxSuccess)
        params.maxSuccess = rounds(cases);
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    rc::detail::TestMetadata metadata;
    metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
    metadata.description = metadata.id;
    const auto result = rc::detail::checkTestable(property, metadata, params);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    if (!result.template is<rc::detail::SuccessResult>())
        ADD_FAILURE() << text.str();
}

} // namespace dri::test
