// The stages of a commit as values. One function makes each from the one before:
//
//   endpoints       -> MatchedTransfer (protocol.hpp)   what the processes agree on
//   MatchedTransfer -> Planned  (plan_stage.hpp)        plans and peers of this process
//   Planned         -> Sized    (size_stage.hpp)        all memory, as layouts; a query ends here
//   Sized           -> Reserved (reserve_stage.hpp)     buffers
//   Reserved        -> Bound    (bind_stage.hpp)        kernels, messages and memory of others; it can run
//
// The functions are local, except the first. pipeline.hpp runs them, with the other collective steps between them.
#pragma once

#include "commit/buffer_layout.hpp"
#include "commit/endpoint.hpp"
#include "commit/match.hpp"
#include "exec/drop_control.hpp"
#include "exec/header_channel.hpp"
#include "exec/lane_layout.hpp"
#include "exec/transfer.hpp"
#include "exec/window.hpp"
#include "plan/plan.hpp"
#include "transport/shared_source.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace dri::commit {

// What this process does between the source and one sink, if it is in either.
struct PlannedFlow {
    size_t sink = 0; // index among the sinks of the matched transfer
    std::shared_ptr<const plan::Plan> plan;
    std::shared_ptr<Endpoint> endpoint = nullptr;         // null: this process is not in that sink
    std::shared_ptr<const exec::Window> window = nullptr; // of the sink's endpoint; null if it does not slide
    int64_t first_puller = 0; // number of the flow's first puller among all pullers of the source
    exec::HeaderPeers headers = {};
    exec::DropPeers drop = {};
    // Memory of the endpoint for tiles of the sources that it reads where they lie. Empty until it is known which
    // these are, see with_tiles().
    std::optional<int64_t> tile_bytes = {};
};

// A transfer with its plans. It refers to the matched transfer, which must outlive it.
struct Planned {
    const MatchedTransfer *matched = nullptr;
    std::shared_ptr<Endpoint> source_endpoint;         // null: this process is not in the source
    std::shared_ptr<const exec::Window> source_window; // null if it does not slide
    std::vector<PlannedFlow> flows;
    int64_t pullers = 0;                                // number of pullers of the source in all flows together
    std::vector<transport::Elsewhere> elsewhere;        // where they find its buffers, as in SourceHandle
    transport::Moving moving = transport::Moving::none; // what happens if its buffer changes
    int halvings = 0;                                   // of the plans, as in PlanOptions
};

inline bool in_place(const Planned &planned) { return planned.matched->options.in_place; }

// The memory of one flow.
struct SizedFlow {
    exec::LinkLayout link = {};
    exec::HeaderLayout headers = {};
    exec::DropLayout drop = {};
    std::optional<BufferLayout> sink = {}; // of this process's endpoint; empty in place
};

// With all memory as layouts. A query adds up the layouts; the later stages make what a commit holds from them.
struct Sized {
    Planned planned;
    std::vector<SizedFlow> flows = {};
    std::optional<BufferLayout> source = {}; // in place those of both endpoints
};

// With the memory and the buffers of this process's endpoints.
struct Reserved {
    Sized sized;
    std::optional<exec::SourceEnd> source = {};
    std::vector<std::optional<exec::SinkEnd>> sinks = {}; // of each flow
};

// A transfer that can run.
struct Bound {
    std::shared_ptr<exec::LocalTransfer> transfer;
    struct Member {
        std::shared_ptr<Endpoint> endpoint;
        size_t flow = 0;
    };
    std::vector<Member> members = {}; // this process's endpoints of the name
};

} // namespace dri::commit
