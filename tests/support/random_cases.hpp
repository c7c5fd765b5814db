// Random cases of programs under MPI, one after the other. A case follows from its seed, on all processes alike.
// RC_PARAMS sets them, as in property tests: "seed=1000 max_success=50" are 50 cases, with the seeds from 1000 on.
#pragma once

#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace dri::test {

inline uint64_t number_in_params(const std::string &word, uint64_t otherwise) {
    const char *const params = std::getenv("RC_PARAMS");
    const std::string text = params ? params : "";
    const size_t at = text.find(word + "=");
    return at == std::string::npos ? otherwise : std::stoull(text.substr(at + word.size() + 1));
}

// run: a case, which returns what is wrong, or "".
template <class Run> void run_random_cases(const Run &run) {
    const uint64_t first = number_in_params("seed", 1), cases = number_in_params("max_success", 150);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        Dice dice(seed);
        ASSERT_EQ(run(dice), "") << "seed " << seed;
    }
}

} // namespace dri::test
