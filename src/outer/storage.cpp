// Ids of storages, and whom their end concerns.
#include "outer/storage.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace dri::outer {

namespace {

struct Watchers {
    std::mutex mutex;
    std::vector<void (*)(uint64_t)> functions;
    std::vector<bool (*)(uint64_t)> questions;
};

// Never destroyed: other static objects may end later.
Watchers &watchers() {
    static auto *const all = new Watchers;
    return *all;
}

} // namespace

void at_storage_end(void (*function)(uint64_t id), bool (*is_under_way)(uint64_t id)) {
    const std::lock_guard lock(watchers().mutex);
    watchers().functions.push_back(function);
    watchers().questions.push_back(is_under_way);
}

bool storage_is_under_way(uint64_t id) {
    std::vector<bool (*)(uint64_t)> questions;
    {
        const std::lock_guard lock(watchers().mutex);
        questions = watchers().questions;
    }
    return std::any_of(questions.begin(), questions.end(), [id](auto *question) { return question(id); });
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
