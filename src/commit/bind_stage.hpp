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

// The memory of other processes that this one pulls from.
struct OtherMemory {
    SourceHandles handles = {};
    ReadSources read = {}; // those of `handles` that are read where they lie
};

// Makes the transfer and moves the buffers into it. Fails with DRI_ERR_TRANSPORT if the memory of another process
// cannot be opened; also fails if memory or threads are short. If it fails, `reserved` keeps its source's memory.
// The others can then still open that memory, and do not fail for a second reason.
Bound bind_stage(Reserved &reserved, const OtherMemory &others, const Binder &binder);

// Whether any of this process's endpoints has its kernels measured.
bool measures(const Planned &planned);

} // namespace dri::commit
