// Gathers, matches and orders operations, sorted by name first: nothing depends on numbers of nodes or processes.
#include "graph/operations.hpp"

#include "graph/matching.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

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

Operations::Operations(const std::vector<ToldGraph> &all) {
    std::vector<GraphFault> faults;
    match_transfers(all, faults);
    match(all, faults);
    collect_needs(all);
    find_batches(faults);
    require_faultless(std::move(faults));
}

void Operations::match_transfers(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults) {
    std::map<std::string, PortsOfName> found;
    std::map<GroupKey, const std::vector<int> *> members; // of groups, told by their first
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
        first_of_node_.push_back(count());
        names_.push_back(operation);
        transfers_.push_back(std::move(ends));
        shape_.push_back(-1);
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
}

void Operations::match(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults) {
    std::vector<OperationEnd> ends;
    std::vector<int> data; // of the sends among the ends
    for (const ToldGraph &told : all) {
        for (const ToldSend &send : told.sends) {
            data.resize(ends.size());
            data.push_back(send.data);
            ends.push_back({{told.rank, send.dest, send.tag}, true, told.rank, -1, shapes_.add(send.shape)});
        }
        for (const ToldRecv &recv : told.recvs)
            ends.push_back({{recv.src, told.rank, recv.tag}, false, told.rank, -1, shapes_.add(recv.shape)});
    }
    MatchingFound found = match_ends(ends, [&](int shape) { return shapes_.at(shape).text(); });
    faults.insert(faults.end(), found.faults.begin(), found.faults.end());
    std::map<std::tuple<int, int, int>, int> times;     // how often a process's data go to a process
    std::map<std::tuple<int, int, int>, int64_t> first; // of a process, its data, and how often they went before
    const size_t all_names = names_.size() + found.operations.size(); // no more: every process keeps them
    names_.reserve(all_names);
    shape_.reserve(all_names);
    first_of_node_.reserve(all_names);
    for (MatchedEnds &one : found.operations) {
        int64_t group = count();
        if (one.send >= 0) {
            const int src = one.name.src, of = data[static_cast<size_t>(one.send)];
            group = first.try_emplace({src, of, times[{src, of, one.name.dest}]++}, group).first->second;
        }
        first_of_node_.push_back(group);
        shape_.push_back(ends[static_cast<size_t>(std::max(one.send, one.recv))].shape);
        names_.push_back(std::move(one.name));
    }
}

void Operations::collect_needs(const std::vector<ToldGraph> &all) {
    std::vector<std::vector<int64_t>> needs(names_.size()), unions;
    int64_t tasks = count();
    for (const ToldGraph &told : all) {
        std::vector<int64_t> received;
        for (const ToldRecv &recv : told.recvs)
            received.push_back(find({recv.src, told.rank, recv.tag}));
        for (const ToldPort &sink : told.sinks)
            received.push_back(find({-1, -1, sink.name}));
        for (size_t i = 0; i < told.unions.size(); ++i)
            received.push_back(tasks++);
        const auto add = [&](const OperationName &name, int need, bool begins) {
            const int64_t at = find(name);
            if (at >= 0 && begins)
                begun_.insert({at, told.rank});
            if (at >= 0 && need >= 0 && received[static_cast<size_t>(need)] >= 0)
                needs[static_cast<size_t>(at)].push_back(received[static_cast<size_t>(need)]);
        };
        for (const std::vector<int> &own : told.unions) {
            std::vector<int64_t> &made = unions.emplace_back();
            for (const int need : own)
                if (received[static_cast<size_t>(need)] >= 0)
                    made.push_back(received[static_cast<size_t>(need)]);
        }
        for (const ToldSend &send : told.sends)
            add({told.rank, send.dest, send.tag}, send.needs, send.begins);
        for (const ToldPort &source : told.sources)
            add({-1, -1, source.name}, source.needs, source.begins);
    }
    for (std::vector<int64_t> &one : needs) {
        std::sort(one.begin(), one.end());
        one.erase(std::unique(one.begin(), one.end()), one.end());
        needs_.add(one);
        one = {};
    }
    for (const std::vector<int64_t> &one : unions)
        needs_.add(one);
    needs_.shrink_to_fit();
}

std::vector<int64_t> Operations::needs(int64_t at) const {
    std::vector<int64_t> found, left{at};
    std::unordered_set<int64_t> seen;
    while (!left.empty()) {
        const int64_t task = left.back();
        left.pop_back();
        for (const int64_t need : needs_.view().of(task))
            if (seen.insert(need).second)
                (need < count() ? found : left).push_back(need);
    }
    std::sort(found.begin(), found.end());
    return found;
}

void Operations::find_batches(std::vector<GraphFault> &faults) {
    batch_.resize(static_cast<size_t>(needs_.view().tasks));
    const LevelsFound found = find_levels(needs_.view(), batch_.data(), count());
    if (found.done < needs_.view().tasks)
        for (const int64_t at : tasks_in_cycles(needs_.view())) {
            if (at >= count())
                continue; // a union, of an operation that is in the cycle, too
            const OperationName &one = name(at);
            faults.push_back({DRI_FAULT_CYCLE, one, one.is_transfer() ? ends(at).sources.front() : one.src});
        }
    batch_.resize(names_.size());
    first_.assign(static_cast<size_t>(found.levels) + 1, 0);
    for (const int64_t batch : batch_)
        if (batch >= 0)
            ++first_[static_cast<size_t>(batch) + 1];
    for (size_t i = 1; i < first_.size(); ++i)
        first_[i] += first_[i - 1];
    std::vector<int64_t> at(first_.begin(), first_.end());
    by_batch_.resize(static_cast<size_t>(first_.back()));
    for (int64_t i = 0; i < count(); ++i)
        if (batch(i) >= 0)
            by_batch_[static_cast<size_t>(at[static_cast<size_t>(batch(i))]++)] = i;
}

int64_t Operations::find(const OperationName &name) const {
    const auto at = std::lower_bound(names_.begin(), names_.end(), name);
    return at != names_.end() && *at == name ? at - names_.begin() : -1;
}

int64_t Operations::bytes(int64_t at) const {
    const int shape = shape_[static_cast<size_t>(at)];
    return shape < 0 ? ends(at).bytes : shapes_.at(shape).bytes();
}

DRI_Gdo Operations::shape(int64_t at) const { return shapes_.handle(shape_[static_cast<size_t>(at)]); }

std::span<const int64_t> Operations::in_batch(int64_t batch) const {
    if (batch >= batches())
        return {};
    const auto at = static_cast<size_t>(batch);
    return {by_batch_.data() + first_[at], static_cast<size_t>(first_[at + 1] - first_[at])};
}

bool Operations::is_sent_by(int64_t at, int rank) const {
    const OperationName &one = name(at);
    return one.is_transfer() ? std::binary_search(ends(at).sources.begin(), ends(at).sources.end(), rank)
                             : one.src == rank;
}

bool Operations::is_received_by(int64_t at, int rank) const {
    const OperationName &one = name(at);
    return one.is_transfer() ? std::binary_search(ends(at).sinks.begin(), ends(at).sinks.end(), rank)
                             : one.dest == rank;
}

} // namespace dri::graph
