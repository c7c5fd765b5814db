// Conformance cases of the Distributed Array Protocol, read from JSON: one function per kind of case. Each
// function runs on all processes of the world. It returns why the case did not run, or "".
#pragma once

#include "support/conformance.hpp"

#include <dri/dap.h>

#include <functional>
#include <list>

namespace dri::test {

// A description of a case, with the lists that it names.
struct DapOfCase {
    DRI_Dap dap{};
    std::list<Numbers> lists;
};

// dims: the dictionaries of one process. The buffer has the shape that they say, 8 bytes for each element, and any
// address.
DapOfCase read_dims(const Json &dims, const Numbers &extents_of_empty = {});
// The descriptions of several processes, one after the other.
std::vector<DRI_Dap> all_of(const std::list<DapOfCase> &read);
// The dictionary of a dimension, without keys that have their default value.
Json written(const DRI_Dap_dim &dim);
Json without_defaults(Json dictionary);

// The indices that a dictionary says, found by a walk over all of them, in the order of the buffer.
Numbers walk_held(const Json &dim);
Numbers walk_owned(const Json &dim);
Numbers flattened(const Json &nested);
// Calls f(local, flat) for each place of the buffer, with the flat row-major global index that belongs there.
void for_each_place(const Json &dims, const std::function<void(size_t at, int64_t flat)> &f);

// Says in the output that a case is about something that C does not have.
void note_only_elsewhere(const Json &c);

// Local calls: dap_cases_local.cpp.
std::string check_dap_validate(const Json &c);
std::string check_dap_group(const Json &c);
std::string check_dap_owned(const Json &c);
std::string check_dap_owned_sum(const Json &c);
std::string check_dap_map(const Json &c);
std::string check_dap_cyclic_slice(const Json &c);
std::string check_dap_equivalence(const Json &c);
std::string check_dap_alias(const Json &c);

// Calls on distributions: dap_cases_moves.cpp.
std::string check_dap_export(const Json &c);
std::string check_dap_owner_table(const Json &c);
std::string check_dap_redistribute(const Json &c);
std::string check_dap_halo(const Json &c);
std::string check_dap_round_trip(const Json &c);
std::string check_dap_buffer(const Json &c);

} // namespace dri::test
