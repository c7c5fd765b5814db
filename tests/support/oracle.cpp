#include "oracle.hpp"

#include <algorithm>
#include <stdexcept>

namespace dri::test {

namespace {

// Largest remainder: each part receives its whole quota, then the parts with the largest remainders receive one
// more each. Quotas that differ by less than a rounding error count as equal.
std::vector<int64_t> plain_sizes(const std::vector<double> &weights, int64_t size) {
    constexpr long double rounding = 1e-9L;
    long double sum = 0;
    for (double w : weights)
        sum += w;
    std::vector<int64_t> sizes;
    std::vector<long double> missing;
    int64_t left = size;
    for (double w : weights) {
        const long double quota = static_cast<long double>(size) * w / sum;
        sizes.push_back(static_cast<int64_t>(quota + rounding));
        missing.push_back(quota - static_cast<long double>(sizes.back()));
        left -= sizes.back();
    }
    for (; left > 0; --left) {
        size_t neediest = 0;
        for (size_t c = 1; c < sizes.size(); ++c)
            if (missing[c] > missing[neediest] + rounding)
                neediest = c;
        ++sizes[neediest];
        missing[neediest] = -1;
    }
    return sizes;
}

// The number of parts that may hold elements.
int64_t usable_parts(const model::CutRule &rule, int64_t parts) {
    return rule.kind == model::CutKind::weights
               ? std::count_if(rule.weights.begin(), rule.weights.end(), [](double w) { return w > 0; })
               : parts;
}

} // namespace

std::vector<int64_t> plain_owners(const model::CutRule &rule, int64_t size, int64_t parts) {
    std::vector<int64_t> owners(at(size), 0);
    if (rule.kind == model::CutKind::weights) {
        model::CutRule exact = rule;
        exact.kind = model::CutKind::sizes;
        exact.sizes = plain_sizes(rule.weights, size);
        return plain_owners(exact, size, parts);
    }
    if (rule.kind == model::CutKind::block_cyclic) {
        for (int64_t i = 0; i < size; ++i)
            owners[at(i)] = (i / rule.block + rule.phase) % parts;
    } else if (rule.kind == model::CutKind::sizes) {
        int64_t i = 0;
        for (int64_t c = 0; c < parts; ++c)
            for (int64_t k = 0; k < rule.sizes[at(c)]; ++k)
                owners[at(i++)] = c;
    } else if (rule.kind == model::CutKind::block && rule.remainder == model::Remainder::proportional) {
        for (int64_t i = 0; i < size; ++i)
            owners[at(i)] = i * parts / size;
    } else if (rule.kind == model::CutKind::block) {
        int64_t i = 0;
        for (int64_t c = 0; c < parts; ++c) {
            int64_t n = size / parts; // parts differ by at most one
            if (rule.remainder == model::Remainder::balanced && c < size % parts)
                ++n;
            if (rule.remainder == model::Remainder::balanced_last && parts - 1 - c < size % parts)
                ++n;
            if (rule.remainder == model::Remainder::ceil)
                n = (size + parts - 1) / parts;
            for (int64_t k = 0; k < n && i < size; ++k)
                owners[at(i++)] = c;
        }
    }
    return owners;
}

std::vector<int64_t> listed(const model::IndexList &list) {
    std::vector<int64_t> out;
    for (const model::Runs &r : list)
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                out.push_back(r.global + k * r.global_step + i);
    return out;
}

std::vector<int64_t> part_sizes(const std::vector<int64_t> &owners, int64_t parts) {
    std::vector<int64_t> sizes(at(parts), 0);
    for (int64_t c : owners)
        ++sizes[at(c)];
    return sizes;
}

bool meets_limits(const model::CutRule &rule, const std::vector<int64_t> &sizes) {
    size_t last = 0;
    for (size_t c = 0; c < sizes.size(); ++c)
        if (sizes[c] > 0)
            last = c;
    for (size_t c = 0; c < sizes.size(); ++c) {
        const int64_t n = sizes[c];
        if (n == 0)
            continue;
        if (n < rule.min || (rule.max > 0 && n > rule.max))
            return false;
        if (rule.multiple > 0 && n % rule.multiple != 0 && c != last)
            return false;
    }
    return true;
}

bool can_be_cut(const model::CutRule &rule, int64_t size, int64_t parts) {
    if (rule.kind == model::CutKind::indices) {
        std::vector<int64_t> sizes;
        for (const model::IndexList &list : rule.lists)
            sizes.push_back(std::ssize(listed(list)));
        return static_cast<int64_t>(sizes.size()) == parts && meets_limits(rule, sizes);
    }
    if (rule.phase > 0 && rule.phase >= parts)
        return false;
    parts = usable_parts(rule, parts);
    if (rule.kind != model::CutKind::block && rule.kind != model::CutKind::weights) {
        if (rule.kind == model::CutKind::sizes) {
            int64_t total = 0;
            for (int64_t s : rule.sizes)
                total += s;
            if (total != size || static_cast<int64_t>(rule.sizes.size()) != parts)
                return false;
        }
        return meets_limits(rule, part_sizes(plain_owners(rule, size, parts), parts));
    }
    if (!has_limits(rule) || size == 0)
        return true;
    const int64_t min = std::max<int64_t>(rule.min, 1), max = rule.max > 0 ? rule.max : size;
    const int64_t unit = std::max<int64_t>(rule.multiple, 1);
    // The minimum number of parts before the last one that hold the first i indices.
    std::vector<int64_t> min_parts(at(size + 1), INT64_MAX);
    min_parts[0] = 0;
    for (int64_t i = 0; i <= size; ++i) {
        if (min_parts[at(i)] >= parts)
            continue;
        if (i < size && size - i >= min && size - i <= max)
            return true; // the last part holds the rest
        for (int64_t n = unit; n <= max && i + n <= size; n += unit)
            if (n >= min)
                min_parts[at(i + n)] = std::min(min_parts[at(i + n)], min_parts[at(i)] + 1);
    }
    return false;
}

std::vector<Dims> legal_grids(const SideSpec &spec) {
    const auto procs = static_cast<int64_t>(spec.ranks.size());
    Dims tries; // along each dimension, numbers of parts from 1 to this value are tried
    bool open = false;
    if (!spec.boxes.empty())
        return {};
    for (const model::CutRule &rule : spec.rules) {
        const bool chosen = rule.nparts == 0 && rule.kind != model::CutKind::whole;
        open = open || chosen;
        tries.push_back(chosen ? procs : 1);
    }
    std::vector<Dims> grids;
    for_each_index(tries, [&](const Dims &choice) {
        Dims grid;
        int64_t parts = 1;
        for (size_t d = 0; d < choice.size(); ++d) {
            const model::CutRule &rule = spec.rules[d];
            grid.push_back(tries[d] > 1 ? choice[d] + 1 : std::max<int64_t>(rule.nparts, 1));
            parts *= grid[d];
            if (parts > procs)
                return;
        }
        if (procs % parts != 0 || (open && procs != parts))
            return;
        for (size_t d = 0; d < choice.size(); ++d)
            if (!can_be_cut(spec.rules[d], spec.sizes[d], grid[d]))
                return;
        grids.push_back(grid);
    });
    return grids;
}

std::optional<Dims> plain_strides(const model::Layout &layout, const Dims &extents) {
    if (layout.kind == model::LayoutKind::strided)
        return layout.strides;
    if (layout.pitch == model::pitch_auto && extents.size() > 1)
        return std::nullopt;
    const size_t n = extents.size();
    Dims strides(n, 1);
    int64_t step = 1;
    for (size_t i = 0; i < n; ++i) { // starts at the contiguous dimension
        size_t d = n - 1 - i;
        if (layout.kind == model::LayoutKind::col_major)
            d = i;
        if (layout.kind == model::LayoutKind::packed)
            d = static_cast<size_t>(layout.order[n - 1 - i]);
        strides[d] = step;
        int64_t width = extents[d];
        if (i == 0 && n > 1 && layout.pitch > 0)
            while (width % layout.pitch != 0)
                ++width;
        step *= width;
    }
    return strides;
}

} // namespace dri::test
