#include "support/held.hpp"

#include <algorithm>
#include <numeric>

namespace dri_test {

namespace {

int64_t block_owner(DRI_Remainder remainder, int64_t i, int64_t n, int64_t p) {
    const int64_t small = n / p, larger = n % p;
    switch (remainder) {
    case DRI_CEIL: return i / (small + (larger > 0 ? 1 : 0));
    case DRI_PROPORTIONAL: return i * p / n;
    case DRI_BALANCED:
    case DRI_BALANCED_LAST: break;
    }
    // Blocks are dealt part by part.
    for (int64_t c = 0, end = 0;; ++c) {
        const bool large = remainder == DRI_BALANCED ? c < larger : c >= p - larger;
        end += small + (large ? 1 : 0);
        if (i < end)
            return c;
    }
}

// Largest remainder: each part receives its whole quota, then the parts with the largest remainders receive one
// more each.
Numbers weighed(const std::vector<double> &weights, int64_t n) {
    long double sum = 0;
    for (const double w : weights)
        sum += w;
    Numbers sizes;
    std::vector<long double> missing;
    int64_t left = n;
    for (const double w : weights) {
        const long double quota = static_cast<long double>(n) * w / sum;
        sizes.push_back(static_cast<int64_t>(quota + 1e-9L));
        missing.push_back(quota - static_cast<long double>(sizes.back()));
        left -= sizes.back();
    }
    for (; left > 0; --left) {
        size_t neediest = 0;
        for (size_t c = 1; c < sizes.size(); ++c)
            if (missing[c] > missing[neediest] + 1e-9L)
                neediest = c;
        ++sizes[neediest];
        missing[neediest] = -1;
    }
    return sizes;
}

int64_t owner(const Cut &cut, int64_t i, int64_t n, int64_t p) {
    switch (cut.kind) {
    case DRI_WHOLE: return 0;
    case DRI_BLOCK: return block_owner(cut.remainder, i, n, p);
    case DRI_BLOCK_CYCLIC: return i / cut.block % p;
    case DRI_SIZES:
    case DRI_WEIGHTS:
    case DRI_INDICES: break;
    }
    const Numbers sizes = cut.kind == DRI_WEIGHTS ? weighed(cut.weights, n) : cut.sizes;
    int64_t c = 0;
    for (int64_t end = sizes[0]; i >= end; end += sizes[static_cast<size_t>(c)])
        ++c;
    return c;
}

Numbers strides_of(const Numbers &extents, const Lay &lay) {
    if (!lay.strides.empty())
        return lay.strides;
    std::vector<int> order = lay.order;
    if (order.empty()) {
        order.resize(extents.size());
        std::iota(order.begin(), order.end(), 0);
    }
    Numbers strides(extents.size(), 1);
    int64_t step = 1;
    for (size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<size_t>(order[i]);
        strides[d] = step;
        step *= std::max<int64_t>(extents[d], 1);
        const bool rows = i + 1 == order.size() && order.size() > 1;
        if (rows && lay.pitch > 0)
            while (step % lay.pitch != 0)
                ++step;
    }
    return strides;
}

std::string joined(const auto &values, const char *between) {
    std::string text;
    for (auto v : values)
        text += (text.empty() ? "" : between) + std::to_string(v);
    return text;
}

} // namespace

Numbers held(const Cut &cut, int64_t n, int64_t nparts, int64_t c) {
    if (cut.kind == DRI_INDICES)
        return cut.lists[static_cast<size_t>(c)];
    Numbers mine;
    for (int64_t i = 0; i < n; ++i)
        if (owner(cut, i, n, nparts) == c)
            mine.push_back(i);
    return mine;
}

std::vector<Numbers> held(const std::vector<Cut> &cuts, const Numbers &sizes, const Numbers &parts,
                          int64_t position) {
    std::vector<Numbers> indices(parts.size());
    for (size_t d = parts.size(); d-- > 0;) {
        indices[d] = held(cuts[d], sizes[d], parts[d], position % parts[d]);
        position /= parts[d];
    }
    return indices;
}

void show_block(const Cut &cut, int64_t n, int64_t lo, int64_t hi, std::vector<Shown> &row) {
    for (int64_t i = lo - cut.left; i < hi + cut.right; ++i) {
        const bool before = i < 0;
        const DRI_Edge edge = before ? cut.left_edge : cut.right_edge;
        if (i >= 0 && i < n) {
            row.push_back({i, i >= lo && i < hi, false});
        } else if (edge == DRI_WRAP) {
            int64_t inside = i;
            while (inside < 0 || inside >= n)
                inside += before ? n : -n;
            row.push_back({inside, false, false});
        } else if (edge == DRI_PAD_ZERO) {
            row.push_back({Shown::zeros, false, true});
        } else if (edge == DRI_PAD_REPLICATE) {
            row.push_back({before ? 0 : n - 1, false, true});
        }
    }
}

std::vector<Shown> shown(const Cut &cut, int64_t n, int64_t nparts, int64_t c) {
    const Numbers mine = held(cut, n, nparts, c);
    std::vector<Shown> row;
    for (size_t k = 0; k < mine.size();) {
        size_t end = k + 1; // each index of a list is a block of its own
        while (cut.kind != DRI_INDICES && end < mine.size() && mine[end] == mine[end - 1] + 1 &&
               (cut.kind != DRI_BLOCK_CYCLIC || mine[end] % cut.block != 0))
            ++end;
        show_block(cut, n, mine[k], mine[end - 1] + 1, row);
        k = end;
    }
    return row;
}

PartMap map_part(const Numbers &sizes, const std::vector<Numbers> &indices, const Lay &lay) {
    PartMap part;
    int64_t count = 1;
    for (const Numbers &list : indices) {
        part.extents.push_back(static_cast<int64_t>(list.size()));
        count *= part.extents.back();
    }
    part.strides = strides_of(part.extents, lay);
    for (int64_t k = 0; k < count; ++k) {
        int64_t rest = k, flat = 0, offset = 0, step = 1;
        for (size_t d = sizes.size(); d-- > 0;) {
            const int64_t local = rest % part.extents[d];
            rest /= part.extents[d];
            flat += indices[d][static_cast<size_t>(local)] * step;
            step *= sizes[d];
            offset += local * part.strides[d];
        }
        part.flat.push_back(flat);
        part.offset.push_back(offset);
        part.span = std::max(part.span, offset + 1);
    }
    if (lay.pitch != 0 && count > 0 && sizes.size() > 1) {
        const size_t slowest = lay.order.empty() ? 0 : static_cast<size_t>(lay.order[0]);
        part.span = part.strides[slowest] * part.extents[slowest];
    }
    return part;
}

std::string text_of(const Numbers &numbers) { return "[" + joined(numbers, ",") + "]"; }

std::string text_of(const Cut &cut) {
    const std::string parts = std::to_string(cut.nparts);
    switch (cut.kind) {
    case DRI_WHOLE: return "*";
    case DRI_BLOCK: return "block(" + parts + "," + std::to_string(cut.remainder) + ")";
    case DRI_BLOCK_CYCLIC: return "cyclic(" + parts + "," + std::to_string(cut.block) + ")";
    case DRI_WEIGHTS: return "weights(" + joined(cut.weights, ":") + ")";
    case DRI_INDICES: return "indices(" + std::to_string(cut.lists.size()) + ")";
    case DRI_SIZES: break;
    }
    return "sizes(" + joined(cut.sizes, ":") + ")";
}

std::string text_of(const Lay &lay) {
    const std::string end = lay.split ? " split" : "";
    if (!lay.strides.empty())
        return "strides " + joined(lay.strides, ":") + end;
    return "order " + joined(lay.order, "") + (lay.pitch ? " pitch " + std::to_string(lay.pitch) : "") + end;
}

} // namespace dri_test
