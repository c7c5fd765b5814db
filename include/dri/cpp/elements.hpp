// Elements of a part: what a process owns of one buffer, each element with its global index.
#pragma once

#include <dri/cpp/layout.hpp>
#include <dri/cpp/view.hpp>

#include <atomic>
#include <iterator>

namespace dri {
inline namespace v1 {

// An element and where it is in the global array.
template <class T, std::size_t N> struct Element {
    Index<N> at;
    T &x;
};

namespace detail {

// How a process's part lies in each buffer of an endpoint: all that a buffer's address does not say.
template <class T, std::size_t N> class Placement {
public:
    Placement(const Dist<T, N> &dist, const Layout &layout)
        : extents(dist.extents()), strides(layout.strides(dist)), dist_(dist) {
        if constexpr (is_complex<T>)
            plane = layout.plane(dist);
        is_split = plane != 1;
    }
    Placement(const Placement &) = delete;
    Placement &operator=(const Placement &) = delete;
    ~Placement() { delete runs_.load(); }

    using Runs = std::array<std::vector<Run>, N>;

    // What the process owns along each dimension. Found at the first call, because lists may be long.
    const Runs &runs() const {
        if (const Runs *const found = runs_.load(std::memory_order_acquire))
            return *found;
        auto fresh = std::make_unique<Runs>();
        for (std::size_t d = 0; d < N; ++d)
            (*fresh)[d] = runs_of(dist_.blocks(static_cast<int>(d)));
        const Runs *none = nullptr;
        // Of two threads that come here at once, one keeps its own.
        return runs_.compare_exchange_strong(none, fresh.get()) ? *fresh.release() : *none;
    }

    Index<N> extents, strides;
    std::int64_t plane = 1; // components from a real part to its imaginary part
    bool is_split = false;

private:
    Dist<T, N> dist_;
    mutable std::atomic<const Runs *> runs_ = nullptr;
};

// Elements that follow each other in memory, and how many such rows follow at equal distances.
template <class T, std::size_t N> struct Row {
    T *first = nullptr;                 // null: there is no further row
    std::int64_t begin = 0, length = 1; // along the fastest dimension: index of the first one, and their number
    std::int64_t row_index = 0,
                 more_rows = 0; // along the dimension of the rows that follow: its index, their number
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
            if (levels_[k].dim == fast_dim_) {
                found.begin = run.global;
                found.length = run.size;
            } else if (levels_[k].dim == row_dim_) {
                found.row_index = run.global + position;
                found.more_rows = run.size - 1 - position;
            }
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

// What a process owns of one buffer: an input range of Element, in the order of memory.
template <class T, std::size_t N> class Elements {
public:
    // The loop over a row holds its state in registers. What happens between rows is in Walk, which lies in the
    // range.
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = Element<T, N>;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        [[gnu::always_inline]] explicit iterator(detail::Walk<T, N> &walk)
            : walk_(&walk), fast_dim_(walk.fast_dim()), row_dim_(walk.row_dim()), row_step_(walk.row_step()) {
            enter(walk.first());
        }

        Element<T, N> operator*() const { return {at_, *x_}; }
        iterator &operator++() {
            step(std::make_index_sequence<N>());
            if (++x_ == stop_) [[unlikely]]
                next_row();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return first_ == nullptr; }

    private:
        // Counts the index of the fastest dimension up.
        template <std::size_t... D> void step(std::index_sequence<D...>) {
            if constexpr (N == 1)
                ++at_[0]; // without a fastest dimension, each row sets it
            else
                static_cast<void>(((fast_dim_ == static_cast<int>(N - 1 - D) && (++at_[N - 1 - D], true)) || ...));
        }
        [[gnu::always_inline]] void next_row() {
            if (more_rows_ > 0) {
                --more_rows_;
                x_ = first_ += row_step_;
                stop_ = x_ + length_;
                set(fast_dim_, begin_, std::make_index_sequence<N>());
                set(row_dim_, ++row_, std::make_index_sequence<N>());
            } else {
                enter(walk_->next());
            }
        }
        template <std::size_t... D>
        void set([[maybe_unused]] int dim, [[maybe_unused]] std::int64_t index, std::index_sequence<D...>) {
            ((at_[D] = dim == static_cast<int>(D) ? index : at_[D]), ...);
        }
        [[gnu::always_inline]] void enter(const detail::Row<T, N> &row) {
            x_ = first_ = row.first;
            begin_ = row.begin;
            length_ = row.length;
            stop_ = x_ + length_;
            more_rows_ = row.more_rows;
            at_ = row.at;
            row_ = row.row_index;
        }

        detail::Walk<T, N> *walk_ = nullptr;
        T *x_ = nullptr, *stop_ = nullptr, *first_ = nullptr;
        std::int64_t begin_ = 0, length_ = 0, row_ = 0, more_rows_ = 0;
        Index<N> at_{};
        int fast_dim_ = -1, row_dim_ = -1;
        std::int64_t row_step_ = 0;
    };

    Elements() = default;
    explicit Elements(const detail::Walk<T, N> &walk) : walk_(walk) {}

    iterator begin() { return iterator(walk_); }
    std::default_sentinel_t end() const { return {}; }

private:
    detail::Walk<T, N> walk_;
};

// One buffer of an endpoint: a View of the local array, overlap and pad included, by local index. It is valid as
// long as the endpoint, and in a split layout only its planes() have elements.
template <class T, std::size_t N> class Part : public View<T, N> {
public:
    // No elements.
    Part() = default;
    Part(T *data, const detail::Placement<T, N> &placement)
        : View<T, N>(data, placement.extents, placement.strides), placement_(&placement) {}

    // What the process owns, each element with its global index, in the order of memory.
    Elements<T, N> elements() const {
        if (!placement_)
            return {};
        require_interleaved("elements()");
        return Elements<T, N>(detail::Walk<T, N>(this->data(), *placement_));
    }

    // As those of View.
    detail::Rows<T, N> rows() const {
        require_interleaved("rows()");
        return View<T, N>::rows();
    }
    std::span<T> span() const {
        require_interleaved("span()");
        return View<T, N>::span();
    }

    // The real and the imaginary parts, in a split layout as in any other: `auto [re, im] = part.planes();`
    auto planes() const {
        static_assert(detail::is_complex<T>, "dri: only complex elements have planes");
        using Component = typename element<T>::component;
        using Plane = View<Component, N>;
        if (!placement_)
            return std::array<Plane, 2>{};
        Index<N> strides = this->strides();
        if (!placement_->is_split)
            for (std::int64_t &stride : strides)
                stride *= 2;
        auto *const real = reinterpret_cast<Component *>(this->data());
        return std::array<Plane, 2>{Plane(real, this->extents(), strides),
                                    Plane(real + placement_->plane, this->extents(), strides)};
    }

private:
    void require_interleaved(const char *call) const {
        if (placement_ && placement_->is_split)
            detail::fail(DRI_ERR_ARG, std::string("Part::") + call + ": the layout is split: use planes()");
    }

    const detail::Placement<T, N> *placement_ = nullptr;
};

} // namespace v1
} // namespace dri
