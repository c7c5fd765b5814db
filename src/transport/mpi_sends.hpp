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
    size_t look();              // gives slots back; returns the number of messages under way
    void begin_frame(size_t i); // with the post of message i, if the order shows a new frame
    bool is_answered(size_t i);
    size_t posted(size_t k) const { return in_order_ ? k : posted_[k]; }
    size_t staged_under_way() const { return num_posted_ - first_under_way_ - outside_under_way_; }

    std::shared_ptr<MpiWorld> world_;
    const int mpi_tag_;
    const bool limited_; // whether messages take a slot when they are packed, and give it back
    Staging staging_;
    const Departures &departures_;
    // The messages that may be under way are posted(k), for k from first_under_way_ up to num_posted_. Those
    // before have left their memory. In order, k is the number of the message; messages to peers that have left
    // are counted, too, but not sent.
    const bool in_order_;
    std::vector<uint32_t> posted_; // empty if in order
    size_t first_under_way_ = 0, num_posted_ = 0;
    size_t outside_under_way_ = 0; // of these, those outside the staging; in order there are none
    bool is_new_ = false;          // nobody has asked for the number under way since the last post
    // Every sends_between_answers-th send of a message waits for its receiver. In order, the frames are counted:
    // this is the number of the present one, from 1. Otherwise the sends of each message are counted; a higher
    // number says that the message needs no answer.
    uint8_t frame_since_answer_ = 1;
    std::vector<uint8_t> sends_since_answer_;
    unsigned looks_ = 0; // calls of done() that found sends under way
    // The requests and their memory. Exactly one element; it can move to the world without allocation.
    std::list<MpiFlight> flight_;
};

} // namespace dri::transport
