// In place between different subsets of an array: common elements move, and all else in the buffer keeps its
// value.
#include "support/held.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri_test {
namespace {

using Indices2 = std::array<int64_t, 2>;

struct Subset {
    Indices2 offset{}, sizes{};
    bool has(const Indices2 &at) const {
        return at[0] >= offset[0] && at[0] < offset[0] + sizes[0] && at[1] >= offset[1] &&
               at[1] < offset[1] + sizes[1];
    }
};

struct SubsetEndpoint {
    Subset subset;
    Dist dist;
    PartMap part;

    // The array indices of element i of the part.
    Indices2 at(size_t i) const {
        return {subset.offset[0] + part.flat[i] / subset.sizes[1],
                subset.offset[1] + part.flat[i] % subset.sizes[1]};
    }
};

SubsetEndpoint make_subset_endpoint(DRI_Gdo array, const Subset &subset, int cut, const Lay &lay) {
    const auto [rank, size] = world();
    Gdo object;
    expect_success(DRI_gdo_subset(array, subset.offset.data(), subset.sizes.data(), object.out()),
                   "DRI_gdo_subset");
    std::vector<Numbers> indices;
    for (int d = 0; d < 2; ++d)
        indices.push_back(held(d == cut ? blocks : whole, subset.sizes[static_cast<size_t>(d)],
                               d == cut ? size : 1, d == cut ? rank : 0));
    return {subset, make_dist(object, make_blocks(2, cut), make_world()),
            map_part({subset.sizes[0], subset.sizes[1]}, indices, lay)};
}

// From row-major rows to column-major columns.
void expect_kept(const Indices2 &sizes, const Subset &from, const Subset &to, DRI_In_place mode) {
    static int number = 0;
    const std::string name = "subsets " + std::to_string(number++);
    SCOPED_TRACE(name);
    const Group all = make_world();
    const Gdo array = make_gdo({sizes[0], sizes[1]}, DRI_INT64);
    const SubsetEndpoint source = make_subset_endpoint(array, from, 0, Lay{}),
                         sink = make_subset_endpoint(array, to, 1, Lay{{1, 0}});
    const Xfer out = make_xfer(name, DRI_SOURCE, source.dist),
               in = make_xfer(name, DRI_SINK, sink.dist, DRI_COL_MAJOR);
    for (const DRI_Xfer endpoint : {out.get(), in.get()})
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, mode), "DRI_xfer_set_attr");
    commit(all);
    const auto elements = static_cast<size_t>(std::max(source.part.span, sink.part.span));
    for (int64_t f = 0; f < 3; ++f) {
        const auto value = [&](const Indices2 &at) { return (f + 1) * 10'000'000 + at[0] * sizes[1] + at[1]; };
        int64_t *const buffer = buffer_of<int64_t>(out);
        std::vector<int64_t> expected(elements);
        for (size_t i = 0; i < elements; ++i)
            expected[i] = -static_cast<int64_t>(i) - 1 - f;
        for (size_t i = 0; i < source.part.flat.size(); ++i)
            expected[static_cast<size_t>(source.part.offset[i])] = value(source.at(i));
        std::copy(expected.begin(), expected.end(), buffer);
        for (size_t i = 0; i < sink.part.flat.size(); ++i)
            if (from.has(sink.at(i)))
                expected[static_cast<size_t>(sink.part.offset[i])] = value(sink.at(i));
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        int64_t wrong = 0;
        for (size_t i = 0; i < elements; ++i)
            wrong += buffer[i] != expected[i];
        EXPECT_EQ(wrong, 0) << "of " << elements << " in frame " << f;
    }
}

// These shapes would be put in order if both sides had the same elements, because a process has some hundred bytes
// for each cube of P.
TEST(InPlaceSubsets, ElementsThatNoSinkReceivesAreKept) {
    const int64_t p = world().size, rows = 120 * p + 7, columns = 60 * p + 6;
    const Indices2 sizes{rows, columns};
    const Subset all{{0, 0}, sizes}, inner{{3, 5}, {120 * p, 60 * p}}, low{{0, 0}, {100 * p, columns}},
        high{{14 * p + 2, 0}, {rows - 14 * p - 2, columns}}, left{{0, 0}, {rows, 43 * p - 1}},
        none{{0, 0}, {0, 0}};
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT}) {
        expect_kept(sizes, inner, all, mode);
        expect_kept(sizes, all, inner, mode);
        expect_kept(sizes, low, all, mode);
        expect_kept(sizes, low, high, mode);
        expect_kept(sizes, high, left, mode);
        expect_kept(sizes, left, high, mode);
        expect_kept(sizes, none, all, mode);
    }
}

} // namespace
} // namespace dri_test
