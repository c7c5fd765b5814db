// Compares digests over a group of its own.
#include "array/call_check.hpp"

#include "outer/agree.hpp"
#include "outer/owned.hpp"

#include <span>

namespace dri::array {

void compare_calls(const std::vector<int> &ranks, const Digest &called_with, const char *what,
                   const std::function<void()> &steps) {
    outer::OwnedGroup group;
    outer::require(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), group.out()));
    outer::agree({group.get(), ranks}, called_with, what, steps);
}

Digest digest_of_name(const std::string &name) { return digest(std::as_bytes(std::span(name))); }

} // namespace dri::array
