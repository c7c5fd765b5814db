// Transfers in place through the public interface. Each process has one buffer: it is filled as the source's and
// checked as the sink's. What each process must hold is computed by the oracle.
#pragma once

#include "support/transfer_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dri::test {

// Which side provides the buffers. to_both: both endpoints are given the same buffers.
enum class Given { by_library, to_source, to_sink, to_both };

struct InPlaceCase {
    std::string line; // both sides have the same processes and the number of buffers of the source
    DRI_In_place mode = DRI_IN_PLACE;
    Given given = Given::by_library;
    int threads = 1;
};

std::string text_of(const InPlaceCase &c);
// The cases as they are, and with parts put in order.
std::vector<InPlaceCase> in_both_modes(const std::vector<std::string> &lines);

class InPlaceRun {
public:
    // Makes the distributions and declares both endpoints. Collective over the world.
    explicit InPlaceRun(const InPlaceCase &c);

    DRI_Xfer source() const { return source_.xfer; }
    DRI_Xfer sink() const { return sink_.xfer; }
    const std::string &name() const { return name_; }
    int64_t bytes() const { return bytes_; } // of the larger of source and sink part
    void fill();                             // writes the next frame as the source
    void check();                            // checks that the buffer holds the frame as the sink
    void frame();                            // fill, DRI_do, check
    void destroy();

private:
    CaseEndpoint declare_endpoint(DRI_Role role);
    std::byte *buffer(DRI_Xfer endpoint) const;
    // Whether bytes that belong to no element of the sink keep their values.
    bool keeps_rest() const;

    std::string name_;
    InPlaceCase case_;
    CaseData data_;
    int position_[2]; // in the source's and in the sink's group
    CaseData::Held from_, to_;
    int64_t bytes_, frame_ = 0;
    mutable std::vector<GuardedBuffer> memory_; // per buffer, if they are the user's
    std::vector<std::byte> before_;             // what the buffer held before the frame
    CaseEndpoint source_, sink_;
};

struct Workspace {
    int64_t source = 0, sink = 0;
    int64_t both() const { return source + sink; }
};
Workspace workspace_of(const InPlaceRun &run);
// Commits, and expects the workspace that DRI_xfer_query reported for source and sink. Collective over the world.
Workspace commit_as_reported(const InPlaceRun &run, DRI_Memory reported[2]);

// Whether this process's part is put in order before or after the messages, as its explanation says.
bool puts_in_order(DRI_Xfer endpoint);

} // namespace dri::test
