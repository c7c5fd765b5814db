// The calls that compare the descriptions of all processes.
#include "dap/agreement.hpp"
#include "dap/faults.hpp"
#include "outer/calls.hpp"

namespace dri::dap {

namespace {

void check_all(int n, const DRI_Dap all[], DRI_Dap_fault *fault) {
    std::vector<Member> members;
    for (int q = 0; q < n; ++q) {
        if (auto found = fault_of_dims(all[q])) {
            found->process = q;
            set_message(*found, fmt::format("process {}: {}", q, found->message));
            conclude(found, DRI_ERR_ARG, fault);
        }
        members.push_back(make_member(all[q], q));
    }
    conclude(group_fault(members), DRI_ERR_MISMATCH, fault);
}

} // namespace

} // namespace dri::dap

extern "C" {

int DRI_dap_check_all(int n, const DRI_Dap all[], DRI_Dap_fault *fault) {
    return dri::outer::run("DRI_dap_check_all", [&] {
        if (n < 1)
            dri::fail(DRI_ERR_ARG, "n is {}, but must be >= 1", n);
        dri::outer::require_pointer(all, "all");
        dri::dap::check_all(n, all, fault);
    });
}

int DRI_dap_check(const DRI_Dap *mine, DRI_Group group, DRI_Dap_fault *fault) {
    return dri::outer::run("DRI_dap_check", [&] {
        const dri::dap::Processes members = dri::dap::read_group(group);
        dri::dap::agree(
            members, mine, 0, [](const DRI_Dap &) {}, fault);
    });
}
}
