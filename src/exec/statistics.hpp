// What an endpoint has done and what it exchanges, as values: from its counters, its times and its plans.
#pragma once

#include "exec/frame_times.hpp"
#include "flow/call.hpp"

#include <cstdint>
#include <vector>

namespace dri::exec {

class LocalTransfer;

// How bytes travel between two processes.
enum class Path { self, message, direct };

// What an endpoint exchanges with one process by one path in one frame. If frames are strips, in the frames of one
// array.
struct PeerTraffic {
    int rank = 0; // may be this process
    Path path{};
    int64_t bytes = 0, messages = 0; // payload
};

// Bytes and messages count all frames of this process, payload in the source's type.
struct Statistics {
    int64_t frames = 0;  // source: inserted; sink: extracted
    int64_t dropped = 0; // source: frames not sent to its sinks; sink: frames that it has not received
    int64_t self_bytes = 0, message_bytes = 0, direct_bytes = 0, messages = 0;
    int64_t peers = 0; // other processes with which the endpoint exchanges data
    int64_t buffer_bytes = 0, workspace_bytes = 0, plan_bytes = 0;
    double last_seconds = 0, total_seconds = 0;
    Percentiles frame_seconds, wait_seconds, copy_seconds; // of the last frames
};

// A frame's time and the bytes that it moves according to the plan.
struct TimedFrame {
    FrameTime time;
    int64_t bytes = 0;
};

// of: one endpoint of the transfer. Any thread may make these calls while another one runs a frame.
Statistics statistics(const LocalTransfer &transfer, const flow::CallEndpoints &of);
std::vector<TimedFrame> timed_frames(const LocalTransfer &transfer, const flow::CallEndpoints &of,
                                     int64_t max_frames);
std::vector<PeerTraffic> peer_traffic(const LocalTransfer &transfer,
                                      const flow::CallEndpoints &of); // by rising rank, path

} // namespace dri::exec
