// What moves the frames of one end of a carrier: an endpoint of the library. Tests have one of their own.
#pragma once

#include "graph/carriers.hpp"

#include <functional>

namespace dri::graph {

// DRI_Plan_options, checked and without defaults.
struct RunOptions {
    int frames = 1;
    bool is_stream = false, has_progress_thread = false;
    int timeout_ms = 0;
    int further = 0; // slots, of this process alone

    // Slots of memory: those of a stream's last frame stay whole while the frames that do not exist any more
    // begin.
    int slots() const { return frames + is_stream + further; }
};

// How far a step has come.
struct StepOutcome {
    int code = DRI_SUCCESS;
    bool is_done = true; // false: it would have to wait
};

// All calls as those of the library on an endpoint.
class CarrierPipe {
public:
    CarrierPipe() = default;
    CarrierPipe(const CarrierPipe &) = delete;
    CarrierPipe &operator=(const CarrierPipe &) = delete;
    virtual ~CarrierPipe() = default;

    virtual DRI_Xfer xfer() const = 0;
    // After the commit: one address for each slot.
    virtual void get_buffers(void **buffers) = 0;
    virtual StepOutcome acquire(bool may_wait) = 0;
    virtual int insert(const DRI_Frame *about) = 0;
    virtual int close() = 0;
    virtual StepOutcome extract(bool may_wait, void **buffer, DRI_Frame *about) = 0;
    virtual int release() = 0;
    // Leaves the transfer without waiting.
    virtual void abandon() = 0;
};

using MakePipe =
    std::function<std::unique_ptr<CarrierPipe>(const PlanBody &plan, const Carrier &carrier, const RunOptions &)>;

// Declares an endpoint.
std::unique_ptr<CarrierPipe> make_endpoint(const PlanBody &plan, const Carrier &carrier,
                                           const RunOptions &options);

} // namespace dri::graph
