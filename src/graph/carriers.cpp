// Both sides of a carrier are computed from the operations alone, so nothing needs to be agreed.
#include "graph/carriers.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

class CarrierList {
public:
    CarrierList(const PlanBody &plan, bool is_stream, const std::string &scope_name)
        : plan_(plan), scope_name_(scope_name), is_stream_(is_stream),
          first_(static_cast<int64_t>(sizeof(CarrierHeader)) + (is_stream ? DRI_MAX_FRAME_BYTES : 0)) {
        index_nodes();
        const auto &parts = plan.parts().parts;
        for (size_t p = 0; p < parts.size(); ++p) {
            add_part(static_cast<int>(p), parts[p].recvs, false);
            add_part(static_cast<int>(p), parts[p].sends, true);
        }
        mark_outputs();
    }
    std::vector<Carrier> take() { return std::move(list_); }

private:
    void index_nodes() {
        const GraphBody &body = plan_.body();
        for (const int send : plan_.reached().sends)
            nodes_[{plan_.rank(), body.node(send).peer, body.node(send).name}] = body.node(send).of;
        for (const int recv : plan_.reached().recvs)
            nodes_[{body.node(recv).peer, plan_.rank(), body.node(recv).name}] = recv;
    }

    void add_part(int part, const std::vector<int64_t> &operations, bool is_source) {
        // Of short operations by the other process; of long ones by the first one that sends the node.
        std::map<int64_t, size_t> shared, whole;
        for (const int64_t at : operations) {
            const Operations &all = plan_.operations();
            if (all.is_transfer(at)) {
                add_ports(part, at, is_source);
                continue;
            }
            const int peer = is_source ? all.dest(at) : all.src(at);
            const bool is_short = all.bytes(at) <= most_shared_bytes;
            const int64_t first = all.first_of_node(at);
            const auto [known, is_new] =
                is_short ? shared.try_emplace(peer, list_.size()) : whole.try_emplace(first, list_.size());
            if (is_new) {
                Carrier &made = list_.emplace_back();
                made.is_source = is_source;
                made.part = part;
                made.peer = peer;
                made.bytes = first_;
                made.name = is_short ? fmt::format("{}:{}:{}:batch {}", scope_name_, all.src(at), all.dest(at),
                                                   all.batch(at))
                                     : fmt::format("{}:operation {}", scope_name_, first);
            }
            Carrier &carrier = list_[known->second];
            ++carrier.carried;
            if (is_short || is_new)
                add_node(carrier, at);
            else
                carrier.peer = -1; // one source, several sinks
        }
    }

    void add_node(Carrier &carrier, int64_t operation) {
        carrier.nodes.push_back({nodes_.at(plan_.operations().name(operation)), carrier.bytes, operation});
        carrier.bytes += round_up(plan_.operations().bytes(operation), cache_line_bytes);
    }

    void add_ports(int part, int64_t operation, bool is_source) {
        const Reached &reached = plan_.reached();
        for (const int node : is_source ? reached.sources : reached.sinks)
            if (plan_.body().node(node).name == plan_.operations().tag(operation)) {
                Carrier &made = list_.emplace_back();
                made.is_source = is_source;
                made.is_port = true;
                made.may_close = made.is_source && is_stream_;
                made.part = part;
                made.name = plan_.body().node(node).name;
                made.nodes.push_back({node, 0, operation});
                made.carried = 1;
            }
    }

    void mark_outputs() {
        std::vector<bool> is_output(plan_.body().nodes.size());
        for (const auto &[name, node] : plan_.body().outputs)
            is_output[static_cast<size_t>(plan_.body().value_of(node))] = true;
        for (Carrier &carrier : list_)
            carrier.holds_output = !carrier.is_source &&
                                   std::any_of(carrier.nodes.begin(), carrier.nodes.end(), [&](const auto &one) {
                                       return is_output[static_cast<size_t>(one.node)];
                                   });
    }

    const PlanBody &plan_;
    const std::string &scope_name_;
    bool is_stream_;
    int64_t first_; // offset of a carrier's first node
    std::map<OperationName, int> nodes_;
    std::vector<Carrier> list_;
};

} // namespace

std::string Carrier::text(const Operations &operations) const {
    std::string text = operations.name(nodes.front().operation).text();
    if (carried > 1)
        text += fmt::format(" and {} more", carried - 1);
    return text;
}

std::vector<Carrier> carriers_of(const PlanBody &plan, bool is_stream, const std::string &scope_name) {
    return CarrierList(plan, is_stream, scope_name).take();
}

} // namespace dri::graph
