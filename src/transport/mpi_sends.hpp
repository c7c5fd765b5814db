// The sends of an exchange over MPI: the messages that one process sends in every frame.
#pragma once

#include "transport/mpi_world.hpp"
#include "transport/staging.hpp"

namespace dri::transport {

class MpiSends {
public:
    // layout, departures: of the exchange; must outlive this object.
    MpiSends(std::shared_ptr<MpiWorld> world, const ExchangeLayout &layout, const Departures &departures);

    int64_t bytes() const { return staging_.bytes(); }
    // These do what Exchange says of set_origin(), send_data(), post_send(), sends_under_way(), sends_done() and
    // awaits().
    void set_origin(std::byte *origin) { staging_.set_origin(origin); }
    std::byte *data(size_t i);
    void post(size_t i);
    size_t under_way();
    bool done();
    std::optional<int> awaits();

    bool all_landed() { return landed(flight_.front()); } // all sends, also those to peers that have left
    void leave_to_world(); // the world keeps the memory until MPI no longer reads it; the caller holds its mutex

private:
    size_t look();            // gives slots back; returns the number of messages under way
    void make_room(size_t i); // for the post of message i
    bool is_answered(size_t i);
    size_t posted(size_t k) const { return in_order_ ? k : posted_[k]; }

    std::shared_ptr<MpiWorld> world_;
    const int mpi_tag_;
    const bool limited_; // whether messages take a slot when they are packed, and give it back
    Staging staging_;
    const Departures &departures_;
    // Messages in the order of posting; those before first_under_way_ have left their memory. In order: they are
    // numbers of messages, and some between them may not be sent.
    const bool in_order_;
    std::vector<uint32_t> posted_; // empty if in order
    size_t first_under_way_ = 0, num_posted_ = 0;
    bool is_new_ = false; // nobody has asked for the number under way since the last post
    // Sends since an answer: in order of all messages, otherwise of each one. More than sends_between_answers:
    // needs none.
    uint8_t frames_since_answer_ = 1;
    std::vector<uint8_t> sends_since_answer_;
    unsigned looks_ = 0; // calls of done() that found sends under way
    // The requests and their memory. Exactly one element; it can move to the world without allocation.
    std::list<MpiFlight> flight_;
};

} // namespace dri::transport
