// Lists of indices along one dimension: one list per part, in any order, as the processes gave them.
#pragma once

#include "base/wire.hpp"
#include "model/first_owners.hpp"
#include "model/part_axis.hpp"
#include "model/stretches.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace dri::model {

// Runs that follow one another in local order; an index may occur twice. The form is short if the indices have a
// pattern.
using IndexList = std::vector<Runs>;

// Equal indices give equal lists.
IndexList compress(std::span<const int64_t> indices);
int64_t length(const IndexList &list);
int64_t index_at(const IndexList &list, int64_t local); // 0 <= local < length
bool same_indices(const IndexList &a, const IndexList &b);

void put(Writer &out, const IndexList &list);
IndexList get_index_list(Reader &in);
std::string to_text(const IndexList &list); // "0-3:8:9"

// The list of one part. Most processes ask about few parts besides their own. Therefore all work that needs
// sorting is done at the first question that needs it.
class IndexedPart {
public:
    IndexedPart(const IndexList &list, int64_t n, const Overlap &overlap);

    int64_t length() const { return length_; } // blocks: each index is one
    const IndexList &list() const { return list_; }
    int64_t lowest() const { return lowest_; } // smallest index; 0 for an empty list
    int64_t end() const { return end_; }       // largest index plus one; 0 for an empty list
    // firsts(): each index at its first occurrence; its local index is its number in the list. repeats(): all
    // further occurrences.
    const IndexSet &firsts() const { return sorted().firsts; }
    const IndexList &repeats() const { return sorted().repeats; }
    PartAxis axis() const;

    // The local index where a block starts, its overlap included; block <= length.
    int64_t start(int64_t block) const;
    int64_t index(int64_t block) const { return index_at(list_, block); }
    // The number of the first entry of the list that lies in [lo, hi), if any.
    std::optional<int64_t> first_block(int64_t lo, int64_t hi) const;

private:
    void note_clipped();

    struct Sorted {
        std::once_flag once;
        IndexSet firsts;
        IndexList repeats;
        // Only with overlap: the lists of `firsts` in rising order of indices, and a tree of minimal local
        // indices. Entry i of the tree has the children 2 i and 2 i + 1; the leaves are its second half.
        std::vector<Runs> by_index;
        std::vector<int64_t> smallest;
    };
    const Sorted &sorted() const;

    IndexList list_;
    int64_t n_, length_, lowest_ = 0, end_ = 0;
    Overlap overlap_;
    // Blocks whose overlap is clipped by an edge, in order, and how many indices are missing up to and including
    // each.
    struct Clipped {
        int64_t block, missing;
    };
    std::vector<Clipped> clipped_;
    std::unique_ptr<Sorted> sorted_ = std::make_unique<Sorted>();
};

// Which part has which index.
class IndexedParts {
public:
    IndexedParts(const std::vector<IndexList> &lists, int64_t n, const Overlap &overlap);

    const IndexedPart &part(int64_t c) const { return parts_[static_cast<size_t>(c)]; }
    int64_t size() const { return static_cast<int64_t>(parts_.size()); }

    // Whether the lists have little pattern. Walking their runs one by one, or their indices if each has overlap,
    // then costs no more than closed forms do.
    bool scattered() const { return scattered_; }

    // Calls f(stretch) for all stretches of lists that have an index of [lo, hi), in rising order of their first
    // indices. An index that a list names again belongs to a further stretch. Cost: O(log) for each stretch. The
    // first question sorts all runs.
    template <class F> void each(int64_t lo, int64_t hi, F f) const { sorted().each(lo, hi, f); }
    // Parts that have an index of [lo, hi), in rising order, each once.
    std::vector<int64_t> owners(int64_t lo, int64_t hi) const;
    // The first part that has an index. Cost: O(log); the first question visits all runs.
    std::optional<int64_t> first_owner(int64_t index) const;

    // The first index that no part has, that two parts have, or that one part has twice; nothing if there is none.
    struct Fault {
        int64_t index = 0, first = -1, second = -1; // the parts; -1 if no part has the index
    };
    std::optional<Fault> find_fault() const;

private:
    struct Sorted {
        std::once_flag once;
        Stretches stretches;
    };
    const Stretches &sorted() const;
    bool tile() const; // true: each index occurs exactly once; false: not known
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

} // namespace dri::model
