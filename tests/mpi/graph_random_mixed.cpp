// Random programs whose values move by sends and by whole transfers, with calls in between, against an evaluation
// in one place.
#include "support/dice.hpp"
#include "support/graph_program.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <optional>

namespace dri::test {
namespace {

struct MixedValue {
    int owner = 0;
    size_t elements = 0;
    double factor = 1, offset = 0;
    std::vector<size_t> of;           // earlier values that are added; none: an input, unless a transfer brings it
    std::optional<size_t> transfer{}; // the transfer that brings it
};

// A transfer: one value of each process of its source, one behind the other, cut evenly for the processes of its
// sink.
struct MixedTransfer {
    std::vector<size_t> from, to;
};

struct MixedProgram {
    std::vector<MixedValue> values;
    std::vector<MixedTransfer> transfers;

    std::vector<int> owners(const std::vector<size_t> &some) const {
        std::vector<int> ranks;
        for (const size_t one : some)
            ranks.push_back(values[one].owner);
        return ranks;
    }
};

class RandomMixed {
public:
    RandomMixed(uint64_t seed, int processes) : dice_(seed), processes_(processes) {
        for (int64_t n = dice_.range(2, 8); n > 0; --n) {
            if (dice_.chance(50))
                add_transfer();
            else
                add_sum(rank(), length());
        }
        add_transfer(); // the least
    }
    MixedProgram take() { return std::move(program_); }

private:
    int rank() { return static_cast<int>(dice_.range(0, processes_ - 1)); }
    // Of a first value; those behind transfers are longer or shorter.
    size_t length() { return dice_.one_of<size_t>({60, 420, 2520}); }
    std::vector<int> group() { return some_ranks(dice_, processes_); }

    // Values of as many elements as this one, of one process or of any.
    std::vector<size_t> fitting(size_t elements, std::optional<int> owner = {}) const {
        std::vector<size_t> found;
        for (size_t i = 0; i < program_.values.size(); ++i)
            if (program_.values[i].elements == elements && (!owner || program_.values[i].owner == *owner))
                found.push_back(i);
        return found;
    }

    size_t add_sum(int owner, size_t elements) {
        MixedValue value{.owner = owner,
                         .elements = elements,
                         .factor = static_cast<double>(dice_.range(1, 3)),
                         .offset = static_cast<double>(dice_.range(0, 99)),
                         .of = {}};
        if (const auto some = fitting(elements); !some.empty() && dice_.chance(75))
            for (int64_t n = dice_.range(1, 3); n > 0; --n)
                value.of.push_back(dice_.pick(some));
        program_.values.push_back(value);
        return program_.values.size() - 1;
    }

    void add_transfer() {
        size_t elements = length();
        if (!program_.values.empty() && dice_.chance(70))
            elements = dice_.pick(program_.values).elements;
        MixedTransfer transfer;
        for (const int owner : group()) {
            const auto some = fitting(elements, owner);
            transfer.from.push_back(some.empty() || dice_.chance(40) ? add_sum(owner, elements)
                                                                     : dice_.pick(some));
        }
        const size_t all = transfer.from.size() * elements;
        std::vector<int> sink = group();
        while (all % sink.size() != 0)
            sink.pop_back();
        for (const int owner : sink) {
            transfer.to.push_back(program_.values.size());
            program_.values.push_back(
                {.owner = owner, .elements = all / sink.size(), .of = {}, .transfer = program_.transfers.size()});
        }
        program_.transfers.push_back(transfer);
    }

    Dice dice_;
    int processes_;
    MixedProgram program_;
};

using Numbers = std::vector<std::vector<double>>;

Numbers evaluated(const MixedProgram &program, int frame) {
    Numbers all(program.values.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const MixedValue &value = program.values[i];
        if (value.transfer && program.transfers[*value.transfer].to.front() == i) {
            const MixedTransfer &transfer = program.transfers[*value.transfer];
            std::vector<double> whole;
            for (const size_t one : transfer.from)
                whole.insert(whole.end(), all[one].begin(), all[one].end());
            for (size_t at = 0; at < transfer.to.size(); ++at) {
                const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(at * value.elements);
                all[transfer.to[at]].assign(begin, begin + static_cast<std::ptrdiff_t>(value.elements));
            }
        }
        if (value.transfer)
            continue;
        all[i].resize(value.elements);
        for (size_t k = 0; k < value.elements; ++k) {
            double sum = value.of.empty() ? static_cast<double>(k) + frame : 0;
            for (const size_t one : value.of)
                sum += all[one][k];
            all[i][k] = value.of.empty() ? sum + value.offset : value.factor * sum + value.offset;
        }
    }
    return all;
}

class MixedGraph {
public:
    MixedGraph(const MixedProgram &program, DRI_Group group, Dice &dice)
        : program_(program), dice_(dice), graph_(group) {
        for (size_t i = 0; i < program.values.size(); ++i) {
            const MixedValue &value = program.values[i];
            if (value.transfer && program.transfers[*value.transfer].to.front() == i)
                fill(*value.transfer);
            if (value.owner == rank_)
                value.transfer ? arrive(i) : make(i);
            else if (is_read_by(i, rank_))
                graph_.recv(value_name(i), value.owner, value_name(i), value.elements);
        }
    }
    DRI_Graph get() const { return graph_.graph; }

private:
    bool is_read_by(size_t i, int rank) const {
        return std::any_of(program_.values.begin(), program_.values.end(), [&](const MixedValue &one) {
            return one.owner == rank && std::find(one.of.begin(), one.of.end(), i) != one.of.end();
        });
    }
    // The other processes that read a value of this one.
    std::vector<int> receivers(size_t i) const {
        std::vector<int> found;
        for (int rank = 0; rank < world().size; ++rank)
            if (rank != rank_ && is_read_by(i, rank))
                found.push_back(rank);
        return found;
    }
    int delay() { return dice_.chance(30) ? static_cast<int>(dice_.range(0, 200)) : 0; }

