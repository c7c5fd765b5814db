// Transfers as plain values: generated at random, simplified, written as one line and parsed.
#pragma once

#include "planner/planner.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dri::test {

// Memory of an endpoint's buffers. still: static; mixed: every second buffer is the library's.
enum class Memory { library, heap, still, mapped, mixed };
constexpr std::array<std::string_view, 5> memory_names{"library", "heap", "still", "mapped", "mixed"};

struct SideSpec {
    Dims offset, sizes; // box of the root object
    model::Partition rules;
    // if not empty, one per group position; then the rules are exact and hold only the edges
    std::vector<model::Box> boxes = {};
    std::vector<int> ranks;
    std::vector<model::Layout> layouts;          // one per group position, or a single one for all
    std::optional<model::ElementType> type = {}; // sink: its type if it differs from the source's
    double scale = 1;                            // sink: the factor applied on the way
    int buffers = 1;
    Memory memory = Memory::library;
};

struct TransferCase {
    model::ElementType type;
    Dims root;
    SideSpec source, sink;
    int64_t message_bytes = int64_t{1} << 30;
    bool self_way = true, direct_way = false;
    std::vector<int> nodes = {}; // the node of each rank; ranks beyond the list have a node of their own
    planner::Gathering gathering;
    int64_t chunk_bytes = planner::PlanOptions{}.chunk_bytes;
    int frames = 2; // that the processes of a job execute

    model::ElementType type_of(const SideSpec &side) const { return side.type.value_or(type); }
    bool converts() const { return sink.type || sink.scale != 1; }
    planner::PlanOptions options() const {
        return {.message_bytes = message_bytes,
                .self_way = self_way,
                .direct_way = direct_way,
                .gathering = gathering,
                .chunk_bytes = chunk_bytes};
    }
    int node(int rank) const;
    planner::NodeMap node_map() const;
    int world() const; // number of processes of the job: the highest rank plus one
};

// The same seed and size give the same case everywhere. size: from 0 to 100, a bound on how large a case becomes.
TransferCase make_case(uint64_t seed, int size);

// A case, and others with the same source. Each sink has its own box, cuts, ranks, layouts and type.
std::vector<TransferCase> make_cases_of_one_source(uint64_t seed, int size, int sinks);

// Slightly simpler legal cases, the simplest first.
std::vector<TransferCase> smaller_cases(const TransferCase &c);

// Case lines: a whole case as one line of text. tests/README.md describes them.
//   8B [97,64] block(4),* rm over 0-3 -> *,block(7) 10 over 0-6
std::string to_line(const TransferCase &c);
// "6B/8" for a record, otherwise the name of the type: "complex-float".
std::string type_token(const model::ElementType &type);
// job: number of processes; 0 if no job is known, so that a line cannot refer to it.
// Throws std::invalid_argument. Its message shows the line, the position and what was expected there.
TransferCase from_line(const std::string &line, int job = 0);
// As from_line, but lists of indices keep the form of the line. It calls little of the library; see case_line.hpp.
enum class CaseWords { plain, all };
TransferCase parse_case(std::string_view line, CaseWords accepted, int job);

// The library's values for a case. Fails as the library does.
planner::Side make_side(const TransferCase &c, const SideSpec &spec);

// Whether the oracle accepts the case: parts and constraints can be met, and layouts nest.
bool is_legal(const TransferCase &c);

} // namespace dri::test
