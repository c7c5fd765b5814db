// Keeps the last frames of a part, and computes how their times are spread.
#include "graph/part_clock.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

// As in DRI_Xfer_info: half of the frames had p50 or less.
DRI_Spread spread_of(std::vector<double> seconds) {
    if (seconds.empty())
        return {};
    std::sort(seconds.begin(), seconds.end());
    const size_t n = seconds.size();
    return {seconds[(n - 1) / 2], seconds[(99 * n + 99) / 100 - 1], seconds.back()};
}

} // namespace

PartClock::PartClock() {
    for (auto &list : last_)
        list.reserve(DRI_MAX_TIMES);
}

void PartClock::finish_frame(const PartSeconds &seconds) {
    const double one[]{seconds.call, seconds.wait, seconds.copy};
    const auto at = static_cast<size_t>(frames_ % DRI_MAX_TIMES);
    for (size_t i = 0; i < last_.size(); ++i)
        if (frames_ < DRI_MAX_TIMES)
            last_[i].push_back(one[i]);
        else
            last_[i][at] = one[i];
    total_.call += seconds.call;
    total_.wait += seconds.wait;
    total_.copy += seconds.copy;
    ++frames_;
}

DRI_Part_times PartClock::times() const {
    DRI_Part_times times{};
    times.frames = frames_;
    times.call_seconds = spread_of(last_[0]);
    times.wait_seconds = spread_of(last_[1]);
    times.copy_seconds = spread_of(last_[2]);
    times.total_call = total_.call;
    times.total_wait = total_.wait;
    times.total_copy = total_.copy;
    times.longest_seconds = longest_seconds_;
    return times;
}

} // namespace dri::graph
