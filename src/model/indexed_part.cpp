// IndexedPart: first and further occurrences of the indices of one list, and its blocks.
#include "base/checked.hpp"
#include "base/sort_by_key.hpp"
#include "model/index_lists.hpp"

#include <algorithm>
#include <limits>

namespace dri::model {

namespace {

// A global index, and the number of a list or the local index that belongs to it.
struct IndexPair {
    int64_t global = 0, at = 0;
};

void sort(std::vector<IndexPair> &pairs) {
    sort_by_key(pairs, [](const IndexPair &p) { return p.global; });
}

// Appends an index to a list. It extends the last run if it continues that globally and locally.
void add_single(IndexList &list, int64_t global, int64_t local) {
    if (!list.empty() && list.back().global + list.back().size == global &&
        list.back().local + list.back().size == local)
        ++list.back().size;
    else
        list.push_back({global, 1, 1, 0, local, 0});
}

// Calls f(global index, local index) for each index of a list of runs.
template <class F> void each_index(const Runs &r, F f) {
    for (int64_t k = 0; k < r.count; ++k)
        for (int64_t i = 0; i < r.size; ++i)
            f(r.global + k * r.global_step + i, r.local + k * r.local_step + i);
}

// Marks the lists of runs whose span meets that of another list. If most lists are short, it marks all of them,
// because they have no pattern to lose.
std::vector<bool> mixed_lists(const IndexList &list) {
    if (4 * std::ssize(list) > length(list))
        return std::vector<bool>(list.size(), true);
    std::vector<IndexPair> begins;
    begins.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i)
        begins.push_back({list[i].global, static_cast<int64_t>(i)});
    sort(begins);
    std::vector<bool> mixed(list.size());
    for (size_t begin = 0, end; begin < begins.size(); begin = end) {
        const auto runs = [&](size_t at) { return static_cast<size_t>(begins[at].at); };
        int64_t reach = list[runs(begin)].end();
        for (end = begin + 1; end < begins.size() && begins[end].global < reach; ++end)
            reach = std::max(reach, list[runs(end)].end());
        for (size_t at = begin; end > begin + 1 && at < end; ++at)
            mixed[runs(at)] = true;
    }
    return mixed;
}

// Whether each list of runs starts behind the end of the one before.
bool stand_apart(const IndexList &list) {
    return std::adjacent_find(list.begin(), list.end(),
                              [](const Runs &a, const Runs &b) { return b.global < a.end(); }) == list.end();
}

// Marks the entries of mixed lists whose index, 0 to n - 1, has occurred before in a mixed list.
std::vector<bool> named_again(const IndexList &list, const std::vector<bool> &mixed, int64_t n) {
    const int64_t all = length(list);
    std::vector<bool> again(static_cast<size_t>(all));
    const auto each_mixed = [&](auto f) {
        for (size_t i = 0; i < list.size(); ++i)
            if (mixed[i])
                each_index(list[i], f);
    };
    // A bit per index is faster than sorting and needs less memory, unless nearly all bits would stay unused.
    if (n / 256 <= all) {
        std::vector<bool> named(static_cast<size_t>(n));
        each_mixed([&](int64_t global, int64_t local) {
            const auto index = static_cast<size_t>(global);
            if (named[index])
                again[static_cast<size_t>(local)] = true;
            named[index] = true;
        });
        return again;
    }
    std::vector<IndexPair> singles;
    each_mixed([&](int64_t global, int64_t local) { singles.push_back({global, local}); });
    sort(singles);
    for (size_t i = 1; i < singles.size(); ++i)
        if (singles[i].global == singles[i - 1].global)
            again[static_cast<size_t>(singles[i].at)] = true;
    return again;
}

// Separates lists whose spans meet, so that each index belongs to one list. Further occurrences of an index are
// moved to `repeats`. Both results are in local order, as the list is.
void separate(const IndexList &list, int64_t n, IndexList &firsts, IndexList &repeats) {
    if (stand_apart(list)) {
        firsts = list;
        return;
    }
    const std::vector<bool> mixed = mixed_lists(list), again = named_again(list, mixed, n);
    for (size_t i = 0; i < list.size(); ++i) {
        if (!mixed[i]) {
            firsts.push_back(list[i]);
            continue;
        }
        each_index(list[i], [&](int64_t global, int64_t local) {
            add_single(again[static_cast<size_t>(local)] ? repeats : firsts, global, local);
        });
    }
}

// Appends lists in which each run is one index, because each index of an indexed part is a block.
void split_runs(const Runs &r, bool again, std::vector<Blocks> &out) {
    if (r.size == 1)
        return out.push_back({r, again});
    for (int64_t k = 0; k < r.count; ++k)
        out.push_back({{r.global + k * r.global_step, 1, r.size, 1, r.local + k * r.local_step, 1}, again});
}

} // namespace

