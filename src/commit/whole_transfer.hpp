// What a call that makes a whole transfer at once needs.
#pragma once

#include "commit/endpoint.hpp"
#include "model/distribution.hpp"
#include "model/request.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace dri::commit {

using Distributions = std::vector<std::shared_ptr<const model::Distribution>>;
using Declare = std::function<std::shared_ptr<Endpoint>(Declaration)>;

struct WholeTransfer {
    // The distributions that the processes agree on first.
    std::vector<std::function<model::Request()>> requests;
    // Declares the endpoints of this process. It may fail: all processes then fail.
    std::function<void(const Distributions &dists, const Declare &declare)> declare;
};

} // namespace dri::commit
