// What the ledger of plans keeps.
#pragma once

namespace dri::array {

class KeptPlan {
public:
    KeptPlan() = default;
    KeptPlan(const KeptPlan &) = delete;
    KeptPlan &operator=(const KeptPlan &) = delete;
    virtual ~KeptPlan() = default;
};

} // namespace dri::array
