// Cases of plans: programs as graphs, and what their partition has.
#include "support/pytato_cases.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <set>

namespace dri::test {

namespace {

// Adds one node of a program.
void add_node(NamedGraph &graph, const Json &node) {
    const std::string op = node["op"], id = node["id"];
    if (op == "data")
        graph.data(id, node["value"].get<std::vector<double>>());
    else if (op == "input")
        graph.input(id, node["name"], node.contains("shape") ? node["shape"][0].get<size_t>() : 4);
    else if (op == "recv")
        graph.recv(id, node["src"], tag_text(node["tag"]), node["shape"][0]);
    else if (op == "send")
        graph.send(id, node["of"], node["dest"], tag_text(node["tag"]));
    else if (op == "staple")
        graph.staple(id, node["send"], node["to"]);
    else if (op == "add")
        graph.sum(id, {node["a"], node["b"]}, {});
    else if (op == "scale")
        graph.sum(id, {node["a"]}, {0, node["k"], 0, 0});
    else if (op == "ones" || op == "zeros")
        graph.sum(id, {}, {node["n"], 1, op == "ones" ? 1.0 : 0.0, 0});
    else
        ADD_FAILURE() << "no node for op " << op;
    if (node.contains("stored") && node["stored"].get<bool>())
        graph.store(id);
}

std::vector<std::string> needs_of(const Json &node) {
    std::vector<std::string> needs;
    for (const char *key : {"of", "send", "to", "a", "b"})
        if (node.contains(key))
            needs.push_back(node[key]);
    return needs;
}

// The nodes in an order in which each comes behind what it needs.
std::vector<Json> shuffled(const Json &nodes, std::mt19937 &dice) {
    std::vector<Json> left = nodes, order;
    std::set<std::string> added;
    while (!left.empty()) {
        std::vector<size_t> ready;
        for (size_t i = 0; i < left.size(); ++i) {
            const auto needs = needs_of(left[i]);
            if (std::all_of(needs.begin(), needs.end(), [&](const auto &one) { return added.contains(one); }))
                ready.push_back(i);
        }
        const size_t taken = ready.at(dice() % ready.size());
        added.insert(left[taken]["id"].get<std::string>());
        order.push_back(left[taken]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    return order;
}

Json id_of(const DRI_Operation &operation) { return {operation.src, operation.dest, operation.tag}; }

Json with_text(const Json &id) { return {id[0], id[1], tag_text(id[2])}; }

// A list of ids with their tags as text, sorted.
std::set<Json> ids_of(const Json &list) {
    std::set<Json> ids;
    for (const Json &id : list)
        ids.insert(with_text(id));
    return ids;
}

std::set<Json> ids_of(const DRI_Operation *list, int n) {
    std::set<Json> ids;
    for (int i = 0; i < n; ++i)
        ids.insert(id_of(list[i]));
    return ids;
}

void expect_needs(DRI_Plan plan, const Json &comm_graph) {
    for (const Json &one : comm_graph) {
        const std::string tag = tag_text(one["id"][2]);
        std::vector<DRI_Operation> ops(100);
        int n = -1;
        expect_success(
            DRI_plan_get_needs(plan, {one["id"][0], one["id"][1], tag.c_str(), {}, nullptr}, 100, ops.data(), &n),
            "DRI_plan_get_needs");
        EXPECT_EQ(ids_of(ops.data(), n), ids_of(one["needs"])) << one;
    }
}

void expect_batches(DRI_Plan plan, const Json &batches) {
    for (size_t b = 0; b <= batches.size(); ++b) {
        std::vector<DRI_Operation> ops(100);
        int n = -1;
        expect_success(DRI_plan_get_batch(plan, static_cast<int>(b), 100, ops.data(), &n), "DRI_plan_get_batch");
        EXPECT_EQ(ids_of(ops.data(), n), b < batches.size() ? ids_of(batches[b]) : std::set<Json>{});
    }
}

void expect_parts(DRI_Plan plan, const Json &parts) {
    int n = -1;
    expect_success(DRI_plan_num_parts(plan, &n), "DRI_plan_num_parts");
    ASSERT_EQ(n, static_cast<int>(parts.size()));
    for (const Json &expected : parts) {
        const DRI_Graph_part *part = nullptr;
        expect_success(DRI_plan_get_part(plan, expected["pid"], &part), "DRI_plan_get_part");
        EXPECT_EQ(part->pid, expected["pid"].get<int>());
        EXPECT_EQ(ids_of(part->recvs, part->nrecvs), ids_of(expected["recvs"]));
        EXPECT_EQ(ids_of(part->sends, part->nsends), ids_of(expected["sends"]));
        EXPECT_EQ(std::vector<int>(part->needed, part->needed + part->nneeded),
                  expected["needs"].get<std::vector<int>>());
    }
}

void expect_stored(DRI_Plan plan, const NamedGraph &graph, const Json &nodes, const Json &stored) {
    for (const Json &node : nodes) {
        if (node["op"] == "send" || node["op"] == "staple")
            continue;
        int pid = -2;
        expect_success(DRI_plan_part_of(plan, graph.node(node["id"]), &pid), "DRI_plan_part_of");
        const std::string id = node["id"];
        EXPECT_EQ(pid, stored.contains(id) ? stored[id].get<int>() : -1) << id;
    }
}

// The parts of a plan pass the check of parts that others make.
void expect_sound(DRI_Plan plan, DRI_Group group) {
    int n = -1;
    expect_success(DRI_plan_num_parts(plan, &n), "DRI_plan_num_parts");
    std::vector<DRI_Graph_part> parts;
    for (int pid = 0; pid < n; ++pid) {
        const DRI_Graph_part *part = nullptr;
        expect_success(DRI_plan_get_part(plan, pid, &part), "DRI_plan_get_part");
        parts.push_back(*part);
    }
    expect_success(DRI_graph_verify(group, n, parts.data()), "DRI_graph_verify");
}

const Json &case_of(const Json &id, const std::vector<Json> &cases) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const Json &one) { return one["id"] == id; });
    static const Json none;
    return found == cases.end() ? none : *found;
}

} // namespace

