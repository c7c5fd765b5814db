// Transfers in place through the public interface. Each process has one buffer: it is filled as the source's and
// checked as the sink's. What each process holds follows from the definitions, element by element.
#pragma once

#include "support/held.hpp"
#include "support/objects.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dri_test {

struct Element {
    int64_t size = 4, alignment = 4;
    int64_t pitch() const { return (size + alignment - 1) / alignment * alignment; }
};

// Which side provides the buffers. to_both: both endpoints are given the same buffers.
enum class Given { by_library, to_source, to_sink, to_both };

struct InPlaceCase {
    Numbers sizes;
    std::vector<Cut> from, to;
    Lay from_lay{}, to_lay{};
    Element element{8, 8};
    int nbuffs = 1;
    Given given = Given::by_library;
    int64_t message_bytes = 0; // 0: the default
    int threads = 1;
    bool turned_group = false; // the sink's group lists the source's processes in reverse order
    DRI_In_place mode = DRI_IN_PLACE;
};

std::string text_of(const InPlaceCase &c);

inline const Lay lying_rows{}, lying_columns{{1, 0}};

// Each case has its own name, so that a message of one case is never received by another one.
std::string next_in_place_name();

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
    struct Endpoint {
        Dist dist;
        Xfer xfer;
        PartMap part;
    };
    Endpoint make_endpoint(const std::vector<Cut> &cuts, const Lay &lay, DRI_Gdo gdo, bool turned);
    std::byte *buffer(DRI_Xfer endpoint) const;
    int64_t bytes_of(const Endpoint &endpoint) const { return endpoint.part.span * case_.element.pitch(); }

    std::string name_;
    InPlaceCase case_;
    int64_t bytes_ = 0, frame_ = 0;
    std::vector<std::vector<std::byte>> memory_; // per buffer, with canaries around it
    Endpoint source_, sink_;
};

// Whether this process's part is put in order before or after the messages, as its explanation says.
bool puts_in_order(DRI_Xfer endpoint);

struct Workspace {
    int64_t source = 0, sink = 0;
    int64_t both() const { return source + sink; }
};
Workspace workspace_of(const InPlaceRun &run);
// Commits, and expects the workspace that DRI_xfer_query reported for source and sink. Collective over the world.
Workspace commit_as_reported(const InPlaceRun &run, DRI_Memory reported[2]);

} // namespace dri_test
