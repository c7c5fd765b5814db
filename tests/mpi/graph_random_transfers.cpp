// Random graphs of transfers between random groups, against an oracle of what each transfer needs: the union over
// the processes of its source.
#include "support/dice.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dri::test {
namespace {

constexpr int64_t array_elements = 24;

// Which processes fill and get the arrays of a transfer. reads: per process of the source, the transfers that its
// call reads.
struct DrawnTransfer {
    std::vector<int> source, sink;
    std::map<int, std::set<size_t>> reads;
};
using DrawnTransfers = std::vector<DrawnTransfer>;

bool has(const std::vector<int> &ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// A transfer seldom reads one that follows it, so that most graphs have no cycle.
DrawnTransfers draw_transfers(uint64_t seed) {
    Dice dice(seed);
    DrawnTransfers all(static_cast<size_t>(dice.range(1, 6)));
    for (DrawnTransfer &one : all) {
        one.source = some_ranks(dice, world().size);
        one.sink = some_ranks(dice, world().size);
    }
    for (size_t i = 0; i < all.size(); ++i)
        for (const int rank : all[i].source)
            for (size_t j = 0; j < all.size(); ++j)
                if (has(all[j].sink, rank) && dice.chance(j < i ? 25 : 4))
                    all[i].reads[rank].insert(j);
    return all;
}

std::string name_of(size_t transfer) { return "transfer " + std::to_string(transfer); }
EndsName operation(size_t transfer) { return {-1, -1, name_of(transfer)}; }

class TransferOracle {
public:
    explicit TransferOracle(const DrawnTransfers &all) : needs_(all.size()) {
        for (size_t i = 0; i < all.size(); ++i)
            for (const auto &[rank, read] : all[i].reads)
                needs_[i].insert(read.begin(), read.end());
    }
    const std::set<size_t> &needs(size_t i) const { return needs_[i]; }
    // Whether no process of the source alone needs all that transfer i needs. one: that transfer.
    bool is_union(const DrawnTransfer &one, size_t i) const {
        return std::none_of(one.source.begin(), one.source.end(), [&](int rank) {
            const auto found = one.reads.find(rank);
            return (found == one.reads.end() ? 0 : found->second.size()) == needs_[i].size();
        });
    }
    std::set<std::string> cycles() const {
        std::set<std::string> names;
        for (size_t i = 0; i < needs_.size(); ++i)
            if (all_before(i).count(i) > 0)
                names.insert(name_of(i));
        return names;
    }
    // Without cycles: how many transfers are complete one after the other before this one.
    int batch_of(size_t i) const {
        int batch = 0;
        for (const size_t one : needs_[i])
            batch = std::max(batch, 1 + batch_of(one));
        return batch;
    }

private:
    std::set<size_t> all_before(size_t i) const {
        std::set<size_t> seen;
        std::vector<size_t> open{i};
        while (!open.empty()) {
            const size_t at = open.back();
            open.pop_back();
            for (const size_t one : needs_[at])
                if (seen.insert(one).second)
                    open.push_back(one);
        }
        return seen;
    }

    std::vector<std::set<size_t>> needs_;
};

int write_nothing(void *, DRI_Call *) { return DRI_SUCCESS; }

DRI_Node add_port(DRI_Graph graph, DRI_Role role, size_t transfer, const std::vector<int> &ranks) {
    DRI_Node node{};
    const Dist dist = make_dist(make_gdo({array_elements}, DRI_DOUBLE), make_blocks(1, 0), make_group(ranks));
    const auto add = role == DRI_SOURCE ? DRI_graph_source : DRI_graph_sink;
    expect_success(add(graph, name_of(transfer).c_str(), dist, DRI_ROW_MAJOR, &node), "add a port");
    return node;
}

Graph graph_of_transfers(const DrawnTransfers &all, DRI_Group group) {
    Graph graph = make_graph(group);
    const int rank = world().rank;
    std::map<size_t, DRI_Node> arrives;
    for (size_t i = 0; i < all.size(); ++i) {
        if (!has(all[i].sink, rank))
            continue;
        arrives[i] = add_port(graph, DRI_SINK, i, all[i].sink);
        expect_success(DRI_graph_output(graph, name_of(i).c_str(), arrives[i]), "DRI_graph_output");
    }
    for (size_t i = 0; i < all.size(); ++i) {
        if (!has(all[i].source, rank))
            continue;
        const DRI_Node source = add_port(graph, DRI_SOURCE, i, all[i].source);
        std::vector<DRI_Node> reads;
        if (const auto found = all[i].reads.find(rank); found != all[i].reads.end())
            for (const size_t one : found->second)
                reads.push_back(arrives.at(one));
        expect_success(DRI_graph_call(graph, "fill", write_nothing, nullptr, 1, &source,
                                      static_cast<int>(reads.size()), reads.data()),
                       "DRI_graph_call");
    }
    return graph;
}

void expect_needs_and_batches(DRI_Plan plan, const TransferOracle &oracle, size_t transfers) {
    std::map<int, std::set<EndsName>> batches;
    for (size_t i = 0; i < transfers; ++i) {
        std::set<EndsName> wanted;
        for (const size_t one : oracle.needs(i))
            wanted.insert(operation(one));
        EXPECT_EQ(needs_in(plan, operation(i)), wanted) << name_of(i);
        batches[oracle.batch_of(i)].insert(operation(i));
    }
    int n = -1;
    for (const auto &[src, dest] : {std::pair(-1, 0), std::pair(0, -1), std::pair(-2, -1)})
        EXPECT_EQ(DRI_plan_get_needs(plan, {src, dest, name_of(0).c_str(), {}, nullptr}, 0, nullptr, &n),
                  DRI_ERR_ARG);
    const int count = static_cast<int>(batches.size());
    for (int batch = 0; batch <= count; ++batch)
        EXPECT_EQ(batch_in(plan, batch), batches[batch]) << "batch " << batch;
}

void expect_refused(const std::set<std::string> &cycles) {
    std::set<std::string> refused;
    for (const DRI_Fault &one : faults_now()) {
        EXPECT_EQ(one.kind, DRI_FAULT_CYCLE);
        refused.insert(one.operation.tag);
    }
    EXPECT_EQ(refused, cycles);
}

TEST(GraphRandomTransfers, NeedWhatAnyProcessOfTheirSourceNeeds) {
    const Group all_processes = make_world();
    int right = 0, wrong = 0, unions = 0;
    for (uint64_t seed = 0; seed < 200 && sum_of(HasFailure()) == 0; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const DrawnTransfers all = draw_transfers(seed);
        const TransferOracle oracle(all);
        const Graph graph = graph_of_transfers(all, all_processes);
        const std::set<std::string> cycles = oracle.cycles();
        Plan plan;
        const int code = DRI_graph_partition(graph, plan.out());
        EXPECT_EQ(code, cycles.empty() ? DRI_SUCCESS : DRI_ERR_CYCLE) << DRI_error_message();
        if (code == DRI_SUCCESS)
            expect_needs_and_batches(plan, oracle, all.size());
        else
            expect_refused(cycles);
        ++(cycles.empty() ? right : wrong);
        for (size_t i = 0; i < all.size(); ++i)
            unions += cycles.empty() && oracle.is_union(all[i], i) ? 1 : 0;
    }
    EXPECT_GT(right, 50);
    EXPECT_GT(wrong, 10);
    if (world().size > 1) {
        EXPECT_GT(unions, 8) << "needs that no process has alone";
    }
}

} // namespace
} // namespace dri::test
