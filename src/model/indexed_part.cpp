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

// Whether the runs of lists lie between those of other lists, but no index occurs twice. It is looked for only
// where that costs less than to take the lists apart.
bool only_alternate(const IndexList &list) {
    const auto lists = std::ssize(list);
    return 8 * lists <= length(list) / lists && !first_common(list);
}

// Separates lists whose spans meet, so that each index belongs to one list. Further occurrences of an index are
// moved to `repeats`. Both results are in local order, as the list is. alternate: runs of several lists may
// alternate. Returns whether they do.
bool separate(const IndexList &list, int64_t n, bool alternate, IndexList &firsts, IndexList &repeats) {
    const bool apart = stand_apart(list);
    if (apart || (alternate && only_alternate(list))) {
        firsts = list;
        return !apart;
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
    return false;
}

// The sum of width - i over all indices i of a list that are smaller than the width.
Wide lost_at_start(const Runs &r, int64_t width) {
    // The sum over `size` consecutive indices from `from` on, all of them smaller than the width.
    const auto of_run = [&](Wide from, Wide size) { return size * (width - from) - size * (size - 1) / 2; };
    if (r.size == 0 || r.count == 0 || r.global >= width)
        return 0;
    const int64_t step = std::max<int64_t>(r.global_step, 1);
    // Runs that lie before the width as a whole: each loses size * step less than the one before. The next run may
    // reach beyond the width.
    const int64_t inside = width - r.global - r.size;
    const int64_t whole = inside < 0 ? 0 : r.count == 1 ? 1 : std::min(r.count, inside / step + 1);
    Wide lost = Wide{whole} * of_run(r.global, r.size) - Wide{r.size} * step * (Wide{whole} * (whole - 1) / 2);
    const Wide next = r.global + Wide{whole} * step;
    if (whole < r.count && next < width)
        lost += of_run(next, width - next);
    return lost;
}

// Appends lists in which each run is one index, because each index of an indexed part is a block.
void split_runs(const Runs &r, bool again, std::vector<Blocks> &out) {
    if (r.size == 1)
        return out.push_back({r, again});
    for (int64_t k = 0; k < r.count; ++k)
        out.push_back({{r.global + k * r.global_step, 1, r.size, 1, r.local + k * r.local_step, 1}, again});
}

} // namespace

IndexedPart::IndexedPart(IndexList list, int64_t n, const Overlap &overlap)
    : list_(std::move(list)), n_(n), length_(dri::model::length(list_)), overlap_(overlap) {
    if (!list_.empty())
        lowest_ = n;
    for (const Runs &r : list_) {
        num_runs_ += r.count;
        lowest_ = std::min(lowest_, r.global);
        end_ = std::max(end_, r.end());
    }
    if (overlap_.none())
        return;
    // The sums fit into 64 bits, because the whole extent does.
    Wide missing = 0;
    for (const Runs &r : list_) {
        missing_.push_back(static_cast<int64_t>(missing));
        missing += missing_of(r);
    }
}

void IndexedPart::shorten() {
    if (!is_plain(list_) || end_ > int64_t{UINT32_MAX} || !overlap_.none())
        return;
    indices_.reserve(static_cast<size_t>(length_));
    for (const Runs &r : list_)
        each_index(r, [&](int64_t global, int64_t) { indices_.push_back(static_cast<uint32_t>(global)); });
    list_ = IndexList(); // gives the memory back, unlike {}
    made_again_ = std::make_unique<MadeAgain>();
}

const IndexList &IndexedPart::list() const {
    if (indices_.empty())
        return list_;
    std::call_once(made_again_->once, [this] { made_again_->list = compress(indices_); });
    return made_again_->list;
}

void IndexedPart::put(Writer &out) const {
    if (indices_.empty())
        dri::model::put(out, list_);
    else
        dri::model::put(out, std::span(indices_));
}

int64_t IndexedPart::wire_bytes() const {
    constexpr int64_t head = 16, index = 8;
    return head + index * (indices_.empty() && !is_plain(list_) ? 4 * std::ssize(list_) : length_);
}

const IndexedPart::Sorted &IndexedPart::sorted() const {
    std::call_once(sorted_->once, [this] {
        IndexList firsts;
        // first_block() needs lists that stand apart, but only with overlap.
        const bool alternate = separate(list(), n_, overlap_.none(), firsts, sorted_->repeats);
        sorted_->firsts = IndexSet(std::move(firsts), alternate);
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

// The full width of all blocks before this one, minus what is missing from them.
int64_t IndexedPart::start(int64_t block) const {
    const Wide full = Wide{block} * (Wide{1} + overlap_.left + overlap_.right);
    if (missing_.empty() || block == 0)
        return static_cast<int64_t>(full);
    // In the list that holds the block before: its whole runs, and the start of the next one.
    const size_t at = list_at(list_, block - 1);
    Runs before = list_[at];
    const int64_t inside = block - before.local, rest = inside % before.size;
    before.count = inside / before.size;
    Wide missing = missing_[at] + missing_of(before);
    if (rest > 0)
        missing += missing_of({before.global + before.count * before.global_step, rest});
    return static_cast<int64_t>(full - missing);
}

// How many indices the overlap of a list's blocks loses at truncating edges.
Wide IndexedPart::missing_of(const Runs &r) const {
    Wide missing = 0;
    if (overlap_.left_edge == Edge::truncate)
        missing += lost_at_start(r, overlap_.left);
    if (overlap_.right_edge == Edge::truncate && r.count > 0) // the same, seen from the end of the array
        missing += lost_at_start({n_ - r.end(), r.size, r.count, r.global_step}, overlap_.right);
    return missing;
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
