// plan_bench: time and memory of planning for one process of large jobs, as the number of processes grows. The
// planner is a pure function, so one process can plan for any rank of a machine that does not exist here.
// Therefore this program uses internal headers of the library.
#include "command_line.hpp"
#include "jobs.hpp"
#include "memory_meter.hpp"

#include "planner/planner.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

// Cost of planning for one process. plan_ms is a median. plan_bytes is what the plan holds in the last
// repetition, plan_peak_bytes the peak of memory beyond that of the sides, in all repetitions.
struct Cost {
    double describe_ms = 0, plan_ms = 0;
    int64_t sides_bytes = 0, plan_bytes = 0, plan_peak_bytes = 0;
    size_t messages = 0, copies = 0;
};

Cost measure(const plan_bench::Job &job, int processes, int repetitions) {
    Cost cost;
    const int64_t before = plan_bench::live_bytes();
    const auto begin = Clock::now();
    const plan_bench::Sides sides = job.make(processes);
    cost.describe_ms = milliseconds_since(begin);
    cost.sides_bytes = plan_bench::live_bytes() - before;
    dri::planner::PlanOptions options;
    options.message_bytes = job.message_bytes;
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        plan_bench::forget_peak();
        const int64_t base = plan_bench::live_bytes();
        const auto start = Clock::now();
        const dri::plan::Plan plan = dri::planner::make_plan(sides.source, sides.sink, options, sides.middle_rank);
        times.push_back(milliseconds_since(start));
        cost.plan_bytes = plan_bench::live_bytes() - base;
        cost.plan_peak_bytes = std::max(cost.plan_peak_bytes, plan_bench::peak_bytes() - base);
        cost.messages = std::max(plan.sends.size(), plan.receives.size());
        cost.copies = plan.self.size();
        for (const auto *messages : {&plan.sends, &plan.receives})
            for (const dri::plan::Message &m : *messages)
                cost.copies += m.copies.size();
    }
    cost.plan_ms = median(times);
    return cost;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> processes{64, 1024, 16384, 65536};
    int repetitions = 7;
    std::string filter;
    common::CommandLine asked("Time and memory of planning for one process in the middle of large jobs");
    asked.add("--processes", processes, {4, 1 << 24}, "Numbers of processes, squares of even numbers");
    asked.add("--repetitions", repetitions, {1, 1000}, "Number of plans for each median");
    asked.add("--only", filter, "Only jobs whose name contains this text");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    try {
        std::printf(
            "| job | processes | messages | copies | plan ms | plan MB | plan peak MB | sides ms | sides MB |\n"
            "|---|---|---|---|---|---|---|---|---|\n");
        for (const plan_bench::Job &job : plan_bench::jobs()) {
            if (std::string(job.name).find(filter) == std::string::npos)
                continue;
            for (int p : processes) {
                const Cost c = measure(job, p, repetitions);
                std::printf("| %s | %d | %zu | %zu | %.3f | %.3f | %.3f | %.1f | %.1f |\n", job.name, p,
                            c.messages, c.copies, c.plan_ms, static_cast<double>(c.plan_bytes) / 1e6,
                            static_cast<double>(c.plan_peak_bytes) / 1e6, c.describe_ms,
                            static_cast<double>(c.sides_bytes) / 1e6);
                std::fflush(stdout);
            }
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "plan_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
