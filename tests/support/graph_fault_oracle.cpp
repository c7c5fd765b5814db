// Faults of sends and receives, found name by name.
#include "support/graph_fault_oracle.hpp"

#include <algorithm>

namespace dri::test {

namespace {

std::string process(int rank) { return "process " + std::to_string(rank); }

// An operation of a process with itself is refused, and is no step of a cycle.
bool is_own(const EndsName &name) { return std::get<0>(name) == std::get<1>(name); }

} // namespace

DRI_Code WantedFault::code() const {
    switch (kind) {
    case DRI_FAULT_SELF: return DRI_ERR_UNSUPPORTED;
    case DRI_FAULT_DUPLICATE_SEND:
    case DRI_FAULT_DUPLICATE_RECV: return DRI_ERR_DUPLICATE;
    case DRI_FAULT_MISSING_SEND:
    case DRI_FAULT_MISSING_RECV: return DRI_ERR_UNMATCHED;
    case DRI_FAULT_MISMATCH: return DRI_ERR_MISMATCH;
    default: return DRI_ERR_CYCLE;
    }
}

std::vector<std::string> WantedFault::words() const {
    const auto &[from, to, tag] = name;
    const std::string what =
        "the operation (" + std::to_string(from) + ", " + std::to_string(to) + ", '" + tag + "')";
    const std::string src = process(from), dest = process(to);
    switch (kind) {
    case DRI_FAULT_SELF: return {what, src, "itself"};
    case DRI_FAULT_DUPLICATE_SEND: return {src + " sends", what, "twice"};
    case DRI_FAULT_DUPLICATE_RECV: return {dest + " receives", what, "twice"};
    case DRI_FAULT_MISSING_SEND: return {dest + " receives", what, src + " does not send"};
    case DRI_FAULT_MISSING_RECV: return {src + " sends", what, dest + " does not receive"};
    case DRI_FAULT_MISMATCH: return {what, "differ", "sent is", "received"};
    default: return {what, "needs itself"};
    }
}

FaultOracle::FaultOracle(const OperationEnds &ends) {
    std::set<size_t> live;
    for (size_t i = 0; i < ends.size(); ++i)
        if (ends[i].is_root) {
            live.insert(i);
            live.insert(ends[i].of.begin(), ends[i].of.end());
        }
    for (const size_t i : live) {
        const OperationEnd &end = ends[i];
        (end.is_send ? sends_ : recvs_)[end.name].push_back(end.elements);
        names_.insert(end.name);
        for (const size_t one : end.of)
            needs_[end.name].insert(ends[one].name);
    }
}

std::vector<WantedFault> FaultOracle::faults() const {
    std::vector<WantedFault> found;
    for (const EndsName &name : names_) {
        const auto [src, dest, tag] = name;
        if (is_own(name)) {
            found.push_back({DRI_FAULT_SELF, name, src});
            continue;
        }
        const auto sent = sends_.find(name), received = recvs_.find(name);
        const bool is_sent = sent != sends_.end(), is_received = received != recvs_.end();
        if (is_sent && sent->second.size() > 1)
            found.push_back({DRI_FAULT_DUPLICATE_SEND, name, src});
        if (is_received && received->second.size() > 1)
            found.push_back({DRI_FAULT_DUPLICATE_RECV, name, dest});
        if (!is_sent)
            found.push_back({DRI_FAULT_MISSING_SEND, name, src});
        if (!is_received)
            found.push_back({DRI_FAULT_MISSING_RECV, name, dest});
        if (is_sent && is_received && sent->second.front() != received->second.front())
            found.push_back({DRI_FAULT_MISMATCH, name, dest});
        if (is_in_cycle(name))
            found.push_back({DRI_FAULT_CYCLE, name, src});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const WantedFault &a, const WantedFault &b) { return a.kind < b.kind; });
    return found;
}

std::set<EndsName> FaultOracle::needs_of(const EndsName &name) const {
    const auto found = needs_.find(name);
    return found == needs_.end() ? std::set<EndsName>{} : found->second;
}

int FaultOracle::batch_of(const EndsName &name) const {
    int batch = 0;
    for (const EndsName &need : needs_of(name))
        batch = std::max(batch, 1 + batch_of(need));
    return batch;
}

bool FaultOracle::is_in_cycle(const EndsName &name) const {
    std::set<EndsName> seen;
    std::vector<EndsName> open{name};
    while (!open.empty()) {
        const EndsName at = open.back();
        open.pop_back();
        for (const EndsName &need : needs_of(at)) {
            if (need == name)
                return true;
            if (!is_own(need) && seen.insert(need).second)
                open.push_back(need);
        }
    }
    return false;
}

} // namespace dri::test
