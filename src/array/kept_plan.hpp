// What the ledger of plans keeps.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

namespace dri::array {

struct PlanEntry;

class KeptPlan {
public:
    KeptPlan() = default;
    KeptPlan(const KeptPlan &) = delete;
    KeptPlan &operator=(const KeptPlan &) = delete;
    virtual ~KeptPlan() = default;
    // The array of the plan with this storage ends, unless another thread has bound it meanwhile: it uses no
    // memory of arrays, and has none, until it is bound again. A run that is under way keeps the memory that it
    // needs, and ends when the plan is bound again. Local.
    virtual void let_go(uint64_t storage) noexcept = 0;
    // Whether it is bound to the storage.
    virtual bool uses(uint64_t storage) const = 0;
    // Whether a run of it has timed out and can go on, or has failed while frames were under way.
    virtual bool is_under_way() const = 0;
    // Whether it keeps all memory that the run under way needs. Otherwise the run ends before the array does.
    virtual bool outlives_arrays() const = 0;
    // Ends the run under way, in which others may still read or write memory of the caller. It waits for them, at
    // most as long as calls of set-up. The run is still under way if they do not come.
    virtual void finish() noexcept {}
    // Whether it is kept then, for other arrays of equal form. Otherwise its key names its arrays.
    virtual bool serves_others() const = 0;

private:
    friend class PlanLedger;
    std::list<PlanEntry> *entries_ = nullptr; // where the ledger has it; nullptr: nowhere
    std::list<PlanEntry>::iterator place_;
};

} // namespace dri::array
