// Rank, simple collectives and common failures of the processes of a run.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
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

// Returns the first process's value on all processes.
int64_t from_first(int64_t mine);
std::string from_first(std::string mine);

// Returns whether `mine` is true on every process.
bool on_all(bool mine);

// Throws std::runtime_error with the library's message if a DRI call failed.
void check(int dri_code);

// A failure that every process throws with the same message.
struct SharedFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Collective. If `failure` is not empty on some process, all processes throw SharedFailure with the text of the
// first such process.
void agree_or_fail(const std::string &failure);

// Collective. Returns the result of a step that may fail on some processes alone, for example because they lack
// memory. If the step fails on one process, all processes throw. The step must not wait for a process that may
// have failed in it.
template <class Step> auto on_all_or_none(Step step) {
    decltype(step()) result{};
    std::string failure;
    try {
        result = step();
    } catch (const std::bad_alloc &) {
        failure = "no memory";
    } catch (const std::exception &error) {
        failure = error.what();
    }
    agree_or_fail(failure);
    return result;
}

} // namespace bench
