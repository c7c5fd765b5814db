// One endpoint of a named DRI transfer on some of the processes. One description covers object, partition, group,
// distribution and layout.
#pragma once

#include <dri/dri.h>

#include <cstdint>
#include <vector>

namespace common {

struct EndpointDescription {
    const char *name;
    DRI_Role role;
    DRI_Type type;
    std::vector<std::int64_t> sizes; // of the whole array
    std::vector<DRI_Part_dim> cut;   // one rule per dimension
    std::vector<int> order;          // of the dimensions in memory, slowest first
    std::vector<int> ranks;          // the processes of this side
    int buffers = 2;
    bool convert = false; // sinks: the source's type may differ
    double scale = 1;     // sinks: factor that is applied in the same pass
    bool stream = false;  // sources: frames carry a DRI_Frame, and the stream can be closed
    // The exact piece of this process, one tuple per dimension; replaces the rules in `cut`.
    std::vector<DRI_Part_tuple> piece{};
    // If given, the transfer covers only this box of the array.
    std::vector<std::int64_t> box_begin{}, box_sizes{};
};

class TransferEndpoint {
public:
    // Collective over the processes of the description. On other processes the object stays empty.
    explicit TransferEndpoint(const EndpointDescription &of);
    ~TransferEndpoint();
    TransferEndpoint(const TransferEndpoint &) = delete;
    TransferEndpoint &operator=(const TransferEndpoint &) = delete;

    bool held() const { return transfer_.id != 0; }
    DRI_Xfer handle() const { return transfer_; }

    // What this process owns along a dimension, and its overlap there. Empty if the endpoint is not held. If a box
    // is given, indices are those of the box.
    DRI_Part_tuple part(int dim) const { return held() ? part_[dim] : DRI_Part_tuple{}; }
    // Elements of the local array along a dimension, with overlap and pad.
    std::int64_t extent(int dim) const { return held() ? extents_[dim] : 0; }

    // Source: the buffer to fill now. Sink: the buffer of the last frame.
    template <typename Element> Element *data() const { return static_cast<Element *>(buffer()); }

    // Frame by frame, after commit_endpoints(). An endpoint uses either these functions or move_frame(), not both.
    //
    // A source: waits for the next buffer to fill.
    void acquire();
    // A source: hands the buffer over, with the frame's header.
    void insert(const DRI_Frame &frame);
    // A source: closes the stream and destroys the endpoint. Frames that were handed over still arrive, whatever
    // the process does next.
    void close();
    // A sink: returns the buffer that it holds, and waits for the next frame. False after the last frame of the
    // stream.
    bool next(DRI_Frame &frame);

private:
    void *buffer() const;

    DRI_Xfer transfer_{};
    bool has_buffer_; // source: a buffer to fill; sink: a frame
    DRI_Part_tuple part_[DRI_MAX_DIMS]{};
    std::int64_t extents_[DRI_MAX_DIMS]{};
};

// A dimension in balanced blocks with overlap, which ends at the edge of the array.
DRI_Part_dim blocks(std::int64_t left = 0, std::int64_t right = 0);
DRI_Part_dim whole();

// Collective: commits all endpoints declared so far.
void commit_endpoints();

// Moves one frame of every endpoint of that name that this process holds.
void move_frame(const char *name);

} // namespace common
