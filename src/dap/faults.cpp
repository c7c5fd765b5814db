// Names of rules, and faults as values.
#include "dap/faults.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace dri::dap {

namespace {

constexpr std::array rule_names{"",
                                "missing_key",
                                "extra_key",
                                "version",
                                "buffer",
                                "dist_type",
                                "type",
                                "size",
                                "proc_grid_size",
                                "proc_grid_rank",
                                "start",
                                "stop_lt_start",
                                "stop_gt_size",
                                "start_rank0",
                                "start_cyclic",
                                "padding",
                                "periodic",
                                "block_size",
                                "one_to_one",
                                "indices_buffer",
                                "indices_not_unique",
                                "ndim",
                                "shape",
                                "ndim",
                                "dist_type_disagrees",
                                "size_disagrees",
                                "grid_product",
                                "row_major",
                                "axis_identical",
                                "padding_counterpart",
                                "padding_too_wide",
                                "gap",
                                "overlap",
                                "coverage",
                                "one_to_one"};
static_assert(rule_names.size() == DRI_DAP_RULE_GROUP_ONE_TO_ONE + 1);

} // namespace

const char *name_of(DRI_Dap_rule rule) { return rule_names[static_cast<size_t>(rule)]; }

DRI_Dap_fault no_fault() {
    DRI_Dap_fault none{};
    none.dim = none.process = none.other = -1;
    none.name = none.key = "";
    return none;
}

void set_message(DRI_Dap_fault &fault, const std::string &message) {
    const size_t length = std::min(message.size(), sizeof fault.message - 1);
    std::memcpy(fault.message, message.data(), length);
    fault.message[length] = '\0';
}

DRI_Dap_fault make_fault_of(DRI_Dap_rule rule, int dim, const char *key, int64_t value, int64_t limit,
                            const std::string &message) {
    DRI_Dap_fault fault = no_fault();
    fault.rule = rule;
    fault.dim = dim;
    fault.name = name_of(rule);
    fault.key = key;
    fault.value = value;
    fault.limit = limit;
    set_message(fault, dim < 0 ? message : fmt::format("dimension {}: {}", dim, message));
    return fault;
}

void conclude(const std::optional<DRI_Dap_fault> &found, DRI_Code code, DRI_Dap_fault *fault) {
    if (fault)
        *fault = found.value_or(no_fault());
    if (found)
        fail(code, "{}", found->message);
}

} // namespace dri::dap
