// The features that combinations.cpp tries in pairs.
#pragma once

#include "support/pair_turn.hpp"

namespace dri::test {

// An end: the source may have it, or a sink, or both. The transfer: it concerns all ends.
enum class FeatureOf { an_end, the_transfer };

struct Feature {
    const char *name;
    const char *page; // of docs/howto, that explains it
    FeatureOf of;
    void (*add)(PairForm &form, int ends);
    std::vector<std::string> words; // of which a refusal must have one
};

// In the order of the manual.
const std::vector<Feature> &features();

// Which ends have the feature in each of its forms: one, the other, and both.
std::vector<int> forms_of(const Feature &feature);
std::string name_at(const Feature &feature, int ends);

} // namespace dri::test
