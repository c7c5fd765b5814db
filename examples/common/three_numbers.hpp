// Options that are three numbers with commas between them.
#pragma once

#include <array>
#include <string>

namespace common {

// One of the three: its word in the option's help, and the values that it may have.
struct NumberRange {
    const char *word, *unit;
    double least, most;
};

// Throws BadOption, with what is right, where `text` is not three numbers of these ranges.
std::array<double, 3> three_numbers(const char *option, const std::string &text,
                                    const std::array<NumberRange, 3> &ranges);

} // namespace common
