// Conformance cases, read from JSON: one function per kind of case. Each function runs on all processes of the
// world. It returns "", or why the case did not run, or "only ..." for what has run of it.
#pragma once

#include "support/objects.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dri::test {

using Json = nlohmann::json;
using Numbers = std::vector<int64_t>;
using Tuples = std::vector<std::vector<Numbers>>; // [process][dimension]{left_v, left_x, right_x, right_v}
using Piece = std::vector<DRI_Part_tuple>;        // what one process holds of the tuples

std::string needs_processes(int n);
// The reason to skip a case of n processes: a text if the world has fewer, "" on a process that the case leaves
// out, otherwise nothing.
std::optional<std::string> left_out(int n);

std::vector<Piece> pieces_of(const Tuples &tuples);

// Throws if the name is unknown.
DRI_Type type_named(const std::string &name);
DRI_Edge edge_named(const std::string &name);

// Exact sizes per dimension whose grid of parts, in row-major order, has these tuples. Nothing if no such grid
// exists.
std::optional<std::vector<Numbers>> grid_of(const Tuples &tuples, const Numbers &sizes);
bool has_overlap(const Tuples &tuples);
Part part_of_sizes(const std::vector<Numbers> &sizes);

bool holds(const std::vector<int> &procs, int rank);

// Objects: conformance_objects.cpp.
std::string check_gdo(const Json &c);
std::string check_gdo_error(const Json &c);
std::string check_gdo_large(const Json &c);
std::string check_part_query(const Json &c);
std::string check_constraints(const Json &c);
std::string check_default(const Json &c);
std::string check_no_stride(const Json &c);
std::string check_independent(const Json &c);
std::string check_partxy(const Json &c);
std::string check_layout_count(const Json &c);
std::string check_layout_error(const Json &c);

// Transfers and their set-up: conformance_transfers.cpp.
std::string check_transfer(const Json &c);
std::string check_sequence(const Json &c);
std::string check_commit(const Json &c);
std::string check_subset(const Json &c);
std::string check_one_sided(const Json &c);
std::string check_roles(const Json &c);
std::string check_steps(const Json &c);
std::string check_disagreement(const Json &c);

// Exact pieces and overlap: conformance_pieces.cpp.
std::string check_source_error(const Json &c);
std::string check_sink_ok(const Json &c);
std::string check_overlap(const Json &c);
std::string check_property(const Json &c);

// Limits and windows: conformance_limits.cpp.
std::string check_small_buffer(const Json &c);
std::string check_budget(const Json &c);
std::string check_offset(const Json &c);

// Buffers, elements and chains of transfers: conformance_buffers.cpp.
std::string check_layout_strides(const Json &c);
std::string check_buffers_in_turn(const Json &c);
std::string check_user_buffers(const Json &c);
std::string check_records(const Json &c);
std::string check_types(const Json &c);
std::string check_status(const Json &c);
std::string check_strips(const Json &c);
std::string check_chain(const Json &c);
std::string check_two_stage_fft(const Json &c);

} // namespace dri::test
