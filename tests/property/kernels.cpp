// Runs random transfers with the kernels that a process would use, for each instruction set of this machine.
#include "run_property.hpp"

#include "kernel/bind.hpp"
#include "kernel/kernel.hpp"
#include "support/oracle_run.hpp"
#include "support/sanitizer.hpp"

namespace dri::test {

const int kernel_cases = rounds(400);

TEST(RandomTransfersByKernels, every_element_arrives_and_nothing_else_changes) {
    for (int isa = 0; isa <= static_cast<int>(kernel::best_isa()); ++isa)
        for (kernel::Stores stores :
             {kernel::Stores::cached, kernel::Stores::fetched, kernel::Stores::streaming}) {
            SCOPED_TRACE(std::string(kernel::isa_name(static_cast<kernel::Isa>(isa))) +
                         (stores == kernel::Stores::streaming ? ", streaming"
                          : stores == kernel::Stores::fetched ? ", fetched"
                                                              : ", cached"));
            const Copier by_kernel = [&](const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
                kernel::BoundCopy bound = kernel::bind(copy, static_cast<kernel::Isa>(isa));
                bound.stores = stores;
                bound(src, dst);
            };
            run_property(kernel_cases, [&] {
                const TransferCase c = *random_transfers();
                const std::string fault = find_fault(c, by_kernel);
                if (!fault.empty())
                    RC_FAIL(fault);
            });
        }
}

} // namespace dri::test
