// Transfers in place through the public interface: one buffer per process, filled with the source's frame, judged
// as the sink's. What each process holds comes from the definitions, element by element.
#pragma once

#include "support/held.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dri_test {

// Who gives the buffers. given: both ends the same.
enum class Given { by_library, to_source, to_sink, to_both };

struct InPlaceCase {
    Numbers sizes;
    std::vector<Cut> from, to;
    Lay from_lay{}, to_lay{};
    Element element{8, 8, {}};
    int nbuffs = 1;
    Given given = Given::by_library;
    int64_t message_bytes = 0; // 0: the default
    int threads = 1;
    bool turned_group = false; // the sink's group has the source's processes the other way round
};

std::string text_of(const InPlaceCase &c);

inline const Lay lying_rows{}, lying_columns{{1, 0}};

// Names differ, so that a message of one case never serves another one.
std::string next_in_place_name();

class InPlaceRun {
public:
    // Collective over the world: makes the distributions and declares both ends.
    explicit InPlaceRun(const InPlaceCase &c);

    DRI_Xfer source() const { return source_.xfer; }
    DRI_Xfer sink() const { return sink_.xfer; }
    const std::string &name() const { return name_; }
    int64_t bytes() const { return bytes_; } // of the larger buffer
    void fill();                             // the next frame's source
    void check();                            // that it has become the sink's
    void frame();                            // both, and DRI_do between them
    void destroy();

private:
    struct End {
        Dist dist;
        Xfer xfer;
        PartMap part;
    };
    End make_endpoint(const std::vector<Cut> &cuts, const Lay &lay, DRI_Gdo gdo, bool turned);
    std::byte *buffer(DRI_Xfer end) const;
    int64_t bytes_of(const End &end) const { return end.part.span * case_.element.pitch(); }

    std::string name_;
    InPlaceCase case_;
    int64_t bytes_ = 0, frame_ = 0;
    std::vector<std::vector<std::byte>> memory_; // of each buffer, with canaries around it
    End source_, sink_;
};

struct Workspace {
    int64_t source = 0, sink = 0;
    int64_t both() const { return source + sink; }
};
Workspace workspace_of(const InPlaceRun &run);
// Collective over the world: commits, and expects what was told of the source and of the sink beforehand.
Workspace commit_as_told(const InPlaceRun &run, DRI_Memory told[2]);

} // namespace dri_test
