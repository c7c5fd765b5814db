// What a lane is: the part of a flow that moves in one way. Lanes are plain classes; a link holds one of each kind
// and calls them in the order of its steps. A lane without work costs a comparison. Nothing is allocated after it
// is made.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace dri::exec {

struct WindowOffset;

// Which processes a question is about.
using Among = std::function<bool(int)>;
inline bool anybody(int) { return true; }

// The endpoint that a number or a text is about.
enum class Of { source, sink };

// How many messages are packed before their receivers take them: few while there is other work, then all.
enum class SendAhead { few, all };

// The frame of the source that starts in a flow.
struct FrameToSend {
    int64_t number = 0;          // in the flow; of strips and of the close: as departures count, see Link
    bool closes = false;         // a header alone, which ends the stream
    std::byte *origin = nullptr; // as in FrameOrigins
    // Of the source's window, valid until the frame is sent. Null: none slides.
    const WindowOffset *offset = nullptr;
};

// A process that holds up the messages of a frame: it has not taken earlier ones, which still fill the slots.
struct BlockingReceiver {
    int peer;
    int64_t frames_before; // f - frames_before: the frame up to which it has not taken all; f: this frame
};

// left: whether steps of the frame that was started are left. explain: a line for each copy and its kernel. The
// memory of a lane is that of the layout from which it is made (lane_layout.hpp).
template <class L>
concept Lane = std::default_initializable<L> && std::movable<L> && requires(L &lane, const L &seen) {
    { lane.left() } -> std::same_as<bool>;
    { seen.explain() } -> std::same_as<std::string>;
};

// A lane that starts with a frame of the source.
template <class L>
concept SourceLane = Lane<L> && requires(L &lane, const FrameToSend &frame) {
    lane.begin(frame);
};

// A lane that starts with a frame of the sink.
template <class L>
concept SinkLane = Lane<L> && requires(L &lane) {
    lane.begin();
};

} // namespace dri::exec
