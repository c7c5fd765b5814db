// What a case is expected to reach, as ratios inside one run.
#pragma once

#include "harness.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Goal {
    enum class Measure {
        limit,  // at least this part of the limit
        pitch,  // the same, with rows as far apart as the library likes
        malloc, // the same, in buffers from malloc
        memcpy, // at most memcpy's time over this, and a microsecond
        hand,   // so many times as fast as the best exchange written by hand
        peers,  // so many times as fast as each peer, those written by hand, too
    };
    Measure measure;
    double near, far; // cores; see the flag round trip

    bool operator==(const Goal &) const = default;
};

// Whether a goal is about this row: such a row of the library's own is run for its goals alone.
bool is_about(const Goal &goal, Contender contender);

// "limit 0.88/0.75, peers 5/7, hand 3": with near and with far cores, or one number for both. Empty text has no
// goals. Throws std::invalid_argument.
std::vector<Goal> parse_goals(std::string_view text);

struct Judgement {
    std::string text; // "0.88 of the limit"
    double wanted = 0;
    std::optional<double> reached; // nothing where a row that it needs was not run
    bool holds() const { return reached && *reached >= wanted; }
    const char *verdict() const { return !reached ? "not measured" : holds() ? "holds" : "missed"; }
};

Judgement judge(const Goal &goal, const std::vector<RowResult> &rows, bool near);

} // namespace bench
