// Partitions: how each dimension of an array is cut.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/part.h>

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace dri {
inline namespace v1 {

// How block() cuts n elements over p parts if p does not divide n.
enum class Remainder {
    balanced = DRI_BALANCED,
    balanced_last = DRI_BALANCED_LAST,
    ceil = DRI_CEIL,
    proportional = DRI_PROPORTIONAL
};

// What overlap becomes beyond an edge of the array.
enum class Edge { truncate = DRI_TRUNCATE, wrap = DRI_WRAP, zero = DRI_PAD_ZERO, replicate = DRI_PAD_REPLICATE };

// The rule for one dimension. whole(), block(), cyclic(), sizes(), weights(), indices() and runs() make it.
class Cut {
public:
    // Overlap before and behind every block, in elements.
    Cut overlap(std::int64_t left, std::int64_t right) && {
        rule_.left = left;
        rule_.right = right;
        return std::move(*this);
    }
    // What overlap becomes beyond the array.
    Cut edges(Edge left, Edge right) && {
        rule_.left_edge = static_cast<DRI_Edge>(left);
        rule_.right_edge = static_cast<DRI_Edge>(right);
        return std::move(*this);
    }
    // Constraints on the number of elements of every part that is not empty.
    Cut min(std::int64_t elements) && {
        rule_.min = elements;
        return std::move(*this);
    }
    Cut max(std::int64_t elements) && {
        rule_.max = elements;
        return std::move(*this);
    }
    Cut multiple(std::int64_t elements) && {
        rule_.multiple = elements;
        return std::move(*this);
    }
    Cut overlap(std::int64_t left, std::int64_t right) const & { return Cut(*this).overlap(left, right); }
    Cut edges(Edge left, Edge right) const & { return Cut(*this).edges(left, right); }
    Cut min(std::int64_t elements) const & { return Cut(*this).min(elements); }
    Cut max(std::int64_t elements) const & { return Cut(*this).max(elements); }
    Cut multiple(std::int64_t elements) const & { return Cut(*this).multiple(elements); }

    // The rule as the C interface takes it. It points into this object.
    DRI_Part_dim rule() const {
        DRI_Part_dim rule = rule_;
        rule.sizes = rule.kind == DRI_SIZES ? numbers_.data() : nullptr;
        rule.indices = rule.kind == DRI_INDICES ? numbers_.data() : nullptr;
        rule.weights = rule.kind == DRI_WEIGHTS ? weights_.data() : nullptr;
        rule.runs = rule.kind == DRI_RUNS ? runs_.data() : nullptr;
        return rule;
    }

    // A rule of the C interface as it stands, for what the functions below do not say.
    explicit Cut(const DRI_Part_dim &rule) : rule_(rule) {
        if (rule.kind == DRI_SIZES && rule.sizes)
            numbers_.assign(rule.sizes, rule.sizes + rule.nparts);
        if (rule.kind == DRI_INDICES && rule.indices)
            numbers_.assign(rule.indices, rule.indices + rule.nindices);
        if (rule.kind == DRI_WEIGHTS && rule.weights)
            weights_.assign(rule.weights, rule.weights + rule.nparts);
        if (rule.kind == DRI_RUNS && rule.runs)
            runs_.assign(rule.runs, rule.runs + rule.nruns);
    }

private:
    DRI_Part_dim rule_;
    std::vector<std::int64_t> numbers_; // sizes, or indices
    std::vector<double> weights_;
    std::vector<DRI_Run> runs_;
};

// Not cut.
inline Cut whole() { return Cut(DRI_Part_dim{}); }

// One contiguous block per part. With p = 0 the library chooses the number of parts.
inline Cut block(int p = 0, Remainder remainder = Remainder::balanced) {
    DRI_Part_dim rule{};
    rule.kind = DRI_BLOCK;
    rule.nparts = p;
    rule.remainder = static_cast<DRI_Remainder>(remainder);
    return Cut(rule);
}

// Blocks of b elements, dealt to p parts round-robin. Part `phase` has the first one.
inline Cut cyclic(std::int64_t b = 1, int p = 0, std::int64_t phase = 0) {
    DRI_Part_dim rule{};
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.nparts = p;
    rule.block = b;
    rule.phase = phase;
    return Cut(rule);
}

namespace detail {

template <class X, class Numbers> std::vector<X> numbers_of(const Numbers &range) {
    std::vector<X> list;
    for (const auto &number : range)
        list.push_back(static_cast<X>(number));
    return list;
}

} // namespace detail

// One contiguous block per part, of the sizes in the range r.
template <class Numbers = std::initializer_list<std::int64_t>> Cut sizes(const Numbers &r) {
    const auto list = detail::numbers_of<std::int64_t>(r);
    DRI_Part_dim rule{};
    rule.kind = DRI_SIZES;
    rule.nparts = static_cast<int>(list.size());
    rule.sizes = list.data();
    return Cut(rule);
}

// One contiguous block per part, its size in proportion to its weight in the range r.
template <class Numbers = std::initializer_list<double>> Cut weights(const Numbers &r) {
    const auto list = detail::numbers_of<double>(r);
    DRI_Part_dim rule{};
    rule.kind = DRI_WEIGHTS;
    rule.nparts = static_cast<int>(list.size());
    rule.weights = list.data();
    return Cut(rule);
}

// The part of this process has the indices of the range r, in this order. With p = 0 there are as many parts as
// the other dimensions leave processes.
template <class Numbers = std::initializer_list<std::int64_t>> Cut indices(const Numbers &r, int p = 0) {
    const auto list = detail::numbers_of<std::int64_t>(r);
    DRI_Part_dim rule{};
    rule.kind = DRI_INDICES;
    rule.nparts = p;
    rule.indices = list.data();
    rule.nindices = static_cast<std::int64_t>(list.size());
    return Cut(rule);
}

// The same list written short: a range of DRI_Run {first, size, count, step}.
template <class Runs = std::initializer_list<DRI_Run>> Cut runs(const Runs &r, int p = 0) {
    const std::vector<DRI_Run> list(std::begin(r), std::end(r));
    DRI_Part_dim rule{};
    rule.kind = DRI_RUNS;
    rule.nparts = p;
    rule.runs = list.data();
    rule.nruns = static_cast<std::int64_t>(list.size());
    return Cut(rule);
}

// How N dimensions are cut. A value: copies share one handle.
template <std::size_t N> class Partition : detail::Dims<N> {
public:
    // One cut for each dimension.
    template <class... Cuts>
    requires(std::convertible_to<Cuts, const Cut &> &&...) Partition(const Cuts &...cuts) {
        static_assert(sizeof...(Cuts) == N, "dri: a Partition of N dimensions takes exactly N cuts");
        const std::array<DRI_Part_dim, N> rules{static_cast<const Cut &>(cuts).rule()...};
        create(rules);
    }

    // The same for cuts that the program has in an array.
    explicit Partition(const std::array<Cut, N> &cuts) {
        std::array<DRI_Part_dim, N> rules{};
        for (std::size_t d = 0; d < N; ++d)
            rules[d] = cuts[d].rule();
        create(rules);
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions; the handle
    // stays the caller's then.
    static Partition adopt(DRI_Part handle) {
        // Only a partition of N dimensions can be turned by this permutation.
        std::array<int, DRI_MAX_DIMS> reversed;
        reversed.fill(-1);
        for (std::size_t d = 0; d < N; ++d)
            reversed[d] = static_cast<int>(N - 1 - d);
        detail::Owned<DRI_Part, DRI_part_destroy> turned;
        detail::check(DRI_part_turn(handle, reversed.data(), turned.out()));
        return Partition(handle, Given{});
    }

    // The exact piece of the calling process, one tuple for each dimension.
    static Partition pieces(const std::array<DRI_Part_tuple, N> &tuples) {
        DRI_Part part;
        detail::check(DRI_part_create(static_cast<int>(N), detail::pointer(tuples), &part));
        return Partition(part, Given{});
    }

    DRI_Part handle() const noexcept { return kept_.get(); }

    // The partition whose dimension i is cut as dimension perm[i] of this one.
    Partition turned(const std::array<int, N> &perm) const {
        DRI_Part part;
        detail::check(DRI_part_turn(handle(), detail::pointer(perm), &part));
        return Partition(part, Given{});
    }

    // The same partition with other edges.
    Partition with_edges(const std::array<Edge, N> &left, const std::array<Edge, N> &right) const {
        std::array<DRI_Edge, N> of_left{}, of_right{};
        for (std::size_t d = 0; d < N; ++d) {
            of_left[d] = static_cast<DRI_Edge>(left[d]);
            of_right[d] = static_cast<DRI_Edge>(right[d]);
        }
        DRI_Part part;
        detail::check(DRI_part_with_edges(handle(), detail::pointer(of_left), detail::pointer(of_right), &part));
        return Partition(part, Given{});
    }

    // Balanced blocks along dimension d, all others whole.
    static Partition cut_dim(int d) {
        DRI_Part part;
        detail::check(DRI_part_create_blocks(static_cast<int>(N), d, &part));
        return Partition(part, Given{});
    }

private:
    struct Given {};
    Partition(DRI_Part part, Given) : kept_(part) {}

    void create(const std::array<DRI_Part_dim, N> &rules) {
        DRI_Part part;
        detail::check(DRI_part_create_rule(static_cast<int>(N), detail::pointer(rules), &part));
        kept_ = detail::Shared<DRI_Part, DRI_part_destroy>(part);
    }

    detail::Shared<DRI_Part, DRI_part_destroy> kept_;
};

template <class... Cuts>
requires(std::convertible_to<Cuts, const Cut &> &&...) Partition(const Cuts &...)
->Partition<sizeof...(Cuts)>;

// The exact piece of the calling process: {overlap before, first index, one past the last, overlap behind} for
// each dimension.
template <std::size_t N> Partition<N> pieces(const DRI_Part_tuple (&tuples)[N]) {
    std::array<DRI_Part_tuple, N> list{};
    for (std::size_t d = 0; d < N; ++d)
        list[d] = tuples[d];
    return Partition<N>::pieces(list);
}

template <std::size_t N> Partition<N> pieces(const std::array<DRI_Part_tuple, N> &tuples) {
    return Partition<N>::pieces(tuples);
}

// Balanced blocks along dimension d for all processes, all other dimensions whole.
template <std::size_t N> Partition<N> cut_dim(int d) { return Partition<N>::cut_dim(d); }

} // namespace v1
} // namespace dri