std::unique_ptr<NamedGraph> build_program(const Json &program, DRI_Group group, std::mt19937 *dice) {
    auto graph = std::make_unique<NamedGraph>(group);
    const std::vector<Json> nodes = program["nodes"];
    for (const Json &node : dice ? shuffled(program["nodes"], *dice) : nodes)
        add_node(*graph, node);
    std::vector<std::pair<std::string, std::string>> outputs;
    for (const auto &[name, id] : program["outputs"].items())
        outputs.emplace_back(name, id);
    if (dice)
        std::shuffle(outputs.begin(), outputs.end(), *dice);
    for (const auto &[name, id] : outputs)
        graph->output(name, id);
    return graph;
}

std::string check_pytato_partition(const Json &c) {
    const int n = c["input"]["nranks"];
    if (const auto reason = left_out(n))
        return *reason;
    const Group group = make_group(ranks(n));
    const auto rank = static_cast<size_t>(world().rank);
    const Json &program = c["input"]["programs"][rank], &expect = c["expect"];
    const auto graph = build_program(program, group);
    Plan plan;
    const int code = DRI_graph_partition(graph->graph, plan.out());
    if (expect.contains("error") && !expect["error"].is_null()) {
        expect_faults(code, expect);
        EXPECT_FALSE(plan);
        return "";
    }
    expect_success(code, "DRI_graph_partition");
    expect_needs(plan, expect["comm_graph"]);
    expect_batches(plan, expect["batches"]);
    expect_parts(plan, expect["parts"][rank]);
    expect_stored(plan, *graph, program["nodes"], expect["stored_in_part"][rank]);
    expect_sound(plan, group);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    for (int run = 0; run < 3; ++run) {
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        expect_outputs(plan, *graph, program, expect["outputs"][rank]);
    }
    return "";
}

std::string check_pytato_shapes(const Json &c) {
    if (const auto reason = left_out(2))
        return *reason;
    const Group group = make_group(ranks(2));
    NamedGraph graph(group);
    if (world().rank == 0) {
        graph.data("x", std::vector<double>(c["input"]["send_shape"][0].get<size_t>()));
        graph.send("s", "x", 1, "tag");
        graph.output("kept", "s");
    } else {
        graph.recv("r", 0, "tag", c["input"]["recv_shape"][0]);
        graph.output("out", "r");
    }
    Plan plan;
    expect_faults(DRI_graph_partition(graph.graph, plan.out()), c["expect"]);
    EXPECT_NE(std::string(DRI_error_message()).find("(0, 1, 'tag')"), std::string::npos) << DRI_error_message();
    return "";
}

std::string check_pytato_determinism(const Json &c, const std::vector<Json> &cases) {
    for (const Json &id : c["input"]["programs_of"]) {
        const Json &of = case_of(id, cases);
        if (of.is_null())
            continue; // not in this file
        const int n = of["input"]["nranks"];
        if (const auto reason = left_out(n); reason && !reason->empty())
            return *reason;
        if (left_out(n))
            continue;
        const Group group = make_group(ranks(n));
        const Json &program = of["input"]["programs"][static_cast<size_t>(world().rank)];
        const std::string expected = described(make_plan(build_program(program, group)->graph));
        std::mt19937 dice(static_cast<unsigned>(world().rank));
        for (int run = 0; run < 5 * c["input"]["runs"].get<int>(); ++run)
            EXPECT_EQ(described(make_plan(build_program(program, group, &dice)->graph)), expected) << id;
    }
    return "";
}

std::string check_pytato_collective(const Json &c, const std::vector<Json> &cases) {
    const Json &of = case_of(c["input"]["program"], cases);
    return of.is_null() ? std::string() : check_pytato_partition(of);
}

} // namespace dri::test
