// This process's side of a carrier: its buffers, and how far its frames are.
#pragma once

#include "graph/carrier_pipe.hpp"

#include <chrono>

namespace dri::graph {

class CarrierEnd {
public:
    CarrierEnd(const Carrier &carrier, const RunOptions &options, std::unique_ptr<CarrierPipe> pipe);

    const Carrier &carrier() const { return *carrier_; }
    DRI_Xfer xfer() const { return pipe_->xfer(); }
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
    void abandon() { pipe_->abandon(); }
    // Has the buffers stay when the transfer goes. Null before.
    void keep();
    const std::shared_ptr<const void> &kept() const { return kept_; }

private:
    friend struct RunnerPosition; // for tests

    const Carrier *carrier_;
    std::unique_ptr<CarrierPipe> pipe_;
    std::vector<std::byte *> buffers_;
    std::shared_ptr<const void> kept_;
    int64_t acquired_ = 0, inserted_ = 0, held_ = 0;
    bool is_closed_ = false;
};

} // namespace dri::graph
