// Aliases of random slices: their elements are those of the array, in the same memory.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_domains.hpp"

#include <algorithm>

namespace dri::test {
namespace {

// An alias, and how its indices become those of its array.
struct Alias {
    Array array;
    Domain domain;
    Ranges ranges;            // of the array's dimensions
    std::vector<size_t> kept; // of these

    Indices whole(const Indices &index) const {
        Indices found;
        for (const DRI_Range &r : ranges)
            found.push_back(r.first);
        for (size_t i = 0; i < kept.size(); ++i)
            found[kept[i]] = index[i];
        return found;
    }
};

Alias random_alias(Dice &dice, DRI_Array of, const Ranges &whole) {
    Alias made;
    std::vector<int64_t> sizes;
    unsigned dropped = 0;
    for (size_t d = 0; d < whole.size(); ++d) {
        const bool drops = whole[d].size > 0 && dice.chance(40) && made.kept.size() + whole.size() - d > 1;
        sizes.push_back(drops ? 1 : whole[d].size == 0 ? 0 : dice.range(1, whole[d].size));
        if (drops)
            dropped |= 1u << d;
        else
            made.kept.push_back(d);
    }
    made.ranges = random_slice_of(dice, whole, sizes);
    expect_success(DRI_array_slice(of, made.ranges.data(), dropped, made.array.out()), "DRI_array_slice");
    expect_success(DRI_array_get_domain(made.array, made.domain.out()), "DRI_array_get_domain");
    return made;
}

// Every element of the alias that is this process's is in one view, at the address that the array has for it.
std::string check_views(const Alias &alias, DRI_Array of) {
    int64_t boxes = 0, owned = 0, seen = 0, held = 0;
    bool is_there = false;
    Map map;
    Group group;
    int n = 0;
    expect_success(DRI_domain_get_map(alias.domain, map.out()), "DRI_domain_get_map");
    expect_success(DRI_map_get_group(map, group.out()), "DRI_map_get_group");
    expect_success(DRI_group_get_size(group, &n, nullptr), "DRI_group_get_size");
    std::vector<int> members(static_cast<size_t>(n));
    expect_success(DRI_group_get_ranks(group, members.data()), "DRI_group_get_ranks");
    for (const int rank : members)
        is_there = is_there || rank == world().rank;
    if (!is_there)
        return "";
    expect_success(DRI_domain_num_boxes(alias.domain, world().rank, &boxes), "DRI_domain_num_boxes");
    expect_success(DRI_domain_get_count(alias.domain, world().rank, &owned, &held), "DRI_domain_get_count");
    for (int64_t b = 0; b < boxes; ++b) {
        const DRI_View *view = nullptr;
        if (DRI_array_view(alias.array, b, &view) != DRI_SUCCESS)
            return DRI_error_message();
        const DRI_View copy = *view;
        if (copy.ndims != static_cast<int64_t>(alias.kept.size()))
            return "the view has " + std::to_string(copy.ndims) + " dimensions";
        if (copy.boxes != boxes)
            return "the view says " + std::to_string(copy.boxes) + " boxes, not " + std::to_string(boxes);
        Ranges dense;
        for (size_t d = 0; d < alias.kept.size(); ++d)
            dense.push_back({0, 1, copy.range[d].size});
        for (const Indices &at : tuples_of(dense)) {
            Indices index;
            int64_t place = 0;
            for (size_t d = 0; d < at.size(); ++d) {
                index.push_back(copy.range[d].first + at[d] * copy.range[d].stride);
                place += at[d] * copy.step[d];
            }
            const double *const wanted = element_at(of, alias.whole(index));
            if (static_cast<const double *>(copy.data) + place != wanted ||
                element_at(alias.array, index) != wanted)
                return "box " + std::to_string(b) + " of " + text_of(alias.ranges) + " is not in place";
            ++seen;
        }
    }
    return seen == owned ? ""
                         : std::to_string(seen) + " elements are in views instead of " + std::to_string(owned);
}

double alias_value(const Indices &index) {
    double value = 1;
    for (const int64_t i : index)
        value = value * 101 + static_cast<double>(i + 50);
    return value;
}

TEST(ArrayAlias, RandomViewsAndElements) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Dice dice(seed);
        const auto ndims = static_cast<size_t>(dice.range(1, 3));
        const RandomMap made = make_random_map(dice, ndims, "any");
        const Ranges whole = random_ranges(dice, ndims, 6);
        const Domain domain = make_domain(made.map, whole);
        Array array = make_array(domain);
        const Array same = make_array(domain);
        fill(array, domain, alias_value);
        const Alias alias = random_alias(dice, array, whole);
        ASSERT_EQ(check_views(alias, array), "") << seed << made.text << text_of(whole);
        // An alias of the alias has the same elements.
        const Alias inner = random_alias(dice, alias.array, ranges_of(alias.domain));
        ASSERT_EQ(check_views(inner, alias.array), "") << seed << made.text << text_of(whole);
        array.reset(); // the memory lives as long as an alias
        ASSERT_EQ(difference(inner.array, inner.domain,
                             [&](const Indices &index) { return alias_value(alias.whole(inner.whole(index))); }),
                  "")
            << seed << made.text << text_of(whole);
    }
}

