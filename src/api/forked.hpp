// Refuses the calls of a child that the program forks while the library is in use. The child has a copy of the
// library's memory, but neither its threads nor MPI.
#pragma once

namespace dri::api {

// The library is in use while an object of this class exists. Each call that starts or ends the library holds one
// from its first step on. Everything that lasts between these calls and needs threads or MPI holds one, too.
class InUse {
public:
    // Fails with DRI_ERR_STATE in such a child, and with DRI_ERR_MEMORY if no fork handler could be registered.
    InUse();
    ~InUse();
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
};

// Whether this process is such a child. Takes no lock, because a thread of the parent may have held it.
bool is_forked() noexcept;
// Fails with DRI_ERR_STATE in such a child.
void require_parent();

} // namespace dri::api
