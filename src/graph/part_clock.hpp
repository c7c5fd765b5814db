// Where the time of a part goes, frame by frame.
#pragma once

#include <dri/graph_run.h>

#include <array>
#include <vector>

namespace dri::graph {

// Seconds of one frame in one part.
struct PartSeconds {
    double call = 0, wait = 0, copy = 0;
};

class PartClock {
public:
    PartClock();
    void note_wait(int64_t operation, double seconds) {
        if (seconds > longest_seconds_) {
            longest_seconds_ = seconds;
            longest_ = operation;
        }
    }
    void finish_frame(const PartSeconds &seconds);
    int64_t longest() const { return longest_; } // an operation, or -1
    // All but the operation.
    DRI_Part_times times() const;

private:
    std::array<std::vector<double>, 3> last_; // call, wait, copy
    PartSeconds total_;
    int64_t frames_ = 0, longest_ = -1;
    double longest_seconds_ = 0;
};

} // namespace dri::graph
