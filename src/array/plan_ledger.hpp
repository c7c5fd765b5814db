// The plans of loops and moves that are kept, per group of processes. Nobody agrees about them: all processes of a
// group make the same loops in the same order, so all have a plan or none has. Those that are kept are counted
// alike, also where an array ends earlier on one process than on another: a plan whose array has ended keeps its
// place until it is the least recently used one.
#pragma once

#include "array/kept_plan.hpp"
#include "outer/storage.hpp"

#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

namespace dri::array {

struct PlanEntry {
    Bytes key;
    std::vector<uint64_t> storages;
    std::shared_ptr<KeptPlan> plan; // nullptr: its array has ended
};

class PlanLedger {
public:
    static PlanLedger &all();

    // nullptr: there is none.
    std::shared_ptr<KeptPlan> find(const std::vector<int> &ranks, const Bytes &key);
    // As find() of a plan that is at hand: it becomes the one used last. Returns whether it is still kept.
    bool touch(const KeptPlan &plan);
    void insert(const std::vector<int> &ranks, Bytes key, std::vector<uint64_t> storages,
                std::shared_ptr<KeptPlan> plan);
    // Destroys the plans that use a storage.
    void drop(uint64_t storage);

private:
    static constexpr size_t most_plans = 256;

    using Entries = std::list<PlanEntry>; // the one used last first
    struct Group {
        Entries entries;
        std::unordered_multimap<size_t, Entries::iterator> by_hash;
    };

    PlanLedger();

    std::mutex mutex_;
    std::map<std::vector<int>, Group> groups_;
};

} // namespace dri::array
