// The plans of assignments that are kept.
#pragma once

#include "domain/packing.hpp"
#include "outer/owned.hpp"
#include "outer/plan_store.hpp"

#include <dri/array.h>

#include <string>

namespace dri::domain {

// What this process does in one assignment, again and again.
struct AssignPlan {
    std::string name;
    DRI_Assign_path path = DRI_ASSIGN_ELEMENT;
    int tried = 0;                 // what the library asked of its own maps
    outer::OwnedXfer source, sink; // null: the process has no such part
    Packing pack, unpack;          // empty: the end lies in the array itself
    std::optional<int64_t> source_timeout, sink_timeout;
    bool under_way = false; // after a timeout: packed, and not yet done
    int asked = 0;          // what users' maps were asked in the last call
};

// One store for the whole process.
inline outer::PlanStore<AssignPlan> &assign_plans() {
    static auto *const store = new outer::PlanStore<AssignPlan>;
    return *store;
}

} // namespace dri::domain
