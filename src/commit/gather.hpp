// How the processes of a group agree on an outcome and exchange a few bytes.
#pragma once

#include "commit/decision.hpp"
#include "model/group.hpp"

#include <functional>
#include <span>
#include <vector>

namespace dri::commit {

// What a process brings.
struct Brought {
    std::span<const std::byte> bytes;
    int64_t capacity = 0; // of what it can receive
};

// What all bring, in the order of the group.
struct GatheredBytes {
    std::vector<int64_t> sizes;
    Bytes all;
    int smallest = 0;     // the first process with the smallest capacity
    int64_t capacity = 0; // of that process
};

// Collective over the party. asked: its group in the order of the user. make: returns what this process brings, or
// fails. Fails on all processes with the outcome of the first one, in that order, that has failed.
GatheredBytes gather(const Party &party, const model::Group &asked, const std::function<Brought()> &make);

// Fails with DRI_ERR_LIMIT, on all processes, if the capacity of any of them is too small.
void require_capacity(const GatheredBytes &gathered);

} // namespace dri::commit
