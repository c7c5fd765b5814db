// Storage: the memory of an array and its distribution, as modules see it that work on arrays of other modules.
// Aliases and pieces share it.
#pragma once

#include "base/wire.hpp"

#include <dri/piece.h>

#include <memory>
#include <optional>
#include <vector>

namespace dri::outer {

struct Storage {
    uint64_t id = 0; // no other storage of the process has it
    DRI_Type type{};
    int64_t pitch = 0, alignment = 1; // bytes of an element
    std::vector<int> ranks;           // of the world, in the group's order
    int position = -1;                // of the calling process; -1: it is not there
    int ndims = 0;
    int64_t shape[DRI_MAX_DIMS]{};
    Digest rule; // equal on all processes, and for all arrays over equal domains
    // The same for those whose elements lie alike, too: overlap and type.
    Digest form;

    // Whether each process owns one box of dense indices. If so, `owned` has those of all positions. The offset of
    // an empty one is where its elements would stand.
    bool has_boxes = false;
    std::vector<DRI_Box> owned;

    // Of the calling process: its first owned element, elements from one to the next along each dimension, and its
    // number of elements.
    std::byte *data = nullptr;
    int64_t steps[DRI_MAX_DIMS]{};
    int64_t count = 0;
    bool is_dense = true; // elements of several boxes follow each other without gaps

    bool is_callers = false; // on all processes it is memory of the caller
    // Bytes of the library before the first and behind the last owned element that halos may use.
    int64_t before = 0, behind = 0;
    // Overlap around the owned box, the same on all processes that own anything, and what lies beyond the domain.
    int64_t left[DRI_MAX_DIMS]{}, right[DRI_MAX_DIMS]{};
    DRI_Edge left_edge[DRI_MAX_DIMS]{}, right_edge[DRI_MAX_DIMS]{};
};

// An array that is a slice of a storage: dense indices along all dimensions of the storage, and which of these the
// array has. Along the others it has one member.
struct StorageSlice {
    DRI_Range ranges[DRI_MAX_DIMS]{};
    int ndims = 0;
    int kept[DRI_MAX_DIMS]{};
};

// Has the function called with the id of each storage that ends, before its memory is freed. Call it from the
// constructor of a static object. is_under_way: whether a call has timed out that goes on with the storage.
void at_storage_end(
    void (*function)(uint64_t id), bool (*is_under_way)(uint64_t id) = [](uint64_t) { return false; });
bool storage_is_under_way(uint64_t id);
void storage_ends(uint64_t id) noexcept;
// The id of a new storage.
uint64_t next_storage() noexcept;

} // namespace dri::outer
