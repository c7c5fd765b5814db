// Ids of storages, and whom their end concerns.
#include "outer/storage.hpp"

#include <atomic>
#include <mutex>

namespace dri::outer {

namespace {

struct Watchers {
    std::mutex mutex;
    std::vector<void (*)(uint64_t)> functions;
};

// Never destroyed: other static objects may end later.
Watchers &watchers() {
    static auto *const all = new Watchers;
    return *all;
}

} // namespace

void at_storage_end(void (*function)(uint64_t id)) {
    const std::lock_guard lock(watchers().mutex);
    watchers().functions.push_back(function);
}

void storage_ends(uint64_t id) noexcept {
    std::vector<void (*)(uint64_t)> functions;
    {
        const std::lock_guard lock(watchers().mutex);
        functions = watchers().functions;
    }
    for (auto *const function : functions)
        function(id);
}

uint64_t next_storage() noexcept {
    static std::atomic<uint64_t> next{1};
    return next++;
}

} // namespace dri::outer
