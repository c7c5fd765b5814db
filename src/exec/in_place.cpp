// Transfers in place, whose source and sink share their buffers: both endpoints move together.
#include "base/error.hpp"
#include "exec/transfer.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/transport.hpp"

namespace dri::exec {

// Refuses calls for one endpoint alone: neither endpoint can move a frame without the other.
void LocalTransfer::check_together(const EndpointSet &endpoints) const {
    if (!features_.in_place)
        return;
    if (!endpoints.all_sinks)
        fail(DRI_ERR_ARG,
             "transfer '{}' is in place: source and sink share their buffers, so only DRI_do, DRI_start, DRI_test "
             "and DRI_wait move frames, for both endpoints by name",
             name_);
    if (source_->destroyed || flows_.front().sink->destroyed)
        fail(DRI_ERR_STATE, "transfer '{}' is in place, and its {} is destroyed on this process", name_,
             source_->destroyed ? "source" : "sink");
}

// A departed receiver never frees its slots, and in place there are no spare ones.
void LocalTransfer::check_receivers(bool begins) const {
    if (!features_.in_place || !(begins || source_->moving))
        return;
    for (const Flow &flow : flows_)
        if (const auto left = flow.link.receiver_left(source_->moved))
            fail(DRI_ERR_STATE,
                 "transfer '{}' is in place, and process {} has destroyed its endpoints after {} frames", name_,
                 left->peer, left->frames);
}

} // namespace dri::exec
