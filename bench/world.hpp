// The processes of the run.
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

// The first process's value, on all processes.
int64_t from_first(int64_t mine);
std::string from_first(std::string mine);

// Whether something holds on every process.
bool on_all(bool mine);

// Throws std::runtime_error with the library's message if a DRI call failed.
void check(int dri_code);

// A failure that all processes know of and throw alike.
struct SharedFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws on all processes, with the words of the first one that has any, if `failure` is not empty on one.
// Collective.
void agree_failure(const std::string &failure);

// What a step gives that may fail on some processes alone, for lack of memory for instance: then none goes on. The
// step waits for no process that may have failed in it. Collective.
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
    agree_failure(failure);
    return result;
}

} // namespace bench
