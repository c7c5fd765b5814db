#include "transport/memory_probe.hpp"

#include "transport/collective.hpp"
#include "transport/remote_memory.hpp"
#include "transport/shared_memory.hpp"

#include <numeric>

namespace dri {

namespace {

// What one process tells another: where its memory is, and whether it could open the other's, and read it.
struct Offer {
    MemoryHandle handle;
    uint64_t address = 0;
    bool opened = false, read = false;
};

Bytes to_bytes(const Offer &offer) {
    Writer out;
    put(out, offer.handle);
    out.put(offer.address);
    out.put(offer.opened);
    out.put(offer.read);
    return out.take();
}

Offer to_offer(const Bytes &bytes) {
    Reader in(bytes);
    Offer offer;
    offer.handle = get_memory_handle(in);
    offer.address = in.get<uint64_t>();
    offer.opened = in.get<bool>();
    offer.read = in.get<bool>();
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

// The caller's answer to an offer. Memory that can be opened is that of a process of the same name space, whose
// number means the same here.
Offer answer(const Offer &mine, const Offer &theirs) {
    Offer answer = mine;
    if (mine.handle.pid == 0 || theirs.handle.pid == 0)
        return answer;
    try {
        SharedMemory::open(theirs.handle);
        answer.opened = true;
        answer.read = read_word(theirs.handle.pid, theirs.address) == theirs.handle.token;
    } catch (const Error &) {
    }
    return answer;
}

} // namespace

NodeMemory find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing, int tag,
                              Deadline deadline) {
    const int rank = transport.rank(), lowest = nodes[static_cast<size_t>(rank)];
    const SharedMemory sample = make_sample(willing);
    Offer mine;
    if (sample.data())
        mine = {sample.handle(), address_of(sample.data()), false, false};
    Offer both; // what works both ways with the lowest
    if (rank == lowest) {
        std::vector<int> others;
        for (int other = 0; other < transport.size(); ++other)
            if (other != rank && nodes[static_cast<size_t>(other)] == rank)
                others.push_back(other);
        for (const int other : others)
            transport.post(other, tag, to_bytes(mine));
        for (const int other : others) {
            const Offer theirs = to_offer(transport.receive(other, tag, deadline));
            Offer verdict = answer(mine, theirs);
            verdict.opened = verdict.opened && theirs.opened;
            verdict.read = verdict.read && theirs.read;
            transport.post(other, tag, to_bytes(verdict));
        }
    } else {
        const Offer theirs = to_offer(transport.receive(lowest, tag, deadline));
        transport.post(lowest, tag, to_bytes(answer(mine, theirs)));
        both = to_offer(transport.receive(lowest, tag, deadline));
    }
    Bytes found = Writer().put(both.opened ? lowest : rank).put(both.read ? lowest : rank).take();
    std::vector<int> world(nodes.size());
    std::iota(world.begin(), world.end(), 0);
    NodeMemory memory;
    for (const Bytes &bytes : all_gather(transport, world, tag, std::move(found), deadline)) {
        Reader in(bytes);
        memory.shared.push_back(in.get<int>());
        memory.readable.push_back(in.get<int>());
    }
    return memory;
}

} // namespace dri
