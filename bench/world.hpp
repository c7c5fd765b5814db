// The processes of the run.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace bench {

struct World {
    int rank = 0;
    int size = 1;
    bool is_first() const { return rank == 0; }
};

World world();

double greatest(double mine);
int64_t sum(int64_t mine);

// The first process's value, on all processes.
int64_t from_first(int64_t mine);
std::string from_first(std::string mine);

// Whether something holds on every process.
bool on_all(bool mine);

// Throws std::runtime_error with the library's message if a DRI call failed.
void check(int dri_code);

} // namespace bench
