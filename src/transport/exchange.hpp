// The interface of an exchange: the messages of a frame, prepared once. Each transport has its own exchanges.
#pragma once

#include "base/error.hpp"
#include "transport/departures.hpp"
#include "transport/exchange_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dri::transport {

// How notices are looked for. full: with progress on messages. cheap: without, for a caller that looks at messages
// next.
enum class Look { cheap, full };

// The messages that one process sends and receives in every frame, with their staging memory. An exchange is
// prepared once. No function below allocates, except leave(). There is one frame at a time: sends of a frame may
// be posted when those of the last frame are done. Messages with the same peer and tag arrive in the order of
// posting. A peer may be the process itself. Messages to a peer that has left count as done, and their memory is
// never used again. No call waits.
class Exchange {
public:
    virtual ~Exchange() = default;
    // Bytes of staging memory, without what MPI itself uses.
    virtual int64_t memory_bytes() const = 0;

    // The memory in which the messages of the next frame lie that are not in staging. Receives write it until they
    // are returned. Sends read it until sends_done(), and those to a peer that has left may read it for longer:
    // ExchangeSpec::keeps is for them.
    virtual void set_origin(std::byte *origin) = 0;
    // Where to pack message i before it is posted: if possible, memory that another message of the frame no longer
    // needs. Null if no slot is free for it, which happens only if sends have credits. Makes progress on messages.
    virtual std::byte *send_data(size_t i) = 0;
    virtual void post_send(size_t i) = 0;
    // The number of posted messages that may not have left the staging yet. Makes progress on messages.
    virtual size_t sends_under_way() = 0;
    virtual bool sends_done() = 0; // makes progress on messages; does not wait
    // A peer that has not left and has not received a posted message. Nothing if sends_done() is true.
    virtual std::optional<int> awaits() = 0;

    // Posts the receives of a new frame, in order, for each peer as many as there is memory for.
    virtual void post_receives() = 0;
    virtual bool receives_open() const = 0; // whether some messages of the frame have not been returned
    // Returns the index of a message that has arrived and has not been returned yet, or -1 if there is none. Does
    // not wait.
    virtual int64_t try_receive() = 0;
    virtual std::byte *receive_data(size_t i) = 0; // the bytes of message i, which is returned and not released
    // Declares that message i is unpacked. Its memory may then serve a later message.
    virtual void release(size_t i) = 0;

    // Peers that have left, as far as poll_departures() and the other calls have learned of it.
    virtual const Departures &departures() const = 0;
    // Receives notices of departure for all exchanges of the transport. Does not wait. Fails with DRI_ERR_STATE if
    // the transport is closed.
    virtual void poll_departures(Look look) = 0;
    // Informs all peers that this process leaves after `frames` frames: all sends of these have been posted, or
    // all receives returned. Nothing may be posted afterwards. Local; allocates.
    virtual void leave(int64_t frames, Leave how) = 0;
};

} // namespace dri::transport
