// Faults of descriptions, and the rules of one description.
#pragma once

#include "base/error.hpp"

#include <dri/dap.h>

#include <optional>
#include <string>

namespace dri::dap {

// A fault of a process's description that concerns no other process. key: a static string.
template <class... Args>
DRI_Dap_fault make_fault(DRI_Dap_rule rule, int dim, const char *key, int64_t value, int64_t limit,
                         fmt::format_string<Args...> text, Args &&...args);
DRI_Dap_fault make_fault_of(DRI_Dap_rule rule, int dim, const char *key, int64_t value, int64_t limit,
                            const std::string &message);
// No fault.
DRI_Dap_fault no_fault();
// The name of a rule in the protocol's words, such as "stop_gt_size".
const char *name_of(DRI_Dap_rule rule);
// Sets the fault's message, which is cut if it is too long.
void set_message(DRI_Dap_fault &fault, const std::string &message);

// The keys that a kind of dimension must have; of an unknown kind those that all have.
uint32_t needed_keys(int32_t dist_type);
// The fault of the smallest rule. number: of the dimension. extent: -1 if there is no buffer.
std::optional<DRI_Dap_fault> fault_of(const DRI_Dap_dim &dim, int number, int64_t extent);
// The same without a buffer, and without the search for repeated indices.
std::optional<DRI_Dap_fault> quick_fault_of(const DRI_Dap_dim &dim);
std::optional<DRI_Dap_fault> fault_of(const DRI_Dap &dap);
// The same for its dimensions alone.
std::optional<DRI_Dap_fault> fault_of_dims(const DRI_Dap &dap);

// Tells the caller what was found. Fails with the code if that is a fault.
void conclude(const std::optional<DRI_Dap_fault> &found, DRI_Code code, DRI_Dap_fault *fault);

template <class... Args>
DRI_Dap_fault make_fault(DRI_Dap_rule rule, int dim, const char *key, int64_t value, int64_t limit,
                         fmt::format_string<Args...> text, Args &&...args) {
    return make_fault_of(rule, dim, key, value, limit, fmt::vformat(text, fmt::make_format_args(args...)));
}

} // namespace dri::dap
