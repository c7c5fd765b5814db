// What a process does on the way from a state to the next.
#pragma once

#include "flow_state.hpp"

#include <array>
#include <string>

namespace dri::flow::test {

struct Step {
    enum Kind : uint8_t { call, move, look, leave_source, leave_sink };
    int8_t process = 0;
    Kind kind = call;
    Call what{};
};

inline std::string text_of(const Step &step) {
    constexpr std::array acts{"insert", "release", "start", "finish", "attempt",
                              "test",   "execute", "close", "leave"};
    constexpr std::array kinds{"", "moves", "looks at departures", "destroys its source", "destroys sink"};
    const CallEndpoints &of = step.what.endpoints;
    const std::string sink = of.sink == CallEndpoints::no_sink ? "" : fmt::format(" {}", of.sink);
    if (step.kind != Step::call)
        return fmt::format("{}: {}{}", step.process, kinds[step.kind], sink);
    return fmt::format("{}: {}{}{}{}", step.process, acts[static_cast<size_t>(step.what.act)],
                       of.source && !of.all_sinks ? " source" : "", of.all_sinks ? " by name" : "",
                       sink.empty() ? "" : " sink" + sink);
}

} // namespace dri::flow::test
