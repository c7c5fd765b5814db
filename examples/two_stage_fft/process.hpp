// Common steps of the processes beside the transform.
#pragma once

#include <stdexcept>
#include <vector>

namespace fft {

int rank();
int process_count();

// A failure that all processes have found, so that they can end together.
struct SharedFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws std::runtime_error with the library's message if a DRI call failed.
void check(int dri_code);
// The same for calls that fail on all processes together: throws SharedFailure.
void check_shared(int dri_code);

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
