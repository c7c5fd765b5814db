// This process's side of a carrier: its endpoint and its buffers.
#pragma once

#include "graph/carriers.hpp"
#include "outer/owned.hpp"

#include <chrono>

namespace dri::graph {

// DRI_Plan_options, checked and without defaults.
struct RunOptions {
    int frames = 1;
    bool is_stream = false, has_progress_thread = false;
    int timeout_ms = 0;

    // Slots of memory: those of a stream's last frame stay whole while the frames that do not exist any more
    // begin.
    int slots() const { return frames + is_stream; }
};

// How far a step has come.
struct StepOutcome {
    int code = DRI_SUCCESS;
    bool is_done = true; // false: it would have to wait
};

class CarrierEnd {
public:
    // Declares the endpoint.
    CarrierEnd(const PlanBody &plan, const Carrier &carrier, const RunOptions &options);

    const Carrier &carrier() const { return *carrier_; }
    DRI_Xfer xfer() const { return xfer_.get(); }
    // After the commit.
    void bind();
    std::byte *buffer(int slot) const { return buffers_[static_cast<size_t>(slot)]; }
    CarrierHeader &header(int slot) const { return *reinterpret_cast<CarrierHeader *>(buffer(slot)); }
    std::byte *header_data(int slot) const { return buffer(slot) + sizeof(CarrierHeader); }

    // A source: takes the next buffer, unless it has been taken for this frame.
    StepOutcome acquire(int64_t frame, bool may_wait);
    int insert(const DRI_Frame *about);
    // Hands over a frame that is a header alone. Returns false if no buffer gets free in time.
    bool insert_last(const CarrierHeader &header, std::chrono::steady_clock::time_point deadline);
    int close();
    // A sink: gives back what is kept for the user as far as the next frame needs it, then takes the next frame.
    StepOutcome extract(bool may_wait, void **buffer, DRI_Frame *about);
    int release();
    int64_t inserted() const { return inserted_; }
    int64_t held() const { return held_; } // a sink: frames that are not given back
    // Leaves the transfer without waiting: the others fail in their next call.
    void abandon();

private:
    const Carrier *carrier_;
    outer::OwnedDist dist_;
    outer::OwnedXfer xfer_;
    std::vector<std::byte *> buffers_;
    int64_t acquired_ = 0, inserted_ = 0, held_ = 0;
    bool is_closed_ = false;
};

} // namespace dri::graph
