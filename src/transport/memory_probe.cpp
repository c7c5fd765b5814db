#include "transport/memory_probe.hpp"

#include "transport/collective.hpp"
#include "transport/shared_memory.hpp"

#include <numeric>

namespace dri {

namespace {

// What one process tells another: where its memory is, and whether it could open the other's.
struct Offer {
    Ticket ticket;
    bool opened = false;
};

Bytes to_bytes(const Offer &offer) {
    Writer out;
    put(out, offer.ticket);
    out.put(offer.opened);
    return out.take();
}

Offer to_offer(const Bytes &bytes) {
    Reader in(bytes);
    Offer offer;
    offer.ticket = get_ticket(in);
    offer.opened = in.get<bool>();
    return offer;
}

// Memory to be opened by others; none where there is no such thing here.
SharedMemory make_sample(bool willing) {
    if (willing)
        try {
            return SharedMemory::create(SharedMemory::token_bytes, 1);
        } catch (const Error &) {
        }
    return {};
}

bool can_open(const Ticket &ticket) {
    if (ticket.pid == 0)
        return false;
    try {
        SharedMemory::open(ticket);
        return true;
    } catch (const Error &) {
        return false;
    }
}

} // namespace

std::vector<int> find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing, int tag,
                                    Deadline deadline) {
    const int rank = transport.rank(), lowest = nodes[static_cast<size_t>(rank)];
    const SharedMemory sample = make_sample(willing);
    const Ticket mine = sample.data() ? sample.ticket() : Ticket{};
    bool shares = false;
    if (rank == lowest) {
        std::vector<int> others;
        for (int other = 0; other < transport.size(); ++other)
            if (other != rank && nodes[static_cast<size_t>(other)] == rank)
                others.push_back(other);
        for (const int other : others)
            transport.post(other, tag, to_bytes({mine, false}));
        for (const int other : others) {
            const Offer theirs = to_offer(transport.receive(other, tag, deadline));
            transport.post(other, tag, to_bytes({{}, theirs.opened && mine.pid != 0 && can_open(theirs.ticket)}));
        }
    } else {
        const Offer first = to_offer(transport.receive(lowest, tag, deadline));
        transport.post(lowest, tag, to_bytes({mine, mine.pid != 0 && can_open(first.ticket)}));
        shares = to_offer(transport.receive(lowest, tag, deadline)).opened;
    }
    Writer out;
    out.put(shares ? lowest : rank);
    std::vector<int> world(nodes.size()), memory;
    std::iota(world.begin(), world.end(), 0);
    for (const Bytes &bytes : all_gather(transport, world, tag, out.take(), deadline))
        memory.push_back(Reader(bytes).get<int>());
    return memory;
}

} // namespace dri
