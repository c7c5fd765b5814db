// What the frames of an endpoint move according to its plan, summed up once. A question about any number of frames
// then walks no list.
#pragma once

#include "exec/lane.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <vector>

namespace dri::exec {

// Bytes by path, and messages, of a number of frames.
struct FrameBytes {
    int64_t self = 0, message = 0, direct = 0, messages = 0;

    int64_t all() const { return self + message + direct; }
    void add(const FrameBytes &other, int64_t times) {
        self += other.self * times;
        message += other.message * times;
        direct += other.direct * times;
        messages += other.messages * times;
    }
};

class FrameSums {
public:
    FrameSums() = default; // nothing moves
    static FrameSums of_source(const plan::Plan &plan);
    // together: frames of the sink that arrive at once. Their bytes count with the first of them.
    static FrameSums of_sink(const plan::Plan &plan, int64_t together);

    // Of the first `frames` frames of the endpoint.
    FrameBytes first(int64_t frames) const;
    // Of one array; without strips, of one frame.
    const FrameBytes &array() const { return sums_.back(); }

private:
    // sums_[k]: of the first k frames of an array. Each array repeats the same sequence of strips. An array has at
    // least one frame.
    std::vector<FrameBytes> sums_ = {{}, {}};
};

// The other processes with which one endpoint of the plan exchanges data: each at least once.
std::vector<int> peers_of(const plan::Plan &plan, Of side);

} // namespace dri::exec
