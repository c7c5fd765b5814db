// The endpoints of a process, by name. Any thread may declare, change, look up or destroy them while another one
// commits or queries. Those of a commit or query are pinned, which makes calls that would change them fail with
// DRI_ERR_STATE.
#pragma once

#include "commit/endpoint.hpp"
#include "model/distribution.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dri::commit {

using EndpointList = std::vector<std::shared_ptr<Endpoint>>;

// Finds a string by a view of it: calls by name look a transfer up in every frame, and must not allocate.
struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

class EndpointTable {
public:
    void add(const std::shared_ptr<Endpoint> &endpoint);
    // Fails with DRI_ERR_STATE if the endpoint is pinned.
    void change(Endpoint &endpoint, const std::function<void(Attributes &)> &change);
    // To be called before an endpoint is destroyed. Fails with DRI_ERR_STATE if it is pinned. Removes it if it is
    // not committed. Returns whether it is committed, so that destroy() follows.
    bool begin_destroying(const std::shared_ptr<Endpoint> &endpoint);
    // Returns whether no other endpoint of its committed transfer is left.
    bool remove(const std::shared_ptr<Endpoint> &endpoint);

    // An endpoint of that name: of the transfer that was committed with all that was declared, otherwise of the
    // only transfer. Fails with DRI_ERR_ARG if there is none, and with DRI_ERR_STATE if there are several
    // transfers.
    std::shared_ptr<Endpoint> find(std::string_view name) const;
    std::map<Digest, std::shared_ptr<const model::Distribution>> distributions() const; // of all endpoints
    // Fails with DRI_ERR_STATE if an endpoint has a buffer in that range, and names the endpoint.
    void refuse_use(const std::byte *begin, int64_t bytes) const;

    // At the end of the session, all endpoints leave. Those that begin_leaving() returns stay in the table until
    // end_leaving(), so that their buffers are known; a later begin_leaving() returns them again.
    EndpointList begin_leaving();
    void end_leaving(const std::shared_ptr<Endpoint> &endpoint);

private:
    friend class PinnedEndpoints;
    // The caller of these holds mutex_.
    bool erase(const std::shared_ptr<Endpoint> &endpoint); // as remove()
    std::span<const std::shared_ptr<Endpoint>> named(std::string_view name) const;
    template <class Visit> void for_each(const Visit &visit) const;

    mutable std::mutex mutex_; // guards the members below and the pins of all endpoints
    // By name, in the order of declaration; no list is empty.
    std::unordered_map<std::string, EndpointList, NameHash, std::equal_to<>> endpoints_;
    EndpointList leaving_;
};

} // namespace dri::commit
