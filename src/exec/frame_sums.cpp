// Sums up the lists of a plan, strip by strip.
#include "exec/frame_sums.hpp"

namespace dri::exec {

FrameSums FrameSums::of_source(const plan::Plan &plan) {
    FrameSums sums;
    sums.sums_.resize(1);
    size_t self = 0, sends = 0;
    for (int64_t k = 0; k < plan::count_strips(plan); ++k) {
        FrameBytes sum = sums.sums_.back();
        const plan::Plan::Strip end = plan::strip_end(plan, k);
        for (; self < end.self; ++self)
            sum.self += plan::copy_bytes(plan.self[self]);
        for (; sends < end.sends; ++sends)
            sum.message += plan.sends[sends].bytes;
        sum.direct = end.taken;
        sum.messages = static_cast<int64_t>(end.sends);
        sums.sums_.push_back(sum);
    }
    return sums;
}

FrameSums FrameSums::of_sink(const plan::Plan &plan, int64_t together) {
    FrameSums sums;
    sums.sums_.assign(static_cast<size_t>(together) + 1, {plan::self_bytes(plan), plan::receive_bytes(plan),
                                                          plan::pull_bytes(plan), std::ssize(plan.receives)});
    sums.sums_.front() = {};
    return sums;
}

FrameBytes FrameSums::first(int64_t frames) const {
    const int64_t of_array = std::ssize(sums_) - 1;
    FrameBytes bytes = sums_[static_cast<size_t>(frames % of_array)];
    bytes.add(array(), frames / of_array);
    return bytes;
}

std::vector<int> peers_of(const plan::Plan &plan, Of side) {
    std::vector<int> peers;
    const auto add = [&](int peer) {
        if (peer != plan.rank && (peers.empty() || peers.back() != peer))
            peers.push_back(peer);
    };
    for (const plan::Message &message : side == Of::source ? plan.sends : plan.receives)
        add(message.peer);
    if (side == Of::source)
        for (const plan::Puller &puller : plan.pullers)
            add(puller.peer);
    else
        for (const plan::Pull &pull : plan.pulls)
            add(pull.peer);
    return peers;
}

} // namespace dri::exec
