// The goals of a case: ratios between times of one run that the library must reach.
#pragma once

#include "harness.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Goal {
    enum class Measure {
        limit,  // minimum fraction of the limit's speed
        pitch,  // the same, for the row with DRI_PITCH_AUTO
        malloc, // the same, for the row with buffers from malloc
        alloc,  // minimum fraction of the library's own speed, for the row with buffers in memory of DRI_alloc
        memcpy, // maximum time: memcpy's time divided by this, plus 1 us
        hand,   // minimum speed-up over the fastest exchange written by hand
        peers,  // minimum speed-up over each peer, exchanges by hand included
    };
    Measure measure;
    double near, far; // wanted ratio with near and with far cores; see near_round_trip_ns

    bool operator==(const Goal &) const = default;
};

// Whether the contender's row decides the goal. The rows dri_pitched, dri_malloc and dri_alloc run only if a goal
// needs them.
bool is_about(const Goal &goal, Contender contender);

// Parses text such as "limit 0.88/0.75, peers 5/7, hand 3". Two numbers are the ratios with near and with far
// cores; one number holds for both. Empty text has no goals. Throws std::invalid_argument.
std::vector<Goal> parse_goals(std::string_view text);

struct Judgement {
    std::string text; // "0.88 of the limit"
    double wanted = 0;
    std::optional<double> reached; // empty if a row that it needs was not run
    bool holds() const { return reached && *reached >= wanted; }
    const char *verdict() const { return !reached ? "not measured" : holds() ? "holds" : "missed"; }
};

Judgement judge(const Goal &goal, const std::vector<RowResult> &rows, bool near);

} // namespace bench
