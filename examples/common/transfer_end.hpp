// One end of a named DRI transfer on some of the processes: object, partition, group, distribution and layout in
// one description.
#pragma once

#include <dri/dri.h>

#include <cstdint>
#include <vector>

namespace common {

struct EndDescription {
    const char *name;
    DRI_Role role;
    DRI_Type type;
    std::vector<std::int64_t> sizes; // of the whole array
    std::vector<DRI_Part_dim> cut;   // one rule per dimension
    std::vector<int> order;          // of the dimensions in memory, slowest first
    std::vector<int> ranks;          // the processes of this end
    int buffers = 2;
    bool convert = false; // sinks: the source's type may differ
    double scale = 1;     // sinks: multiplied in the same pass
    bool stream = false;  // sources: frames come with a DRI_Frame, and have an end
    // What this process wants, exactly, in place of the rules in `cut`; one per dimension.
    std::vector<DRI_Part_tuple> piece{};
    // Only this box of the array is wanted, where given.
    std::vector<std::int64_t> box_begin{}, box_sizes{};
};

class TransferEnd {
public:
    // Collective over the description's processes; on others the end is not held.
    explicit TransferEnd(const EndDescription &of);
    ~TransferEnd();
    TransferEnd(const TransferEnd &) = delete;
    TransferEnd &operator=(const TransferEnd &) = delete;

    bool held() const { return transfer_.id != 0; }
    DRI_Xfer handle() const { return transfer_; }

    // What this process owns along a dimension, and how much overlap it has there; nothing where not held. Where a
    // box is wanted, in indices of the box.
    DRI_Part_tuple part(int dim) const { return held() ? part_[dim] : DRI_Part_tuple{}; }
    // Elements of the local array along a dimension, overlap and pad included.
    std::int64_t extent(int dim) const { return held() ? extents_[dim] : 0; }

    // Source: the buffer to fill now. Sink: the one that came last.
    template <typename Element> Element *data() const { return static_cast<Element *>(buffer()); }

    // Frame by frame, after commit_ends(); or move_frame(), but not both for one end.
    //
    // A source: waits for the next buffer to fill.
    void acquire();
    // Hands it over, with what goes with the frame.
    void insert(const DRI_Frame &frame);
    // There are no more frames: ends the stream, and the end. What was handed over is on its way then, whatever
    // the process does next.
    void close();
    // A sink: gives back the frame that it has, and waits for the next one. False after the last one of the
    // stream.
    bool next(DRI_Frame &frame);

private:
    void *buffer() const;

    DRI_Xfer transfer_{};
    bool has_buffer_; // a source, to fill; a sink, a frame
    DRI_Part_tuple part_[DRI_MAX_DIMS]{};
    std::int64_t extents_[DRI_MAX_DIMS]{};
};

// A dimension in balanced blocks with overlap, which ends at the array's edge.
DRI_Part_dim blocks(std::int64_t left = 0, std::int64_t right = 0);
DRI_Part_dim whole();

// Collective: commits all ends declared so far.
void commit_ends();

// One frame of every end of that name that this process holds.
void move_frame(const char *name);

} // namespace common
