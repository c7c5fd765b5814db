// The calls of info.h: what endpoints have done, and their plans in words.
#include "api/arrays.hpp"
#include "api/lookup.hpp"
#include "base/checked.hpp"
#include "commit/endpoint.hpp"
#include "exec/statistics.hpp"

#include <dri/info.h>

namespace dri::api {

namespace {

DRI_Spread to_public(const exec::Percentiles &spread) { return {spread.p50, spread.p99, spread.max}; }

exec::EndpointSet alone(const commit::Endpoint &endpoint) { return endpoint.endpoints(commit::Moves::endpoint); }

DRI_Xfer_info info_of(const commit::Endpoint &endpoint) {
    const exec::Statistics s = exec::statistics(*endpoint.transfer(), alone(endpoint));
    DRI_Xfer_info info{};
    info.frames = s.frames;
    info.bytes_self = s.self_bytes;
    info.bytes_message = s.message_bytes;
    info.messages = s.messages;
    info.peers = s.peers;
    info.buffer_bytes = s.buffer_bytes;
    info.workspace_bytes = s.workspace_bytes;
    info.plan_bytes = s.plan_bytes;
    info.commit_seconds = endpoint.commitment().seconds;
    info.last_seconds = s.last_seconds;
    info.total_seconds = s.total_seconds;
    info.bytes_direct = s.direct_bytes;
    info.threads = endpoint.declaration().attributes.threads;
    info.frame_seconds = to_public(s.frame_seconds);
    info.wait_seconds = to_public(s.wait_seconds);
    info.copy_seconds = to_public(s.copy_seconds);
    info.dropped = s.dropped;
    return info;
}

int way_of(exec::Path path) {
    switch (path) {
    case exec::Path::self: return DRI_WAY_SELF;
    case exec::Path::message: return DRI_WAY_MESSAGE;
    case exec::Path::direct: return DRI_WAY_DIRECT;
    }
    fail(DRI_ERR_INTERNAL, "a path has no way");
}

DRI_Peer to_public(const exec::PeerTraffic &traffic) {
    DRI_Peer peer{};
    peer.rank = traffic.rank;
    peer.way = way_of(traffic.path);
    peer.bytes = traffic.bytes;
    peer.messages = traffic.messages;
    return peer;
}

DRI_Frame_times to_public(const exec::TimedFrame &frame) {
    constexpr double second = 1e-9; // seconds in a nanosecond
    const exec::FrameTime &time = frame.time;
    DRI_Frame_times out{};
    out.frame = time.frame;
    out.done = static_cast<double>(time.done_ns) * second;
    out.seconds = static_cast<double>(time.frame_ns) * second;
    out.wait_seconds = static_cast<double>(time.wait_ns) * second;
    out.copy_seconds = static_cast<double>(time.frame_ns - time.wait_ns) * second;
    out.bytes = frame.bytes;
    return out;
}

// The user's array of `capacity` entries.
template <class T> std::span<T> array_of(int capacity, T *entries, const char *name) {
    if (capacity < 0)
        fail(DRI_ERR_ARG, "capacity is {}, but must be at least 0", capacity);
    return checked_array(entries, static_cast<size_t>(capacity), name);
}

// Writes as many entries as the user's array holds, and returns how many there are.
template <class From, class To> int write(const std::vector<From> &from, std::span<To> out) {
    std::transform(from.begin(), from.begin() + std::min(std::ssize(from), std::ssize(out)), out.begin(),
                   [](const From &one) { return to_public(one); });
    return narrow<int>(std::ssize(from));
}

static_assert(int64_t{DRI_MAX_TIMES} == exec::FrameTimes::capacity);
static_assert(sizeof(DRI_Xfer_info) == 26 * sizeof(int64_t),
              "programs built with earlier versions pass a structure of this size");

} // namespace

} // namespace dri::api

extern "C" {

int DRI_xfer_get_info(DRI_Xfer xfer, DRI_Xfer_info *info) {
    return dri::api::guard("DRI_xfer_get_info", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(info, "info");
        *info = dri::api::info_of(*endpoint);
    });
}

int DRI_xfer_get_peers(DRI_Xfer xfer, int capacity, DRI_Peer peers[], int *n) {
    return dri::api::guard("DRI_xfer_get_peers", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        const auto out = dri::api::array_of(capacity, peers, "peers");
        dri::api::require_pointer(n, "n");
        *n = dri::api::write(dri::exec::peer_traffic(*endpoint->transfer(), dri::api::alone(*endpoint)), out);
    });
}

int DRI_xfer_get_times(DRI_Xfer xfer, int capacity, DRI_Frame_times times[], int *n) {
    return dri::api::guard("DRI_xfer_get_times", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        const auto out = dri::api::array_of(capacity, times, "times");
        dri::api::require_pointer(n, "n");
        *n = dri::api::write(dri::exec::timed_frames(*endpoint->transfer(), dri::api::alone(*endpoint), capacity),
                             out);
    });
}

int DRI_xfer_explain(DRI_Xfer xfer, char *text, size_t n) {
    return dri::api::guard("DRI_xfer_explain",
                           [&] { dri::api::copy_text(dri::api::get_endpoint(xfer)->explain(), text, n); });
}
}
