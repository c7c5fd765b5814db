// Reserved -> bound: opens the memory of other processes, chooses kernels, and prepares messages.
#pragma once

#include "commit/memory_handles.hpp"
#include "commit/stages.hpp"
#include "exec/kernels.hpp"
#include "exec/workers.hpp"
#include "transport/opened_memory.hpp"
#include "transport/transport.hpp"

#include <memory>

namespace dri::commit {

// What all transfers of a process share.
struct Binder {
    exec::KernelChooser &chooser;
    exec::WorkerPool &pool; // the threads of the process
    const std::shared_ptr<transport::Transport> &transport;
    const std::shared_ptr<transport::OpenedMemory> &opened;
};

// Makes the transfer from the layouts and the buffers. handles: the memory of other processes that this one pulls
// from. Fails with DRI_ERR_TRANSPORT if it cannot be opened; also fails if memory or threads are short.
Bound bind_stage(Reserved reserved, const SourceHandles &handles, const Binder &binder);

// Whether any of this process's endpoints has its kernels measured.
bool measures(const Planned &planned);

} // namespace dri::commit