IndexedPart::IndexedPart(const IndexList &list, int64_t n, const Overlap &overlap)
    : list_(list), n_(n), length_(dri::model::length(list)), overlap_(overlap) {
    if (!list_.empty())
        lowest_ = n;
    for (const Runs &r : list_) {
        lowest_ = std::min(lowest_, r.global);
        end_ = std::max(end_, r.end());
    }
    if (!overlap_.none())
        note_clipped();
}

const IndexedPart::Sorted &IndexedPart::sorted() const {
    std::call_once(sorted_->once, [this] {
        IndexList firsts;
        separate(list_, n_, firsts, sorted_->repeats);
        sorted_->firsts = IndexSet(std::move(firsts));
        if (overlap_.none())
            return;
        // The rest serves first_block(), which is only needed to find an index in overlap.
        auto &[once, runs, repeats, by_index, smallest] = *sorted_;
        by_index = runs.lists();
        sort_by_key(by_index, [](const Runs &r) { return r.global; });
        const size_t m = by_index.size();
        smallest.assign(2 * m, 0);
        for (size_t i = 0; i < m; ++i)
            smallest[m + i] = by_index[i].local;
        for (size_t i = m; i-- > 1;)
            smallest[i] = std::min(smallest[2 * i], smallest[2 * i + 1]);
    });
    return *sorted_;
}

// Only indices near an edge lose overlap, so only these are examined.
void IndexedPart::note_clipped() {
    for (const Runs &r : list_)
        for (int64_t k = 0; k < r.count; ++k) {
            const int64_t lo = r.global + k * r.global_step, hi = lo + r.size;
            const auto note = [&](int64_t from, int64_t to) {
                for (int64_t i = std::max(from, lo); i < std::min(to, hi); ++i) {
                    const AxisBlock b = block_with_overlap(i, 1, n_, overlap_);
                    const int64_t missing = (overlap_.left - b.left()) + (overlap_.right - b.right());
                    if (missing > 0)
                        clipped_.push_back({r.local + k * r.local_step + i - lo, missing});
                }
            };
            const int64_t left = std::min(overlap_.left, n_), right = std::max(n_ - overlap_.right, left);
            note(0, left);
            note(right, n_);
        }
    for (size_t i = 1; i < clipped_.size(); ++i)
        clipped_[i].missing += clipped_[i - 1].missing;
}

// The full width of all blocks before this one, minus what is missing from them.
int64_t IndexedPart::start(int64_t block) const {
    const auto after = std::lower_bound(clipped_.begin(), clipped_.end(), block,
                                        [](const Clipped &c, int64_t b) { return c.block < b; });
    const int64_t missing = after == clipped_.begin() ? 0 : (after - 1)->missing;
    return static_cast<int64_t>(block * (Wide{1} + overlap_.left + overlap_.right) - missing);
}

std::optional<int64_t> IndexedPart::first_block(int64_t lo, int64_t hi) const {
    const auto &[once, firsts, repeats, by_index, smallest] = sorted();
    // A list that starts in the range has its lowest local index there, even if it extends beyond the range. The
    // list before them may reach into the range.
    const auto starts_before = [](const Runs &r, int64_t g) { return r.global < g; };
    const auto from = std::lower_bound(by_index.begin(), by_index.end(), lo, starts_before);
    const auto to = std::lower_bound(from, by_index.end(), hi, starts_before);
    int64_t best = std::numeric_limits<int64_t>::max();
    if (from != by_index.begin()) {
        const Runs &r = *(from - 1);
        // Its first index at or behind lo.
        int64_t k = r.count > 1 ? std::min((lo - r.global) / r.global_step, r.count - 1) : 0;
        int64_t inside = lo - r.global - k * r.global_step;
        if (inside >= r.size)
            ++k, inside = 0;
        if (k < r.count && r.global + k * r.global_step + inside < hi)
            best = r.local + k * r.local_step + inside;
    }
    const auto m = static_cast<ptrdiff_t>(by_index.size());
    for (auto a = from - by_index.begin() + m, b = to - by_index.begin() + m; a < b; a /= 2, b /= 2) {
        if (a & 1)
            best = std::min(best, smallest[static_cast<size_t>(a++)]);
        if (b & 1)
            best = std::min(best, smallest[static_cast<size_t>(--b)]);
    }
    if (best == std::numeric_limits<int64_t>::max())
        return std::nullopt;
    return best;
}

PartAxis IndexedPart::axis() const {
    if (overlap_.none()) {
        PartAxis axis;
        axis.owned = firsts();
        axis.overlap = repeats();
        axis.extent = length_;
        return axis;
    }
    std::vector<Blocks> blocks;
    for (const Runs &r : firsts().lists())
        split_runs(r, false, blocks);
    for (const Runs &r : repeats())
        split_runs(r, true, blocks);
    std::sort(blocks.begin(), blocks.end(),
              [](const Blocks &a, const Blocks &b) { return a.runs.local < b.runs.local; });
    return make_axis(blocks, n_, overlap_);
}

} // namespace dri::model
