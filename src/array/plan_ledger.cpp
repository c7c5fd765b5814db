// Finds plans by the hash of their key.
#include "array/plan_ledger.hpp"

#include "base/at_end.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace dri::array {

namespace {

size_t hash_of_key(const Bytes &key) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char *>(key.data()), key.size()});
}

} // namespace

PlanLedger::PlanLedger() {
    outer::at_storage_end([](uint64_t storage) { all().let_go(storage); },
                          [](uint64_t storage) { return all().is_under_way(storage); });
    at_end([] { all().clear(); });
}

void PlanLedger::clear() {
    std::map<std::vector<int>, Group> gone; // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    for (auto &[ranks, group] : groups_)
        for (const PlanEntry &entry : group.entries)
            if (entry.plan)
                entry.plan->entries_ = nullptr;
    gone.swap(groups_);
}

PlanInUse::PlanInUse(const std::vector<int> &ranks, const Bytes &key) {
    PlanLedger &ledger = PlanLedger::all();
    const std::lock_guard lock(ledger.mutex_);
    const auto [place, is_mine] = ledger.in_use_.emplace(ranks, key);
    if (!is_mine)
        fail(DRI_ERR_STATE, "another thread is in a call of this move, of this array or one of equal form");
    place_ = place;
}

PlanInUse::~PlanInUse() {
    PlanLedger &ledger = PlanLedger::all();
    const std::lock_guard lock(ledger.mutex_);
    ledger.in_use_.erase(place_);
}

PlanLedger &PlanLedger::all() {
    static auto *const store = new PlanLedger; // never destroyed: other static objects may end later
    return *store;
}

std::shared_ptr<KeptPlan> PlanLedger::find(const std::vector<int> &ranks, const Bytes &key,
                                           const std::vector<uint64_t> &storages) {
    const std::lock_guard lock(mutex_);
    Group &group = groups_[ranks];
    const auto [first, last] = group.by_hash.equal_range(hash_of_key(key));
    size_t alike = 0;
    std::optional<Entries::iterator> found, oldest;
    for (auto at = first; at != last && !found; ++at) {
        if ((!at->second->plan && !at->second->is_given_up) || at->second->key != key)
            continue;
        ++alike;
        if (at->second->storages == storages)
            found = at->second;
        if (!oldest || at->second->used < (*oldest)->used)
            oldest = at->second;
    }
    if (!found && alike >= most_alike)
        found = oldest;
    if (!found)
        return nullptr;
    if (std::exchange((*found)->is_given_up, false))
        fail(DRI_ERR_STATE, "the plan was given up: its array was destroyed before a call that had timed out went "
                            "on; the next call plans anew");
    if ((*found)->storages != storages && (*found)->plan->is_under_way())
        fail(DRI_ERR_STATE,
             "a call that uses this plan with other arrays is under way, or has timed out and must go on "
             "first");
    group.entries.splice(group.entries.begin(), group.entries, *found);
    (*found)->used = ++uses_;
    (*found)->storages = storages;
    return (*found)->plan;
}

bool PlanLedger::touch(const KeptPlan &plan, const std::vector<uint64_t> &storages) {
    const std::lock_guard lock(mutex_);
    if (!plan.entries_ || plan.place_->storages != storages)
        return false;
    plan.entries_->splice(plan.entries_->begin(), *plan.entries_, plan.place_);
    plan.place_->used = ++uses_;
    return true;
}

void PlanLedger::insert(const std::vector<int> &ranks, Bytes key, std::vector<uint64_t> storages,
                        std::shared_ptr<KeptPlan> plan) {
    std::shared_ptr<KeptPlan> gone; // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    Group &group = groups_[ranks];
    const size_t hash = hash_of_key(key);
    group.entries.push_front({std::move(key), std::move(storages), std::move(plan), ++uses_});
    group.by_hash.emplace(hash, group.entries.begin());
    KeptPlan &kept = *group.entries.front().plan;
    kept.entries_ = &group.entries;
    kept.place_ = group.entries.begin();
    if (group.entries.size() <= most_plans)
        return;
    const auto last = std::prev(group.entries.end());
    const auto [begin, end] = group.by_hash.equal_range(hash_of_key(last->key));
    group.by_hash.erase(std::find_if(begin, end, [&](const auto &one) { return one.second == last; }));
    gone = std::move(last->plan);
    if (gone)
        gone->entries_ = nullptr;
    group.entries.erase(last);
}

void PlanLedger::finish(uint64_t storage) {
    std::vector<std::shared_ptr<KeptPlan>> running;
    {
        const std::lock_guard lock(mutex_);
        for (auto &[ranks, group] : groups_)
            for (const PlanEntry &entry : group.entries)
                if (entry.plan && entry.plan->uses(storage) && entry.plan->serves_others() &&
                    entry.plan->is_under_way() && !entry.plan->outlives_arrays())
                    running.push_back(entry.plan);
    }
    for (const auto &plan : running)
        plan->finish();
}

void PlanLedger::let_go(uint64_t storage) {
    finish(storage);
    std::vector<std::shared_ptr<KeptPlan>> kept, gone; // which may call the library
    {
        const std::lock_guard lock(mutex_);
        for (auto &[ranks, group] : groups_)
            for (PlanEntry &entry : group.entries) {
                if (std::find(entry.storages.begin(), entry.storages.end(), storage) != entry.storages.end())
                    entry.storages.clear();
                if (!entry.plan || !entry.plan->uses(storage))
                    continue;
                if (entry.plan->serves_others() &&
                    (!entry.plan->is_under_way() || entry.plan->outlives_arrays())) {
                    kept.push_back(entry.plan);
                    continue;
                }
                entry.is_given_up = entry.plan->serves_others();
                entry.plan->entries_ = nullptr;
                gone.push_back(std::move(entry.plan));
            }
    }
    for (const auto &plan : kept)
        plan->let_go(storage);
}

void PlanLedger::forget(KeptPlan &plan) {
    std::shared_ptr<KeptPlan> gone; // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    if (!std::exchange(plan.entries_, nullptr))
        return;
    gone = std::move(plan.place_->plan);
    plan.place_->storages.clear();
}

bool PlanLedger::is_under_way(uint64_t storage) {
    const std::lock_guard lock(mutex_);
    for (const auto &[ranks, group] : groups_)
        for (const PlanEntry &entry : group.entries)
            if (entry.plan && entry.plan->uses(storage) && entry.plan->is_under_way())
                return true;
    return false;
}

} // namespace dri::array
