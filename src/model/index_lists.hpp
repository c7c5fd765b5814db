// Lists of indices along one dimension: one per part, in any order, as the processes gave them.
#pragma once

#include "base/wire.hpp"
#include "model/first_owners.hpp"
#include "model/part_axis.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace dri {

// Runs in local order, one behind the other; an index may come twice. Short where the indices have a pattern.
using IndexList = std::vector<Runs>;

IndexList compress(std::span<const int64_t> indices);
int64_t length(const IndexList &list);
int64_t index_at(const IndexList &list, int64_t local); // 0 <= local < length
bool same_indices(const IndexList &a, const IndexList &b);

void put(Writer &out, const IndexList &list);
IndexList get_index_list(Reader &in);
std::string to_text(const IndexList &list); // "0-3:8:9"

// The list of one part. Most processes ask about few parts but their own, so what takes sorting is done with the
// first question that needs it.
class IndexedPart {
public:
    IndexedPart(const IndexList &list, int64_t n, const Overlap &overlap);

    int64_t length() const { return length_; } // blocks, for each index is one
    const IndexList &list() const { return list_; }
    int64_t lowest() const { return lowest_; } // smallest index; 0 of an empty list
    int64_t end() const { return end_; }       // largest index plus one; 0 of an empty list
    // Each index where it comes first, its local index being its place in the list; and where it comes again.
    const IndexSet &firsts() const { return sorted().firsts; }
    const IndexList &repeats() const { return sorted().repeats; }
    PartAxis axis() const;

    int64_t start(int64_t block) const; // local index where a block begins, its overlap included; block <= length
    int64_t index(int64_t block) const { return index_at(list_, block); }
    // The first place in the list, if any, with an index of [lo, hi).
    std::optional<int64_t> first_block(int64_t lo, int64_t hi) const;

private:
    void note_clipped();

    struct Sorted {
        std::once_flag once;
        IndexSet firsts;
        IndexList repeats;
        // Runs of firsts in rising order of indices, and smallest places of ranges of them, as a tree. Where there
        // is overlap.
        std::vector<Runs> by_index;
        std::vector<int64_t> smallest;
    };
    const Sorted &sorted() const;

    IndexList list_;
    int64_t n_, length_, lowest_ = 0, end_ = 0;
    Overlap overlap_;
    // Blocks that edges clip, in order, and how much is missing up to and including each.
    struct Clipped {
        int64_t block, missing;
    };
    std::vector<Clipped> clipped_;
    std::unique_ptr<Sorted> sorted_ = std::make_unique<Sorted>();
};

// Who has which index.
class IndexedParts {
public:
    struct Stretch {
        int64_t lo, hi;      // indices
        int64_t part, block; // whose, and the place in its list of the first of them
    };

    IndexedParts(const std::vector<IndexList> &lists, int64_t n, const Overlap &overlap);

    const IndexedPart &part(int64_t c) const { return parts_[static_cast<size_t>(c)]; }
    int64_t size() const { return static_cast<int64_t>(parts_.size()); }

    // Whether the lists have little pattern: walking their runs one by one, or their indices where each has
    // overlap, costs no more than closed forms do.
    bool scattered() const { return scattered_; }

    // Calls f(stretch) for all stretches of lists with an index of [lo, hi), by rising first indices. An
    // index that a list names again is a stretch again. O(log) for each of them. The first question sorts all
    // runs.
    template <class F> void each(int64_t lo, int64_t hi, F f) const {
        const Sorted &all = sorted();
        visit(all, 0, all.stretches.size(), lo, hi, f);
    }
    // Parts with an index of [lo, hi), in rising order, each once.
    std::vector<int64_t> owners(int64_t lo, int64_t hi) const;
    // The first of the parts with an index. O(log); the first question goes through all runs.
    std::optional<int64_t> first_owner(int64_t index) const;

    // The first index that nobody has, or that two parts have or one part twice, if there is any.
    struct Fault {
        int64_t index = 0, first = -1, second = -1; // the parts; none where the index is missing
    };
    std::optional<Fault> find_fault() const;

private:
    // Stretches as a search tree: the middle of a range is its root, and what stands at either side its subtrees.
    struct Sorted {
        std::once_flag once;
        std::vector<Stretch> stretches; // by lo
        std::vector<int64_t> furthest;  // greatest hi of each one's subtree
        int64_t reach(size_t begin, size_t end);
    };
    const Sorted &sorted() const;
    bool tile() const; // true: each index has one place; false: to be looked at
    template <class F>
    static void visit(const Sorted &all, size_t begin, size_t end, int64_t lo, int64_t hi, F &f) {
        while (begin < end) {
            const size_t middle = begin + (end - begin) / 2;
            if (all.furthest[middle] <= lo)
                return;
            visit(all, begin, middle, lo, hi, f);
            if (all.stretches[middle].lo >= hi)
                return;
            if (all.stretches[middle].hi > lo)
                f(all.stretches[middle]);
            begin = middle + 1;
        }
    }
    struct First {
        std::once_flag once;
        FirstOwners owners;
    };

    int64_t n_;
    std::vector<IndexedPart> parts_;
    bool scattered_ = false;
    std::unique_ptr<Sorted> sorted_ = std::make_unique<Sorted>();
    std::unique_ptr<First> first_ = std::make_unique<First>();
};

} // namespace dri
