// Intersection of index sets in closed form.
//
// Two lists with periods pa and pb meet in a pattern of period lcm(pa, pb). With g = gcd(pa, pb), list a has pb/g
// runs in that period and list b has pa/g. There are two ways to walk one period; the cheaper one is taken:
// - by runs: visit each run of a; the runs of b that lie completely inside it form one inner repetition;
// - by distance: visit each distance d between the starts of two runs that touch. All such distances are equal
//   modulo g, so there are about (size_a + size_b) / g of them. Each fixes one residue class.
#include "base/checked.hpp"
#include "model/index_set.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dri::model {

namespace {

int64_t ceil_div_signed(int64_t a, int64_t b) { return -floor_div(-a, b); }

// x with a * x = 1 modulo m; a and m are coprime, m >= 1.
int64_t inverse(int64_t a, int64_t m) {
    if (m == 1)
        return 0;
    int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
    while (r1 != 0) {
        const int64_t q = r0 / r1;
        std::tie(r0, r1) = std::pair(r1, r0 - q * r1);
        std::tie(t0, t1) = std::pair(t1, t0 - q * t1);
    }
    return t0 < 0 ? t0 + m : t0;
}

// One list of a and one of b. If `swapped`, their roles are exchanged, and exchanged back in the result.
class Meeting {
public:
    Meeting(const Runs &a, const Runs &b, bool swapped, std::vector<CommonRuns> &out)
        : a_(a), b_(b), swapped_(swapped), out_(out) {
        a_period_ = a.count;
        if (a.count > 1 && b.count > 1) {
            const int64_t g = std::gcd(a.global_step, b.global_step);
            a_period_ = b.global_step / g;
            b_period_ = a.global_step / g;
        }
    }

    int64_t runs_to_walk() const { return std::min(a_.count, a_period_); }

    void walk_runs() {
        for (int64_t i = 0; i < runs_to_walk(); ++i) {
            const int64_t lo = a_.global + i * a_.global_step, hi = lo + a_.size;
            // Runs [from, to) of b touch this run, as if b had no ends. Runs [inner_from, inner_to) lie inside it.
            const int64_t step = b_.count == 1 ? 1 : b_.global_step;
            int64_t from = floor_div(lo - b_.global - b_.size, step) + 1;
            int64_t to = ceil_div_signed(hi - b_.global, step);
            int64_t inner_from = ceil_div_signed(lo - b_.global, step);
            int64_t inner_to = floor_div(hi - b_.global - b_.size, step) + 1;
            if (b_.count == 1) {
                const bool touches = b_.global < hi && lo < b_.global + b_.size;
                const bool inside = lo <= b_.global && b_.global + b_.size <= hi;
                from = 0, to = touches ? 1 : 0;
                inner_from = 0, inner_to = inside ? 1 : 0;
            }
            if (inner_from >= inner_to) {
                for (int64_t j = from; j < to; ++j)
                    emit_class(i, j, 1);
                continue;
            }
            for (int64_t j = from; j < inner_from; ++j)
                emit_class(i, j, 1);
            emit_class(i, inner_from, inner_to - inner_from);
            for (int64_t j = inner_to; j < to; ++j)
                emit_class(i, j, 1);
        }
    }

    int64_t distances_to_walk() const {
        return (a_.size + b_.size) / std::gcd(a_.global_step, b_.global_step) + 1;
    }

    void walk_distances() {
        const int64_t g = std::gcd(a_.global_step, b_.global_step);
        const int64_t start = b_.global - a_.global;
        const int64_t inv = inverse(a_.global_step / g, a_period_);
        // d = (start of b's run) - (start of a's run), where -size_b < d < size_a and d = start modulo g.
        const int64_t min_diff = -b_.size + 1;
        int64_t d = min_diff + (((start - min_diff) % g) + g) % g;
        for (; d < a_.size; d += g) {
            // The solutions (i, j) of i * pa - j * pb = start - d are one residue class.
            const int64_t steps = (start - d) / g;
            const auto i =
                static_cast<int64_t>(((static_cast<Wide>(steps) * inv) % a_period_ + a_period_) % a_period_);
            const auto j =
                static_cast<int64_t>((static_cast<Wide>(i) * a_.global_step - (start - d)) / b_.global_step);
            emit_class(i, j, 1);
        }
    }

private:
    // Run i of a meets the runs j .. j + n - 1 of b. For every t, run i + t * a_period meets those t * b_period
    // later, as far as both lists reach.
    void emit_class(int64_t i, int64_t j, int64_t n) {
        int64_t t_end = 1, t_begin = 0;
        const bool repeats = a_.count > 1 && b_.count > 1;
        if (repeats) {
            t_end = floor_div(a_.count - 1 - i, a_period_) + 1;
            t_begin = std::max<int64_t>(0, ceil_div_signed(-(j + n - 1), b_period_));
            t_end = std::min(t_end, floor_div(b_.count - 1 - j, b_period_) + 1);
        }
        if (t_begin >= t_end)
            return;
        const auto whole = [&](int64_t t) { return j + t * b_period_ >= 0 && j + t * b_period_ + n <= b_.count; };
        // Only the first and the last repetition can reach beyond the ends of b; more can if runs of a overlap.
        for (; t_begin < t_end && !whole(t_begin); ++t_begin)
            emit_cut(i + t_begin * a_period_, j + t_begin * b_period_, n);
        for (; t_begin < t_end && !whole(t_end - 1); --t_end)
            emit_cut(i + (t_end - 1) * a_period_, j + (t_end - 1) * b_period_, n);
        if (t_begin < t_end)
            emit(i + t_begin * a_period_, j + t_begin * b_period_, n, t_end - t_begin);
    }

