// Waits for processes that ask a user's map first.
#pragma once

#include "domain/domain_map.hpp"

#include <functional>
#include <initializer_list>

namespace dri::domain {

// Runs steps that wait for other processes. After a deadline the message names the users' maps among these,
// because a function of theirs may be slow on a process that does not come.
void wait_for_maps(std::initializer_list<const DomainMap *> maps, const std::function<void()> &steps);

} // namespace dri::domain
