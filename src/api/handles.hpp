// Handles are 64-bit ids that may outlive the objects that they name. An id contains a kind, a slot of a table and
// the slot's generation. Therefore a handle that is null, of another kind, stale or destroyed twice is detected.
#pragma once

#include "api/forked.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dri::api {

enum class HandleKind : uint8_t { type = 1, gdo, part, group, dist, layout, xfer };

const char *kind_name(HandleKind kind);

struct HandleId {
    static constexpr uint32_t max_generation = (1u << 24) - 1;

    HandleKind kind{};
    uint32_t generation = 0; // 0: a built-in object, which is in no table
    uint32_t index = 0;

    static constexpr uint64_t encode(HandleKind kind, uint32_t generation, uint32_t index) {
        return uint64_t{static_cast<uint8_t>(kind)} << 56 | uint64_t{generation} << 32 | (uint64_t{index} + 1);
    }
    // Fails with DRI_ERR_HANDLE for the null handle and for a handle of another kind.
    static HandleId decode(uint64_t id, HandleKind expected);
};

// All objects of one kind, by handle. Any thread may use it.
template <class T> class HandleTable {
public:
    explicit constexpr HandleTable(HandleKind kind) : kind_(kind) {}

    uint64_t insert(std::shared_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        uint32_t index;
        if (free_->empty()) {
            index = static_cast<uint32_t>(slots_->size());
            slots_->push_back({});
        } else {
            index = free_->back();
            free_->pop_back();
        }
        Slot &slot = (*slots_)[index];
        slot.object = std::move(object);
        return HandleId::encode(kind_, slot.generation, index);
    }

    std::shared_ptr<T> get(uint64_t id) const {
        const std::lock_guard lock(mutex_);
        return find(HandleId::decode(id, kind_)).object;
    }

    void erase(uint64_t id) {
        std::shared_ptr<T> last; // destroyed after the lock is released
        const std::lock_guard lock(mutex_);
        const HandleId handle = HandleId::decode(id, kind_);
        last = std::move(find(handle).object);
        retire(handle.index);
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        for (uint32_t index = 0; index < slots_->size(); ++index)
            if ((*slots_)[index].object) {
                (*slots_)[index].object = nullptr;
                retire(index);
            }
    }

    // For a forked child, in which the thread that holds the lock may not exist: makes the lock new.
    void renew_lock() noexcept { renew(mutex_); }

private:
    struct Slot {
        std::shared_ptr<T> object;
        uint32_t generation = 1;
    };

    const Slot &find(HandleId handle) const {
        if (handle.index >= slots_->size() || (*slots_)[handle.index].generation != handle.generation ||
            !(*slots_)[handle.index].object)
            fail(DRI_ERR_HANDLE, "the {} handle is stale: its object has been destroyed", kind_name(kind_));
        return (*slots_)[handle.index];
    }
    Slot &find(HandleId handle) { return const_cast<Slot &>(std::as_const(*this).find(handle)); }

    // Makes a slot free for another object, with the next generation. A slot without generations left is never
    // used again.
    void retire(uint32_t index) {
        if ((*slots_)[index].generation++ < HandleId::max_generation)
            free_->push_back(index);
    }

    HandleKind kind_;
    mutable std::mutex mutex_;
    NoDestroy<std::vector<Slot>> slots_;
    NoDestroy<std::vector<uint32_t>> free_;
};

} // namespace dri::api
