// What the processes do together beside the transform.
#pragma once

#include <stdexcept>
#include <vector>

namespace fft {

int rank();
int process_count();

// What all processes have found alike, so that they can end together.
struct SharedFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws std::runtime_error with the library's message if a DRI call failed.
void check(int dri_code);
// The same for calls that fail on all processes alike: throws SharedFailure.
void check_shared(int dri_code);

double now();              // seconds
double synchronised_now(); // the same, once all processes are here

// Seconds that this process needs for its share of a work that all begin together.
template <class Work> double seconds_of(Work &&work) {
    const double start = synchronised_now();
    work();
    return now() - start;
}

// Per place, the greatest value over all processes.
std::vector<double> greatest(std::vector<double> values);

double median(std::vector<double> values);

} // namespace fft
