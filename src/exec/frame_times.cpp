// A ring of frame times that is written and read without a lock.
#include "exec/frame_times.hpp"

#include <algorithm>

namespace dri::exec {

// begun_ is raised before a slot is overwritten, counted_ afterwards. A reader that sees any value of the new
// frame therefore also sees, in begun_, that the slot's old frame is gone.
void FrameTimes::count(const FrameTime &time) {
    const int64_t number = counted_;
    begun_.publish(number + 1);
    PublishedTime &slot = ring_[static_cast<size_t>(number % capacity)];
    slot.frame.publish(time.frame);
    slot.done_ns.publish(time.done_ns);
    slot.frame_ns.publish(time.frame_ns);
    slot.wait_ns.publish(time.wait_ns);
    counted_.publish(number + 1);
}

// Reads the slots first and begun_ last, then discards what may have been overwritten in between.
std::vector<FrameTime> FrameTimes::last(int64_t max_frames) const {
    const int64_t to = counted_.read(),
                  from = std::max<int64_t>(0, to - std::clamp<int64_t>(max_frames, 0, capacity));
    std::vector<FrameTime> times;
    times.reserve(static_cast<size_t>(to - from));
    for (int64_t i = from; i < to; ++i) {
        const PublishedTime &time = ring_[static_cast<size_t>(i % capacity)];
        times.push_back({time.frame.read(), time.done_ns.read(), time.frame_ns.read(), time.wait_ns.read()});
    }
    const int64_t overwritten = begun_.read() - capacity - from;
    times.erase(times.begin(), times.begin() + std::clamp<int64_t>(overwritten, 0, to - from));
    return times;
}

Percentiles percentiles_of(std::vector<double> numbers) {
    if (numbers.empty())
        return {};
    std::sort(numbers.begin(), numbers.end());
    const auto of_100 = [&](size_t p) { return numbers[(numbers.size() * p + 99) / 100 - 1]; };
    return {of_100(50), of_100(99), numbers.back()};
}

} // namespace dri::exec