    // A repetition of which b has only some runs, or none.
    void emit_cut(int64_t i, int64_t j, int64_t n) {
        const int64_t from = std::max<int64_t>(j, 0), to = std::min(j + n, b_.count);
        if (from < to)
            emit(i, from, to - from, 1);
    }

    void emit(int64_t i, int64_t j, int64_t n, int64_t repeats) {
        const int64_t a_lo = a_.global + i * a_.global_step, b_lo = b_.global + j * b_.global_step;
        const int64_t lo = std::max(a_lo, b_lo), hi = std::min(a_lo + a_.size, b_lo + b_.size);
        if (lo >= hi)
            return;
        CommonRuns c;
        c.a_local = a_.local + i * a_.local_step + (lo - a_lo);
        c.b_local = b_.local + j * b_.local_step + (lo - b_lo);
        c.size = hi - lo;
        c.outer = {repeats, a_period_ * a_.local_step, b_period_ * b_.local_step};
        c.inner = {n, b_.global_step, b_.local_step};
        if (swapped_) {
            std::swap(c.a_local, c.b_local);
            std::swap(c.outer.a_step, c.outer.b_step);
            std::swap(c.inner.a_step, c.inner.b_step);
        }
        out_.push_back(c);
    }

    const Runs &a_, &b_;
    bool swapped_;
    std::vector<CommonRuns> &out_;
    int64_t a_period_ = 1, b_period_ = 1; // runs in one period of the pattern
};

void intersect_lists(const Runs &a, const Runs &b, std::vector<CommonRuns> &out) {
    Meeting straight(a, b, false, out), swapped(b, a, true, out);
    const bool both_repeat = a.count > 1 && b.count > 1;
    const int64_t by_a = straight.runs_to_walk(), by_b = swapped.runs_to_walk();
    if (both_repeat && straight.distances_to_walk() < std::min(by_a, by_b))
        return straight.walk_distances();
    // A single run is the one to walk by, because the other list's runs inside it are one repetition.
    return by_a <= by_b ? straight.walk_runs() : swapped.walk_runs();
}

using Pair = std::pair<size_t, size_t>;

// Numbers of the lists in rising order of where they start.
std::vector<size_t> by_start(std::span<const Runs> lists) {
    std::vector<size_t> order(lists.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto before = [&](size_t x, size_t y) { return lists[x].global < lists[y].global; };
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::sort(order.begin(), order.end(), before);
    return order;
}

// Pairs of lists whose spans meet, by a sweep along the indices. Each list meets those of the other side that have
// started and not ended. Lists that have ended are removed when they are seen. Therefore each step of the sweep
// yields a pair or removes a list.
std::vector<Pair> meeting_pairs(std::span<const Runs> a, std::span<const Runs> b, int64_t b_shift) {
    const auto a_order = by_start(a), b_order = by_start(b);
    std::vector<size_t> a_open, b_open;
    std::vector<Pair> pairs;
    const auto meet = [](std::vector<size_t> &open, std::span<const Runs> lists, int64_t start, auto note) {
        size_t kept = 0;
        for (const size_t i : open)
            if (lists[i].end() > start) {
                open[kept++] = i;
                note(i);
            }
        open.resize(kept);
    };
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[a_order[i]].global <= b[b_order[j]].global + b_shift)) {
            const size_t x = a_order[i++];
            meet(b_open, b, a[x].global - b_shift, [&](size_t y) { pairs.emplace_back(x, y); });
            a_open.push_back(x);
        } else {
            const size_t y = b_order[j++];
            meet(a_open, a, b[y].global + b_shift, [&](size_t x) { pairs.emplace_back(x, y); });
            b_open.push_back(y);
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

} // namespace

std::vector<CommonRuns> intersect(std::span<const Runs> a, std::span<const Runs> b, int64_t b_shift) {
    std::vector<CommonRuns> out;
    const auto meet = [&](const Runs &ra, Runs rb) {
        rb.global += b_shift;
        const bool same = rb.count > 1 && rb.global_step == 0;
        const Repeat again{same ? rb.count : 1, 0, rb.local_step};
        if (same)
            rb.count = 1;
        const size_t found = out.size();
        intersect_lists(ra, rb, out);
        for (size_t k = found; same && k < out.size(); ++k)
            out[k].outer = again; // unused so far, because b is a single run
    };
    if (a.size() == 1 && b.size() == 1) {
        if (b[0].global + b_shift < a[0].end() && a[0].global < b[0].end() + b_shift)
            meet(a[0], b[0]);
        return out;
    }
    for (const auto &[i, j] : meeting_pairs(a, b, b_shift))
        meet(a[i], b[j]);
    return out;
}

} // namespace dri::model
