// Conformance cases of distributed arrays, read from JSON: one function per kind of case. Each function runs on
// all processes of the world. It returns why the case did not run, or "".
#pragma once

#include "support/arrays.hpp"
#include "support/conformance.hpp"

#include <dri/loop.h>

#include <functional>
#include <memory>

namespace dri::test {

using Values = std::vector<double>;
using Loop = Owned<DRI_Loop, DRI_loop_destroy>;

// The group of the first processes of the world.
Group first_processes(int n);
// Calls f with a group for each number of processes that the case names and the world has, on the processes that
// are in it. Returns why none of them ran, or "".
std::string for_teams(const Json &teams, const std::function<void(DRI_Group, int)> &f);

// An array over [0, shape) whose processes own these rows; fills it by flat index if `fill` is set.
Array rows_array(const Numbers &shape, const std::vector<Numbers> &owned, DRI_Group group);
Array shape_array(const Numbers &shape, DRI_Group group);
// Sets what the process owns by the flat, row-major index in the whole array.
void fill_flat(DRI_Array array, const Numbers &shape, const std::function<double(int64_t)> &value);
// All elements, on every process of the array.
Values all_of(DRI_Array array, const Numbers &shape);
// The elements of a view in row-major order.
Values elements_of(const DRI_View &view);
// Left halo, owned elements, right halo; or one part.
std::vector<DRI_View> parts_of(DRI_Array array);

DRI_Box box_of(const Json &offsets, const Json &sizes);
Ranges ranges_of_slice(const Json &offsets, const Json &sizes, const Json &strides);
// Executes target = sum of weights times reads.
void weighted_sum(const DRI_Operand &target, const std::vector<DRI_Operand> &reads, const Values &weights);
DRI_Operand operand_of(DRI_Array array, const Ranges &slice);

// An array over memory of its own, as the case describes this process.
struct InitCase {
    std::vector<std::unique_ptr<Values>> memory;
    Array array;
    int code = DRI_SUCCESS;
    InitCase(const Json &input, DRI_Group group);
};

// Arithmetic: dist_kinds_pure.cpp.
std::string check_dist_partition(const Json &c);
std::string check_dist_target(const Json &c);
std::string check_dist_box(const Json &c);
std::string check_dist_property(const Json &c);
std::string check_dist_core(const Json &c);

// Parts and pieces: dist_kinds_pieces.cpp.
std::string check_dist_init(const Json &c);
std::string check_dist_init_error(const Json &c);
std::string check_dist_env(const Json &c);
std::string check_dist_device(const Json &c);
std::string check_dist_subview(const Json &c);
std::string check_dist_repartition(const Json &c);
std::string check_dist_no_copy(const Json &c);
std::string check_dist_collective(const Json &c);
std::string check_dist_persist(const Json &c);
std::string check_dist_ewuny(const Json &c);

// Statements and moves: dist_kinds_loops.cpp.
std::string check_dist_chain(const Json &c);
std::string check_dist_ewbin(const Json &c);
std::string check_dist_stencil(const Json &c);
std::string check_dist_insert(const Json &c);
std::string check_dist_reshape(const Json &c);
std::string check_dist_permute(const Json &c);
std::string check_dist_locals(const Json &c);
std::string check_dist_gather(const Json &c);

} // namespace dri::test
