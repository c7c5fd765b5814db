// The handles by which the processes of a node open one another's sources.
#pragma once

#include "transport/shared_source.hpp"
#include "transport/sparse_exchange.hpp"

#include <map>
#include <set>
#include <span>
#include <vector>

namespace dri {

struct DraftTransfer;

// By the process that a handle comes from, and the tag of its flow.
using SourceHandles = std::map<std::pair<int, int64_t>, SourceHandle>;

// What this process tells those that pull from it, one parcel for each of them.
std::vector<Parcel> offer_source_handles(std::span<const DraftTransfer> drafts);
SourceHandles read_source_handles(std::span<const Parcel> arrived);

// The sources that tell it to be read where they are, and not in shared memory: known before anything is reserved.
using ReadSources = std::set<std::pair<int, int64_t>>;

std::vector<Parcel> announce_read_mode(std::span<const DraftTransfer> drafts);
ReadSources collect_read_mode(std::span<const Parcel> arrived);

} // namespace dri
