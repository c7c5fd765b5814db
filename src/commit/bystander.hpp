// Endpoints that might be what is missing under a name. Only errors need them, so a commit that succeeds sends
// none.
#pragma once

#include "base/wire.hpp"
#include "commit/endpoint.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dri::commit {

using Endpoints = std::span<const std::shared_ptr<Endpoint>>;

// Why an endpoint is not among those of a name, in the order in which messages prefer them.
enum class Standing : uint8_t {
    left_out,  // it is declared under that name, but not in this commit
    committed, // it is committed under that name already
    near,      // it is in this commit, under a name that differs in few letters and does not match either
    other,     // the same under any other name: told of the one process whose endpoint is missing
};

struct Bystander {
    int rank = 0; // of the process that holds it
    Standing standing{};
    Role role = Role::source;
    std::string name; // its own
};

// The bystanders of one name on this process. mine: the endpoints of the commit. others: all other ones. disputed:
// the names that do not match, by name.
std::vector<Bystander> bystanders_of(const std::string &name, Endpoints mine, Endpoints others,
                                     const std::map<std::string, bool> &disputed, int rank);

// The wire form leaves out the rank, which the receiver knows as the sender's.
void put(Writer &out, const Bystander &bystander);
Bystander get_bystander(Reader &in, int rank);

// What a message about a missing endpoint adds, such as "; the nearest name of a sink is 'turn', on process 2".
// Empty if there is no bystander of that role. rank: the process whose endpoint is missing; none if the whole side
// is.
std::string hint(std::span<const Bystander> bystanders, Role role, std::optional<int> rank = std::nullopt);

} // namespace dri::commit