// Places of the members of a slice in one local array are not always evenly spaced: each view has those that are.
TEST(ArrayAlias, OverLongerCyclicBlocks) {
    const Ranges line{{0, 1, 90}}, plane{{0, 1, 90}, {0, 2, 5}};
    for (const int64_t block : {2, 3, 4, 5, 8})
        for (const int64_t stride : {2, 3, 4, 5, 6, 7, 9})
            for (const int64_t first : {0, 1, 4}) {
                const int64_t size = (89 - first) / stride + 1, last = first + (size - 1) * stride;
                const Domain domain = make_domain(make_map({cyclic_dim(0, block)}, make_world()), line),
                             wide = make_domain(
                                 make_map({cyclic_dim(0, block, world().size), cyclic_dim(0)}, make_world()),
                                 plane);
                const Array array = make_array(domain), matrix = make_array(wide);
                for (const DRI_Range &range : {DRI_Range{first, stride, size}, DRI_Range{last, -stride, size}}) {
                    Alias alias{{}, {}, {range}, {0}}, column{{}, {}, {range, {4, 1, 1}}, {0}};
                    expect_success(DRI_array_slice(array, alias.ranges.data(), 0, alias.array.out()),
                                   "DRI_array_slice");
                    expect_success(DRI_array_slice(matrix, column.ranges.data(), 2, column.array.out()),
                                   "DRI_array_slice");
                    for (Alias *one : {&alias, &column})
                        expect_success(DRI_array_get_domain(one->array, one->domain.out()),
                                       "DRI_array_get_domain");
                    ASSERT_EQ(check_views(alias, array), "") << block << " " << stride << " " << first;
                    ASSERT_EQ(check_views(column, matrix), "") << block << " " << stride << " " << first;
                }
            }
}

// The same over lists, in which neighbours of the array are far apart in memory.
TEST(ArrayAlias, OverLists) {
    const int p = world().size;
    std::vector<int64_t> mine;
    for (int64_t i = 0; i < 12 * p; ++i)
        if ((i * i / 3 + i) % p == world().rank)
            mine.push_back(i);
    std::reverse(mine.begin() + static_cast<std::ptrdiff_t>(mine.size()) / 2, mine.end());
    const Dist dist = make_dist(make_gdo({12 * p}),
                                make_part({{.kind = DRI_INDICES,
                                            .nparts = p,
                                            .indices = mine.data(),
                                            .nindices = static_cast<int64_t>(mine.size())}}),
                                make_world());
    Map map;
    expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
    const Domain domain = make_domain(map, {{0, 1, 12 * p}});
    const Array array = make_array(domain);
    for (const int64_t stride : {1, 2, 3, 5}) {
        Alias alias{{}, {}, {{0, stride, (12 * p - 1) / stride + 1}}, {0}};
        expect_success(DRI_array_slice(array, alias.ranges.data(), 0, alias.array.out()), "DRI_array_slice");
        expect_success(DRI_array_get_domain(alias.array, alias.domain.out()), "DRI_array_get_domain");
        ASSERT_EQ(check_views(alias, array), "") << stride;
    }
}

