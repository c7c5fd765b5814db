#include "exec/frame_times.hpp"

#include <algorithm>
#include <atomic>

namespace dri {

namespace {

void store(int64_t &number, int64_t value) {
    std::atomic_ref<int64_t>(number).store(value, std::memory_order_release);
}

// Never a const object; before C++26 only a reference to one that may change is read atomically.
int64_t load(const int64_t &number) {
    return std::atomic_ref<int64_t>(const_cast<int64_t &>(number)).load(std::memory_order_acquire);
}

} // namespace

// A reader that sees a number of the new frame sees, too, that the place's old frame is given up.
void FrameTimes::count(const FrameTime &time) {
    store(begun_, counted_ + 1);
    FrameTime &place = ring_[static_cast<size_t>(counted_ % capacity)];
    store(place.frame, time.frame);
    store(place.done_ns, time.done_ns);
    store(place.frame_ns, time.frame_ns);
    store(place.wait_ns, time.wait_ns);
    store(counted_, counted_ + 1);
}

std::vector<FrameTime> FrameTimes::last(int64_t most) const {
    const int64_t to = load(counted_), from = std::max<int64_t>(0, to - std::clamp<int64_t>(most, 0, capacity));
    std::vector<FrameTime> times;
    times.reserve(static_cast<size_t>(to - from));
    for (int64_t i = from; i < to; ++i) {
        const FrameTime &place = ring_[static_cast<size_t>(i % capacity)];
        times.push_back({load(place.frame), load(place.done_ns), load(place.frame_ns), load(place.wait_ns)});
    }
    const int64_t overwritten = load(begun_) - capacity - from;
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

} // namespace dri
