// What the ledger of plans keeps.
#pragma once

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
    // An array of the plan ends: it uses no memory of arrays, and has none, until it is bound again. Local.
    virtual void let_go() noexcept = 0;
    // Whether it is kept then, for other arrays of equal form. Otherwise its key names its arrays.
    virtual bool serves_others() const = 0;

private:
    friend class PlanLedger;
    std::list<PlanEntry> *entries_ = nullptr; // where the ledger has it; nullptr: nowhere
    std::list<PlanEntry>::iterator place_;
};

} // namespace dri::array
