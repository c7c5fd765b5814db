// The memory of other processes that this process has opened, so that many transfers map it once.
#pragma once

#include "transport/shared_memory.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace dri::transport {

// Any thread may call it at any time.
class OpenedMemory {
public:
    // The memory of the handle, opened now or before. It stays mapped as long as anybody holds it. Fails as
    // SharedMemory::open() does.
    std::shared_ptr<const SharedMemory> open(const MemoryHandle &handle);

private:
    std::mutex mutex_;
    std::map<uint64_t, std::weak_ptr<const SharedMemory>> opened_; // by token
};

} // namespace dri::transport
