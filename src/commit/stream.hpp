// Streams: which process sends frame headers to which, which processes exchange verdicts on dropped frames, and
// how much memory both need.
#pragma once

#include "commit/prepare.hpp"
#include "exec/drop_control.hpp"
#include "exec/header_channel.hpp"

namespace dri::commit {

// This process's role in the header channel and in the drop control of one sink. source, endpoint: this process's
// endpoints in the source and in that sink, null if it has none.
exec::HeaderPeers header_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                               const Endpoint *endpoint);
exec::DropPeers drop_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                           const Endpoint *endpoint);
// Whether this process sends the headers of any flow.
bool sends_headers(const DraftTransfer &draft);

// Bytes of the headers that an endpoint keeps, one for each buffer.
int64_t header_bytes(int64_t buffers);

// Bytes of memory for headers, verdicts and credits on this process, at the source and at one sink.
int64_t source_header_bytes(const DraftTransfer &draft);
int64_t sink_header_bytes(const DraftTransfer::Flow &flow);

} // namespace dri::commit
