// The cost model: the first kernel that fits, and stores by the bytes that a frame writes.
#include "kernel/choice.hpp"
#include "kernel/table.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string_view>

namespace dri::kernel {

namespace {

// Bytes written from which streaming stores are faster. The data that are read use as much of the outermost cache
// as the data written, and other cores share it. Measured with two cores on two kinds of processors: streaming is
// faster from a seventh or a sixth of the outermost cache; at a fifth it is faster by a factor of two on one of
// them.
int64_t streaming_threshold(const CacheBytes &caches) { return caches.outermost / 7; }

Stores stores_for(int64_t bytes, const CacheBytes &caches) {
    if (bytes >= streaming_threshold(caches))
        return Stores::streaming;
    return bytes > caches.second ? Stores::fetched : Stores::cached;
}

bool is_close(int64_t bytes, int64_t threshold) {
    return bytes >= threshold / close_factor && bytes / close_factor <= threshold;
}

// Stores whose threshold is close to `bytes`. The model's own choice comes first.
std::vector<Stores> close_stores(int64_t bytes, const CacheBytes &caches) {
    const Stores best = stores_for(bytes, caches);
    std::vector<Stores> close{best};
    const auto add = [&](Stores stores) {
        if (std::find(close.begin(), close.end(), stores) == close.end())
            close.push_back(stores);
    };
    if (is_close(bytes, caches.second)) {
        add(Stores::cached);
        add(Stores::fetched);
    }
    if (is_close(bytes, streaming_threshold(caches))) {
        add(Stores::fetched);
        add(Stores::streaming);
    }
    return close;
}

// Rows below the model's choice: the same kernel with the next lower instruction set, and the next other kernel
// that fits. The reference kernel fits everything and is never a candidate.
std::vector<const Kernel *> close_rows(const plan::StridedCopy &copy, const Kernel &best) {
    const auto rows = kernels();
    std::vector<const Kernel *> close{&best};
    const Kernel *lower = nullptr, *other = nullptr;
    for (const Kernel *row = &best + 1; row < &rows.back(); ++row) {
        if (row->isa > best.isa || !row->fits(copy))
            continue;
        const bool same = std::string_view(row->name) == best.name;
        auto &slot = same ? lower : other;
        const bool slower =
            same && row->isa == Isa::scalar; // plain code is never close to a vector row of the same kernel
        if (!slot && !slower)
            slot = row;
    }
    for (const Kernel *row : {lower, other})
        if (row)
            close.push_back(row);
    return close;
}

} // namespace

Choice model_choice(const plan::StridedCopy &copy, Isa isa, int64_t written_bytes, const CacheBytes &caches) {
    const auto rows = kernels();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Kernel &k) { return k.isa <= isa && k.fits(copy); });
    return {&*row, stores_for(written_bytes, caches)};
}

std::vector<Choice> close_choices(const plan::StridedCopy &copy, Isa isa, int64_t written_bytes,
                                  const CacheBytes &caches) {
    const Choice best = model_choice(copy, isa, written_bytes, caches);
    std::vector<Choice> close;
    for (const Kernel *row : close_rows(copy, *best.kernel))
        for (const Stores stores : close_stores(written_bytes, caches))
            // Plain code ignores the kind of stores.
            if (stores == best.stores || row->isa > Isa::scalar)
                close.push_back({row, stores});
    return close;
}

BoundCopy bind_as(const plan::StridedCopy &copy, const Choice &choice) {
    return {choice.kernel->arrange(copy), choice.kernel, choice.stores};
}

const char *stores_name(Stores stores) {
    switch (stores) {
    case Stores::cached: return "cached";
    case Stores::streaming: return "streaming";
    case Stores::fetched: return "fetched";
    }
    return "";
}

std::string to_text(const Choice &choice) {
    return fmt::format("{} {} {}", choice.kernel->name, isa_name(choice.kernel->isa), stores_name(choice.stores));
}

} // namespace dri::kernel
