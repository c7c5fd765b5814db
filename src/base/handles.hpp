// Handles are 64-bit ids that may outlive the objects that they name. An id contains a kind, a slot of a table and
// the slot's generation. Therefore a handle that is null, of another kind, stale or destroyed twice is detected.
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dri::inline base {

enum class HandleKind : uint8_t {
    type = 1,
    gdo,
    part,
    group,
    dist,
    layout,
    xfer,
    map,
    domain,
    array,
    loop,
    graph,
    graph_plan
};

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
    static HandleId decode(uint64_t id, HandleKind expected) {
        if (id >> 56 != static_cast<uint8_t>(expected)) [[unlikely]]
            refuse(id, expected);
        return {expected, static_cast<uint32_t>(id >> 32) & max_generation, static_cast<uint32_t>(id) - 1};
    }

private:
    [[noreturn]] static void refuse(uint64_t id, HandleKind expected);
};

// All objects of one kind, by the public handle type. Any thread may use it.
template <class Handle, class T, HandleKind kind> class HandleTable {
public:
    Handle insert(std::shared_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        uint32_t index;
        if (free_.empty()) {
            index = static_cast<uint32_t>(slots_.size());
            slots_.push_back({});
        } else {
            index = free_.back();
            free_.pop_back();
        }
        Slot &slot = slots_[index];
        slot.object = std::move(object);
        return {HandleId::encode(kind, slot.generation, index)};
    }

    std::shared_ptr<T> get(Handle handle) const {
        const std::lock_guard lock(mutex_);
        return find(HandleId::decode(handle.id, kind)).object;
    }

    // What `read` finds in the object, under the table's lock. `read` must be short and use no table.
    template <class F> auto read(Handle handle, F &&read) const {
        const std::lock_guard lock(mutex_);
        return std::forward<F>(read)(std::as_const(*find(HandleId::decode(handle.id, kind)).object));
    }

    void erase(Handle handle) { static_cast<void>(take(handle)); }

    // Rises when a handle ends. As long as it is the same, handles that were found are still there.
    uint64_t ended() const { return ended_.load(std::memory_order_acquire); }

    // Erases the handle, and returns what it named.
    std::shared_ptr<T> take(Handle handle) {
        std::shared_ptr<T> last; // destroyed after the lock is released, if it is not returned
        const std::lock_guard lock(mutex_);
        const HandleId id = HandleId::decode(handle.id, kind);
        if (id.generation == 0)
            fail(DRI_ERR_HANDLE, "the handle is a built-in {}, which cannot be destroyed", kind_name(kind));
        last = std::move(find(id).object);
        retire(id.index);
        return last;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        for (uint32_t index = 0; index < slots_.size(); ++index)
            if (slots_[index].object) {
                slots_[index].object = nullptr;
                retire(index);
            }
    }

private:
    struct Slot {
        std::shared_ptr<T> object;
        uint32_t generation = 1;
    };

    const Slot &find(HandleId id) const {
        if (id.index >= slots_.size() || slots_[id.index].generation != id.generation || !slots_[id.index].object)
            fail(DRI_ERR_HANDLE, "the {} handle is stale: its object has been destroyed", kind_name(kind));
        return slots_[id.index];
    }
    Slot &find(HandleId id) { return const_cast<Slot &>(std::as_const(*this).find(id)); }

    // Makes a slot free for another object, with the next generation. A slot without generations left is never
    // used again.
    void retire(uint32_t index) {
        ended_.fetch_add(1, std::memory_order_release);
        if (slots_[index].generation++ < HandleId::max_generation)
            free_.push_back(index);
    }

    mutable std::mutex mutex_;
    std::atomic<uint64_t> ended_ = 0;
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
};

// Several tables. table_of<Handle>(tables) is the one of a public handle type.
template <class... Tables> struct TableList : Tables... {
    void clear() { (Tables::clear(), ...); }
};
template <class Handle, class T, HandleKind kind>
HandleTable<Handle, T, kind> &table_of(HandleTable<Handle, T, kind> &table) {
    return table;
}

} // namespace dri::inline base
