// Endpoints: those of ports, and arrays of bytes between two processes.
#include "graph/carrier_pipe.hpp"

#include "graph/ports.hpp"
#include "outer/owned.hpp"

#include <dri/dist.h>

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

class Endpoint final : public CarrierPipe {
public:
    Endpoint(const PlanBody &plan, const Carrier &carrier, const RunOptions &options) {
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

    DRI_Xfer xfer() const override { return xfer_.get(); }
    void get_buffers(void **buffers) override { outer::require(DRI_xfer_get_buffers(xfer(), nullptr, buffers)); }

    StepOutcome acquire(bool may_wait) override {
        int done = 1;
        const int code = may_wait ? DRI_acquire(xfer(), nullptr) : DRI_try_acquire(xfer(), nullptr, &done);
        return {code, done != 0};
    }
    int insert(const DRI_Frame *about) override { return DRI_insert(xfer(), about); }
    int close() override { return DRI_xfer_close(xfer()); }

    StepOutcome extract(bool may_wait, void **buffer, DRI_Frame *about) override {
        int done = 1;
        const int code =
            may_wait ? DRI_extract(xfer(), buffer, about) : DRI_try_extract(xfer(), buffer, about, &done);
        return {code, done != 0 || code != DRI_SUCCESS};
    }
    int release() override { return DRI_release(xfer()); }
    void abandon() override {
        if (DRI_Xfer left = xfer_.release(); left.id)
            DRI_xfer_abandon(&left);
    }

private:
    outer::OwnedDist dist_;
    outer::OwnedXfer xfer_;
};

} // namespace

std::unique_ptr<CarrierPipe> make_endpoint(const PlanBody &plan, const Carrier &carrier,
                                           const RunOptions &options) {
    return std::make_unique<Endpoint>(plan, carrier, options);
}

} // namespace dri::graph
