// Declares endpoints and moves their frames.
#include "graph/carrier_end.hpp"

#include "graph/ports.hpp"

#include <dri/dist.h>

#include <algorithm>
#include <thread>

namespace dri::graph {

namespace {

// An array of bytes that one process holds whole.
outer::OwnedDist whole_bytes(int64_t bytes, int rank) {
    outer::OwnedGdo gdo;
    outer::require(DRI_gdo_create(1, DRI_UINT8, &bytes, gdo.out()));
    outer::OwnedPart part;
    outer::require(DRI_part_create_blocks(1, 0, part.out()));
    outer::OwnedGroup group;
    outer::require(DRI_group_create(1, &rank, group.out()));
    outer::OwnedDist dist;
    outer::require(DRI_dist_create(gdo.get(), part.get(), group.get(), dist.out()));
    return dist;
}

} // namespace

CarrierEnd::CarrierEnd(const PlanBody &plan, const Carrier &carrier, const RunOptions &options)
    : carrier_(&carrier), buffers_(static_cast<size_t>(options.slots())) {
    if (carrier.is_port) {
        const int node = carrier.nodes.front().node;
        xfer_ = declare_port(plan.body().port_of(node), carrier.name, options.slots());
        if (carrier.is_source && options.is_stream)
            outer::require(DRI_xfer_set_attr(xfer(), DRI_ATTR_STREAM, 1));
    } else {
        dist_ = whole_bytes(carrier.bytes, plan.rank());
        outer::require(DRI_xfer_create(carrier.name.c_str(), carrier.is_source ? DRI_SOURCE : DRI_SINK,
                                       dist_.get(), DRI_ROW_MAJOR, options.slots(), nullptr, xfer_.out()));
    }
    if (options.timeout_ms > 0)
        outer::require(DRI_xfer_set_attr(xfer(), DRI_ATTR_TIMEOUT_MS, options.timeout_ms));
    if (options.has_progress_thread)
        outer::require(DRI_xfer_set_attr(xfer(), DRI_ATTR_PROGRESS_THREAD, 1));
}

void CarrierEnd::bind() {
    std::vector<void *> found(buffers_.size());
    outer::require(DRI_xfer_get_buffers(xfer(), nullptr, found.data()));
    std::transform(found.begin(), found.end(), buffers_.begin(),
                   [](void *buffer) { return static_cast<std::byte *>(buffer); });
}

StepOutcome CarrierEnd::acquire(int64_t frame, bool may_wait) {
    if (acquired_ > frame)
        return {};
    StepOutcome outcome;
    if (acquired_ > 0) { // the caller holds the first buffer after the commit
        int done = 1;
        outcome.code = may_wait ? DRI_acquire(xfer(), nullptr) : DRI_try_acquire(xfer(), nullptr, &done);
        outcome.is_done = done != 0;
    }
    if (outcome.code == DRI_SUCCESS && outcome.is_done)
        ++acquired_;
    return outcome;
}

int CarrierEnd::insert(const DRI_Frame *about) {
    const int code = DRI_insert(xfer(), about);
    inserted_ += code == DRI_SUCCESS;
    return code;
}

bool CarrierEnd::insert_last(const CarrierHeader &told, std::chrono::steady_clock::time_point deadline) {
    for (;;) {
        const StepOutcome outcome = acquire(inserted_, false);
        if (outcome.code != DRI_SUCCESS)
            return false;
        if (outcome.is_done)
            break;
        if (DRI_progress() != DRI_SUCCESS || std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::yield();
    }
    header(static_cast<int>(inserted_ % static_cast<int64_t>(buffers_.size()))) = told;
    return insert(nullptr) == DRI_SUCCESS;
}

int CarrierEnd::close() {
    if (is_closed_)
        return DRI_SUCCESS;
    is_closed_ = true;
    return DRI_xfer_close(xfer());
}

StepOutcome CarrierEnd::extract(bool may_wait, void **buffer, DRI_Frame *about) {
    while (held_ >= static_cast<int64_t>(buffers_.size()))
        if (const int code = release(); code != DRI_SUCCESS)
            return {code};
    int done = 1;
    StepOutcome outcome;
    outcome.code = may_wait ? DRI_extract(xfer(), buffer, about) : DRI_try_extract(xfer(), buffer, about, &done);
    outcome.is_done = done != 0 || outcome.code != DRI_SUCCESS;
    held_ += outcome.code == DRI_SUCCESS && outcome.is_done;
    return outcome;
}

int CarrierEnd::release() {
    --held_;
    return DRI_release(xfer());
}

void CarrierEnd::abandon() {
    if (DRI_Xfer left = xfer_.release(); left.id)
        DRI_xfer_abandon(&left);
}

} // namespace dri::graph
