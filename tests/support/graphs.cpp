// Graphs of sums.
#include "support/graphs.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dri::test {

int Sum::run(void *context, DRI_Call *call) {
    const auto &what = *static_cast<const Sum *>(context);
    if (what.delay_us > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(what.delay_us));
    auto *const out = static_cast<double *>(call->out[0]);
    for (size_t i = 0; i < what.elements; ++i) {
        double sum = 0;
        for (int k = 0; k < call->nin; ++k)
            sum += static_cast<const double *>(call->in[k])[i];
        out[i] = what.factor * sum + what.offset;
    }
    return DRI_SUCCESS;
}

Gdo NamedGraph::shape(const std::string &id, size_t elements) {
    sizes[id] = elements;
    return make_gdo({static_cast<int64_t>(elements)}, DRI_DOUBLE);
}

void NamedGraph::data(const std::string &id, std::vector<double> values) {
    const std::vector<double> &kept = constants.emplace_back(std::move(values));
    expect_success(DRI_graph_data(graph, shape(id, kept.size()), kept.data(), &nodes[id]), "DRI_graph_data");
}

void NamedGraph::input(const std::string &id, const std::string &name, size_t elements) {
    expect_success(DRI_graph_input(graph, name.c_str(), shape(id, elements), &nodes[id]), "DRI_graph_input");
}

void NamedGraph::recv(const std::string &id, int src, const std::string &tag, size_t elements) {
    expect_success(DRI_graph_recv(graph, src, tag.c_str(), shape(id, elements), &nodes[id]), "DRI_graph_recv");
}

void NamedGraph::send(const std::string &id, const std::string &of, int dest, const std::string &tag) {
    expect_success(DRI_graph_send(graph, node(of), dest, tag.c_str(), &nodes[id]), "DRI_graph_send");
    sizes[id] = elements(of);
}

void NamedGraph::staple(const std::string &id, const std::string &send, const std::string &to) {
    expect_success(DRI_graph_staple(graph, node(send), node(to), &nodes[id]), "DRI_graph_staple");
    sizes[id] = elements(to);
}

void NamedGraph::sum(const std::string &id, const std::vector<std::string> &of, const Sum &what) {
    Sum &kept = sums.emplace_back(what);
    if (!of.empty())
        kept.elements = elements(of.front());
    call(id, kept.elements, Sum::run, &kept, of);
}

void NamedGraph::call(const std::string &id, size_t elements, DRI_Call_fn fn, void *context,
                      const std::vector<std::string> &of) {
    expect_success(DRI_graph_value(graph, shape(id, elements), &nodes[id]), "DRI_graph_value");
    std::vector<DRI_Node> in;
    for (const std::string &one : of)
        in.push_back(node(one));
    expect_success(
        DRI_graph_call(graph, id.c_str(), fn, context, 1, &nodes[id], static_cast<int>(in.size()), in.data()),
        "DRI_graph_call");
}

void NamedGraph::store(const std::string &id) {
    expect_success(DRI_graph_store(graph, node(id)), "DRI_graph_store");
}

void NamedGraph::output(const std::string &name, const std::string &id) {
    expect_success(DRI_graph_output(graph, name.c_str(), node(id)), "DRI_graph_output");
}

std::string described(DRI_Plan plan) {
    std::string text(1 << 20, '\0');
    expect_success(DRI_plan_describe(plan, text.data(), text.size()), "DRI_plan_describe");
    text.resize(text.find('\0'));
    return text;
}

namespace {

// The names of the operations that a call tells. get(most, operations, n) is that call.
template <class Get> std::set<EndsName> names_of(const char *call, const Get &get) {
    std::vector<DRI_Operation> operations(100);
    int n = -1;
    expect_success(get(static_cast<int>(operations.size()), operations.data(), &n), call);
    EXPECT_LE(n, static_cast<int>(operations.size()));
    n = std::min(n, static_cast<int>(operations.size()));
    std::set<EndsName> names;
    for (int i = 0; i < n; ++i) {
        const DRI_Operation &one = operations[static_cast<size_t>(i)];
        names.insert({one.src, one.dest, one.tag});
    }
    EXPECT_EQ(static_cast<int>(names.size()), n);
    return names;
}

} // namespace

std::set<EndsName> needs_in(DRI_Plan plan, const EndsName &name) {
    const auto &[src, dest, tag] = name;
    return names_of("DRI_plan_get_needs", [&](int most, DRI_Operation *operations, int *n) {
        return DRI_plan_get_needs(plan, {src, dest, tag.c_str(), {}, nullptr}, most, operations, n);
    });
}

std::set<EndsName> batch_in(DRI_Plan plan, int batch) {
    return names_of("DRI_plan_get_batch", [&](int most, DRI_Operation *operations, int *n) {
        return DRI_plan_get_batch(plan, batch, most, operations, n);
    });
}

std::vector<DRI_Fault> faults_now() {
    int n = 0;
    expect_success(DRI_graph_get_faults(0, nullptr, &n), "DRI_graph_get_faults");
    std::vector<DRI_Fault> faults(static_cast<size_t>(n));
    expect_success(DRI_graph_get_faults(n, faults.data(), &n), "DRI_graph_get_faults");
    return faults;
}

} // namespace dri::test
