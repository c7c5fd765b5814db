// Maps of the user: functions that answer for them.
#pragma once

#include "base/failures.hpp"
#include "domain/holding.hpp"

#include <dri/map.h>

#include <memory>
#include <string>
#include <vector>

namespace dri::domain {

// Calls the functions, and turns their failures into errors that name the map and the function. A value: copies
// share the context, which is destroyed with the last of them.
class UserMap {
public:
    // Fails with DRI_ERR_ARG for functions that are incomplete. The context is taken over by keep_context().
    UserMap(const DRI_Map_ops *ops, int ndims);
    void keep_context(void *ctx);

    const DRI_Map_ops &ops() const { return ops_; }
    const std::string &name() const { return name_; }
    int ndims() const { return ndims_; }
    void *context() const { return context_.get(); }

    // A position below `positions`. Fails with DRI_ERR_ARG for another answer.
    int owner(const int64_t index[], int positions) const;
    bool has_local() const { return ops_.local != nullptr; }
    // Boxes of members of the domain, in the order of memory.
    std::vector<Ranges> local(int position, const Ranges &whole) const;

    bool equals(const UserMap &other) const;
    std::string text() const;
    std::vector<std::byte> pack() const;
    // Makes the context from bytes of pack().
    void unpack(const std::vector<std::byte> &bytes);

    // Fails for a code that is none of DRI_SUCCESS, with the message that the function has reported, if it has.
    // before: the thread's number of failures before the call.
    void require(int code, const char *function, int64_t before) const {
        if (code != DRI_SUCCESS) [[unlikely]]
            fail_for(code, function, thread_failures.count != before);
    }

private:
    [[noreturn]] void fail_for(int code, const char *function, bool has_reported) const;
    // Calls a function that does not call the library. What it reports becomes part of the failure of this call.
    template <class F> void call(const char *function, F &&f) const {
        const QuietFailures quiet;
        const int64_t before = thread_failures.count;
        require(f(), function, before);
    }

    DRI_Map_ops ops_;
    std::string name_;
    int ndims_;
    std::shared_ptr<void> context_;
};

// What each position owns of a domain, as boxes of dense indices in the order of memory. Asks `local`, or the
// owner of every index.
std::vector<std::vector<Ranges>> boxes_of(const UserMap &map, const Ranges &whole, int positions);

// The holdings of all positions: products if all positions together form a grid of lists.
struct UserHoldings {
    std::vector<std::shared_ptr<const Holding>> all; // by position
    bool is_grid = false;
    // Of a grid: how many members each list along each dimension has, and the place of each position in the
    // row-major grid.
    std::vector<std::vector<int64_t>> lists;
    std::vector<int> cells;
};
UserHoldings make_holdings(const std::vector<std::vector<Ranges>> &boxes, const Dims &sizes);

} // namespace dri::domain
