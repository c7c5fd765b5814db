#include "three_numbers.hpp"

#include "command_line.hpp"

#include <cstdio>

namespace common {

std::array<double, 3> three_numbers(const char *option, const std::string &text,
                                    const std::array<NumberRange, 3> &ranges) {
    std::array<double, 3> numbers{};
    char more = 0;
    if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &numbers[0], &numbers[1], &numbers[2], &more) != 3)
        throw BadOption(option,
                        text + " is not " + ranges[0].label + "," + ranges[1].label + "," + ranges[2].label);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const NumberRange &range = ranges[i];
        if (numbers[i] >= range.min && numbers[i] <= range.max) // both comparisons are false for NaN
            continue;
        char right[160];
        std::snprintf(right, sizeof right, ": %s must be from %g to %g %s", range.label, range.min, range.max,
                      range.unit);
        throw BadOption(option, text + right);
    }
    return numbers;
}

} // namespace common
