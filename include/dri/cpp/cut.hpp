// Cuts: the rule by which one dimension of an array is cut.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/part.h>

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
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

template <class Numbers> std::vector<std::int64_t> integers_of(const Numbers &range) {
    static_assert(std::integral<std::remove_cvref_t<decltype(*std::begin(range))>>,
                  "dri: sizes and indices are integers");
    std::vector<std::int64_t> list;
    for (const auto &number : range)
        list.push_back(static_cast<std::int64_t>(number));
    return list;
}

} // namespace detail

// One contiguous block per part, of the sizes in the range r.
template <class Numbers = std::initializer_list<std::int64_t>> Cut sizes(const Numbers &r) {
    const auto list = detail::integers_of(r);
    DRI_Part_dim rule{};
    rule.kind = DRI_SIZES;
    rule.nparts = static_cast<int>(list.size());
    rule.sizes = list.data();
    return Cut(rule);
}

// One contiguous block per part, its size in proportion to its weight in the range r.
template <class Numbers = std::initializer_list<double>> Cut weights(const Numbers &r) {
    std::vector<double> list;
    for (const auto &weight : r)
        list.push_back(static_cast<double>(weight));
    DRI_Part_dim rule{};
    rule.kind = DRI_WEIGHTS;
    rule.nparts = static_cast<int>(list.size());
    rule.weights = list.data();
    return Cut(rule);
}

// The part of this process has the indices of the range r, in this order. With p = 0 there are as many parts as
// the other dimensions leave processes.
template <class Numbers = std::initializer_list<std::int64_t>> Cut indices(const Numbers &r, int p = 0) {
    const auto list = detail::integers_of(r);
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

} // namespace v1
} // namespace dri
