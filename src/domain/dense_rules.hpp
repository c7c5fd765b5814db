// The rules of dense distributions that are grids: one for each dimension, and the ranks of all parts.
#pragma once

#include "domain/space.hpp"

namespace dri::domain {

enum class DenseForm {
    grid,   // a rule or a list per dimension
    pieces, // one box of each process
    flat    // one dimension: the order of the domain, and lists of its runs
};

// What of a domain becomes a distribution.
struct DenseChoice {
    DenseForm form = DenseForm::grid;
    std::vector<size_t> dims; // the dimensions that it has; in each other one the domain has one member
    bool with_overlap = false;
    // The group has all processes of the map. Otherwise those that own nothing may be left out.
    bool for_all = true;
};

// What DRI_part_create_rule and DRI_group_create need. Rules point to the lists.
struct DenseParts {
    FixedVector<DRI_Part_dim, max_dims> rules;
    std::vector<std::vector<int64_t>> sizes{max_dims};
    std::vector<std::vector<DRI_Run>> runs{max_dims};
    std::vector<int> ranks; // of the world, in the order of the distribution's group
};

// A list as the rule of the next dimension.
void add_runs(DenseParts &parts, std::vector<DRI_Run> runs, int nparts);
// The rules of all dimensions that are chosen. position: of the calling process, whose lists these are.
void set_rules(const Space &space, int position, const DenseChoice &choice, DenseParts &parts);

// Whether each dimension of the choice is cut by a rule in closed form.
bool is_closed(const Space &space, const DenseChoice &choice);

} // namespace dri::domain
