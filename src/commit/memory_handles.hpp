// What the source of a transfer sends its pullers at a commit: first whether they read its buffers where these
// lie, then the memory handles by which they open its shared memory.
#pragma once

#include "commit/stages.hpp"
#include "transport/shared_source.hpp"
#include "transport/sparse_exchange.hpp"

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace dri::commit {

// Key: the process that a handle is from, and the message tag of its flow.
using SourceHandles = std::map<std::pair<int, int64_t>, transport::SourceHandle>;

// For each process that pulls from this one: a parcel with the handles of all flows in which it does.
std::vector<transport::Parcel> offer_source_handles(std::span<const Reserved> reserved);
SourceHandles read_source_handles(std::span<const transport::Parcel> arrived);

// The sources whose buffers are read where they lie and not in shared memory. Keys are those of SourceHandles.
// This can be found out before anything is reserved. Otherwise the handles say it.
using ReadSources = std::set<std::pair<int, int64_t>>;

std::vector<transport::Parcel> announce_read_mode(std::span<const Planned> planned);
ReadSources collect_read_mode(std::span<const transport::Parcel> arrived);
ReadSources read_mode_of(const SourceHandles &handles);

} // namespace dri::commit
