// Where the time of a part goes, frame by frame.
#pragma once

#include <dri/graph_run.h>

#include <array>
#include <vector>

namespace dri::graph {

// Nanoseconds of one frame in one part.
struct PartTime {
    int64_t call = 0, wait = 0, copy = 0;
};

class PartClock {
public:
    PartClock();
    void note_wait(int64_t operation, int64_t ns) {
        if (ns > longest_ns_) {
            longest_ns_ = ns;
            longest_ = operation;
        }
    }
    void finish_frame(const PartTime &time);
    int64_t longest() const { return longest_; } // an operation, or -1
    // All but the operation.
    DRI_Part_times times() const;

private:
    std::array<std::vector<int64_t>, 3> last_; // call, wait, copy
    PartTime total_;
    int64_t frames_ = 0, longest_ = -1, longest_ns_ = 0;
};

} // namespace dri::graph
