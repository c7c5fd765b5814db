// A scan over the steps: a node takes the first gap that fits when it is written, and leaves it behind its last
// reader.
#include "graph/node_memory.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

// Gaps between offsets 0 and `end`.
class Gaps {
public:
    int64_t take(int64_t bytes) {
        for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
            const auto [offset, length] = *gap;
            if (length < bytes)
                continue;
            gaps_.erase(gap);
            if (length > bytes)
                gaps_[offset + bytes] = length - bytes;
            return offset;
        }
        const int64_t offset = end_;
        end_ = checked_add(end_, bytes);
        return offset;
    }

    void give_back(int64_t offset, int64_t bytes) {
        if (bytes == 0)
            return;
        const auto next = gaps_.lower_bound(offset);
        if (next != gaps_.end() && next->first == offset + bytes) {
            bytes += next->second;
            gaps_.erase(next);
        }
        const auto after = gaps_.lower_bound(offset);
        if (after != gaps_.begin())
            if (const auto before = std::prev(after); before->first + before->second == offset) {
                before->second += bytes;
                return;
            }
        gaps_[offset] = bytes;
    }
    int64_t end() const { return end_; }

private:
    std::map<int64_t, int64_t> gaps_; // offset -> length
    int64_t end_ = 0;
};

} // namespace

int64_t place_in_memory(const PlanBody &plan, FrameSteps &frame) {
    const GraphBody &body = plan.body();
    const auto steps = static_cast<int>(frame.steps.size());
    const auto is_in_memory = [&](int node) {
        return frame.homes[static_cast<size_t>(node)].where == NodeHome::Where::memory;
    };
    std::vector<int> last(body.nodes.size(), -1);
    for (int step = 0; step < steps; ++step) {
        const FrameStep &one = frame.steps[static_cast<size_t>(step)];
        if (one.kind == StepKind::copy)
            last[static_cast<size_t>(frame.copies[static_cast<size_t>(one.index)].node)] = step;
        if (one.kind == StepKind::call)
            for (const auto *nodes : {&body.call(one.index).in, &body.call(one.index).out})
                for (const int node : *nodes)
                    last[static_cast<size_t>(node)] = step;
    }
    for (const auto &[name, node] : body.outputs)
        last[static_cast<size_t>(body.value_of(node))] = steps;
    std::vector<std::vector<int>> leaving(frame.steps.size() + 1); // nodes by their last step
    for (const int node : plan.reached().nodes)
        if (is_in_memory(node) && last[static_cast<size_t>(node)] >= 0)
            leaving[static_cast<size_t>(last[static_cast<size_t>(node)])].push_back(node);
    Gaps gaps;
    const auto bytes = [&](int node) { return round_up(body.bytes_of(node), cache_line_bytes); };
    for (int step = 0; step < steps; ++step) {
        const FrameStep &one = frame.steps[static_cast<size_t>(step)];
        if (one.kind == StepKind::call)
            for (const int node : body.call(one.index).out)
                if (is_in_memory(node))
                    frame.homes[static_cast<size_t>(node)].offset = gaps.take(bytes(node));
        for (const int node : leaving[static_cast<size_t>(step)])
            gaps.give_back(frame.homes[static_cast<size_t>(node)].offset, bytes(node));
    }
    return gaps.end();
}

} // namespace dri::graph
