// Checks parts of all processes: ends that match, names that are given, and an order in which all can run.
#include "graph/levels.hpp"
#include "graph/matching.hpp"
#include "graph/part_texts.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dri::graph {

namespace {

// All parts with numbers from 0, and what they need of each other.
class PartsGraph {
public:
    explicit PartsGraph(const std::vector<DescribedParts> &all) : all_(all) {
        for (const DescribedParts &one : all)
            for (const DescribedPart &part : one.parts) {
                parts_.push_back({one.rank, &part});
                numbers_[{one.rank, part.pid}] = static_cast<int64_t>(needs_.size());
                needs_.emplace_back();
            }
    }

    std::vector<GraphFault> check() {
        std::vector<GraphFault> faults;
        for (const DescribedParts &one : all_)
            check_names(one, faults);
        match(faults);
        TaskLists lists;
        for (const std::set<int64_t> &needs : needs_)
            lists.add(std::vector<int64_t>(needs.begin(), needs.end()));
        std::vector<int64_t> level(needs_.size());
        if (find_levels(lists.view(), level.data()).done < static_cast<int64_t>(needs_.size()))
            for (const int64_t part : tasks_in_cycles(lists.view())) {
                const auto &[rank, described] = parts_[static_cast<size_t>(part)];
                faults.push_back({DRI_FAULT_PARTS_CYCLE, {}, rank, described->pid});
            }
        return faults;
    }

private:
    using Givers = std::map<std::string, std::vector<int>>; // the parts that give a name

    void need(int rank, int pid, int of_rank, int of_pid) {
        const auto other = numbers_.find({of_rank, of_pid});
        if (other != numbers_.end())
            needs_[static_cast<size_t>(numbers_[{rank, pid}])].insert(other->second);
    }

    void check_names(const DescribedParts &one, std::vector<GraphFault> &faults) {
        Givers outputs, received;
        for (const DescribedPart &part : one.parts) {
            for (const std::string &name : part.outputs)
                outputs[name].push_back(part.pid);
            for (const DescribedEnd &end : part.recvs)
                if (!end.name.empty())
                    received[end.name].push_back(part.pid);
        }
        Givers given = outputs;
        for (const auto &[name, pids] : received)
            for (const int pid : pids) { // what a part receives may be its output, too
                std::vector<int> &others = given[name];
                if (std::find(others.begin(), others.end(), pid) == others.end())
                    others.push_back(pid);
            }
        for (const auto &[name, pids] : given)
            for (size_t i = 1; i < pids.size(); ++i)
                faults.push_back({DRI_FAULT_DUPLICATE_OUTPUT, {}, one.rank, pids[i], name});
        for (const DescribedPart &part : one.parts) {
            for (const int pid : part.needed) {
                need(one.rank, part.pid, one.rank, pid);
                if (!numbers_.contains({one.rank, pid}))
                    faults.push_back(
                        {DRI_FAULT_UNDEFINED_INPUT, {}, one.rank, part.pid, fmt::format("part {}", pid)});
            }
            for (const std::string &name : part.reads)
                check_read(one.rank, part, name, outputs, received, faults);
        }
    }

    void check_read(int rank, const DescribedPart &part, const std::string &name, const Givers &outputs,
                    const Givers &received, std::vector<GraphFault> &faults) {
        bool is_given = false;
        for (const Givers *givers : {&outputs, &received}) {
            const auto found = givers->find(name);
            if (found == givers->end())
                continue;
            is_given = true;
            for (const int pid : found->second)
                if (pid != part.pid)
                    need(rank, part.pid, rank, pid);
                else if (givers == &outputs)
                    faults.push_back({DRI_FAULT_OWN_OUTPUT, {}, rank, pid, name});
        }
        if (!is_given)
            faults.push_back({DRI_FAULT_UNDEFINED_INPUT, {}, rank, part.pid, name});
    }

    // The parts with an end of a transfer: process and number of the part. Whether all processes of its groups
    // have one is checked where the groups are known.
    struct TransferParts {
        std::vector<std::pair<int, int>> senders, receivers;
    };

    // Sends and receives.
    void match(std::vector<GraphFault> &faults) {
        ShapeTable shapes;
        EndMatcher ends([&](int shape) { return shapes.at(shape).text(); });
        for (const auto &[rank, part] : parts_)
            for (const bool is_send : {true, false})
                for (const DescribedEnd &end : is_send ? part->sends : part->recvs)
                    if (!end.operation.is_transfer())
                        ends.add({end.operation.src, end.operation.dest, end.operation.tag, is_send, rank,
                                  part->pid, end.has_shape ? shapes.add(end.shape) : -1});
                    else
                        (is_send ? transfers_[end.operation.tag].senders : transfers_[end.operation.tag].receivers)
                            .emplace_back(rank, part->pid);
        const MatchingFound found = ends.match();
        faults.insert(faults.end(), found.faults.begin(), found.faults.end());
        for (const MatchedEnds &one : found.operations)
            if (one.send >= 0 && one.recv >= 0)
                need(one.name.dest, one.recv_pid, one.name.src, one.send_pid);
        for (const auto &[name, parts] : transfers_)
            match_transfer({-1, -1, name}, parts, faults);
    }

    void match_transfer(const OperationName &name, const TransferParts &found, std::vector<GraphFault> &faults) {
        if (found.senders.empty())
            faults.push_back({DRI_FAULT_MISSING_SEND, name, found.receivers.front().first});
        if (found.receivers.empty())
            faults.push_back({DRI_FAULT_MISSING_RECV, name, found.senders.front().first});
        std::set<int> senders;
        for (const auto &[rank, pid] : found.senders)
            if (!senders.insert(rank).second)
                faults.push_back({DRI_FAULT_DUPLICATE_SEND, name, rank, pid});
        std::map<int, int> receivers; // process -> part, which may have several sinks
        for (const auto &[rank, pid] : found.receivers)
            if (receivers.try_emplace(rank, pid).first->second != pid)
                faults.push_back({DRI_FAULT_DUPLICATE_RECV, name, rank, pid});
        for (const auto &[rank, pid] : found.receivers)
            for (const auto &[of_rank, of_pid] : found.senders)
                need(rank, pid, of_rank, of_pid);
    }

    const std::vector<DescribedParts> &all_;
    std::vector<std::pair<int, const DescribedPart *>> parts_;
    std::map<std::pair<int, int>, int64_t> numbers_;
    std::vector<std::set<int64_t>> needs_;
    std::map<std::string, TransferParts> transfers_; // by name
};

} // namespace

std::vector<GraphFault> faults_of(const std::vector<DescribedParts> &all) { return PartsGraph(all).check(); }

} // namespace dri::graph