    void make(size_t i) {
        const MixedValue &value = program_.values[i];
        std::vector<std::string> of;
        for (const size_t one : value.of)
            of.push_back(value_name(one));
        if (of.empty())
            graph_.input(value_name(i), value_name(i), value.elements);
        else
            graph_.sum(value_name(i), of, {0, value.factor, value.offset, delay()});
        hand_on(i);
    }

    void hand_on(size_t i) {
        graph_.output(value_name(i), value_name(i));
        for (const int rank : receivers(i)) {
            const std::string sent = value_name(i) + " to " + std::to_string(rank);
            graph_.send(sent, value_name(i), rank, value_name(i));
            graph_.output(sent, sent);
        }
    }

    // A port is read where it lies, but only its transfer moves it: a copy goes on to other processes.
    void arrive(size_t i) {
        const MixedValue &value = program_.values[i];
        const bool is_sent = !receivers(i).empty();
        const std::string arrived = is_sent ? "arrived " + std::to_string(i) : value_name(i);
        graph_.nodes[arrived] = port(DRI_graph_sink, *value.transfer, program_.transfers[*value.transfer].to);
        graph_.sizes[arrived] = value.elements;
        if (is_sent)
            graph_.sum(value_name(i), {arrived}, {0, 1, 0, delay()});
        hand_on(i);
    }

    // The source of a transfer, where this process has one of its values.
    void fill(size_t transfer) {
        for (const size_t from : program_.transfers[transfer].from) {
            if (program_.values[from].owner != rank_)
                continue;
            const DRI_Node node = port(DRI_graph_source, transfer, program_.transfers[transfer].from);
            const DRI_Node read = graph_.node(value_name(from));
            Sum &copy = graph_.sums.emplace_back(Sum{program_.values[from].elements, 1, 0, delay()});
            expect_success(DRI_graph_call(graph_.graph, "fill", Sum::run, &copy, 1, &node, 1, &read),
                           "DRI_graph_call");
        }
    }

    DRI_Node port(decltype(&DRI_graph_source) add, size_t transfer, const std::vector<size_t> &values) {
        const auto all = static_cast<int64_t>(values.size() * program_.values[values.front()].elements);
        const Dist dist =
            make_dist(make_gdo({all}, DRI_DOUBLE), make_blocks(1, 0), make_group(program_.owners(values)));
        DRI_Node node{};
        expect_success(
            add(graph_.graph, ("transfer " + std::to_string(transfer)).c_str(), dist, DRI_ROW_MAJOR, &node),
            "add a port");
        return node;
    }

    const MixedProgram &program_;
    Dice &dice_;
    const int rank_ = world().rank;
    NamedGraph graph_;
};

void expect_mixed_frames(const MixedProgram &program, DRI_Plan plan, int frames) {
    const auto each_of_mine = [&](const auto &visit) {
        for (size_t i = 0; i < program.values.size(); ++i)
            if (program.values[i].owner == world().rank)
                visit(i, program.values[i]);
    };
    for (int frame = 0; frame < frames; ++frame) {
        const Numbers all = evaluated(program, frame);
        each_of_mine([&](size_t i, const MixedValue &value) {
            if (value.of.empty() && !value.transfer)
                expect_success(DRI_plan_set_input(plan, value_name(i).c_str(), all[i].data()),
                               "DRI_plan_set_input");
        });
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        each_of_mine([&](size_t i, const MixedValue &) {
            const void *data = nullptr;
            expect_success(DRI_plan_get_output(plan, value_name(i).c_str(), &data), "DRI_plan_get_output");
            EXPECT_TRUE(data && std::equal(all[i].begin(), all[i].end(), static_cast<const double *>(data)))
                << value_name(i) << ", frame " << frame;
        });
    }
}

class GraphRandomMixed : public testing::TestWithParam<int> {}; // frames in flight

TEST_P(GraphRandomMixed, EqualsItsEvaluationInOnePlace) {
    const Group all = make_world();
    int sends = 0, transfers = 0;
    for (uint64_t seed = 0; seed < 40 && sum_of(HasFailure()) == 0; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const MixedProgram program = RandomMixed(seed, world().size).take();
        Dice own(seed + 1000 * static_cast<uint64_t>(world().rank));
        const MixedGraph graph(program, all, own);
        Plan plan;
        EXPECT_EQ(DRI_graph_partition(graph.get(), plan.out()), DRI_SUCCESS) << DRI_error_message();
        if (sum_of(!plan) > 0)
            break;
        DRI_Plan_options options{};
        options.frames = GetParam();
        options.timeout_ms = 20000;
        expect_success(DRI_plan_commit(plan, &options), "DRI_plan_commit");
        expect_mixed_frames(program, plan, 4);
        transfers += static_cast<int>(program.transfers.size());
        for (const MixedValue &value : program.values)
            sends += std::any_of(value.of.begin(), value.of.end(),
                                 [&](size_t one) { return program.values[one].owner != value.owner; });
    }
    EXPECT_GT(transfers, 80);
    if (world().size > 1) {
        EXPECT_GT(sends, 40);
    }
}

INSTANTIATE_TEST_SUITE_P(Frames, GraphRandomMixed, testing::Values(1, 3));

} // namespace
} // namespace dri::test
