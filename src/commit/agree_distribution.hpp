// A distribution is created by all processes of its group together.
#pragma once

#include "commit/decision.hpp"
#include "model/distribution.hpp"
#include "model/group.hpp"
#include "model/request.hpp"

#include <functional>
#include <memory>

namespace dri::commit {

// Collective over the party, whose group is `asked` in rising order. make: returns this process's request, or
// fails. Fails on all processes if any of them fails, and with DRI_ERR_MISMATCH if the requests differ.
std::shared_ptr<const model::Distribution> agree_on_distribution(const Party &party, const model::Group &asked,
                                                                 const std::function<model::Request()> &make);

} // namespace dri::commit
