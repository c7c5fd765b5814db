// The dense distribution of a domain: what its processes own, by dense indices, as the core of the library has it.
#pragma once

#include "domain/space.hpp"
#include "outer/owned.hpp"

namespace dri::domain {

enum class DenseForm {
    grid,   // a rule or a list per dimension
    pieces, // one box of each process
    flat    // one dimension: the order of the domain, and lists of its runs
};

// How the domain becomes a distribution. All processes of the map find the same.
DenseForm dense_form(const Space &space);

// Makes the distribution, with the overlap of the map if that is wanted. It is the same for equal ranges of
// members, whether they are a domain's or a slice's. Collective over the map's processes, of which the calling one
// has this position.
outer::OwnedDist make_dense_dist(const Space &space, DRI_Type type, int position, bool with_overlap);

// The runs that boxes of dense indices are in the order of the domain, in the order of memory.
std::vector<DRI_Run> flat_runs(const Holding &holding, const Space &space);

} // namespace dri::domain
