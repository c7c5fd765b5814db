// The dense distribution of a domain: what its processes own, by dense indices, as the core of the library has it.
#pragma once

#include "domain/dense_rules.hpp"
#include "outer/owned.hpp"

namespace dri::domain {

// How the domain becomes a distribution. All processes of the map find the same.
DenseForm dense_form(const Space &space);

// All dimensions, for all processes.
DenseChoice whole_choice(const Space &space, bool with_overlap);
// The dimensions of several members, or one of them, in this form.
DenseChoice squeezed_choice(const Space &space, DenseForm form);

// Makes the dense distribution. Collective over its group; null for a process that is not in it. position: of the
// calling process in the map.
outer::OwnedDist make_dense_dist(const Space &space, DRI_Type type, int position, const DenseChoice &choice);

// The runs that boxes of dense indices are in the order of the domain, in the order of memory.
std::vector<DRI_Run> flat_runs(const Holding &holding, const Space &space);

} // namespace dri::domain
