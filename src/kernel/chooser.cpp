// Chooses kernels for the copies of a commit.
#include "kernel/chooser.hpp"

#include "base/error.hpp"
#include "kernel/bind.hpp"

#include <algorithm>
#include <numeric>

namespace dri::kernel {

namespace {

// Minimum bytes of a copy that is measured. Smaller copies take too little time to be worth it.
constexpr int64_t min_bytes = 4096;

// Maximum fraction of the remaining time for one copy. The first copies then leave time for the others.
constexpr double max_part_of_rest = 0.75;

// Explanation of a choice: the chosen candidate first, then the others by rising time.
std::string text_of(const std::vector<Choice> &choices, const Times &times) {
    std::vector<size_t> order(choices.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const bool a_kept = a == times.fastest, b_kept = b == times.fastest;
        return a_kept != b_kept ? a_kept : times.seconds[a] < times.seconds[b];
    });
    std::string text = "; measured:";
    for (const size_t i : order)
        text +=
            fmt::format("{} {} {:.3g} us", i == order[0] ? "" : ",", to_text(choices[i]), times.seconds[i] * 1e6);
    return text;
}

} // namespace

BoundCopy Chooser::bind(const plan::StridedCopy &copy, int64_t working_set_bytes, Addresses at, bool measures) {
    const plan::StridedCopy reduced = plan::canonical(copy);
    if (!reduced.tables.empty() || plan::copy_bytes(reduced) < min_bytes)
        return dri::kernel::bind(reduced, isa_, working_set_bytes);
    const int64_t written = std::max(plan::copy_bytes(reduced), working_set_bytes);
    const Shape shape = shape_of(reduced, at.src, at.dst, written, isa_);
    if (const auto known = wisdom_.find(shape)) {
        BoundCopy bound = bind_as(reduced, *known);
        bound.origin = fmt::format("; wisdom: {}", to_text(*known));
        return bound;
    }
    if (measures && seconds_left_ > 0) {
        const double begin = seconds_now();
        auto bound = measure_copy(shape, reduced, at);
        const double taken = seconds_now() - begin;
        seconds_ += taken;
        seconds_left_ -= taken;
        if (bound)
            return *std::move(bound);
    }
    return bind_as(reduced, model_choice(reduced, isa_, written, shape.caches));
}

// Measures the candidates for a copy. Returns nothing if there is only one candidate, if the copy cut to scratch
// memory does not suit all candidates, or if there is too little time or memory.
std::optional<BoundCopy> Chooser::measure_copy(const Shape &shape, const plan::StridedCopy &copy, Addresses at) {
    const auto choices = close_choices(copy, isa_, shape.written_bytes, shape.caches);
    const plan::StridedCopy part = first_part(copy, Scratch::max_side_bytes);
    const auto fits = [&](const Choice &c) { return c.kernel->fits(part); };
    if (choices.size() < 2 || plan::copy_bytes(part) < min_bytes ||
        !std::all_of(choices.begin(), choices.end(), fits))
        return std::nullopt;
    const double until = seconds_now() + max_part_of_rest * seconds_left_;
    try {
        scratch_.prepare(part, at.src, at.dst, shape.written_bytes - plan::copy_bytes(part));
    } catch (const Error &error) {
        if (error.code() == DRI_ERR_MEMORY)
            return std::nullopt; // scratch memory is optional: the frames may have enough memory without it
        throw;
    }
    std::vector<BoundCopy> candidates;
    for (const Choice &choice : choices)
        candidates.push_back(bind_as(scratch_.copy(), choice));
    const auto times = measure(
        choices.size(), [&](size_t i) { return scratch_.time(candidates[i]); }, seconds_now, until);
    if (!times)
        return std::nullopt;
    const Choice &fastest = choices[times->fastest];
    wisdom_.learn(shape, fastest);
    ++measured_;
    BoundCopy bound = bind_as(copy, fastest);
    bound.origin = text_of(choices, *times);
    return bound;
}

} // namespace dri::kernel
