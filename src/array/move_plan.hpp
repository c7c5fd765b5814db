// Plans of moves: the array that is moved, and its transfer to the result.
#pragma once

#include "array/exchange.hpp"
#include "array/kept_plan.hpp"
#include "array/small_frame.hpp"
#include "base/memory.hpp"
#include "outer/any_array.hpp"

#include <atomic>
#include <mutex>

namespace dri::array {

// The array that is moved, and a slice of it.
struct Moved {
    std::shared_ptr<outer::AnyArray> array;
    std::shared_ptr<const outer::Storage> storage;
    outer::StorageSlice slice;
    int64_t shape[DRI_MAX_DIMS]{};
    DRI_Box own{}; // positions of the slice that this process owns
    std::byte *data = nullptr;
    int64_t steps[DRI_MAX_DIMS]{}; // in elements
    bool is_shared = false;        // they do

    // shares: its plans may serve other arrays of equal form.
    Moved(const std::shared_ptr<outer::AnyArray> &given, const DRI_Range ranges[], bool shares = false);
    int ndims() const { return slice.ndims; }
    void require_boxes() const;
    void find_own();
    Rebinds rebinds() const { return is_shared ? Rebinds::all : Rebinds::sinks; }
    Writer key(const char *operation) const;
    TransferShape transfer_shape(const Digest &called_with) const;
    // Of a reduction.
    FrameCall frame_call(DRI_Op op) const;
};

class MovePlan final : public KeptPlan {
public:
    MovePlan(const Moved &of, std::shared_ptr<ElementExchange> exchange)
        : storage_(of.storage->id), serves_others_(of.is_shared), exchange_(std::move(exchange)) {}
    // Memory for elements that their receiver does not take. The first call brings it.
    std::byte *unwanted(AlignedBuffer &&memory) {
        if (unwanted_.bytes() == 0)
            unwanted_ = std::move(memory);
        return unwanted_.data();
    }
    // data: where the elements of the sink go; nullptr: this process has none. Fails with DRI_ERR_STATE for other
    // memory than that of a call that has timed out. A call whose array has ended meanwhile ends before.
    void run(const Moved &from, void *data);
    bool is_under_way() const override { return exchange_ && exchange_->is_under_way() && !is_abandoned_.read(); }
    bool outlives_arrays() const override { return !memory_.empty(); }
    bool uses(uint64_t storage) const override { return storage == storage_; }
    bool serves_others() const override { return serves_others_; }
    void let_go(uint64_t storage) noexcept override;
    void finish() noexcept override;

    // The result of a call that has timed out.
    outer::OwnedHandle<DRI_Array, DRI_array_destroy> pending;
    // Of the results, once there has been one. It lasts as long as the plan: all processes have it, or none, so
    // that all make a result alone, or together.
    std::unique_ptr<outer::ArrayMaker> maker;

private:
    void bind(const Moved &from);
    void wait(std::optional<int64_t> timeout_ms);
    void end_abandoned(std::optional<int64_t> timeout_ms);

    // While it is bound, or lets go: arrays of the plan may end while another thread moves others.
    std::mutex binding_;
    std::atomic<uint64_t> storage_; // 0: it is to be bound
    bool serves_others_;
    Published<bool> is_abandoned_ = false;
    AlignedBuffer unwanted_;
    std::shared_ptr<ElementExchange> exchange_;       // nullptr: nothing moves
    void *bound_ = nullptr;                           // of the frame under way
    std::vector<std::shared_ptr<const void>> memory_; // of the array, while a frame is under way
};

} // namespace dri::array
