// The attributes of an endpoint: one row of a table for each. DRI_xfer_set_attr, the wire form, the checks that
// processes agree, and the test of docs/reference/attributes.md all read this table. By name, match_endpoints()
// checks combinations of attributes, and check_value() checks what no range can state.
#pragma once

#include "base/fixed_vector.hpp"
#include "exec/workers.hpp"
#include "transport/transport.hpp"

#include <dri/attributes.h>

#include <array>
#include <cstdint>
#include <optional>

namespace dri::commit {

enum class Role : int32_t { source = 1, sink = 2 };
const char *role_name(Role role);

enum Way : int64_t {
    way_self = DRI_WAY_SELF,
    way_message = DRI_WAY_MESSAGE,
    way_direct = DRI_WAY_DIRECT,
    all_ways = way_self | way_message | way_direct
};

// A plan lists each message. Shorter ones would make the plan larger than the data. Lists of indices have tables
// of their own in each message, whose copies take about 3 KB.
constexpr int64_t min_message_bytes = 256, min_table_message_bytes = 8192;
constexpr int64_t max_message_bytes = transport::max_message_bytes;
constexpr int64_t max_threads = 1024;
constexpr int64_t all_dims = (int64_t{1} << max_dims) - 1; // a bit for each dimension
constexpr int64_t max_every = int64_t{1} << 20; // any number of frames times this one is far from an overflow
constexpr int64_t no_limit = INT64_MAX;

// Settings of an endpoint for how a transfer runs.
struct Attributes {
    int64_t ways = all_ways;
    int64_t message_bytes = max_message_bytes;
    int64_t convert = 0; // 1: the sink's type may differ from the source's
    int64_t threads = 1;
    int64_t share_bytes = exec::default_share_bytes; // minimum number of bytes that a thread copies
    int64_t measure = DRI_ESTIMATE;
    int64_t workspace_limit = no_limit; // in bytes, of this process's endpoint
    int64_t timeout_ms = 0;             // of a wait for a frame; 0: it has no bound
    int64_t stream = 0;                 // 1: frames have headers
    int64_t drop = DRI_HOLD;
    int64_t progress_thread = 0; // 1: a thread of the library moves frames, beside the caller's thread
    int64_t in_place = DRI_OUT_OF_PLACE;
    int64_t rebase = 0;              // bit d: the window slides along dimension d
    int64_t buffer_bytes = no_limit; // of each of the user's buffers; not checked without a value
    int64_t rebind = 0;              // 1: the buffer may change from frame to frame
    int64_t every = 1, phase = 0;    // of a sink: it takes each frame whose number modulo `every` is `phase`
    double scale = 1; // of a sink, by DRI_xfer_set_scale; all processes of the sink set the same value
};

// Which processes must agree on an attribute. Those of scope `own` are not sent to other processes, which learn
// only consequences, such as shorter messages.
enum class Scope {
    own,      // nobody; it applies to this process's endpoint alone
    smallest, // nobody; the smallest value of all endpoints of the name holds
    common,   // nobody; the bits that all endpoints of the name have hold
    side,     // all processes of the side
    name,     // all endpoints of the name
};

struct AttributeRow {
    DRI_Attr id;
    const char *name;
    Scope scope;
    std::optional<Role> role; // if only endpoints of that role have the attribute
    int64_t min, max;         // of values that a user sets
    int64_t Attributes::*member;
};

// In the order of their numbers. One row a line. The maximum of DRI_ATTR_REBASE also depends on the array, see
// check_value().
// clang-format off
inline constexpr auto attribute_table = std::to_array<AttributeRow>({
    {DRI_ATTR_WAYS, "DRI_ATTR_WAYS", Scope::common, {}, way_self, all_ways, &Attributes::ways},
    {DRI_ATTR_MESSAGE_BYTES, "DRI_ATTR_MESSAGE_BYTES", Scope::smallest, {}, min_message_bytes, max_message_bytes, &Attributes::message_bytes},
    {DRI_ATTR_CONVERT, "DRI_ATTR_CONVERT", Scope::side, Role::sink, 0, 1, &Attributes::convert},
    {DRI_ATTR_THREADS, "DRI_ATTR_THREADS", Scope::own, {}, 1, max_threads, &Attributes::threads},
    {DRI_ATTR_SHARE_BYTES, "DRI_ATTR_SHARE_BYTES", Scope::own, {}, 1, int64_t{1} << 40, &Attributes::share_bytes},
    {DRI_ATTR_PLAN, "DRI_ATTR_PLAN", Scope::own, {}, DRI_ESTIMATE, DRI_MEASURE, &Attributes::measure},
    {DRI_ATTR_WORKSPACE_LIMIT, "DRI_ATTR_WORKSPACE_LIMIT", Scope::own, {}, 0, int64_t{1} << 62, &Attributes::workspace_limit},
    {DRI_ATTR_TIMEOUT_MS, "DRI_ATTR_TIMEOUT_MS", Scope::own, {}, 0, INT32_MAX, &Attributes::timeout_ms},
    {DRI_ATTR_STREAM, "DRI_ATTR_STREAM", Scope::side, Role::source, 0, 1, &Attributes::stream},
    {DRI_ATTR_ON_FULL, "DRI_ATTR_ON_FULL", Scope::side, Role::sink, DRI_HOLD, DRI_DROP, &Attributes::drop},
    {DRI_ATTR_PROGRESS_THREAD, "DRI_ATTR_PROGRESS_THREAD", Scope::own, {}, 0, 1, &Attributes::progress_thread},
    {DRI_ATTR_IN_PLACE, "DRI_ATTR_IN_PLACE", Scope::name, {}, DRI_OUT_OF_PLACE, DRI_IN_PLACE_COMPACT, &Attributes::in_place},
    {DRI_ATTR_REBASE, "DRI_ATTR_REBASE", Scope::side, {}, 0, all_dims, &Attributes::rebase},
    {DRI_ATTR_BUFFER_BYTES, "DRI_ATTR_BUFFER_BYTES", Scope::own, {}, 0, int64_t{1} << 62, &Attributes::buffer_bytes},
    {DRI_ATTR_REBIND, "DRI_ATTR_REBIND", Scope::side, {}, 0, 1, &Attributes::rebind},
    {DRI_ATTR_EVERY, "DRI_ATTR_EVERY", Scope::side, Role::sink, 1, max_every, &Attributes::every},
    {DRI_ATTR_PHASE, "DRI_ATTR_PHASE", Scope::side, Role::sink, 0, max_every - 1, &Attributes::phase},
});
// clang-format on

// The row of an attribute. Fails with DRI_ERR_ARG if there is none.
const AttributeRow &row_of(int id);
// Fails with DRI_ERR_ARG if the value is out of range. ndims: of the endpoint's array.
void check_value(const AttributeRow &row, int64_t value, size_t ndims);

// The wire form: the attributes whose scope is not `own`, and the scale, without those that have their usual
// value.
void put(Writer &out, const Attributes &attributes);
Attributes get_attributes(Reader &in);

// The values that hold for a name whose endpoints have these two: of attributes with scope `smallest` the smaller
// one, with scope `common` the bits of both, of all others that of `a`.
Attributes restrict_to_both(const Attributes &a, const Attributes &b);

} // namespace dri::commit
