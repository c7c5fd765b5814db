// Who must have stopped before MPI goes.
#pragma once

#include <functional>

namespace dri {

// Calls `last` once: as MPI_Finalize begins, when MPI may still be called, or when this object goes before.
class MpiEnding {
public:
    // Local. Fails with DRI_ERR_TRANSPORT.
    explicit MpiEnding(std::function<void()> last);
    ~MpiEnding();
    MpiEnding(const MpiEnding &) = delete;
    MpiEnding &operator=(const MpiEnding &) = delete;

private:
    std::function<void()> last_;
    int keyval_;
};

} // namespace dri
