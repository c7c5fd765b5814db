// Conformance cases of distributed graphs, read from JSON: one function per kind of case. Each function runs on
// all processes of the world. It returns why the case did not run, or "".
#pragma once

#include "support/conformance.hpp"
#include "support/graphs.hpp"

#include <memory>
#include <random>

namespace dri::test {

// The tag of an operation as text.
std::string tag_text(const Json &tag);

// The graph of a program. With dice, nodes are added in another order.
std::unique_ptr<NamedGraph> build_program(const Json &program, DRI_Group group, std::mt19937 *dice = nullptr);

// The kinds of faults, by the words of the cases.
DRI_Fault_kind fault_named(const std::string &name);

// Expects a call of all processes to have failed with the faults of a case.
void expect_faults(int code, const Json &expect);

// Without an engine: pytato_cases.cpp.
std::string check_pytato_schedule(const Json &c);
std::string check_pytato_complexity(const Json &c);
std::string check_pytato_verify(const Json &c);
std::string check_pytato_tags(const Json &c);

// Plans: pytato_plans.cpp.
std::string check_pytato_partition(const Json &c);
std::string check_pytato_shapes(const Json &c);
// `programs`: finds the case of an id.
std::string check_pytato_determinism(const Json &c, const std::vector<Json> &cases);
std::string check_pytato_collective(const Json &c, const std::vector<Json> &cases);

// Runs: pytato_runs.cpp.
void expect_outputs(DRI_Plan plan, const NamedGraph &graph, const Json &program, const Json &outputs);
std::string check_pytato_orders(const Json &c, const std::vector<Json> &cases);
std::string check_pytato_release(const Json &c, const std::vector<Json> &cases);
std::string check_pytato_repeat(const Json &c);
std::string check_pytato_property(const Json &c);

} // namespace dri::test
