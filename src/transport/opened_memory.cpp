// Finds opened memory by its token, a random number.
#include "transport/opened_memory.hpp"

namespace dri::transport {

std::shared_ptr<const SharedMemory> OpenedMemory::open(const MemoryHandle &handle) {
    const std::lock_guard lock(mutex_);
    if (const auto known = opened_[handle.token].lock(); known && known->bytes() == handle.bytes)
        return known;
    std::erase_if(opened_, [](const auto &entry) { return entry.second.expired(); });
    auto memory = std::make_shared<const SharedMemory>(SharedMemory::open(handle));
    opened_[handle.token] = memory;
    return memory;
}

} // namespace dri::transport
