// The work that the MPI transport does while its process waits.
#include "support/set_up_words.hpp"
#include "support/work_while_waiting.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace dri::test {
namespace {

TEST(MpiTransportWaits, DoOtherWork) {
    const auto transport = dri::transport::make_mpi_transport(MPI_COMM_WORLD);
    expect_work_while_waiting(*transport);
    transport->close(soon());
}

} // namespace
} // namespace dri::test
