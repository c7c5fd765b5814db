// A small corner turn with any set of features, each in a form that is right alone. Every byte of every sink is
// checked against numbers that are computed here, element by element.
#pragma once

#include "support/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dri::test {

// The ends of a transfer, as a sum.
inline constexpr int at_source = 1, at_sink = 2, at_both = 3;

struct PairAttribute {
    int ends;
    DRI_Attr attribute;
    int64_t value;
};

// What a transfer has. A number is a sum of the ends that have the feature.
struct PairForm {
    int strips = 0;
    int slides = 0;
    int own = 0;      // buffers of the user
    int reserved = 0; // the same, in memory of DRI_alloc
    int rebinds = 0;
    int lists = 0;
    int arranged = 0; // a pitch, and complex numbers in two planes
    int nbuffs = 1;
    int64_t every = 1; // the first sink takes the last one of so many frames
    bool stream = false, drops = false, in_place = false, converts = false;
    bool has_overlap = false, has_second_sink = false;
    bool has_least_limit = false;
    std::vector<PairAttribute> attributes = {};

    void set(int ends, DRI_Attr attribute, int64_t value) { attributes.push_back({ends, attribute, value}); }
};

struct PairOutcome {
    int code = DRI_SUCCESS; // of the first call that failed on this process
    std::string call, message;
    int64_t wrong = 0; // bytes of sinks
};

// Commits a transfer of this form between all processes. If that succeeds, moves a few frames. A failure of a
// frame fails the test. Collective over the world.
PairOutcome try_turn(const PairForm &form);

} // namespace dri::test
