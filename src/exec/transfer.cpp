// A transfer is made, and closes the file of its shared memory.
#include "exec/transfer.hpp"

#include "transport/transport.hpp"

namespace dri::exec {

LocalTransfer::LocalTransfer(std::string name, std::optional<SourceEnd> source, std::vector<Flow> flows,
                             std::shared_ptr<transport::Transport> transport)
    : parts_(std::move(name), std::move(source), std::move(flows), std::move(transport)) {}

void LocalTransfer::close_file() {
    if (parts_.source && parts_.source->shared)
        parts_.source->shared->close_file();
}

} // namespace dri::exec
