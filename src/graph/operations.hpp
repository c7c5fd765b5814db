// The operations of all processes, the same table on each: what they need, their batches, and who has which end.
#pragma once

#include "graph/levels.hpp"
#include "graph/operation_names.hpp"
#include "graph/transfer_matching.hpp"

#include <set>
#include <span>

namespace dri::graph {

// Of an operation between two processes it keeps 28 bytes, and 8 for each list of what is needed and each of its
// entries; of each different tag 32.
class Operations {
public:
    // Fails as DRI_graph_partition does.
    explicit Operations(const std::vector<ToldGraph> &all);

    int64_t count() const { return names_.count(); }
    OperationName name(int64_t at) const { return names_.at(at); }
    const std::string &tag(int64_t at) const { return names_.tag(at); }
    bool is_transfer(int64_t at) const { return names_.is_transfer(at); }
    int src(int64_t at) const { return names_.src(at); }   // of a transfer -1
    int dest(int64_t at) const { return names_.dest(at); } // of a transfer -1
    // The place of an operation, or -1.
    int64_t find(const OperationName &name) const { return names_.find(name); }
    int64_t bytes(int64_t at) const; // of a transfer those of the whole array
    DRI_Gdo shape(int64_t at) const;
    int64_t batch(int64_t at) const { return batch_[static_cast<size_t>(at)]; }
    int64_t batches() const { return static_cast<int64_t>(first_.size()) - 1; }
    std::span<const int32_t> in_batch(int64_t batch) const;
    // The first of the operations that send one node, each to another process: all of them are in one batch. What
    // goes to a process again, under another tag, is of a second such group.
    int64_t first_of_node(int64_t at) const { return first_of_node_[static_cast<size_t>(at)]; }
    // All that one operation needs of its processes, in rising order.
    std::vector<int64_t> needs(int64_t at) const;
    // The same as numbers of tasks: operations, and unions of others from count() on.
    TaskNeeds tasks() const { return needs_.view(); }
    // Whether what the process hands over is computed from a call without inputs.
    bool begins(int64_t at, int rank) const;
    bool is_sent_by(int64_t at, int rank) const;
    bool is_received_by(int64_t at, int rank) const;
    const TransferEnds &ends(int64_t transfer) const { return transfers_[static_cast<size_t>(transfer)]; }

private:
    std::vector<int32_t> match(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults);
    void collect_needs(const std::vector<ToldGraph> &all, const std::vector<int32_t> &of_end);
    void find_batches(std::vector<GraphFault> &faults);

    OperationNames names_;
    std::vector<TransferEnds> transfers_; // of the first names
    std::vector<int32_t> shape_;          // per name; of a transfer -1
    std::vector<int32_t> first_of_node_;  // per name; of a transfer itself
    mutable ShapeTable shapes_;           // makes handles when they are asked for
    TaskLists needs_; // of the operations, and behind them of the unions of all processes: memory is linear
    std::vector<bool> begun_;                    // per name: by its only sender
    std::set<std::pair<int64_t, int>> begun_by_; // transfer and process
    std::vector<int32_t> batch_, by_batch_;
    std::vector<int64_t> first_; // places in by_batch_
};

} // namespace dri::graph
