// Streams: who sends the headers of frames to whom, who tells of dropped ones, and what that takes.
#pragma once

#include "commit/prepare.hpp"

namespace dri {

// source, sink: this process's ends, null where it has none.
HeaderPeers header_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                         const Endpoint *endpoint);
DropPeers drop_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                     const Endpoint *endpoint);
bool sends_headers(const DraftTransfer &draft);

// Of so many headers that an end keeps.
int64_t header_bytes(int64_t buffers);

// All that headers, and what is told of dropped frames, take, at the source and at a sink.
int64_t source_header_bytes(const DraftTransfer &draft);
int64_t sink_header_bytes(const DraftTransfer::Flow &flow);

} // namespace dri
