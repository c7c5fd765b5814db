// The texts that name a step of a collective call.
#include "transport/step.hpp"

#include "base/env.hpp"
#include "transport/tree_position.hpp"

#include <algorithm>

namespace dri::transport {

namespace {

std::string count_processes(size_t n) { return fmt::format("{} process{}", n, n == 1 ? "" : "es"); }

} // namespace

std::string describe(const Step &step) {
    std::vector<int> sorted(step.members.begin(), step.members.end());
    std::sort(sorted.begin(), sorted.end());
    return fmt::format("{} over the group of {}: {}", step.call, count_processes(sorted.size()),
                       list_ranks(sorted));
}

// A process that waits in the library answers at once, unless it takes a long step.
Deadline time_to_ask(Deadline until) {
    constexpr auto longest_answer = std::chrono::milliseconds(250);
    return until == Deadline::max() ? until : until - longest_answer;
}

std::string describe_timeout(const Step &step, std::span<const int> missing) {
    return fmt::format("the deadline ({}) passed in {} (step: {}); waited for process{} {}",
                       setting_name(Setting::setup_timeout), describe(step), step.purpose,
                       missing.size() == 1 ? "" : "es", list_ranks(missing));
}

} // namespace dri::transport
