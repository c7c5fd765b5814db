// A callback for what must stop before MPI is finalised, such as a thread that calls MPI.
#pragma once

#include <functional>

namespace dri::transport {

// Calls `last` once: at the start of MPI_Finalize, when MPI may still be called, or in the destructor of this
// object if that comes first.
class MpiShutdown {
public:
    // Local. Fails with DRI_ERR_TRANSPORT.
    explicit MpiShutdown(std::function<void()> last);
    ~MpiShutdown();
    MpiShutdown(const MpiShutdown &) = delete;
    MpiShutdown &operator=(const MpiShutdown &) = delete;

private:
    std::function<void()> last_;
    int keyval_;
};

} // namespace dri::transport
