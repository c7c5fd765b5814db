// The memory that the messages of one direction of an exchange travel in: one piece with places, each at a cache
// line. A message takes a place and gives it back. Of the free ones that fit, the one given back last goes
// first: it is still in cache, and others may never be touched.
#pragma once

#include "transport/message_memory.hpp"
#include "transport/transport.hpp"

#include <algorithm>

namespace dri {

class Staging {
public:
    // Which messages share places. alike: those of one length, with places for all. per_peer: those with one
    // peer, with places for at most `window` of them; together: all, with places for at most `window`.
    enum class Share { alike, per_peer, together };
    static constexpr Share windowed(bool of_all) { return of_all ? Share::together : Share::per_peer; }

    // Fails with DRI_ERR_INTERNAL on a slot with a peer outside [0, world_size) or a length out of range.
    Staging(std::span<const Slot> slots, int world_size, Share share, int64_t window, MessageMemory &memory);
    // The memory that it would have.
    static int64_t bytes_for(std::span<const Slot> slots, Share share, int64_t window);

    size_t size() const { return slots_.size(); }
    const Slot &slot(size_t i) const { return slots_[i]; }
    int64_t bytes() const { return bytes_; }
    size_t num_places() const { return places_.size(); }

    // Gives message i a place unless it has one; false where none is free.
    bool take(size_t i);
    void give_back(size_t i);
    bool has_place(size_t i) const { return place_[i] != nowhere; }
    size_t place(size_t i) const { return place_[i]; }
    std::byte *data(size_t i) const { return places_[place_[i]]; }
    // Messages of one number share places.
    size_t group(size_t i) const { return group_[i]; }
    size_t num_groups() const { return groups_.size(); }

    // The memory goes to another owner; places stay valid as long as that keeps it.
    MessageMemory::Piece take_memory() { return std::move(memory_); }

private:
    static constexpr size_t nowhere = SIZE_MAX;
    struct Group {
        int64_t bytes = 0, messages = 0; // longest message; how many
        std::vector<size_t> free;        // places; the next one to go is the last
        int64_t places(Share share, int64_t window) const {
            return share == Share::alike ? messages : std::min(messages, window);
        }
    };
    // The groups, and the one of each slot.
    static std::vector<Group> group_slots(std::span<const Slot> slots, Share share, std::vector<size_t> &of);

    std::vector<Slot> slots_;
    std::vector<size_t> group_, place_; // per message
    std::vector<Group> groups_;
    std::vector<std::byte *> places_;
    int64_t bytes_ = 0;
    MessageMemory::Piece memory_;
};

// Fail with DRI_ERR_INTERNAL where the value is out of range.
void check_peer(int peer, int world_size);
void check_set_up_tag(int tag);
void check_exchange_tag(int64_t tag, int64_t exchange_tags);

} // namespace dri
