// Random arrays over all maps with one box per process, each with an oracle that has all elements on every
// process.
#pragma once

#include "support/arrays.hpp"
#include "support/dice.hpp"

#include <dri/loop.h>

#include <memory>
#include <string>

namespace dri::test {

// The elements of an array, whole on every process, by dense indices.
struct Whole {
    Indices shape;
    std::vector<double> values;

    double &at(const Indices &dense) {
        int64_t order = 0;
        for (size_t d = 0; d < shape.size(); ++d)
            order = order * shape[d] + dense[d];
        return values[static_cast<size_t>(order)];
    }
};

// An array and its oracle.
struct Both {
    Array array;
    Ranges ranges; // of its domain
    Whole whole;
    std::vector<std::unique_ptr<std::vector<double>>> memory; // of the caller
    std::string text;
};

int64_t total_of(const Indices &shape);
// Which arrays: any, or those that are cut along dimension 0 alone.
enum class RandomCut { any, rows };
// In the default partition, in rows of any sizes, in blocks with and without overlap, or over memory of its own.
// It is the same on all processes for equal dice, with random elements.
Both random_array(Dice &dice, const Indices &shape, RandomCut cut = RandomCut::any);
// Sets or compares what the process owns, by its parts. Returns the first difference, or "".
std::string visit(Both &both, bool sets);

} // namespace dri::test
