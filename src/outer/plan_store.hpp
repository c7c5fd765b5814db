// Plans that are kept for repeated calls on a pair of objects. All processes that take part in a pair's calls
// count its plans alike, because they make the same calls on it.
#pragma once

#include "base/wire.hpp"

#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace dri::outer {

// The two objects by numbers that no other objects have.
using PlanPair = std::pair<uint64_t, uint64_t>;

template <class Plan> class PlanStore {
public:
    // The kept plan, which becomes the one used last, or null. kept: receives the number of the pair's plans.
    std::shared_ptr<Plan> find(const PlanPair &pair, std::span<const std::byte> key, size_t *kept = nullptr) {
        const std::lock_guard lock(mutex_);
        Entries &entries = kept_[pair];
        if (kept)
            *kept = entries.size();
        for (auto at = entries.begin(); at != entries.end(); ++at)
            if (at->key.size() == key.size() && std::memcmp(at->key.data(), key.data(), key.size()) == 0) {
                entries.splice(entries.begin(), entries, at);
                return at->plan;
            }
        return nullptr;
    }

    size_t count(const PlanPair &pair) {
        const std::lock_guard lock(mutex_);
        const auto found = kept_.find(pair);
        return found == kept_.end() ? 0 : found->second.size();
    }

    void insert(const PlanPair &pair, Bytes key, std::shared_ptr<Plan> plan) {
        const std::lock_guard lock(mutex_);
        kept_[pair].push_front({std::move(key), std::move(plan)});
    }

    // Whether a plan of a pair with an object is one of these.
    template <class Is> bool has(uint64_t object, Is &&is) {
        const std::lock_guard lock(mutex_);
        for (const auto &[pair, entries] : kept_)
            if (pair.first == object || pair.second == object)
                for (const Entry &entry : entries)
                    if (is(*entry.plan))
                        return true;
        return false;
    }

    // Destroys those of a pair that were used least recently, down to a number of them.
    void keep_at_most(const PlanPair &pair, size_t most) {
        Entries gone; // destroyed after the lock is released
        const std::lock_guard lock(mutex_);
        Entries &entries = kept_[pair];
        while (entries.size() > most)
            gone.splice(gone.begin(), entries, std::prev(entries.end()));
    }

    // Destroys all plans of pairs with an object.
    void drop(uint64_t object) {
        Entries gone;
        const std::lock_guard lock(mutex_);
        for (auto at = kept_.begin(); at != kept_.end();)
            if (at->first.first == object || at->first.second == object) {
                gone.splice(gone.end(), at->second);
                at = kept_.erase(at);
            } else {
                ++at;
            }
    }

private:
    struct Entry {
        Bytes key;
        std::shared_ptr<Plan> plan;
    };
    using Entries = std::list<Entry>; // the one used last first

    std::mutex mutex_;
    std::map<PlanPair, Entries> kept_;
};

} // namespace dri::outer
