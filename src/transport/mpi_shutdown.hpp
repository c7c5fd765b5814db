// Who must have stopped before MPI goes.
#pragma once

#include <functional>

namespace dri {

// Calls `last` once: as MPI_Finalize begins, when MPI may still be called, or when this object goes before.
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

} // namespace dri
