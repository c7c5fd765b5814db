// Assignments between arrays over any two maps.
#pragma once

#include "domain/array_object.hpp"
#include "domain/assign_plans.hpp"

namespace dri::domain {

struct AssignSide {
    std::shared_ptr<Elements> elements;
    Ranges ranges;     // of the elements' domain
    DRI_Array array{}; // that names all the elements; null if there is none yet
};

// Fails with DRI_ERR_ARG if the shapes differ or the elements have no conversion, and with DRI_ERR_STATE if an
// update of overlap is under way. Local.
void require_assignable(const AssignSide &dst, const AssignSide &src);

// Fails as the exception that is being handled, also on the other processes that begin an assignment between these
// elements or another one that needs an agreement. Inside a catch block only.
[[noreturn]] void fail_on_all(const Elements &dst, const Elements &src);

// Does an assignment between slices of one shape. Fails as DRI_assign. ask_maps: users' maps may do it themselves.
DRI_Assigned assign(const AssignSide &dst, const AssignSide &src, bool ask_maps);

// Asks the map of the other array of an assignment that is being done. Returns
// whether it did it.
bool hand_over(const DRI_Assignment &assignment);

// Asks users' maps, first `known`, then `any`. Returns the path that did it, or
// nothing. tried: what was asked.
std::optional<DRI_Assign_path> ask_users(const AssignSide &dst, const AssignSide &src, int &tried);

// Makes the plan of an assignment. Collective over the processes of both maps.
std::shared_ptr<AssignPlan> make_assign_plan(const AssignSide &dst, const AssignSide &src, bool bulk,
                                             const Digest &key);

} // namespace dri::domain
