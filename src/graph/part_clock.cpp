// Keeps the last frames of a part, and computes how their times are spread.
#include "graph/part_clock.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

double seconds_of(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// As in DRI_Xfer_info: half of the frames had p50 or less.
DRI_Spread spread_of(std::vector<int64_t> times) {
    if (times.empty())
        return {};
    std::sort(times.begin(), times.end());
    const size_t n = times.size();
    return {seconds_of(times[(n - 1) / 2]), seconds_of(times[(99 * n + 99) / 100 - 1]), seconds_of(times.back())};
}

} // namespace

PartClock::PartClock() {
    for (auto &list : last_)
        list.reserve(DRI_MAX_TIMES);
}

void PartClock::finish_frame(const PartTime &time) {
    const int64_t one[]{time.call, time.wait, time.copy};
    const auto at = static_cast<size_t>(frames_ % DRI_MAX_TIMES);
    for (size_t i = 0; i < last_.size(); ++i)
        if (frames_ < DRI_MAX_TIMES)
            last_[i].push_back(one[i]);
        else
            last_[i][at] = one[i];
    total_.call += time.call;
    total_.wait += time.wait;
    total_.copy += time.copy;
    ++frames_;
}

DRI_Part_times PartClock::times() const {
    DRI_Part_times times{};
    times.frames = frames_;
    times.call_seconds = spread_of(last_[0]);
    times.wait_seconds = spread_of(last_[1]);
    times.copy_seconds = spread_of(last_[2]);
    times.total_call = seconds_of(total_.call);
    times.total_wait = seconds_of(total_.wait);
    times.total_copy = seconds_of(total_.copy);
    times.longest_seconds = seconds_of(longest_ns_);
    return times;
}

} // namespace dri::graph
