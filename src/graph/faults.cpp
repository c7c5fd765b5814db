// Sorts faults, keeps those of each thread, and puts them into words.
#include "graph/faults.hpp"

#include "outer/calls.hpp"

#include <algorithm>
#include <tuple>

namespace dri::graph {

namespace {

DRI_Code code_of_fault(DRI_Fault_kind kind) {
    switch (kind) {
    case DRI_FAULT_SELF: return DRI_ERR_UNSUPPORTED;
    case DRI_FAULT_DUPLICATE_SEND:
    case DRI_FAULT_DUPLICATE_RECV:
    case DRI_FAULT_DUPLICATE_OUTPUT: return DRI_ERR_DUPLICATE;
    case DRI_FAULT_MISSING_SEND:
    case DRI_FAULT_MISSING_RECV:
    case DRI_FAULT_UNDEFINED_INPUT: return DRI_ERR_UNMATCHED;
    case DRI_FAULT_MISMATCH: return DRI_ERR_MISMATCH;
    case DRI_FAULT_OWN_OUTPUT:
    case DRI_FAULT_CYCLE:
    case DRI_FAULT_PARTS_CYCLE: return DRI_ERR_CYCLE;
    }
    return DRI_ERR_INTERNAL;
}

std::vector<GraphFault> &kept_faults() {
    static thread_local std::vector<GraphFault> kept;
    return kept;
}

// Who else needs itself, since a cycle is of several. All faults of a kind stand together.
std::string others_in_cycles(const std::vector<GraphFault> &faults) {
    constexpr size_t most = 4;
    const DRI_Fault_kind kind = faults.front().kind;
    std::string text;
    if (kind != DRI_FAULT_CYCLE && kind != DRI_FAULT_PARTS_CYCLE)
        return text;
    for (size_t i = 1; i < std::min(faults.size(), most) && faults[i].kind == kind; ++i)
        text += (i == 1 ? ", as does " : ", and ") + faults[i].subject();
    return text;
}

} // namespace

std::string GraphFault::subject() const {
    return kind == DRI_FAULT_CYCLE ? operation.text() : fmt::format("part {} of process {}", pid, rank);
}

std::string GraphFault::text() const {
    const std::string what = operation.text(), part = subject();
    switch (kind) {
    case DRI_FAULT_SELF: return fmt::format("{} is from process {} to itself", what, rank);
    case DRI_FAULT_DUPLICATE_SEND: return fmt::format("process {} sends {} twice", rank, what);
    case DRI_FAULT_DUPLICATE_RECV: return fmt::format("process {} receives {} twice", rank, what);
    case DRI_FAULT_MISSING_SEND:
        if (operation.is_transfer())
            return fmt::format("{} has no source on process {}", what, rank);
        return fmt::format("process {} receives {}, but process {} does not send it", operation.dest, what, rank);
    case DRI_FAULT_MISSING_RECV:
        if (operation.is_transfer())
            return fmt::format("{} has no sink on process {}", what, rank);
        return fmt::format("process {} sends {}, but process {} does not receive it", operation.src, what, rank);
    case DRI_FAULT_UNDEFINED_INPUT: return fmt::format("{} reads '{}', which nobody gives", part, name);
    case DRI_FAULT_OWN_OUTPUT: return fmt::format("{} reads its own output '{}'", part, name);
    case DRI_FAULT_DUPLICATE_OUTPUT: return fmt::format("{} gives '{}', as another part does", part, name);
    case DRI_FAULT_MISMATCH: return fmt::format("both ends of {} differ: {}", what, detail);
    case DRI_FAULT_CYCLE: return fmt::format("{} needs itself to be complete before it can start", what);
    case DRI_FAULT_PARTS_CYCLE: return fmt::format("{} waits for itself", part);
    }
    return "";
}

void forget_faults() noexcept { kept_faults().clear(); }

void require_faultless(std::vector<GraphFault> faults) {
    if (faults.empty())
        return;
    const auto key = [](const GraphFault &f) { return std::tie(f.kind, f.operation, f.rank, f.pid, f.name); };
    std::sort(faults.begin(), faults.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
    std::string text = faults.front().text() + others_in_cycles(faults);
    if (faults.size() > 1)
        text += fmt::format(" (the first of {} faults)", faults.size());
    const DRI_Code code = code_of_fault(faults.front().kind);
    kept_faults() = std::move(faults);
    fail(code, "{}", text);
}

} // namespace dri::graph

extern "C" {

int DRI_graph_get_faults(int most, DRI_Fault faults[], int *n) {
    return dri::outer::run("DRI_graph_get_faults", [&] {
        dri::outer::require_pointer(n, "n");
        *n = 0;
        if (most < 0)
            dri::fail(DRI_ERR_ARG, "most is {}, but must be at least 0", most);
        if (most > 0)
            dri::outer::require_pointer(faults, "faults");
        const auto &kept = dri::graph::kept_faults();
        for (size_t i = 0; i < std::min(kept.size(), static_cast<size_t>(most)); ++i) {
            const dri::graph::GraphFault &fault = kept[i];
            const bool has_operation = !fault.operation.tag.empty();
            faults[i] = {};
            faults[i].kind = fault.kind;
            faults[i].rank = fault.rank;
            faults[i].pid = fault.pid;
            faults[i].operation = {fault.operation.src, fault.operation.dest,
                                   has_operation ? fault.operation.tag.c_str() : nullptr, DRI_Gdo{}, nullptr};
            faults[i].name = fault.name.empty() ? nullptr : fault.name.c_str();
        }
        *n = static_cast<int>(kept.size());
    });
}
}
