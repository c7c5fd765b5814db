// Tries out which processes of a node can map and read each other's memory. Each process of a node exchanges
// offers with the node's lowest rank, and the results of all processes are gathered.
#include "transport/memory_probe.hpp"

#include "transport/collective.hpp"
#include "transport/remote_memory.hpp"
#include "transport/shared_memory.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dri::transport {

namespace {

// What one process sends to another: how to find its memory, and whether it could open and read the other's
// memory.
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

// Shared memory for others to open. Empty if this process is not willing, or if the system provides no shared
// memory.
SharedMemory make_sample(bool willing, int64_t bytes) {
    if (willing)
        try {
            SharedMemory sample = SharedMemory::create(bytes, 1);
            sample.reserve(0, bytes);
            return sample;
        } catch (const Error &) {
        }
    return {};
}

// The caller's answer to an offer, and the other's memory if it could be opened. Its owner is then in the same
// process name space, and its process number means the same here. Only then may the memory be read by that number.
Offer answer(const Offer &mine, const Offer &theirs, SharedMemory &opened) {
    Offer answer = mine;
    if (mine.handle.pid == 0 || theirs.handle.pid == 0)
        return answer;
    try {
        opened = SharedMemory::open(theirs.handle);
        answer.opened = true;
        answer.read = read_word(theirs.handle.pid, theirs.address) == theirs.handle.token;
    } catch (const Error &) {
    }
    return answer;
}

} // namespace

NodeMemory find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing,
                              std::string_view call, Deadline deadline) {
    const int rank = transport.rank(), lowest = nodes[static_cast<size_t>(rank)];
    // The board lies in the sample of the lowest rank.
    const int64_t board_bytes = WaitBoard::bytes(std::count(nodes.begin(), nodes.end(), lowest));
    SharedMemory sample = make_sample(willing, rank == lowest ? board_bytes : SharedMemory::token_bytes);
    SharedMemory opened; // of the process that was asked last
    Offer mine;
    if (sample.data())
        mine = {sample.handle(), address_of(sample.data()), false, false};
    Offer both; // what works in both directions between this process and the lowest rank
    if (rank == lowest) {
        std::vector<int> others;
        for (int other = 0; other < transport.size(); ++other)
            if (other != rank && nodes[static_cast<size_t>(other)] == rank)
                others.push_back(other);
        for (const int other : others)
            transport.post(other, tag_memory_probe, to_bytes(mine));
        for (const int other : others) {
            const Offer theirs = to_offer(transport.receive(other, tag_memory_probe, deadline));
            Offer verdict = answer(mine, theirs, opened);
            verdict.opened = verdict.opened && theirs.opened;
            verdict.read = verdict.read && theirs.read;
            transport.post(other, tag_memory_probe, to_bytes(verdict));
        }
    } else {
        const Offer theirs = to_offer(transport.receive(lowest, tag_memory_probe, deadline));
        transport.post(lowest, tag_memory_probe, to_bytes(answer(mine, theirs, opened)));
        both = to_offer(transport.receive(lowest, tag_memory_probe, deadline));
    }
    Bytes found = Writer().put(both.opened ? lowest : rank).put(both.read ? lowest : rank).take();
    std::vector<int> world(nodes.size());
    std::iota(world.begin(), world.end(), 0);
    SharedMemory board = rank == lowest ? std::move(sample) : both.opened ? std::move(opened) : SharedMemory();
    NodeMemory memory;
    if (board.data()) // others read its entries after the next step
        memory.board = WaitBoard(std::move(board), nodes, rank);
    for (const Bytes &bytes :
         all_gather(transport, {call, "find shared memory", world, deadline}, std::move(found))) {
        Reader in(bytes);
        memory.shared.push_back(in.get<int>());
        memory.readable.push_back(in.get<int>());
    }
    memory.board.close_file(); // all have opened it
    return memory;
}

} // namespace dri::transport
