// Looks up which endpoints a call means, with a small cache: a program calls the same few, frame after frame.
#include "api/called.hpp"

#include "api/forked.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>

namespace dri::api {

namespace {

// A spin lock. For a small frame a mutex of the system would cost more than all the work under it here. Another
// thread holds this lock for about ten instructions only.
class ShortLock {
public:
    void lock() {
        while (taken_.test_and_set(std::memory_order_acquire))
            sched_yield();
    }
    void unlock() { taken_.clear(std::memory_order_release); }

private:
    std::atomic_flag taken_;
};

// One entry of the cache: what an earlier call found.
struct Found {
    uint64_t id = 0;                           // the handle that the call passed; 0 if it passed a name only
    std::array<char, DRI_MAX_NAME + 1> name{}; // the name of the transfer
    CalledEndpoints called;
};

ShortLock found_lock; // guards the variables below
using FoundOnes = std::array<Found, 16>;
NoDestroy<FoundOnes> found;
size_t latest = 0;            // the entry that was used last
uint64_t times_forgotten = 0; // how often the cache was cleared

// The entry in which a lookup is cached: by the handle, or by the name if there is no handle.
size_t slot_of(const char *name, uint64_t id) {
    uint64_t mixed = id;
    if (id == 0)
        for (const char *c = name; *c != 0; ++c)
            mixed = mixed * 31 + static_cast<unsigned char>(*c);
    return mixed % found->size();
}

// Whether an entry answers the lookup. With a handle the name may be missing.
bool fits(const Found &at, const char *name, uint64_t id) {
    return at.called.transfer && at.id == id && (!name || std::strcmp(name, at.name.data()) == 0);
}

CalledEndpoints look_up(const char *name, DRI_Xfer xfer) {
    if (xfer.id == 0) {
        auto transfer = session()->find(name);
        const exec::EndpointSet endpoints = transfer->all_endpoints();
        return {std::move(transfer), endpoints};
    }
    const auto endpoint = get_endpoint(xfer);
    if (name && endpoint->declaration().name != name)
        fail(DRI_ERR_ARG, "the handle is an endpoint of transfer '{}', not of '{}'", endpoint->declaration().name,
             name);
    return {endpoint->transfer(), endpoint->endpoints()};
}

} // namespace

// The lookup itself runs without the lock. If the cache was cleared meanwhile, an endpoint may have been
// destroyed, so the result is not cached.
CalledEndpoints get_called(const char *name, DRI_Xfer xfer) {
    require_parent();
    if (xfer.id == 0 && !name) {
        session();
        require_pointer(name, "name");
    }
    uint64_t forgotten = 0;
    {
        const std::lock_guard lock(found_lock);
        if (!fits((*found)[latest], name, xfer.id))
            latest = slot_of(name, xfer.id);
        if (const Found &at = (*found)[latest]; fits(at, name, xfer.id))
            return at.called;
        forgotten = times_forgotten;
    }
    CalledEndpoints called = look_up(name, xfer);
    std::shared_ptr<exec::LocalTransfer> last; // the replaced transfer, released after the lock
    const std::lock_guard lock(found_lock);
    if (forgotten != times_forgotten)
        return called;
    Found &at = (*found)[slot_of(name, xfer.id)];
    last = std::exchange(at.called, called).transfer;
    at.id = xfer.id;
    at.name = {};
    std::string_view(called.transfer->name()).copy(at.name.data(), DRI_MAX_NAME);
    return called;
}

void renew_called_lock() noexcept { renew(found_lock); }

// The entries are swapped out and destroyed after the lock is released, because that may destroy transfers.
void forget_called() {
    FoundOnes cleared;
    const std::lock_guard lock(found_lock);
    ++times_forgotten;
    std::swap(*found, cleared);
}

} // namespace dri::api
