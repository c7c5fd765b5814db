// Options that consist of three numbers separated by commas.
#pragma once

#include <array>
#include <string>

namespace common {

// One of the three numbers: its label in the option's help, and its allowed values.
struct NumberRange {
    const char *label, *unit;
    double min, max;
};

// Throws BadOption, with the expected form, if `text` is not three numbers within these ranges.
std::array<double, 3> three_numbers(const char *option, const std::string &text,
                                    const std::array<NumberRange, 3> &ranges);

} // namespace common
