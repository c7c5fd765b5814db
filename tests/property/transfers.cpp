// Random transfers: all ranks plan and run in this process; every byte of every buffer is judged.
#include "run_property.hpp"

#include "support/oracle_run.hpp"

namespace dri::test {

constexpr int transfer_cases = 5000;

TEST(RandomTransfers, every_element_arrives_and_nothing_else_changes) {
    run_property(transfer_cases, [] {
        const TransferCase c = *random_transfers();
        const std::string fault = find_fault(c);
        if (!fault.empty())
            RC_FAIL(fault);
    });
}

TEST(RandomTransfers, lines_say_all) {
    run_property(transfer_cases, [] {
        const TransferCase c = *random_transfers();
        const TransferCase again = from_line(to_line(c));
        RC_ASSERT(to_line(again) == to_line(c));
        for (SideSpec TransferCase::*side : {&TransferCase::source, &TransferCase::sink}) {
            RC_ASSERT((again.*side).rules == (c.*side).rules);
            RC_ASSERT((again.*side).ranks == (c.*side).ranks);
            RC_ASSERT((again.*side).offset == (c.*side).offset);
            RC_ASSERT((again.*side).sizes == (c.*side).sizes);
            RC_ASSERT((again.*side).layouts == (c.*side).layouts);
        }
        RC_ASSERT(again.type == c.type);
        RC_ASSERT(again.root == c.root);
        RC_ASSERT(again.options() == c.options());
    });
}

} // namespace dri::test
