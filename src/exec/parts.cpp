// Derives from the flows of a transfer what the commit fixes for its counters.
#include "exec/parts.hpp"

#include "base/sorted.hpp"
#include "plan/plan.hpp"

#include <utility>

namespace dri::exec {

namespace {

FrameFeatures features_of(const std::optional<SourceEnd> &source, const std::vector<Flow> &flows) {
    FrameFeatures features;
    const auto add = [&](const EndpointState &state) {
        features.threads = features.threads || state.has_thread;
        features.timeouts = features.timeouts || state.timeout.count() > 0;
    };
    if (source)
        add(*source);
    for (const Flow &flow : flows) {
        if (flow.sink)
            add(*flow.sink);
        features.drops = features.drops || flow.drop.drops();
        features.headers = features.headers || flow.link.headers().sends() || flow.link.headers().receives();
        features.in_place = features.in_place || flow.link.shape().in_place;
        features.windows = features.windows || flow.link.plan().note_bytes > 0;
        features.messages = features.messages || flow.drop.drops() || flow.link.shape().has_messages;
        features.data_sent = features.data_sent || flow.link.shape().sends_data;
        (flow.link.shape().few_senders ? features.few_senders : features.many_senders) = true;
        features.peers =
            features.peers || flow.drop.drops() || flow.link.shape().has_outflow || flow.link.shape().has_inflow;
        features.pulls = features.pulls || !flow.link.plan().pulls.empty();
        features.strips = features.strips || flow.pattern().span > 1;
        features.skips = features.skips || flow.pattern().skips();
    }
    return features;
}

flow::FlowLedger ledger_of(const Flow &flow) {
    const Link &link = flow.link;
    flow::FlowLedger ledger{.terms = {.pattern = flow.pattern(),
                                      .first_source = link.headers().first(),
                                      .drops = flow.drop.drops(),
                                      .has_own_part = link.shape().own_part,
                                      .copies_own_part = link.shape().copies_own,
                                      .has_outflow = link.shape().has_outflow,
                                      .has_inflow = link.shape().has_inflow},
                            .sink = std::nullopt,
                            .drop = flow::DropLedger(flow.drop.decides())};
    if (flow.sink)
        ledger.sink = flow::SinkLedger(flow.sink->terms());
    return ledger;
}

flow::Ledgers ledgers_of(const std::optional<SourceEnd> &source, const std::vector<Flow> &flows, bool in_place) {
    std::optional<flow::SourceLedger> ledger;
    if (source) {
        flow::SourceTerms terms = source->terms();
        terms.in_place = in_place;
        ledger = flow::SourceLedger(terms);
    }
    std::vector<flow::FlowLedger> all;
    for (const Flow &flow : flows)
        all.push_back(ledger_of(flow));
    const int rank = flows.empty() ? 0 : flows.front().link.plan().rank;
    return {std::move(ledger), std::move(all), rank, in_place};
}

} // namespace

TransferParts::TransferParts(std::string its_name, std::optional<SourceEnd> its_source,
                             std::vector<Flow> its_flows, std::shared_ptr<transport::Transport> its_transport)
    : transport(std::move(its_transport)), flows(std::move(its_flows)), name(std::move(its_name)),
      source(std::move(its_source)) {
    features = features_of(source, flows);
    features.crowded = transport->crowded();
    ledgers = ledgers_of(source, flows, features.in_place);
    std::vector<int> receivers;
    for (size_t i = 0; i < flows.size(); ++i) {
        Flow &flow = flows[i];
        const plan::Plan &plan = flow.link.plan();
        flow.ledger = &ledgers.flows[i];
        if (source) {
            flow.sent = FrameSums::of_source(plan);
            const std::vector<int> more = peers_of(plan, Of::source);
            receivers.insert(receivers.end(), more.begin(), more.end());
        }
        if (flow.sink) {
            flow.received = FrameSums::of_sink(plan, flow.ledger->sink->terms().strips);
            flow.sink->peers = std::ssize(sorted_once(peers_of(plan, Of::sink)));
        }
    }
    if (source)
        source->peers = std::ssize(sorted_once(std::move(receivers)));
}

bool TransferParts::take_tested(const flow::CallEndpoints &endpoints) {
    bool all = !endpoints.source || source->tested;
    for (const Flow &flow : flows)
        all = all && (!endpoints.includes(*flow.ledger) || flow.sink->tested);
    if (!all)
        return false;
    if (endpoints.source)
        source->tested = false;
    for (Flow &flow : flows)
        if (endpoints.includes(*flow.ledger))
            flow.sink->tested = false;
    return endpoints.includes_any(ledgers);
}

void TransferParts::refuse(const flow::Refused &refused) const {
    if (refused)
        flow::refuse(*refused, caller());
}

} // namespace dri::exec
