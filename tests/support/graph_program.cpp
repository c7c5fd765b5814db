// Random programs: making, evaluating and building them.
#include "support/graph_program.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace dri::test {

namespace {

// Empty ones, short ones that share a message, and long ones with a message of their own.
constexpr std::array<size_t, 5> lengths{0, 1, 7, 500, 4000};

} // namespace

std::string value_name(size_t value) { return "value " + std::to_string(value); }

Program random_program(std::mt19937 &dice, int processes) {
    Program program(3 + dice() % 25);
    const size_t kinds = 1 + dice() % lengths.size();
    for (size_t i = 0; i < program.size(); ++i) {
        ProgramValue &value = program[i];
        value.owner = static_cast<int>(dice() % static_cast<unsigned>(processes));
        value.elements = lengths[dice() % kinds];
        value.number = static_cast<double>(dice() % 100);
        value.factor = static_cast<double>(1 + dice() % 3);
        value.is_stored = dice() % 6 == 0;
        value.is_output = dice() % 4 == 0 || i + 1 == program.size();
        value.is_stapled = dice() % 2 == 0;
        std::vector<size_t> fitting;
        for (size_t k = 0; k < i; ++k)
            if (program[k].elements == value.elements)
                fitting.push_back(k);
        if (fitting.empty() || dice() % 5 == 0) {
            value.kind = dice() % 2 ? ProgramValue::Kind::input : ProgramValue::Kind::constant;
            continue;
        }
        value.kind = ProgramValue::Kind::sum;
        for (size_t n = 1 + dice() % 3; n > 0; --n)
            value.of.push_back(fitting[dice() % fitting.size()]);
    }
    // What nobody reads would not exist, nor would its messages.
    std::set<size_t> read;
    for (const ProgramValue &value : program)
        read.insert(value.of.begin(), value.of.end());
    for (size_t i = 0; i < program.size(); ++i)
        program[i].is_output = program[i].is_output || !read.contains(i);
    return program;
}

std::vector<std::vector<double>> evaluate(const Program &program, double grown) {
    std::vector<std::vector<double>> values;
    for (const ProgramValue &value : program) {
        auto &made = values.emplace_back(value.elements);
        for (size_t i = 0; i < value.elements; ++i) {
            double sum = 0;
            for (const size_t one : value.of)
                sum += values[one][i];
            if (value.kind == ProgramValue::Kind::sum)
                made[i] = value.factor * sum + value.number;
            else
                made[i] = value.number + static_cast<double>(i) +
                          (value.kind == ProgramValue::Kind::input ? grown : 0.0);
        }
    }
    return values;
}

std::unique_ptr<NamedGraph> graph_of(const Program &program, DRI_Group group, int rank, int delay,
                                     std::mt19937 &dice) {
    auto graph = std::make_unique<NamedGraph>(group);
    std::map<std::pair<size_t, int>, bool> moved; // value and receiver
    for (size_t i = 0; i < program.size(); ++i)
        for (const size_t one : program[i].of)
            if (program[one].owner != program[i].owner)
                moved[{one, program[i].owner}] = program[i].is_stapled;
    for (size_t i = 0; i < program.size(); ++i) {
        const ProgramValue &value = program[i];
        const std::string name = value_name(i);
        if (value.owner != rank) {
            if (moved.contains({i, rank}))
                graph->recv(name, value.owner, name, value.elements);
            continue;
        }
        if (value.kind == ProgramValue::Kind::input) {
            graph->input(name, name, value.elements);
        } else if (value.kind == ProgramValue::Kind::constant) {
            std::vector<double> numbers(value.elements);
            for (size_t k = 0; k < numbers.size(); ++k)
                numbers[k] = value.number + static_cast<double>(k);
            graph->data(name, numbers);
        } else {
            std::vector<std::string> of;
            for (const size_t one : value.of)
                of.push_back(value_name(one));
            graph->sum(name, of,
                       {0, value.factor, value.number,
                        delay ? static_cast<int>(dice() % static_cast<unsigned>(delay)) : 0});
        }
        if (value.is_stored)
            graph->store(name);
        if (value.is_output)
            graph->output(name, name);
        for (const auto &[key, is_stapled] : moved) {
            if (key.first != i)
                continue;
            const std::string sent = fmt::format("{} to {}", name, key.second);
            graph->send(sent, name, key.second, name);
            if (is_stapled)
                graph->staple("staple " + sent, sent, name);
            graph->output(sent, is_stapled ? "staple " + sent : sent);
        }
    }
    return graph;
}

void expect_frames(const Program &program, DRI_Plan plan, int rank, int first, int frames) {
    for (int frame = first; frame < first + frames; ++frame) {
        std::vector<std::vector<double>> given(program.size());
        const auto values = evaluate(program, frame);
        for (size_t i = 0; i < program.size(); ++i)
            if (program[i].owner == rank && program[i].kind == ProgramValue::Kind::input) {
                given[i] = values[i];
                expect_success(DRI_plan_set_input(plan, value_name(i).c_str(), given[i].data()),
                               "DRI_plan_set_input");
            }
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        for (size_t i = 0; i < program.size(); ++i) {
            if (program[i].owner != rank || !program[i].is_output)
                continue;
            const void *data = nullptr;
            expect_success(DRI_plan_get_output(plan, value_name(i).c_str(), &data), "DRI_plan_get_output");
            const auto *const found = static_cast<const double *>(data);
            EXPECT_TRUE(std::equal(values[i].begin(), values[i].end(), found))
                << value_name(i) << ", frame " << frame;
        }
    }
}

} // namespace dri::test
