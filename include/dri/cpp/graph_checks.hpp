// What graphs are checked with, for programs that make parts of their own.
#pragma once

#include <dri/cpp/group.hpp>
#include <dri/graph_plan.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {

// What was wrong in this thread's last Graph::partition() or verify(): all faults of all processes. Strings are
// valid until the next one. Local. See DRI_graph_get_faults.
inline std::vector<DRI_Fault> graph_faults() {
    int n = 0;
    detail::check(DRI_graph_get_faults(0, nullptr, &n));
    std::vector<DRI_Fault> found(static_cast<std::size_t>(n));
    detail::check(DRI_graph_get_faults(n, found.data(), &n));
    return found;
}

// Checks parts that processes describe: those of a plan, or of the program's own making. Collective over the
// group; synchronising. See DRI_graph_verify.
inline void verify(const Group &group, std::span<const DRI_Graph_part> parts) {
    detail::check(DRI_graph_verify(group.handle(), static_cast<int>(parts.size()), parts.data()));
}

// Numbers the tags of all processes from `base` on, in the order in which they first appear, process by process.
// Returns the numbers of this process's tags, and the next one. Collective over the group; synchronising. See
// DRI_number_tags.
inline std::pair<std::vector<int>, int> number_tags(const Group &group, std::span<const std::string> tags,
                                                    int base) {
    std::vector<const char *> texts;
    for (const std::string &tag : tags)
        texts.push_back(tag.c_str());
    std::pair<std::vector<int>, int> found(std::vector<int>(tags.size()), base);
    detail::check(DRI_number_tags(group.handle(), static_cast<int>(texts.size()), texts.data(), base,
                                  found.first.data(), &found.second));
    return found;
}

// The level of each task: one more than the largest of what it needs, 0 if it needs nothing. needs: for each task
// the numbers of others. Local. See DRI_task_levels.
inline std::vector<std::int64_t> task_levels(std::span<const std::vector<std::int64_t>> needs) {
    std::vector<std::int64_t> first{0}, all, levels(needs.size());
    for (const std::vector<std::int64_t> &some : needs) {
        all.insert(all.end(), some.begin(), some.end());
        first.push_back(static_cast<std::int64_t>(all.size()));
    }
    std::int64_t count = 0;
    detail::check(
        DRI_task_levels(static_cast<std::int64_t>(needs.size()), first.data(), all.data(), levels.data(), &count));
    return levels;
}

} // namespace v1
} // namespace dri
