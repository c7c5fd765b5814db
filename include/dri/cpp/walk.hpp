// The way over what a process owns of a buffer: row after row, in the order of memory.
#pragma once

#include <dri/cpp/placement.hpp>
#include <dri/cpp/rows.hpp>

#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// Elements that follow each other in memory, and how many such rows follow at equal distances.
template <class T, std::size_t N> struct Row {
    T *first = nullptr;         // null: there is no further row
    std::int64_t length = 1;    // along the fastest dimension
    std::int64_t more_rows = 0; // that follow, along the dimension of rows
    Index<N> at{};              // of the first element
};

// Walks over the rows of what a process owns, in the order of memory. If the elements of the fastest dimension do
// not lie next to each other, each of them is a row.
template <class T, std::size_t N> class Walk {
public:
    Walk() = default;
    Walk(T *data, const Placement<T, N> &placement)
        : data_(data), placement_(&placement), runs_(&placement.runs()) {
        const auto order = memory_order<N>(placement.extents, placement.strides);
        for (std::size_t k = 0; k < N; ++k) {
            const auto d = static_cast<std::size_t>(order[k]);
            levels_[k].dim = order[k];
            is_empty_ = is_empty_ || (*runs_)[d].empty();
        }
        // Whether the elements of the fastest dimension lie next to each other.
        if constexpr (N > 0)
            has_fast_ = placement.strides[static_cast<std::size_t>(levels_[N - 1].dim)] == 1 ||
                        placement.extents[static_cast<std::size_t>(levels_[N - 1].dim)] <= 1;
        if (is_empty_)
            return;
        if (has_fast_)
            fast_dim_ = levels_[N - 1].dim;
        if (slow_levels() > 0 && rows_follow()) {
            row_dim_ = levels_[slow_levels() - 1].dim;
            row_step_ = placement.strides[static_cast<std::size_t>(row_dim_)];
        }
    }

    // Dimensions of the elements of a row, and of the rows that follow it; -1 for none.
    int fast_dim() const { return fast_dim_; }
    int row_dim() const { return row_dim_; }
    std::int64_t row_step() const { return row_step_; } // from one of these rows to the next
    // Whether all elements of one dimension follow each other in memory.
    bool is_one_row() const {
        return N == 1 && data_ && !is_empty_ && has_fast_ && runs(levels_[N - 1]).size() == 1;
    }

    // Loops are compiled around these two. They stay calls, so that the loops keep their own state in registers.
    [[gnu::noinline]] Row<T, N> first() {
        for (Level &level : levels_)
            level.run = level.position = 0;
        return data_ && !is_empty_ ? row() : Row<T, N>{};
    }

    // The row behind the last of those that first() or next() has returned.
    [[gnu::noinline]] Row<T, N> next() {
        std::size_t k = N;
        if (has_fast_) {
            Level &fast = levels_[--k];
            if (++fast.run < runs(fast).size())
                return row();
            fast.run = 0;
        }
        if (k > 0 && rows_follow()) { // those that followed are done
            Level &rows = levels_[k - 1];
            rows.position = runs(rows)[rows.run].size - 1;
        }
        while (k-- > 0) {
            Level &level = levels_[k];
            if (++level.position < runs(level)[level.run].size)
                return row();
            level.position = 0;
            if (++level.run < runs(level).size())
                return row();
            level.run = 0;
        }
        return {};
    }

private:
    struct Level {
        int dim = 0;
        std::size_t run = 0;
        std::int64_t position = 0; // in that run
    };

    const std::vector<Run> &runs(const Level &level) const {
        return (*runs_)[static_cast<std::size_t>(level.dim)];
    }
    std::size_t slow_levels() const { return has_fast_ ? N - 1 : N; }
    // Rows follow at equal distances if a row is all that is owned along its dimension.
    bool rows_follow() const { return !has_fast_ || runs(levels_[N - 1]).size() == 1; }

    Row<T, N> row() const {
        Row<T, N> found;
        found.first = data_;
        for (std::size_t k = 0; k < N; ++k) {
            const auto d = static_cast<std::size_t>(levels_[k].dim);
            const Run &run = runs(levels_[k])[levels_[k].run];
            const std::int64_t position = levels_[k].position;
            found.first += (run.local + position) * placement_->strides[d];
            found.at[d] = run.global + position;
            if (levels_[k].dim == fast_dim_)
                found.length = run.size;
            else if (levels_[k].dim == row_dim_)
                found.more_rows = run.size - 1 - position;
        }
        return found;
    }

    T *data_ = nullptr;
    const Placement<T, N> *placement_ = nullptr;
    const std::array<std::vector<Run>, N> *runs_ = nullptr;
    std::array<Level, N> levels_{}; // the slowest dimension first
    bool has_fast_ = false, is_empty_ = false;
    int fast_dim_ = -1, row_dim_ = -1;
    std::int64_t row_step_ = 0;
};

} // namespace detail
} // namespace v1
} // namespace dri