// A process outside the map has a view of nothing, with the dimensions and the element of the alias.
TEST(ArrayAlias, HasAViewOutsideItsMap) {
    const Domain domain = make_domain(make_map({block_dim(0, 9), {}}, make_group({0})), {{0, 1, 9}, {0, 1, 4}});
    const Array array = make_array(domain);
    const Ranges some{{1, 2, 4}, {3, 1, 1}};
    for (const unsigned dropped : {0U, 2U}) {
        Array alias;
        expect_success(DRI_array_slice(array, some.data(), dropped, alias.out()), "DRI_array_slice");
        const DRI_View *view = nullptr;
        ASSERT_EQ(DRI_array_view(alias, 0, &view), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(view->ndims, dropped ? 1 : 2);
        EXPECT_EQ(view->element_bytes, 8);
        EXPECT_EQ(view->range[0].size, world().rank == 0 ? 4 : 0);
        EXPECT_NE(view->range[0].stride, 0);
    }
}

// An alias has the memory of its array, so its domain stays as it is. A clone of the domain is free.
TEST(ArrayAlias, KeepsItsDomain) {
    const Domain domain = make_domain(make_map({block_dim(0, 9)}, make_world()), {{0, 1, 9}});
    const Array array = make_array(domain);
    const Ranges some{{1, 2, 4}}, next{{1, 2, 3}};
    Array alias;
    Domain own, clone;
    expect_success(DRI_array_slice(array, some.data(), 0, alias.out()), "DRI_array_slice");
    expect_success(DRI_array_get_domain(alias, own.out()), "DRI_array_get_domain");
    EXPECT_EQ(DRI_domain_set(own, {}, next.data()), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("alias"), std::string::npos) << DRI_error_message();
    EXPECT_EQ(DRI_domain_set(own, {}, some.data()), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(sequence_of(ranges_of(own)[0]), sequence_of(some[0]));
    expect_success(DRI_domain_clone(own, clone.out()), "DRI_domain_clone");
    EXPECT_EQ(DRI_domain_set(clone, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
}

// A row of a plane is assigned to a line, and a line to a column that counts downwards.
TEST(ArrayAlias, DroppedDimensionsInAssignments) {
    const Domain plane =
        make_domain(make_map({block_dim(0, 5), cyclic_dim(0)}, make_world()), {{0, 1, 5}, {0, 1, 7}});
    const Domain line = make_domain(make_map({block_dim(0, 7)}, make_world()), {{0, 1, 7}});
    const Array matrix = make_array(plane), row = make_array(line);
    fill(matrix, plane, alias_value);
    const Ranges third{{2, 1, 1}, {6, -1, 7}}, column{{4, -1, 5}, {3, 1, 1}}, part{{1, 1, 5}};
    Array across, down;
    expect_success(DRI_array_slice(matrix, third.data(), 1, across.out()), "DRI_array_slice");
    expect_success(DRI_array_slice(matrix, column.data(), 2, down.out()), "DRI_array_slice");
    ASSERT_EQ(DRI_assign(row, nullptr, across, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(row, line, [](const Indices &i) { return alias_value({2, 6 - i[0]}); }), "");
    ASSERT_EQ(DRI_assign(down, nullptr, row, part.data(), nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(matrix, plane,
                         [](const Indices &i) {
                             return i[1] == 3 ? alias_value({2, 6 - (5 - i[0])}) : alias_value(i);
                         }),
              "");
}

TEST(ArrayAlias, IsStaleAfterTheDomainHasChanged) {
    const Domain domain = make_domain(make_map({block_dim(0, 9)}, make_world()), {{0, 1, 9}});
    const Array array = make_array(domain);
    const Ranges some{{1, 2, 4}}, next{{0, 1, 8}}, same{{0, 1, 9}};
    Array alias, again;
    expect_success(DRI_array_slice(array, some.data(), 0, alias.out()), "DRI_array_slice");
    expect_success(DRI_domain_set(domain, {}, same.data()), "DRI_domain_set");
    EXPECT_EQ(DRI_assign(alias, nullptr, alias, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    expect_success(DRI_domain_set(domain, {}, next.data()), "DRI_domain_set");
    const int64_t index = 1;
    void *element = nullptr;
    const DRI_View *view = nullptr;
    Domain own;
    char text[64];
    const auto put = [](void *, const char *, size_t) -> int { return DRI_SUCCESS; };
    for (const int code :
         {DRI_array_at(alias, &index, &element), DRI_array_view(alias, 0, &view),
          DRI_array_get_domain(alias, own.out()), DRI_array_slice(alias, some.data(), 0, again.out()),
          DRI_array_set_attr(alias, DRI_ARRAY_BULK, 0), DRI_array_describe(alias, text, sizeof text),
          DRI_assign(alias, nullptr, array, some.data(), nullptr), DRI_array_write(alias, put, nullptr),
          DRI_assign(array, some.data(), alias, nullptr, nullptr)}) {
        EXPECT_EQ(code, DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("stale"), std::string::npos) << DRI_error_message();
    }
    EXPECT_EQ(alias.reset(), DRI_SUCCESS);
}

} // namespace
} // namespace dri::test
