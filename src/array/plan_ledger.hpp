// The plans of loops and moves that are kept, per group of processes. Nobody agrees about them: all processes of a
// group make the same loops in the same order, so all have a plan or none has. Those that are kept are counted
// alike, also where an array ends earlier on one process than on another: a plan whose array has ended keeps its
// place until it is the least recently used one.
//
// A key says what a plan does, but not with which arrays: other arrays of equal form have it, too. Some plans of a
// key are kept, each for the arrays that used it last. Arrays without one of their own take that which was used
// least recently, so that a loop over new arrays goes on with few plans.
#pragma once

#include "array/kept_plan.hpp"
#include "outer/storage.hpp"

#include <list>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace dri::array {

struct PlanEntry {
    Bytes key;
    std::vector<uint64_t> storages; // that it was used with last, in the order of the operands
    std::shared_ptr<KeptPlan> plan; // nullptr: its array has ended
    uint64_t used = 0;              // rises with each use
    bool is_given_up = false;       // it ended with a run under way: other processes may still have the plan
};

// The plans of a key and a group, which one thread uses at a time: another one would take them in another order
// than on other processes. Fails with DRI_ERR_STATE at once if another thread has them.
class PlanInUse {
public:
    PlanInUse(const std::vector<int> &ranks, const Bytes &key);
    PlanInUse(const PlanInUse &) = delete;
    PlanInUse &operator=(const PlanInUse &) = delete;
    ~PlanInUse();

private:
    std::set<std::pair<std::vector<int>, Bytes>>::iterator place_;
};

class PlanLedger {
public:
    static PlanLedger &all();

    // The plan of these storages, or one to be bound to them; nullptr: one is to be made. Fails with DRI_ERR_STATE
    // if that one has a run with others under way, and once if it was given up.
    std::shared_ptr<KeptPlan> find(const std::vector<int> &ranks, const Bytes &key,
                                   const std::vector<uint64_t> &storages);
    // As find() of a plan that is at hand: it becomes the one used last. Returns whether it is still kept for
    // these storages.
    bool touch(const KeptPlan &plan, const std::vector<uint64_t> &storages);
    void insert(const std::vector<int> &ranks, Bytes key, std::vector<uint64_t> storages,
                std::shared_ptr<KeptPlan> plan);
    // Lets the plans go that use a storage. A run under way in memory of the caller ends before, when the others
    // come to it, so that all processes still have the plan. Those that serve no others are destroyed, and those
    // whose run does not end.
    void let_go(uint64_t storage);
    // Keeps a plan no longer that cannot run any more.
    void forget(KeptPlan &plan);
    // Whether a plan that uses a storage has a run under way.
    bool is_under_way(uint64_t storage);

private:
    friend class PlanInUse;
    static constexpr size_t most_plans = 256, most_alike = 4;

    using Entries = std::list<PlanEntry>; // the one used last first
    struct Group {
        Entries entries;
        std::unordered_multimap<size_t, Entries::iterator> by_hash;
    };

    PlanLedger();
    void finish(uint64_t storage);
    void clear(); // at the end of the library

    std::mutex mutex_;
    std::map<std::vector<int>, Group> groups_;
    std::set<std::pair<std::vector<int>, Bytes>> in_use_;
    uint64_t uses_ = 0;
};

} // namespace dri::array
