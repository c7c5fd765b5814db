// Checks the arguments of the calls that declare an endpoint.
#include "api/declaration.hpp"

#include "api/arrays.hpp"
#include "api/generation.hpp"
#include "api/guard.hpp"
#include "model/tiling.hpp"

#include <algorithm>
#include <cstring>

namespace dri::api {

namespace {

std::string checked_name(const char *name) {
    require_pointer(name, "name");
    const size_t length = strnlen(name, DRI_MAX_NAME + 1);
    if (length == 0)
        fail(DRI_ERR_ARG, "name is empty");
    if (length > DRI_MAX_NAME)
        fail(DRI_ERR_ARG, "name is longer than {} bytes", int{DRI_MAX_NAME});
    return std::string(name, length);
}

commit::Role role_of(int role) {
    if (role == DRI_SOURCE)
        return commit::Role::source;
    if (role == DRI_SINK)
        return commit::Role::sink;
    fail(DRI_ERR_ARG, "role is {}, but must be DRI_SOURCE or DRI_SINK", role);
}

} // namespace

// A source must tile its array. This is checked here, so that the declaration fails and not the commit.
commit::Declaration get_declaration(const char *name, DRI_Role role,
                                    std::shared_ptr<const model::Distribution> dist, DRI_Layout layout, int nbuffs,
                                    void *const buffs[]) {
    commit::Declaration declaration;
    declaration.name = checked_name(name);
    declaration.role = role_of(number_of(role));
    declaration.dist = std::move(dist);
    if (declaration.role == commit::Role::source)
        model::check_source(*declaration.dist);
    declaration.layout = get_layout(layout);
    if (nbuffs < 1 || nbuffs > DRI_MAX_BUFFERS)
        fail(DRI_ERR_ARG, "nbuffs is {}, but must be 1 to {}", nbuffs, int{DRI_MAX_BUFFERS});
    declaration.buffers.assign(static_cast<size_t>(nbuffs), nullptr);
    if (buffs)
        std::copy_n(buffs, nbuffs, declaration.buffers.begin());
    return declaration;
}

// A name that another transfer has may mean something else from now on.
DRI_Xfer declare(commit::Declaration declaration) {
    const auto handle = make_handle<DRI_Xfer>(session()->declare(std::move(declaration)));
    start_generation();
    return handle;
}

} // namespace dri::api
