// The leader: what a process's tasks do of a domain.
#pragma once

#include "domain/holding.hpp"

namespace dri::domain {

// How many chunks the boxes of a holding give for a number of tasks, which is at least 1.
int64_t num_chunks(const Holding &holding, int tasks);

struct DenseChunk {
    Ranges dense;
    int task;
};
DenseChunk chunk_of(const Holding &holding, int tasks, int64_t i);

} // namespace dri::domain
