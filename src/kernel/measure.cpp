// Measures candidates for a copy on scratch memory, with caches as warm as they will be in use.
#include "kernel/measure.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace dri::kernel {

namespace {

// Minimum time of a measurement. Shorter times are lost in the clock and the call.
constexpr double short_seconds = 20e-6;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

using Stride = int64_t plan::Loop::*;

// Distance in bytes between the first and the last step of a loop.
int64_t reach(const plan::Loop &loop, Stride stride) {
    return checked_mul(loop.count - 1, std::abs(loop.*stride));
}

// Bytes from the first to the last byte that a copy touches on one side.
int64_t span(const plan::StridedCopy &copy, Stride stride, int64_t run) {
    int64_t bytes = run;
    for (const plan::Loop &l : copy.loops)
        bytes = checked_add(bytes, reach(l, stride));
    return bytes;
}

// Distance of the first step from the lowest address.
int64_t above_lowest(const plan::StridedCopy &copy, Stride stride) {
    int64_t bytes = 0;
    for (const plan::Loop &l : copy.loops)
        bytes += l.*stride < 0 ? reach(l, stride) : 0;
    return bytes;
}

// Loops of two steps, such as those over the parts of a complex number, are cut last: a kernel may fit because of
// them.
constexpr int64_t few_steps = 2;

// The loop with the largest distance between its first and last step; null if no loop has any.
plan::Loop *widest(plan::StridedCopy &copy, Stride stride, int64_t min_count, int64_t max_count) {
    plan::Loop *found = nullptr;
    for (plan::Loop &l : copy.loops)
        if (l.count >= min_count && l.count <= max_count && l.*stride != 0 &&
            (!found || reach(l, stride) > reach(*found, stride)))
            found = &l;
    return found;
}

// Shortens the widest loop by enough steps to save too_many_bytes. Returns false if there is no loop to cut.
bool cut_widest(plan::StridedCopy &copy, Stride stride, int64_t too_many_bytes) {
    plan::Loop *cut = widest(copy, stride, few_steps + 1, INT64_MAX);
    if (!cut)
        cut = widest(copy, stride, 2, few_steps);
    if (!cut)
        return false;
    const int64_t step = std::abs(cut->*stride);
    cut->count -= std::min(cut->count - 1, ceil_div(too_many_bytes, step));
    return true;
}

// Brings two steps that are far apart nearer, so that each has half of the memory. Their offsets in a page do not
// change.
void bring_near(plan::StridedCopy &copy, Stride stride, int64_t max_bytes) {
    plan::Loop *const far = widest(copy, stride, 2, few_steps);
    if (!far || reach(*far, stride) <= max_bytes / 2)
        return;
    const int64_t near = max_bytes / 2 / page_bytes * page_bytes + std::abs(far->*stride) % page_bytes;
    far->*stride = far->*stride < 0 ? -near : near;
}

void grow(AlignedBuffer &buffer, int64_t bytes) {
    if (buffer.bytes() >= bytes)
        return;
    buffer = {}; // frees the old memory first: there is never memory for both
    buffer = AlignedBuffer(bytes, page_bytes);
}

// Medians of all candidates. A candidate that was given up keeps its shortest run and is never the fastest.
Times summary(const std::vector<std::vector<double>> &runs, const std::vector<double> &min_seconds,
              const std::vector<char> &given_up) {
    Times times;
    for (size_t i = 0; i < runs.size(); ++i)
        times.seconds.push_back(given_up[i] ? min_seconds[i] : median(runs[i]));
    for (size_t i = 0; i < runs.size(); ++i)
        if (!given_up[i] && (given_up[times.fastest] || times.seconds[i] < times.seconds[times.fastest]))
            times.fastest = i;
    return times;
}

} // namespace

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<Times> measure(size_t n, const TimeRun &run, const std::function<double()> &now, double until) {
    std::vector<std::vector<double>> runs(n);
    std::vector<char> given_up(n, 0);
    std::vector<double> min_seconds(n);
    for (int round = 0; round <= max_rounds; ++round) {
        for (size_t i = 0; i < n; ++i) {
            if (given_up[i])
                continue;
            if (now() > until && round <= min_rounds)
                return std::nullopt;
            if (now() > until)
                return summary(runs, min_seconds, given_up);
            const double seconds = run(i);
            min_seconds[i] = round == 0 ? seconds : std::min(min_seconds[i], seconds);
            if (round > 0)
                runs[i].push_back(seconds);
        }
        if (round == 1)
            for (size_t i = 0; i < n; ++i)
                given_up[i] =
                    min_seconds[i] > hopeless * *std::min_element(min_seconds.begin(), min_seconds.end());
    }
    return summary(runs, min_seconds, given_up);
}

plan::StridedCopy first_part(plan::StridedCopy copy, int64_t max_bytes) {
    bring_near(copy, &plan::Loop::src_stride, max_bytes);
    bring_near(copy, &plan::Loop::dst_stride, max_bytes);
    for (;;) {
        const int64_t src = span(copy, &plan::Loop::src_stride, copy.run_bytes),
                      dst = span(copy, &plan::Loop::dst_stride, plan::dst_run_bytes(copy));
        if (src <= max_bytes && dst <= max_bytes)
            return plan::canonical(copy);
        const bool source = src > max_bytes;
        if (cut_widest(copy, source ? &plan::Loop::src_stride : &plan::Loop::dst_stride,
                       (source ? src : dst) - max_bytes))
            continue;
        // Cuts the run at whole scalars and whole cache lines.
        const int64_t growth = std::max<int64_t>(plan::dst_run_bytes(copy) / copy.run_bytes, 1);
        copy.run_bytes = max_bytes / growth / cache_line_bytes * cache_line_bytes;
    }
}

void Scratch::prepare(const plan::StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t other_bytes) {
    const int64_t src_below = above_lowest(copy, &plan::Loop::src_stride),
                  dst_below = above_lowest(copy, &plan::Loop::dst_stride);
    const auto in_page = [](uintptr_t address, int64_t offset) {
        return static_cast<int64_t>((address + static_cast<uintptr_t>(offset)) % page_bytes);
    };
    const int64_t src_first = in_page(src, copy.src_offset - src_below),
                  dst_first = in_page(dst, copy.dst_offset - dst_below);
    copy_ = copy;
    copy_.src_offset = src_first + src_below;
    copy_.dst_offset = dst_first + dst_below;
    other_bytes_ = std::clamp<int64_t>(other_bytes, 0, max_other_bytes);
    grow(src_, src_first + span(copy, &plan::Loop::src_stride, copy.run_bytes));
    grow(dst_, dst_first + span(copy, &plan::Loop::dst_stride, plan::dst_run_bytes(copy)));
    grow(other_, other_bytes_);
}

double Scratch::time(const BoundCopy &bound) {
    volatile std::byte *const other =
        other_.data(); // volatile: the compiler must not drop stores without a purpose
    for (int64_t at = 0; at < other_bytes_; at += cache_line_bytes)
        other[at] = std::byte{1};
    // If a frame moves other memory between runs, a single run is timed. Otherwise runs repeat until the clock can
    // resolve them.
    int64_t runs = 0;
    const double begin = seconds_now();
    double seconds = 0;
    do {
        bound(src_.data(), dst_.data());
        ++runs;
        seconds = seconds_now() - begin;
    } while (seconds < short_seconds && other_bytes_ == 0);
    return seconds / static_cast<double>(runs);
}

} // namespace dri::kernel
