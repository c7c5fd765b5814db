// What tests of long waits share: starts of the library with settings of the environment, and what a call returns,
// how long it takes, and what the log says meanwhile.
#pragma once

#include "support/line.hpp"

#include <dri/dri_mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace dri::test {

using Clock = std::chrono::steady_clock;

// The environment of one start of the library. Null: unset.
struct Settings {
    const char *timeout = nullptr, *report = nullptr, *ways = nullptr, *setup_timeout = nullptr;
};

inline void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

class Started {
public:
    explicit Started(const Settings &settings) {
        set("DRI_TIMEOUT", settings.timeout);
        set("DRI_REPORT", settings.report);
        set("DRI_WAYS", settings.ways);
        set("DRI_SETUP_TIMEOUT", settings.setup_timeout);
        EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
    }
    ~Started() { EXPECT_EQ(DRI_finalize(), expected_end) << DRI_error_message(); }
    int expected_end = DRI_SUCCESS;
    Started(const Started &) = delete;
    Started &operator=(const Started &) = delete;
};

inline std::string process(int rank) { return "process " + std::to_string(rank); }

inline void expect_words(const std::string &text, const std::vector<std::string> &words) {
    for (const std::string &word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

// What a call returns, how long it takes, and what the log says meanwhile.
struct Seen {
    int code = 0;
    double seconds = 0;
    std::string log;
};
template <class Call> Seen see(Call call) {
    testing::internal::CaptureStderr();
    const auto begin = Clock::now();
    Seen seen;
    seen.code = call();
    seen.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    seen.log = testing::internal::GetCapturedStderr();
    return seen;
}

inline constexpr StripShape large{700, 400};
inline constexpr const char *all_ways = "self,direct,message", *no_direct_way = "self,message";

} // namespace dri::test
