// The endpoints of a commit or query. As long as this object exists, they are pinned: no other thread changes or
// destroys them.
#pragma once

#include "commit/endpoint_table.hpp"

#include <functional>
#include <set>
#include <string>

namespace dri::commit {

class PinnedEndpoints {
public:
    explicit PinnedEndpoints(EndpointTable &table) : table_(table) {}
    ~PinnedEndpoints();
    PinnedEndpoints(const PinnedEndpoints &) = delete;
    PinnedEndpoints &operator=(const PinnedEndpoints &) = delete;
    // Pins all endpoints that are declared and not committed. Fails with DRI_ERR_STATE if an endpoint of the same
    // name is committed by a call of this kind.
    void pin_all();
    // The same for the endpoints of some names.
    void pin_named(const std::set<std::string, std::less<>> &names);
    // Fails with DRI_ERR_ARG if an endpoint is given twice, and as check() does.
    void pin(EndpointList endpoints);
    // Fails with DRI_ERR_STATE if one of them is committed, and with DRI_ERR_HANDLE if it is destroyed.
    void check(const EndpointList &endpoints) const;
    const EndpointList &endpoints() const { return endpoints_; }
    EndpointList others() const; // all that are not pinned here

private:
    void pin_declared(const std::function<bool(const std::string &)> &asked);
    void check_one(const std::shared_ptr<Endpoint> &endpoint) const; // the caller holds the lock of the table

    EndpointTable &table_;
    EndpointList endpoints_;
};

} // namespace dri::commit
