// Common steps of the processes beside the transform.
#pragma once

#include <dri/dri.hpp>

#include <stdexcept>
#include <vector>

namespace fft {

int rank();
int process_count();

// A failure that all processes have found, so that they can end together.
struct SharedFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Does work whose calls of DRI fail on all processes together. Throws SharedFailure with the library's message.
template <class Work> void shared(Work &&work) {
    try {
        work();
    } catch (const dri::Error &error) {
        throw SharedFailure(error.what());
    }
}

double now();              // seconds
double synchronised_now(); // the same, after a barrier

// Seconds that this process needs for its part of work that all processes start together.
template <class Work> double seconds_of(Work &&work) {
    const double start = synchronised_now();
    work();
    return now() - start;
}

// Collective. The maximum over all processes, for each element of `values`.
std::vector<double> greatest(std::vector<double> values);

double median(std::vector<double> values);

} // namespace fft
