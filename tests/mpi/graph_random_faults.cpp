// Random graphs of which many are wrong, against an oracle of all faults. Right ones have the batches of the
// oracle.
#include "support/dice.hpp"
#include "support/graph_fault_oracle.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {
namespace {

class RandomEnds {
public:
    explicit RandomEnds(uint64_t seed)
        : dice_(seed), is_wild_(dice_.chance(35)),
          processes_(dice_.chance(70) ? std::min(world().size, 3) : world().size) {
        for (int64_t n = dice_.range(1, 10); n > 0; --n)
            add_operation("t" + std::to_string(dice_.range(0, 3)));
        for (OperationEnd &end : ends_)
            if (end.is_send)
                choose_needs(end);
    }
    OperationEnds take() { return std::move(ends_); }

private:
    int process() { return static_cast<int>(dice_.range(0, processes_ - 1)); }
    bool chance(int few, int many) { return dice_.chance(is_wild_ ? many : few); }

    void add_operation(const std::string &tag) {
        const int src = process();
        int dest = process();
        for (int tries = 0; src == dest && tries < 20 && !chance(0, 3); ++tries)
            dest = process();
        const EndsName name{src, dest, tag};
        if (src == dest && dice_.chance(60) && world().size > 1)
            return;
        if (std::any_of(ends_.begin(), ends_.end(), [&](const auto &end) { return end.name == name; }) &&
            !chance(10, 60))
            return;
        for (const bool is_send : {true, false})
            if (!chance(3, 15))
                ends_.push_back({name, is_send, length_of(name, is_send), {}, !dice_.chance(5)});
    }

    // All sends of an operation are as long, and all receives.
    size_t length_of(const EndsName &name, bool is_send) {
        for (const OperationEnd &end : ends_)
            if (end.name == name && end.is_send == is_send)
                return end.elements;
        return chance(3, 20) ? 2 : 1;
    }

    void choose_needs(OperationEnd &send) {
        for (size_t i = 0; i < ends_.size(); ++i)
            if (!ends_[i].is_send && ends_[i].rank() == send.rank() && chance(15, 30))
                send.of.push_back(i);
    }

    Dice dice_;
    bool is_wild_;  // many faults, otherwise few
    int processes_; // that have operations: few of them have the same ones more often
    OperationEnds ends_;
};

std::unique_ptr<NamedGraph> graph_of(const OperationEnds &ends, const Group &group, int rank) {
    auto graph = std::make_unique<NamedGraph>(group);
    for (const bool is_send : {false, true})
        for (size_t i = 0; i < ends.size(); ++i) {
            const OperationEnd &end = ends[i];
            if (end.is_send != is_send || end.rank() != rank)
                continue;
            const std::string id = std::to_string(i), &tag = std::get<2>(end.name);
            if (is_send) {
                std::vector<std::string> of;
                for (const size_t one : end.of)
                    of.push_back(std::to_string(one));
                graph->call("value " + id, end.elements, Sum::run, &graph->sums.emplace_back(), of);
                graph->send(id, "value " + id, std::get<1>(end.name), tag);
            } else {
                graph->recv(id, std::get<0>(end.name), tag, end.elements);
            }
            if (end.is_root)
                graph->output(id, id);
        }
    return graph;
}

void expect_words(const std::string &message, const std::vector<WantedFault> &faults) {
    std::vector<std::string> words = faults.front().words();
    if (faults.size() > 1)
        words.push_back("the first of " + std::to_string(faults.size()) + " faults");
    size_t at = 0;
    for (const std::string &word : words) {
        at = message.find(word, at);
        ASSERT_NE(at, std::string::npos) << word << ": " << message;
        at += word.size();
    }
    EXPECT_EQ(message.find(" faults") != std::string::npos, faults.size() > 1) << message;
}

void expect_faults(const std::vector<WantedFault> &wanted) {
    const std::string message = DRI_error_message();
    const std::vector<DRI_Fault> found = faults_now();
    ASSERT_EQ(found.size(), wanted.size()) << message;
    for (size_t i = 0; i < found.size(); ++i) {
        const DRI_Operation &one = found[i].operation;
        EXPECT_EQ(found[i].kind, wanted[i].kind) << "fault " << i;
        EXPECT_EQ((EndsName{one.src, one.dest, one.tag}), wanted[i].name) << "fault " << i;
        EXPECT_EQ(found[i].rank, wanted[i].rank) << "fault " << i << ": " << message;
        EXPECT_EQ(found[i].pid, -1);
    }
    expect_words(message, wanted);
}

void expect_batches(const FaultOracle &oracle, DRI_Plan plan) {
    std::map<int, std::set<EndsName>> wanted;
    for (const EndsName &name : oracle.names()) {
        wanted[oracle.batch_of(name)].insert(name);
        EXPECT_EQ(needs_in(plan, name), oracle.needs_of(name)) << std::get<2>(name);
    }
    const int batches = static_cast<int>(wanted.size());
    for (int batch = 0; batch <= batches; ++batch)
        EXPECT_EQ(batch_in(plan, batch), wanted[batch]) << "batch " << batch;
}

TEST(GraphRandomFaults, AreThoseOfTheOracle) {
    const Group all = make_world();
    int right = 0, wrong = 0;
    std::set<int> kinds;
    for (uint64_t seed = 0; seed < 400 && sum_of(HasFailure()) == 0; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const OperationEnds ends = RandomEnds(seed).take();
        const FaultOracle oracle(ends);
        const auto graph = graph_of(ends, all, world().rank);
        const std::vector<WantedFault> wanted = oracle.faults();
        Plan plan;
        const int code = DRI_graph_partition(graph->graph, plan.out());
        if (wanted.empty()) {
            ++right;
            EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
            EXPECT_TRUE(faults_now().empty());
            if (code == DRI_SUCCESS)
                expect_batches(oracle, plan);
            continue;
        }
        ++wrong;
        for (const WantedFault &one : wanted)
            kinds.insert(one.kind);
        EXPECT_EQ(code, wanted.front().code()) << DRI_error_message();
        EXPECT_FALSE(plan);
        expect_faults(wanted);
    }
    EXPECT_GT(wrong, 50);
    if (world().size > 1) {
        EXPECT_GT(right, 50);
        EXPECT_EQ(kinds.size(), 7U) << "each kind is there";
    }
}

} // namespace
} // namespace dri::test
