// The tickets by which the processes of a node open one another's sources.
#pragma once

#include "transport/shared_source.hpp"
#include "transport/sparse_exchange.hpp"

#include <map>
#include <set>
#include <span>
#include <vector>

namespace dri {

struct DraftTransfer;

// By the process that a ticket comes from, and the tag of its flow.
using Tickets = std::map<std::pair<int, int64_t>, SourceTicket>;

// What this process tells those that pull from it, one parcel for each of them.
std::vector<Parcel> offer_tickets(std::span<const DraftTransfer> drafts);
Tickets read_tickets(std::span<const Parcel> arrived);

// The sources that tell it to be read where they are, and not in shared memory: known before anything is reserved.
using ReadSources = std::set<std::pair<int, int64_t>>;

std::vector<Parcel> tell_readers(std::span<const DraftTransfer> drafts);
ReadSources hear_sources(std::span<const Parcel> arrived);

} // namespace dri
