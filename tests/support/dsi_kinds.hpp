// Conformance cases of domain maps, read from JSON: one function per kind of case. Each function runs on all
// processes of the world. It returns why the case did not run, or "".
#pragma once

#include "support/conformance.hpp"
#include "support/domains.hpp"

namespace dri::test {

// A range of a case: its sequence, "lo..hi[ by s][ align a]", or [lo, hi] with both ends included.
DRI_Range read_range(const Json &range);
Ranges read_ranges(const Json &ranges);
// A map of a case over the first processes of the world: "map" with its parameters.
Map read_map(const Json &input);
// The processes that a map of a case needs.
int locales_of(const Json &input);
// All members of a domain by DRI_domain_index, in its order.
std::vector<Indices> members_of(DRI_Domain domain);

// Ranges and orders: dsi_kinds_ranges.cpp.
std::string check_dsi_densify(const Json &c);
std::string check_dsi_property(const Json &c);
std::string check_dsi_queries(const Json &c);
std::string check_dsi_follower(const Json &c);
std::string check_dsi_serial(const Json &c);

// Maps and what their processes have: dsi_kinds_maps.cpp.
std::string check_dsi_owner(const Json &c);
std::string check_dsi_local(const Json &c);
std::string check_dsi_leader(const Json &c);
std::string check_dsi_zip(const Json &c);
std::string check_dsi_standalone(const Json &c);
std::string check_dsi_equality(const Json &c);
std::string check_dsi_clone(const Json &c);
std::string check_dsi_display(const Json &c);
std::string check_dsi_constructor(const Json &c);
std::string check_dsi_unsupported(const Json &c);
std::string check_dsi_links(const Json &c);

// Arrays and assignments: dsi_kinds_arrays.cpp.
std::string check_dsi_bulk(const Json &c);
std::string check_dsi_decision(const Json &c);
std::string check_dsi_recursion(const Json &c);
std::string check_dsi_user_map(const Json &c);
std::string check_dsi_access(const Json &c);
std::string check_dsi_accessors(const Json &c);
std::string check_dsi_set(const Json &c);
std::string check_dsi_halo(const Json &c);

// Chunks of any leader are disjoint, cover the domain, and belong to the process that has them.
std::string check_dsi_leaders(const Json &c);

} // namespace dri::test
