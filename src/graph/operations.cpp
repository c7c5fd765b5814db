// Gathers, matches and orders operations, sorted by name first: nothing depends on numbers of nodes or processes.
#include "graph/operations.hpp"

#include "graph/matching.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace dri::graph {

namespace {

// Groups the operations that send one node, each to another process. A second one to the same process begins a
// second group.
class FirstOfNodes {
public:
    // The first operation of the group. Asked in the order of names: by process, then by receiver. data: the node,
    // by a number of its process. at: the operation.
    int32_t of(const PairName &name, int data, int32_t at) {
        if (name.src != src_)
            nodes_.clear();
        src_ = name.src;
        nodes_.resize(std::max(nodes_.size(), static_cast<size_t>(data) + 1));
        Node &node = nodes_[static_cast<size_t>(data)];
        if (node.dest != name.dest)
            node.times = 0;
        node.dest = name.dest;
        if (node.times == node.first.size())
            node.first.push_back(at);
        return node.first[node.times++];
    }

private:
    struct Node {
        int dest = -1;              // the receiver asked for last
        size_t times = 0;           // that the node went there
        std::vector<int32_t> first; // of each of these times
    };
    int src_ = -1;
    std::vector<Node> nodes_;
};

// What operations need, gathered in any order.
class NeedLists {
public:
    explicit NeedLists(int64_t operations) : operations_(operations) {}
    // -1: no operation, or nothing.
    void add(int64_t operation, int64_t need) {
        if (operation >= 0 && need >= 0)
            all_.emplace_back(operation, need);
    }
    TaskLists take() {
        std::sort(all_.begin(), all_.end());
        all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
        TaskLists lists;
        lists.reserve(static_cast<size_t>(operations_), all_.size());
        auto at = all_.begin();
        for (int64_t i = 0; i < operations_; ++i) {
            for (; at != all_.end() && at->first == i; ++at)
                lists.push_back(at->second);
            lists.close();
        }
        all_ = {};
        return lists;
    }

private:
    int64_t operations_;
    std::vector<std::pair<int64_t, int64_t>> all_;
};

// Sends and receives in the order in which they are told. data: of those that are sends.
MatchingFound match_ends(const std::vector<ToldGraph> &all, ShapeTable &shapes, std::vector<int> &data) {
    size_t most = 0;
    for (const ToldGraph &told : all)
        most += told.sends.size() + told.recvs.size();
    EndMatcher ends([&](int shape) { return shapes.at(shape).text(); }, most);
    data.reserve(most);
    for (const ToldGraph &told : all) {
        std::vector<int> numbers; // of the process's shapes
        for (const NodeShape &shape : told.shapes)
            numbers.push_back(shapes.add(shape));
        const auto number = [&](int shape) { return numbers.at(static_cast<size_t>(shape)); };
        for (const ToldSend &send : told.sends) {
            ends.add({told.rank, send.dest, send.tag, true, told.rank, -1, number(send.shape)});
            data.push_back(send.data);
        }
        for (const ToldRecv &recv : told.recvs)
            ends.add({recv.src, told.rank, recv.tag, false, told.rank, -1, number(recv.shape)});
        data.resize(data.size() + told.recvs.size());
    }
    return ends.match();
}

} // namespace

Operations::Operations(const std::vector<ToldGraph> &all) {
    std::vector<GraphFault> faults;
    collect_needs(all, match(all, faults));
    find_batches(faults);
    require_faultless(std::move(faults));
}

// Returns the operation of each send and each receive, in the order in which they are told; -1: none.
std::vector<int32_t> Operations::match(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults) {
    MatchedTransfers transfers = match_transfers(all, faults);
    transfers_ = std::move(transfers.ends);
    std::vector<int> data; // of the ends that are sends
    MatchingFound found = match_ends(all, shapes_, data);
    faults.insert(faults.end(), found.faults.begin(), found.faults.end());
    const size_t before = transfers_.size(), most = before + found.operations.size();
    shape_.assign(before, -1);
    shape_.reserve(most);
    first_of_node_.reserve(most);
    while (first_of_node_.size() < before)
        first_of_node_.push_back(static_cast<int32_t>(first_of_node_.size()));
    std::vector<PairName> pairs;
    pairs.reserve(found.operations.size());
    FirstOfNodes first;
    for (const MatchedEnds &one : found.operations) {
        const auto at = static_cast<int32_t>(first_of_node_.size());
        first_of_node_.push_back(one.send < 0 ? at : first.of(one.name, data[static_cast<size_t>(one.send)], at));
        shape_.push_back(one.shape);
        pairs.push_back(one.name);
    }
    names_ = OperationNames(std::move(transfers.names), {found.tags.begin(), found.tags.end()}, std::move(pairs));
    for (int32_t &at : found.of_end)
        at += at < 0 ? 0 : static_cast<int32_t>(before);
    return std::move(found.of_end);
}

