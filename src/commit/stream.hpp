// Streams: which process sends frame headers to which, and which processes exchange verdicts on dropped frames.
#pragma once

#include "commit/stages.hpp"
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
bool sends_headers(const Planned &planned);

} // namespace dri::commit
