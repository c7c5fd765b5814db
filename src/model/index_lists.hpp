// Lists of indices along one dimension: one list per part, in any order, as the processes gave them.
#pragma once

#include "base/checked.hpp"
#include "base/wire.hpp"
#include "model/first_owners.hpp"
#include "model/part_axis.hpp"
#include "model/stretches.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dri::model {

// Runs that follow one another in local order; an index may occur twice. The form is short if the indices have a
// pattern.
using IndexList = std::vector<Runs>;

// Equal indices give equal lists, whichever function makes them.
IndexList compress(std::span<const int64_t> indices);
IndexList compress(std::span<const uint32_t> indices);
// Calls f(first index, size) for each longest run of n consecutive indices that next() returns.
template <class Next, class F> void each_run(size_t n, Next &next, F f) {
    if (n == 0)
        return;
    int64_t global = next(), size = 1;
    for (size_t i = 1; i < n; ++i) {
        const int64_t index = next();
        if (index == global + size) {
            ++size;
            continue;
        }
        f(global, size);
        global = index, size = 1;
    }
    f(global, size);
}
// Of runs with any steps; their local indices are not read. Cost: the number of runs. A list whose runs do not
// rise, or overlap (global_step < size), is taken apart into single runs.
IndexList join(std::span<const Runs> runs);
int64_t length(const IndexList &list);
size_t list_at(const IndexList &list, int64_t local);   // the number of the list of runs; 0 <= local < length
int64_t index_at(const IndexList &list, int64_t local); // 0 <= local < length
bool same_indices(const IndexList &a, const IndexList &b);

// Whether the wire form names the indices one by one.
bool is_plain(const IndexList &list);
void put(Writer &out, const IndexList &list);
void put(Writer &out, std::span<const uint32_t> plain); // the same for the indices of a plain list
IndexList get_index_list(Reader &in);
std::string to_text(const IndexList &list); // "0-3:8:9"

// The list of one part. Most processes ask about few parts besides their own. Therefore all work that needs
// sorting is done at the first question that needs it.
class IndexedPart {
public:
    IndexedPart(IndexList list, int64_t n, const Overlap &overlap);

    int64_t length() const { return length_; } // blocks: each index is one
    const IndexList &list() const;             // after shorten() made again by the first question, and kept
    // Calls f(run) for each run of the list by itself.
    template <class F> void each_run(F f) const;
    int64_t num_runs() const { return num_runs_; }
    // Keeps the indices instead of the list if they take less memory. Not with overlap.
    void shorten();
    void put(Writer &out) const;               // the list's wire form
    int64_t wire_bytes() const;                // at most
    int64_t lowest() const { return lowest_; } // smallest index; 0 for an empty list
    int64_t end() const { return end_; }       // largest index plus one; 0 for an empty list
    // firsts(): each index at its first occurrence; its local index is its number in the list. repeats(): all
    // further occurrences.
    const IndexSet &firsts() const { return sorted().firsts; }
    const IndexList &repeats() const { return sorted().repeats; }
    PartAxis axis() const;

    // The local index where a block starts, its overlap included; block <= length.
    int64_t start(int64_t block) const;
    int64_t index(int64_t block) const {
        return indices_.empty() ? index_at(list_, block) : int64_t{indices_[static_cast<size_t>(block)]};
    }
    // The number of the first entry of the list that lies in [lo, hi), if any.
    std::optional<int64_t> first_block(int64_t lo, int64_t hi) const;

private:
    Wide missing_of(const Runs &r) const;

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
    std::vector<uint32_t> indices_; // instead of list_, see shorten()
    struct MadeAgain {
        std::once_flag once;
        IndexList list;
    };
    std::unique_ptr<MadeAgain> made_again_; // if there are `indices_`
    int64_t n_, length_, num_runs_ = 0, lowest_ = 0, end_ = 0;
    Overlap overlap_;
    std::vector<int64_t>
        missing_; // only with overlap: for each list, what edges cut off from the blocks before it
    std::unique_ptr<Sorted> sorted_ = std::make_unique<Sorted>();
};

template <class F> void IndexedPart::each_run(F f) const {
    if (!indices_.empty()) {
        auto next = [at = indices_.data()]() mutable { return int64_t{*at++}; };
        int64_t local = 0;
        return dri::model::each_run(indices_.size(), next, [&](int64_t global, int64_t size) {
            f(Runs{global, size, 1, 0, local, 0});
            local += size;
        });
    }
    for (const Runs &r : list_)
        for (int64_t k = 0; k < r.count; ++k)
            f(Runs{r.global + k * r.global_step, r.size, 1, 0, r.local + k * r.local_step, 0});
}

// Whether lists without a pattern are kept as runs, which a process needs to plan its own part, or as indices,
// which take a tenth of the memory and serve to find what others have.
enum class KeepLists { as_runs, as_indices };

// Which part has which index.
class IndexedParts {
public:
    IndexedParts(std::vector<IndexList> lists, int64_t n, const Overlap &overlap,
                 KeepLists keep = KeepLists::as_runs);

    const IndexedPart &part(int64_t c) const { return parts_[static_cast<size_t>(c)]; }
    int64_t size() const { return static_cast<int64_t>(parts_.size()); }

    // Whether the lists have little pattern. Walking their runs one by one, or their indices if each has overlap,
    // then costs no more than closed forms do.
    bool scattered() const { return scattered_; }

    // Calls f(stretch) for all stretches of lists that have an index of [lo, hi), in rising order of the first
    // indices of their lists; if scattered(), of their own. An index that a list names again belongs to a further
    // stretch. Cost: O(log) for each stretch. The first question sorts all lists; if scattered(), all runs.
    template <class F> void each(int64_t lo, int64_t hi, F f) const {
        sorted().each(lo, hi, [&](const ListStretch &s) {
            if (scattered_)
                return f(s);
            const Runs &r = list_of(s);
            const auto [from, to] = runs_between(s, lo, hi);
            for (int64_t k = from; k < to; ++k) {
                const int64_t first = r.global + k * r.global_step;
                f(ListStretch{first, first + r.size, s.part, r.local + k * r.local_step});
            }
        });
    }
    // Bytes that the questions so far have left behind, without the lists.
    int64_t kept_bytes() const { return sorted_->bytes; }
    // Parts that have an index of [lo, hi), in rising order, each once. Cost: O(log) for each list whose span
    // meets that range.
    std::vector<int64_t> owners(int64_t lo, int64_t hi) const;
    // The first part that has an index. Cost: O(log) if scattered(), otherwise that of owners().
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
        std::atomic<int64_t> bytes = 0; // of the stretches, once they are sorted
    };
    const Stretches &sorted() const;
    void fill(Stretches &stretches) const;
    void fill_runs(Stretches &stretches) const; // with each run
    // If not scattered(), a stretch of sorted() is a list of runs as a whole: that list, and which of its runs
    // meet [lo, hi).
    const Runs &list_of(const ListStretch &s) const;
    std::pair<int64_t, int64_t> runs_between(const ListStretch &s, int64_t lo, int64_t hi) const;
    bool tile() const; // true: each index occurs exactly once; false: not known
    std::optional<Fault> first_fault(const Stretches &all) const; // all: each run is a stretch
    std::optional<Fault> first_fault_of_lists() const;            // without a look at each run
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
