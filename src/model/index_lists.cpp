// Lists of indices: their compressed form, text and wire form.
#include "model/index_lists.hpp"

#include <algorithm>

namespace dri::model {

// Consecutive indices become runs; equal runs at equal distances become one list.
IndexList compress(std::span<const int64_t> indices) {
    IndexList list;
    const auto n = static_cast<int64_t>(indices.size());
    const auto at = [&](int64_t i) { return indices[static_cast<size_t>(i)]; };
    for (int64_t begin = 0; begin < n;) {
        int64_t end = begin + 1;
        while (end < n && at(end) == at(end - 1) + 1)
            ++end;
        const int64_t size = end - begin;
        // If length and distance match, this is one more run of the list before.
        Runs *last = list.empty() ? nullptr : &list.back();
        const int64_t step = last ? at(begin) - last->global - (last->count - 1) * last->global_step : 0;
        if (last && last->size == size && step > size && (last->count == 1 || last->global_step == step)) {
            ++last->count;
            last->global_step = step;
            last->local_step = size;
        } else {
            list.push_back({at(begin), size, 1, 0, begin, 0});
        }
        begin = end;
    }
    return list;
}

int64_t length(const IndexList &list) {
    return list.empty() ? 0 : list.back().local + list.back().size * list.back().count;
}

int64_t index_at(const IndexList &list, int64_t local) {
    const auto after =
        std::upper_bound(list.begin(), list.end(), local, [](int64_t l, const Runs &r) { return l < r.local; });
    const Runs &r = *(after - 1);
    return r.global + (local - r.local) / r.size * r.global_step + (local - r.local) % r.size;
}

// Equal indices give equal compressed lists.
bool same_indices(const IndexList &a, const IndexList &b) { return a == b; }

void put(Writer &out, const IndexList &list) {
    // A list needs 32 bytes, an index 8. Indices without a pattern are therefore sent one by one.
    const int64_t n = length(list);
    const bool plain = n < 4 * static_cast<int64_t>(list.size());
    out.put(static_cast<int8_t>(plain));
    out.put(plain ? n : static_cast<int64_t>(list.size()));
    for (const Runs &r : list) {
        if (!plain) {
            for (const int64_t v : {r.global, r.size, r.count, r.global_step})
                out.put(v);
            continue;
        }
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                out.put(r.global + k * r.global_step + i);
    }
}

IndexList get_index_list(Reader &in) {
    const bool plain = in.get<int8_t>() != 0;
    const auto n = in.get<int64_t>();
    if (plain) {
        std::vector<int64_t> indices;
        indices.reserve(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i)
            indices.push_back(in.get<int64_t>());
        return compress(indices);
    }
    IndexList list;
    for (int64_t i = 0, local = 0; i < n; ++i) {
        Runs r;
        r.global = in.get<int64_t>();
        r.size = in.get<int64_t>();
        r.count = in.get<int64_t>();
        r.global_step = in.get<int64_t>();
        r.local = local;
        r.local_step = r.count > 1 ? r.size : 0;
        local += r.size * r.count;
        list.push_back(r);
    }
    return list;
}

std::string to_text(const IndexList &list) {
    std::string text;
    for (const Runs &r : list)
        for (int64_t k = 0; k < r.count; ++k) {
            const int64_t first = r.global + k * r.global_step;
            text += text.empty() ? "" : ":";
            text += r.size == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + r.size - 1);
        }
    return text;
}

} // namespace dri::model
