// A board in the memory that the processes of a node share. Each process has an entry: which process of the system
// it is, and what it waits for, as text.
#pragma once

#include "transport/shared_memory.hpp"
#include "transport/system_process.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dri::transport {

class WaitBoard {
public:
    static constexpr size_t max_text = 432; // bytes; the rest of a text is cut off
    static int64_t bytes(int64_t entries);

    WaitBoard() = default; // has no entries
    // memory: bytes() for the processes of the node, as Transport::nodes() returns them. Writes the entry of this
    // process. Those that have not opened the memory have none.
    WaitBoard(SharedMemory memory, const std::vector<int> &nodes, int rank);

    bool has(int rank) const { return process(rank).number != 0; }
    SystemProcess process(int rank) const; // of the system; unknown without an entry
    // One thread at a time writes the text of this process, which others may read meanwhile.
    void write(std::string_view text);
    // Empty if the process waits for nothing.
    std::string text_of(int rank) const;
    size_t size() const { return entries_.size(); } // ranks; 0 without entries
    // This process has ended as far as others can tell.
    void leave() const;
    // Counts a notice to that process, which has an entry, and takes that back.
    void count_notice(int rank) const;
    void uncount_notice(int rank) const;
    // Of this process: how many notices the others have counted. Null unless all ranks have an entry.
    const std::atomic<uint64_t> *notices() const;
    void close_file() { memory_.close_file(); } // when all have opened the memory

private:
    struct Entry;
    Entry *entry(int rank) const; // null for a rank of another node

    SharedMemory memory_;
    std::vector<int> entries_; // by rank: its number among the processes of the node, or -1
    int rank_ = 0;
};

} // namespace dri::transport
