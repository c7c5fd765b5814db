// A ring of frame times that is written and read without a lock.
#include "exec/frame_times.hpp"

#include "base/published.hpp"

#include <algorithm>

namespace dri::exec {

// begun_ is raised before a slot is overwritten, counted_ afterwards. A reader that sees any value of the new
// frame therefore also sees, in begun_, that the slot's old frame is gone.
void FrameTimes::count(const FrameTime &time) {
    publish(begun_, counted_ + 1);
    FrameTime &slot = ring_[static_cast<size_t>(counted_ % capacity)];
    publish(slot.frame, time.frame);
    publish(slot.done_ns, time.done_ns);
    publish(slot.frame_ns, time.frame_ns);
    publish(slot.wait_ns, time.wait_ns);
    publish(counted_, counted_ + 1);
}

// Reads the slots first and begun_ last, then discards what may have been overwritten in between.
std::vector<FrameTime> FrameTimes::last(int64_t max_frames) const {
    const int64_t to = read_published(counted_),
                  from = std::max<int64_t>(0, to - std::clamp<int64_t>(max_frames, 0, capacity));
    std::vector<FrameTime> times;
    times.reserve(static_cast<size_t>(to - from));
    for (int64_t i = from; i < to; ++i) {
        const FrameTime &slot = ring_[static_cast<size_t>(i % capacity)];
        times.push_back({read_published(slot.frame), read_published(slot.done_ns), read_published(slot.frame_ns),
                         read_published(slot.wait_ns)});
    }
    const int64_t overwritten = read_published(begun_) - capacity - from;
    times.erase(times.begin(), times.begin() + std::clamp<int64_t>(overwritten, 0, to - from));
    return times;
}

Spread spread_of(std::vector<double> numbers) {
    if (numbers.empty())
        return {};
    std::sort(numbers.begin(), numbers.end());
    const auto of_100 = [&](size_t p) { return numbers[(numbers.size() * p + 99) / 100 - 1]; };
    return {of_100(50), of_100(99), numbers.back()};
}

} // namespace dri::exec
