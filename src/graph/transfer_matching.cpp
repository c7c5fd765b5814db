// Gathers the ports of all processes by name, sorted: nothing depends on numbers of nodes or processes.
#include "graph/transfer_matching.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dri::graph {

namespace {

using GroupKey = std::pair<int, Digest>;                   // first process of a group, and its list of processes
using PortGroups = std::map<GroupKey, std::map<int, int>>; // how many ports of the group each process has

// All ends of one transfer name.
struct PortsOfName {
    PortGroups sources, sinks;
    const ToldPort *source = nullptr; // the first one
};

std::vector<int> processes_of(const PortGroups &groups) {
    std::set<int> found;
    for (const auto &[group, present] : groups)
        for (const auto &[rank, ports] : present)
            found.insert(rank);
    return {found.begin(), found.end()};
}

// Every process of a group must have as many ports of it as any other. fault: its kind and operation.
void push_missing(const GroupKey &group, const std::map<int, int> &present,
                  const std::map<GroupKey, const std::vector<int> *> &members, GraphFault fault,
                  std::vector<GraphFault> &faults) {
    const auto push = [&](int rank) {
        fault.rank = rank;
        faults.push_back(fault);
    };
    const auto told = members.find(group);
    if (told == members.end()) {
        push(group.first);
        return;
    }
    int most = 0;
    for (const auto &[rank, ports] : present)
        most = std::max(most, ports);
    for (const int rank : *told->second) {
        const auto found = present.find(rank);
        if (found == present.end() || found->second < most)
            push(rank);
    }
}

} // namespace

MatchedTransfers match_transfers(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults) {
    std::map<std::string, PortsOfName> found;
    std::map<GroupKey, const std::vector<int> *> members; // of groups, told by their first
    MatchedTransfers matched;
    for (const ToldGraph &told : all)
        for (const bool is_source : {true, false})
            for (const ToldPort &port : is_source ? told.sources : told.sinks) {
                PortsOfName &ports = found[port.name];
                const GroupKey group{port.first_rank, port.group};
                ++(is_source ? ports.sources : ports.sinks)[group][told.rank];
                if (is_source && !ports.source)
                    ports.source = &port;
                if (told.rank == port.first_rank)
                    members.try_emplace(group, &port.ranks);
            }
    for (const auto &[name, ports] : found) {
        const OperationName operation{-1, -1, name};
        for (const bool is_source : {true, false}) {
            const DRI_Fault_kind kind = is_source ? DRI_FAULT_MISSING_SEND : DRI_FAULT_MISSING_RECV;
            const PortGroups &groups = is_source ? ports.sources : ports.sinks;
            if (groups.empty())
                faults.push_back(
                    {kind, operation, (is_source ? ports.sinks : ports.sources).begin()->second.begin()->first});
            if (is_source && groups.size() > 1)
                faults.push_back({DRI_FAULT_DUPLICATE_SEND, operation, std::next(groups.begin())->first.first});
            for (const auto &[group, present] : groups)
                push_missing(group, present, members, {kind, operation, group.first}, faults);
        }
        TransferEnds ends;
        ends.sources = processes_of(ports.sources);
        ends.sinks = processes_of(ports.sinks);
        ends.bytes = ports.source ? ports.source->whole.bytes() : 0;
        matched.names.push_back(name);
        matched.ends.push_back(std::move(ends));
    }
    for (const ToldGraph &told : all)
        for (const ToldPort &sink : told.sinks) {
            const ToldPort *source = found[sink.name].source;
            if (!source || (source->whole.sizes == sink.whole.sizes &&
                            (sink.converts || (source->whole.type == sink.whole.type &&
                                               source->whole.bytes() == sink.whole.bytes()))))
                continue;
            GraphFault fault{DRI_FAULT_MISMATCH, {-1, -1, sink.name}, told.rank};
            fault.detail =
                "the source's array is " + source->whole.text() + ", the sink's is " + sink.whole.text();
            faults.push_back(std::move(fault));
        }
    return matched;
}

} // namespace dri::graph
