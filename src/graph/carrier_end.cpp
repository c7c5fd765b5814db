// Moves the frames of carriers.
#include "graph/carrier_end.hpp"

#include <dri/memory.h>

#include <algorithm>
#include <thread>

namespace dri::graph {

CarrierEnd::CarrierEnd(const Carrier &carrier, const RunOptions &options, std::unique_ptr<CarrierPipe> pipe)
    : carrier_(&carrier), pipe_(std::move(pipe)), buffers_(static_cast<size_t>(options.slots())) {}

void CarrierEnd::bind() {
    std::vector<void *> found(buffers_.size());
    pipe_->get_buffers(found.data());
    std::transform(found.begin(), found.end(), buffers_.begin(),
                   [](void *buffer) { return static_cast<std::byte *>(buffer); });
}

StepOutcome CarrierEnd::acquire(int64_t frame, bool may_wait) {
    if (acquired_ > frame)
        return {};
    StepOutcome outcome;
    if (acquired_ > 0) // the caller holds the first buffer after the commit
        outcome = pipe_->acquire(may_wait);
    if (outcome.code == DRI_SUCCESS && outcome.is_done)
        ++acquired_;
    return outcome;
}

int CarrierEnd::insert(const DRI_Frame *about) {
    const int code = pipe_->insert(about);
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
    return pipe_->close();
}

StepOutcome CarrierEnd::extract(bool may_wait, void **buffer, DRI_Frame *about) {
    while (held_ >= static_cast<int64_t>(buffers_.size()))
        if (const int code = release(); code != DRI_SUCCESS)
            return {code};
    const StepOutcome outcome = pipe_->extract(may_wait, buffer, about);
    held_ += outcome.code == DRI_SUCCESS && outcome.is_done;
    return outcome;
}

int CarrierEnd::release() {
    --held_;
    return pipe_->release();
}

void CarrierEnd::keep() {
    DRI_Kept *kept = nullptr;
    if (const DRI_Xfer end = xfer(); end.id && DRI_xfer_keep_buffers(end, &kept) == DRI_SUCCESS)
        kept_ = std::shared_ptr<const void>(kept, [kept](const void *) { DRI_kept_free(kept); });
}

} // namespace dri::graph
