// Runs random transfers with the kernels that a process would use, for each instruction set of this machine.
#include "run_property.hpp"

#include "kernel/kernel.hpp"
#include "support/oracle_run.hpp"
#include "support/sanitizer.hpp"

namespace dri::test {

const int kernel_cases = dri_test::rounds(400);

TEST(RandomTransfersByKernels, every_element_arrives_and_nothing_else_changes) {
    for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        for (Stores stores : {Stores::cached, Stores::fetched, Stores::streaming}) {
            SCOPED_TRACE(std::string(isa_name(static_cast<Isa>(isa))) +
                         (stores == Stores::streaming ? ", streaming"
                          : stores == Stores::fetched ? ", fetched"
                                                      : ", cached"));
            const Copier by_kernel = [&](const StridedCopy &copy, const std::byte *src, std::byte *dst) {
                BoundCopy bound = bind(copy, static_cast<Isa>(isa));
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
