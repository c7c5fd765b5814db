// Sorts the ends by name, so that those of one operation are neighbours.
#include "graph/matching.hpp"

#include <algorithm>
#include <limits>

namespace dri::graph {

void EndMatcher::add(const OperationEnd &end) {
    if (ends_.size() == static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        fail(DRI_ERR_UNSUPPORTED, "the graphs have more than {} sends and receives", ends_.size());
    const auto [tag, is_new] = numbers_.try_emplace(end.tag, static_cast<int>(found_.tags.size()));
    if (is_new)
        found_.tags.push_back(end.tag);
    ends_.push_back({{end.src, end.dest, tag->second},
                     static_cast<int32_t>(ends_.size()),
                     end.shape,
                     end.rank,
                     end.pid,
                     end.is_send});
}

MatchingFound EndMatcher::match() {
    sort();
    found_.of_end.assign(ends_.size(), -1);
    found_.operations.reserve(ends_.size() / 2);
    for (size_t at = 0; at < ends_.size();) {
        const Kept &one = ends_[at];
        size_t end = at;
        while (end < ends_.size() && ends_[end].name == one.name)
            ++end;
        if (one.name.src == one.name.dest) {
            found_.faults.push_back({DRI_FAULT_SELF, full_name(one.name), one.rank, one.pid});
        } else {
            for (size_t i = at; i < end; ++i)
                found_.of_end[static_cast<size_t>(ends_[i].at)] = static_cast<int32_t>(found_.operations.size());
            found_.operations.push_back(match_one({&one, end - at}));
        }
        at = end;
    }
    return std::move(found_);
}

// Gives the tags numbers that rise as they do.
void EndMatcher::sort() {
    std::vector<std::string_view> &tags = found_.tags;
    std::sort(tags.begin(), tags.end());
    std::vector<int> place(tags.size());
    for (size_t i = 0; i < tags.size(); ++i)
        place[static_cast<size_t>(numbers_.at(tags[i]))] = static_cast<int>(i);
    for (Kept &end : ends_)
        end.name.tag = place[static_cast<size_t>(end.name.tag)];
    std::sort(ends_.begin(), ends_.end());
}

OperationName EndMatcher::full_name(const PairName &name) const {
    return {name.src, name.dest, std::string(found_.tags[static_cast<size_t>(name.tag)])};
}

MatchedEnds EndMatcher::match_one(std::span<const Kept> own) {
    const Kept *const send = first(true, own), *const recv = first(false, own);
    const PairName &name = own.front().name;
    MatchedEnds one{.name = name};
    if (send)
        one.send = send->at, one.send_pid = send->pid, one.shape = send->shape;
    else
        found_.faults.push_back({DRI_FAULT_MISSING_SEND, full_name(name), name.src});
    if (recv)
        one.recv = recv->at, one.recv_pid = recv->pid;
    else
        found_.faults.push_back({DRI_FAULT_MISSING_RECV, full_name(name), name.dest});
    if (!send)
        one.shape = recv->shape;
    if (send && recv && send->shape >= 0 && recv->shape >= 0 && send->shape != recv->shape) {
        GraphFault fault{DRI_FAULT_MISMATCH, full_name(name), name.dest};
        fault.detail = "sent is " + text_of_shape_(send->shape) + ", received " + text_of_shape_(recv->shape);
        found_.faults.push_back(std::move(fault));
    }
    return one;
}

const EndMatcher::Kept *EndMatcher::first(bool send, std::span<const Kept> own) {
    const Kept *first = nullptr;
    bool is_told = false;
    for (const Kept &one : own) {
        if (one.is_send != send)
            continue;
        if (first && !is_told)
            found_.faults.push_back({send ? DRI_FAULT_DUPLICATE_SEND : DRI_FAULT_DUPLICATE_RECV,
                                     full_name(one.name), one.rank, one.pid});
        is_told = first != nullptr;
        if (!first)
            first = &one;
    }
    return first;
}

} // namespace dri::graph
