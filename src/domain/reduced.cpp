// The domain of an alias with fewer dimensions: a map whose functions ask the
// array's.
#include "domain/array_object.hpp"
#include "outer/calls.hpp"

namespace dri::domain {

namespace {

struct Reduced {
    std::shared_ptr<const Space> slice;
    std::vector<size_t> kept;
};

int reduced_owner(void *ctx, const int64_t index[], int *position) {
    const auto *reduced = static_cast<const Reduced *>(ctx);
    return outer::run("DRI_array_slice", [&] {
        const Dims whole = whole_index(reduced->slice->ranges(), reduced->kept, index);
        *position = reduced->slice->map().owner(whole.begin());
    });
}

int reduced_local(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    const auto *reduced = static_cast<const Reduced *>(ctx);
    return outer::run("DRI_array_slice", [&] {
        Ranges ranges = reduced->slice->ranges();
        for (size_t i = 0; i < reduced->kept.size(); ++i)
            ranges[reduced->kept[i]] = whole[i];
        const Space asked(reduced->slice, ranges);
        const Holding &own = asked.holding(position);
        *n = own.num_boxes();
        for (int64_t b = 0; b < std::min(*n, most); ++b) {
            const Ranges box = undensify(own.box(b), ranges);
            for (const size_t d : reduced->kept)
                *boxes++ = box[d];
        }
    });
}

void destroy_reduced(void *ctx) { delete static_cast<const Reduced *>(ctx); }

} // namespace

Dims whole_index(const Ranges &slice, const std::vector<size_t> &kept, const int64_t index[]) {
    Dims whole = firsts_of(slice);
    for (size_t i = 0; i < kept.size(); ++i)
        whole[kept[i]] = index[i];
    return whole;
}

std::shared_ptr<const Space> without_dimensions(const std::shared_ptr<const Space> &slice,
                                                const std::vector<size_t> &kept) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = "alias";
    ops.owner = reduced_owner;
    ops.local = reduced_local;
    ops.destroy = destroy_reduced;
    const int ndims = static_cast<int>(kept.size());
    UserMap sort(&ops, ndims);
    sort.keep_context(new Reduced{slice, kept});
    Ranges ranges;
    for (const size_t d : kept)
        ranges.push_back(slice->ranges()[d]);
    return std::make_shared<const Space>(
        std::make_shared<const DomainMap>(ndims, slice->map().ranks(), std::move(sort)), ranges);
}

} // namespace dri::domain
