// Random programs over all processes: values with owners, computed from each other. Their oracle evaluates them in
// one place, as if nothing had to be sent, and shares nothing with the library.
#pragma once

#include "support/graphs.hpp"

#include <random>

namespace dri::test {

struct ProgramValue {
    enum class Kind { constant, input, sum };
    Kind kind = Kind::constant;
    int owner = 0;
    size_t elements = 0;
    double number = 0;      // constant, input: element i is number + i; sum: offset
    double factor = 1;      // sum
    std::vector<size_t> of; // sum: earlier values with as many elements
    bool is_stored = false, is_output = false, is_stapled = false;
};

using Program = std::vector<ProgramValue>;

Program random_program(std::mt19937 &dice, int processes);

// What each value is in a frame in which the inputs have grown by `grown`.
std::vector<std::vector<double>> evaluate(const Program &program, double grown);

// This process's graph of a program. delay: in microseconds, the longest sleep before a call; each sleeps another
// time.
std::unique_ptr<NamedGraph> graph_of(const Program &program, DRI_Group group, int rank, int delay,
                                     std::mt19937 &dice);

std::string value_name(size_t value);

// Runs frames of a plan and compares all outputs of this process. first: number of the first frame.
void expect_frames(const Program &program, DRI_Plan plan, int rank, int first, int frames);

} // namespace dri::test