// What sends and sources need, and which of them are computed from calls without inputs.
void Operations::collect_needs(const std::vector<ToldGraph> &all, const std::vector<int32_t> &of_end) {
    NeedLists lists(count());
    begun_.resize(static_cast<size_t>(count()));
    TaskLists unions;
    std::vector<int64_t> own;
    const int32_t *end = of_end.data();
    int64_t tasks = count();
    for (const ToldGraph &told : all) {
        const int32_t *const sent = std::exchange(end, end + told.sends.size());
        std::vector<int64_t> received(end, end + told.recvs.size());
        end += told.recvs.size();
        for (const ToldPort &sink : told.sinks)
            received.push_back(names_.find_transfer(sink.name));
        for (size_t i = 0; i < told.unions.size(); ++i)
            received.push_back(tasks++);
        const auto found = [&](int need) { return need < 0 ? -1 : received.at(static_cast<size_t>(need)); };
        for (size_t i = 0; i < told.sends.size(); ++i) {
            const ToldSend &send = told.sends[i];
            lists.add(sent[i], found(send.needs));
            if (sent[i] >= 0 && send.begins)
                begun_[static_cast<size_t>(sent[i])] = true;
        }
        for (const ToldPort &source : told.sources) {
            const int64_t at = names_.find_transfer(source.name);
            lists.add(at, found(source.needs));
            if (source.begins)
                begun_by_.insert({at, told.rank});
        }
        for (size_t i = 0; i < told.unions.size(); ++i) {
            own.clear();
            for (const int need : told.unions[i])
                if (found(need) >= 0)
                    own.push_back(found(need));
            unions.add(own);
        }
    }
    needs_ = lists.take();
    for (size_t i = 0; i < unions.size(); ++i)
        needs_.add(unions[i]);
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
    std::vector<int64_t> level(static_cast<size_t>(needs_.view().tasks));
    const LevelsFound found = find_levels(needs_.view(), level.data(), count());
    if (found.done < needs_.view().tasks)
        for (const int64_t at : tasks_in_cycles(needs_.view())) {
            if (at >= count())
                continue; // a union, of an operation that is in the cycle, too
            faults.push_back({DRI_FAULT_CYCLE, name(at), is_transfer(at) ? ends(at).sources.front() : src(at)});
        }
    batch_.assign(level.begin(), level.begin() + count());
    first_.assign(static_cast<size_t>(found.levels) + 1, 0);
    for (const int32_t batch : batch_)
        if (batch >= 0)
            ++first_[static_cast<size_t>(batch) + 1];
    for (size_t i = 1; i < first_.size(); ++i)
        first_[i] += first_[i - 1];
    std::vector<int64_t> at(first_.begin(), first_.end());
    by_batch_.resize(static_cast<size_t>(first_.back()));
    for (int64_t i = 0; i < count(); ++i)
        if (batch(i) >= 0)
            by_batch_[static_cast<size_t>(at[static_cast<size_t>(batch(i))]++)] = static_cast<int32_t>(i);
}

int64_t Operations::bytes(int64_t at) const {
    const int shape = shape_[static_cast<size_t>(at)];
    return shape < 0 ? ends(at).bytes : shapes_.at(shape).bytes();
}

DRI_Gdo Operations::shape(int64_t at) const { return shapes_.handle(shape_[static_cast<size_t>(at)]); }

std::span<const int32_t> Operations::in_batch(int64_t batch) const {
    if (batch >= batches())
        return {};
    const auto at = static_cast<size_t>(batch);
    return {by_batch_.data() + first_[at], static_cast<size_t>(first_[at + 1] - first_[at])};
}

bool Operations::begins(int64_t at, int rank) const {
    return is_transfer(at) ? begun_by_.contains({at, rank}) : src(at) == rank && begun_[static_cast<size_t>(at)];
}

bool Operations::is_sent_by(int64_t at, int rank) const {
    return is_transfer(at) ? std::binary_search(ends(at).sources.begin(), ends(at).sources.end(), rank)
                           : src(at) == rank;
}

bool Operations::is_received_by(int64_t at, int rank) const {
    return is_transfer(at) ? std::binary_search(ends(at).sinks.begin(), ends(at).sinks.end(), rank)
                           : dest(at) == rank;
}

} // namespace dri::graph
