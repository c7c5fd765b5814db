// The end of the MPI transport when something fails: a process is late, or an exception comes from elsewhere.
#include "commit/session.hpp"
#include "support/forwarding_transport.hpp"
#include "support/set_up_words.hpp"
#include "support/world.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace dri::test {

long unreceived_messages(); // of communicators that have been freed: transport_mpi.cpp, beside the counter

} // namespace dri::test

namespace {

using namespace dri;
using namespace dri::test;

// All processes have agreed to close, and this one is held up before it does.
class HeldUp final : public ForwardingTransport {
public:
    HeldUp(transport::Transport &inner, bool is_late) : ForwardingTransport(inner), late_(is_late) {}
    void close(transport::Deadline deadline) override {
        if (!std::exchange(late_, false))
            return ForwardingTransport::close(deadline);
        MPI_Barrier(MPI_COMM_WORLD); // until the others have given up
        ForwardingTransport::close(soon());
    }

private:
    bool late_;
};

TEST(MpiTransportEnd, AProcessThatGaveUpEndsAfterTheOthers) {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        GTEST_SKIP() << "needs a process that is late";
    setenv("DRI_SETUP_TIMEOUT", "1", 1);
    const auto inner = transport::make_mpi_transport(MPI_COMM_WORLD);
    commit::Session session(std::make_unique<HeldUp>(*inner, rank == size - 1));
    unsetenv("DRI_SETUP_TIMEOUT");
    if (rank != size - 1) {
        EXPECT_EQ(code_of([&] { session.close(); }), DRI_ERR_TIMEOUT);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT_EQ(code_of([&] { session.close(); }), DRI_SUCCESS);
}

// One process closes again at once, and agrees with the others to do so. Another one comes later, when all have
// closed. Open MPI would take a message of a communicator that has been freed for one of another communicator, and
// a later call on that one would never end.
TEST(MpiTransportEnd, NoMessageIsLeftBehindByACallThatIsRepeated) {
    const World world = dri::test::world();
    if (world.size < 3)
        GTEST_SKIP() << "needs a process that is late, and two that close again";
    setenv("DRI_SETUP_TIMEOUT", "1", 1);
    const auto inner = transport::make_mpi_transport(MPI_COMM_WORLD);
    commit::Session session(std::make_unique<HeldUp>(*inner, world.rank == world.size - 1));
    unsetenv("DRI_SETUP_TIMEOUT");
    const long before = unreceived_messages();
    if (world.rank != world.size - 1) {
        EXPECT_EQ(code_of([&] { session.close(); }), DRI_ERR_TIMEOUT);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (world.rank == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(code_of([&] { session.close(); }), DRI_SUCCESS);
    EXPECT_EQ(unreceived_messages(), before);
}

// What a process does while it waits may fail in any way. The message still arrives whole.
TEST(MpiTransportEnd, AnyExceptionLeavesTheMessageUnderWay) {
    const auto transport = transport::make_mpi_transport(MPI_COMM_WORLD);
    const int rank = transport->rank(), size = transport->size();
    const std::string big(size_t{8} << 20, 'b'); // more than MPI sends ahead
    transport->set_meanwhile([]() -> bool { throw std::bad_alloc(); });
    if (size > 1) {
        EXPECT_THROW(transport->send((rank + 1) % size, 2, text(big), soon()), std::bad_alloc);
    }
    transport->set_meanwhile(nullptr);
    const std::string other(big.size(), 'c'); // where the message was, if its memory has been freed
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 1) {
        EXPECT_EQ(as_string(transport->receive((rank + size - 1) % size, 2, soon())), big);
    }
    transport->close(soon());
}

TEST(MpiTransportEnd, NoExceptionPassesThroughMpi) {
    const auto transport = transport::make_mpi_transport(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int calls = 0;
    auto hook = transport->before_finish([&] {
        ++calls;
        throw std::bad_alloc();
    });
    hook.reset();
    EXPECT_EQ(calls, 1);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    transport->close(soon());
}

} // namespace
