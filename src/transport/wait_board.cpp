// The entries of the board. A counter shows a reader whether the text has changed while it was read.
#include "transport/wait_board.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace dri::transport {

// One process writes it, except `notices`. The counter is odd while the text changes.
struct WaitBoard::Entry {
    static constexpr size_t words = max_text / sizeof(uint64_t);
    std::atomic<int64_t> number, start; // of the process
    std::atomic<uint64_t> changes, length;
    std::array<std::atomic<uint64_t>, words> text;
    std::atomic<uint64_t> notices; // to the process
    std::array<uint64_t, 5> reserved;
};

int64_t WaitBoard::bytes(int64_t entries) {
    static_assert(sizeof(Entry) == 512 && max_text % sizeof(uint64_t) == 0);
    static_assert(std::atomic<uint64_t>::is_always_lock_free);
    return SharedMemory::token_bytes + entries * int64_t{sizeof(Entry)};
}

WaitBoard::WaitBoard(SharedMemory memory, const std::vector<int> &nodes, int rank)
    : memory_(std::move(memory)), entries_(nodes.size(), -1), rank_(rank) {
    int number = 0;
    for (size_t r = 0; r < nodes.size(); ++r)
        if (nodes[r] == nodes[static_cast<size_t>(rank)])
            entries_[r] = number++;
    const SystemProcess self = this_process();
    Entry &own = *entry(rank_);
    own.number.store(self.number, std::memory_order_relaxed);
    own.start.store(self.start, std::memory_order_release);
}

WaitBoard::Entry *WaitBoard::entry(int rank) const {
    const int number = entries_.empty() ? -1 : entries_[static_cast<size_t>(rank)];
    return number < 0 ? nullptr : reinterpret_cast<Entry *>(memory_.data() + SharedMemory::token_bytes) + number;
}

SystemProcess WaitBoard::process(int rank) const {
    const Entry *const one = entry(rank);
    if (!one)
        return {};
    const int64_t start = one->start.load(std::memory_order_acquire);
    return {one->number.load(std::memory_order_relaxed), start};
}

void WaitBoard::write(std::string_view text) {
    Entry *const mine = entry(rank_);
    if (!mine)
        return;
    Entry &own = *mine;
    text = text.substr(0, max_text);
    const uint64_t changes = own.changes.load(std::memory_order_relaxed);
    own.changes.store(changes + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    own.length.store(text.size(), std::memory_order_relaxed);
    for (size_t i = 0, at = 0; at < text.size(); ++i, at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
        own.text[i].store(word, std::memory_order_relaxed);
    }
    own.changes.store(changes + 2, std::memory_order_release);
}

// No process has started then.
void WaitBoard::leave() const {
    if (Entry *const mine = entry(rank_))
        mine->start.store(-1, std::memory_order_release);
}

void WaitBoard::count_notice(int rank) const { entry(rank)->notices.fetch_add(1, std::memory_order_release); }

void WaitBoard::uncount_notice(int rank) const { entry(rank)->notices.fetch_sub(1, std::memory_order_release); }

const std::atomic<uint64_t> *WaitBoard::notices() const {
    for (int r = 0; r < static_cast<int>(entries_.size()); ++r)
        if (!has(r))
            return nullptr;
    return entries_.empty() ? nullptr : &entry(rank_)->notices;
}

// A process that ends while it writes leaves the counter odd.
std::string WaitBoard::text_of(int rank) const {
    constexpr int tries = 100;
    const Entry &one = *entry(rank);
    for (int i = 0; i < tries; ++i) {
        const uint64_t before = one.changes.load(std::memory_order_acquire);
        std::array<uint64_t, Entry::words> words;
        for (size_t w = 0; w < words.size(); ++w)
            words[w] = one.text[w].load(std::memory_order_relaxed);
        const uint64_t length = one.length.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 == 0 && one.changes.load(std::memory_order_relaxed) == before && length <= max_text)
            return {reinterpret_cast<const char *>(words.data()), length};
    }
    return "";
}

} // namespace dri::transport
