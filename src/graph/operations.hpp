// The operations of all processes, the same table on each: what they need, their batches, and who has which end.
#pragma once

#include "graph/faults.hpp"
#include "graph/levels.hpp"
#include "graph/shape.hpp"

#include <set>

namespace dri::graph {

// What one process tells the others about its graph. What something needs is one number: of the recvs first, then
// of the sinks, then of the unions; -1: nothing.
struct ToldSend {
    int dest = -1;
    std::string tag;
    NodeShape shape;
    int data = 0; // the first of the process's sends that has the same node
    int needs = -1;
    bool begins = false; // computed from a call without inputs, which may end a stream
};

struct ToldRecv {
    int src = -1;
    std::string tag;
    NodeShape shape;
};

struct ToldPort {
    std::string name;
    NodeShape whole;        // of the whole array
    bool converts = false;  // a sink
    int first_rank = -1;    // of the distribution's group
    Digest group{};         // of the list of its processes
    std::vector<int> ranks; // of the group, told by its first process only
    int needs = -1;         // of a source
    bool begins = false;    // a source: as in ToldSend
};

struct ToldGraph {
    int rank = -1;
    std::vector<ToldSend> sends;
    std::vector<ToldRecv> recvs;
    std::vector<ToldPort> sources, sinks;
    std::vector<std::vector<int>> unions; // each of numbers before its own
};

void put(Writer &out, const ToldGraph &told);
ToldGraph get_told(Reader &in);

// The processes of a transfer, in rising order.
struct TransferEnds {
    std::vector<int> sources, sinks;
    int64_t bytes = 0; // of the whole array, as the source has it
};

class Operations {
public:
    // Fails as DRI_graph_partition does.
    explicit Operations(const std::vector<ToldGraph> &all);

    int64_t count() const { return static_cast<int64_t>(names_.size()); }
    const OperationName &name(int64_t at) const { return names_[static_cast<size_t>(at)]; }
    // The place of an operation, or -1.
    int64_t find(const OperationName &name) const;
    int64_t bytes(int64_t at) const; // of a transfer those of the whole array
    DRI_Gdo shape(int64_t at) const;
    int64_t batch(int64_t at) const { return batch_[static_cast<size_t>(at)]; }
    int64_t batches() const { return static_cast<int64_t>(first_.size()) - 1; }
    std::span<const int64_t> in_batch(int64_t batch) const;
    // The first of the operations that send one node, each to another process: all of them are in one batch. What
    // goes to a process again, under another tag, is of a second such group.
    int64_t first_of_node(int64_t at) const { return first_of_node_[static_cast<size_t>(at)]; }
    // All that one operation needs of its processes, in rising order.
    std::vector<int64_t> needs(int64_t at) const;
    // The same as numbers of tasks: operations, and unions of others from count() on.
    TaskNeeds tasks() const { return needs_.view(); }
    // Whether what the process hands over is computed from a call without inputs.
    bool begins(int64_t at, int rank) const { return begun_.contains({at, rank}); }
    bool is_sent_by(int64_t at, int rank) const;
    bool is_received_by(int64_t at, int rank) const;
    const TransferEnds &ends(int64_t transfer) const { return transfers_[static_cast<size_t>(transfer)]; }

private:
    void match(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults);
    void match_transfers(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults);
    void collect_needs(const std::vector<ToldGraph> &all);
    void find_batches(std::vector<GraphFault> &faults);

    std::vector<OperationName> names_;    // sorted: transfers first
    std::vector<TransferEnds> transfers_; // of the first names
    std::vector<int> shape_;              // per name; of a transfer -1
    std::vector<int64_t> first_of_node_;  // per name; of a transfer itself
    mutable ShapeTable shapes_;           // makes handles when they are asked for
    TaskLists needs_; // of the operations, and behind them of the unions of all processes: memory is linear
    std::set<std::pair<int64_t, int>> begun_;       // operation and process
    std::vector<int64_t> batch_, first_, by_batch_; // first_: places in by_batch_
};

} // namespace dri::graph
