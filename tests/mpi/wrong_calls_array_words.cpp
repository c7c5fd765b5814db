// The words of messages about arrays and about maps of distributions: whole sentences, with the numbers of the
// wrong call.
#include "support/arrays.hpp"
#include "support/wrong_call.hpp"

#include <array>
#include <string>

namespace dri::test {
namespace {

class ArrayWords : public testing::Test {
protected:
    Domain domain_ = make_domain(
        make_map(
            {{.kind = DRI_BLOCK, .hi = 12, .left = 1, .right = 1, .left_edge = DRI_WRAP, .right_edge = DRI_WRAP}},
            make_world()),
        {{0, 1, 12}});
    Array array_ = make_array(domain_);
};

TEST_F(ArrayWords, OfUpdatesUnderWay) {
    const Array other = make_array(domain_);
    const DRI_Array a = array_, o = other;
    const DRI_Domain d = domain_;
    const std::string under_way = "an update of overlap of the array is under way";
    static const DRI_Range next{0, 1, 8};
    expect_refused_by_all({{"the second half alone",
                            [=] { return DRI_array_update_overlap_wait(a); },
                            DRI_ERR_STATE,
                            {"no update of overlap of the array is under way"}}});
    ASSERT_EQ(DRI_array_update_overlap_start(a), DRI_SUCCESS) << DRI_error_message();
    expect_refused_by_all({
        {"another first half", [=] { return DRI_array_update_overlap_start(a); }, DRI_ERR_STATE, {under_way}},
        {"a whole update", [=] { return DRI_array_update_overlap(a); }, DRI_ERR_STATE, {under_way}},
        {"an assignment to it",
         [=] { return DRI_assign(a, nullptr, o, nullptr, nullptr); },
         DRI_ERR_STATE,
         {under_way}},
        {"an assignment from it",
         [=] { return DRI_assign(o, nullptr, a, nullptr, nullptr); },
         DRI_ERR_STATE,
         {under_way}},
        {"other ranges",
         [=] { return DRI_domain_set(d, {}, &next); },
         DRI_ERR_STATE,
         {"an array over the domain has an update of overlap under way"}},
    });
    ASSERT_EQ(DRI_array_update_overlap_wait(a), DRI_SUCCESS) << DRI_error_message();
}

TEST_F(ArrayWords, OfAliases) {
    static const DRI_Range even{0, 2, 6}, next{0, 1, 8};
    Array alias;
    Domain of_alias;
    ASSERT_EQ(DRI_array_slice(array_, &even, 0, alias.out()), DRI_SUCCESS);
    ASSERT_EQ(DRI_array_get_domain(alias, of_alias.out()), DRI_SUCCESS);
    const DRI_Array s = alias, a = array_;
    const DRI_Domain d = of_alias;
    static const DRI_View *view = nullptr;
    static void *element = nullptr;
    static int64_t index = 0;
    static char text[80];
    static DRI_Domain found{};
    expect_refused_by_all({
        {"ranges of its domain",
         [=] { return DRI_domain_set(d, {}, &next); },
         DRI_ERR_STATE,
         {"the domain is that of an alias, which has the memory of its array: clone the domain"}},
        {"its overlap",
         [=] { return DRI_array_update_overlap(s); },
         DRI_ERR_UNSUPPORTED,
         {"the array is an alias; the overlap is that of its array"}},
    });
    ASSERT_EQ(DRI_domain_set(domain_, {}, &next), DRI_SUCCESS) << DRI_error_message();
    const std::string stale_text = "the alias is stale: its array has got another domain";
    expect_refused({
        {"its view", [=] { return DRI_array_view(s, 0, &view); }, DRI_ERR_STATE, {stale_text}},
        {"an element", [=] { return DRI_array_at(s, &index, &element); }, DRI_ERR_STATE, {stale_text}},
        {"its domain", [=] { return DRI_array_get_domain(s, &found); }, DRI_ERR_STATE, {stale_text}},
        {"its text", [=] { return DRI_array_describe(s, text, sizeof text); }, DRI_ERR_STATE, {stale_text}},
        {"a setting", [=] { return DRI_array_set_attr(s, DRI_ARRAY_BULK, 1); }, DRI_ERR_STATE, {stale_text}},
        {"a slice of it",
         makes<DRI_Array>([=](DRI_Array *out) { return DRI_array_slice(s, &even, 0, out); }),
         DRI_ERR_STATE,
         {stale_text}},
    });
    expect_refused_by_all({
        {"an assignment to it",
         [=] { return DRI_assign(s, nullptr, a, &even, nullptr); },
         DRI_ERR_STATE,
         {stale_text}},
        {"writing it",
         [=] {
             return DRI_array_write(
                 s, [](void *, const char *, size_t) { return 0; }, nullptr);
         },
         DRI_ERR_STATE,
         {stale_text}},
    });
}

// Whatever the way, and before elements move.
TEST_F(ArrayWords, OfTypesThatHaveNoConversion) {
    Type small, large;
    ASSERT_EQ(DRI_type_create(24, 8, small.out()), DRI_SUCCESS);
    ASSERT_EQ(DRI_type_create(32, 8, large.out()), DRI_SUCCESS);
    const Array numbers = make_array(domain_), complex = make_array(domain_, DRI_COMPLEX_FLOAT),
                records = make_array(domain_, small), others = make_array(domain_, large);
    fill(numbers, domain_, [](const Indices &i) { return static_cast<double>(i[0]); });
    const auto assigns = [](DRI_Array to, DRI_Array from) {
        return [=] { return DRI_assign(to, nullptr, from, nullptr, nullptr); };
    };
    for (const int64_t bulk : {1, 0}) {
        expect_success(DRI_array_set_attr(numbers, DRI_ARRAY_BULK, bulk), "DRI_array_set_attr");
        expect_refused_by_all({
            {"records to numbers",
             assigns(numbers, records),
             DRI_ERR_ARG,
             {"elements of the type record of 24 bytes aligned to 8 do not become those of the type double"}},
            {"complex numbers to real ones",
             assigns(numbers, complex),
             DRI_ERR_ARG,
             {"elements of the type complex float do not become those of the type double"}},
            {"records to others",
             assigns(others, records),
             DRI_ERR_ARG,
             {"elements of the type record of 24 bytes aligned to 8 do not become those of the type record of 32 "
              "bytes aligned to 8"}},
        });
    }
    EXPECT_EQ(difference(numbers, domain_, [](const Indices &i) { return static_cast<double>(i[0]); }), "");
}

TEST_F(ArrayWords, OfOneArray) {
    Type pair;
    ASSERT_EQ(DRI_type_create(24, 8, pair.out()), DRI_SUCCESS);
    const Array records = make_array(domain_, pair);
    Array piece;
    ASSERT_EQ(
        DRI_array_repartition(make_array(make_domain(make_map({block_dim(0, 12)}, make_world()), {{0, 1, 12}})),
                              nullptr, piece.out()),
        DRI_SUCCESS)
        << DRI_error_message();
    const DRI_Array r = records, p = piece, a = array_;
    const DRI_Domain d = domain_;
    static const DRI_View *view = nullptr;
    static std::array<double, 32> data{};
    static int done = 0;
    static const DRI_Range one{0, 1, 1};
    static DRI_Assignment foreign{};
    int64_t boxes = 0;
    expect_success(DRI_domain_num_boxes(domain_, world().rank, &boxes), "DRI_domain_num_boxes");
    expect_refused({
        {"box 7",
         [=] { return DRI_array_view(a, 7, &view); },
         DRI_ERR_ARG,
         {"box is 7, but the process has " + std::to_string(boxes)}},
        {"dropping all",
         makes<DRI_Array>([=](DRI_Array *out) { return DRI_array_slice(a, &one, 1, out); }),
         DRI_ERR_ARG,
         {"dropped is 1, but one dimension must stay"}},
        {"setting 5",
         [=] { return DRI_array_set_attr(a, static_cast<DRI_Array_attr>(5), 0); },
         DRI_ERR_ARG,
         {"attr is 5, which is none of DRI_Array_attr"}},
        {"a view of a piece",
         [=] { return DRI_array_view(p, 0, &view); },
         DRI_ERR_ARG,
         {"a piece is given where an array is needed"}},
        {"an assignment of nobody's",
         [=] { return DRI_assign_hand_over(&foreign, &done); },
         DRI_ERR_STATE,
         {"the assignment is not one that the calling thread is asked about"}},
    });
    expect_refused_by_all({
        {"memory between two addresses",
         makes<DRI_Array>([=](DRI_Array *out) {
             return DRI_array_create(d, DRI_DOUBLE, reinterpret_cast<char *>(data.data()) + 4, out);
         }),
         DRI_ERR_ARG,
         {"data is not aligned to 8 bytes"}},
        {"records as text",
         [=] {
             return DRI_array_write(
                 r, [](void *, const char *, size_t) { return 0; }, nullptr);
         },
         DRI_ERR_UNSUPPORTED,
         {"records have no text"}},
        {"a text that nobody takes",
         [=] {
             return DRI_array_write(
                 a, [](void *, const char *, size_t) { return int{DRI_ERR_LIMIT}; }, nullptr);
         },
         DRI_ERR_LIMIT,
         {"put returned "}},
    });
}

// A map of a distribution, or why there is none.
auto map_of(const Dist &dist) {
    return makes<DRI_Map>([d = dist.get()](DRI_Map *out) { return DRI_map_create_dist(d, out); });
}

TEST(DistMapWords, OfDistributionsThatAreNoMaps) {
    const auto [rank, size] = world();
    const int64_t n = 4 * size, first = 4 * rank;
    const Dist none = make_dist(make_gdo({}), make_part({}), make_world());
    const Dist gap = make_dist(make_gdo({n + 2}), make_exact({{0, first, first + 4, 0}}), make_world());
    const Dist rims =
        make_dist(make_gdo({n}), make_part({{.kind = DRI_BLOCK_CYCLIC, .nparts = size, .block = 1, .left = 1}}),
                  make_world());
    expect_refused({
        {"no dimensions", map_of(none), DRI_ERR_ARG, {"the distribution has no dimensions"}},
        {"pieces that leave two out",
         map_of(gap),
         DRI_ERR_GAP,
         {"the parts own " + std::to_string(n) + " elements, but the array has " + std::to_string(n + 2)}},
        {"overlap of several blocks",
         map_of(rims),
         DRI_ERR_UNSUPPORTED,
         {"dimension 0: overlap of parts with several blocks"}},
    });
    if (size == 1)
        return;
    const Dist copies = make_dist(make_gdo({n}), make_part({{.kind = DRI_BLOCK, .nparts = 1}}), make_world());
    const Dist both =
        make_dist(make_gdo({n}), make_exact({{0, first, rank == 0 ? 5 : first + 4, 0}}), make_world());
    const std::vector<int64_t> own{rank, rank == 1 ? 0 : size + rank}, some{rank == 0 ? 1 : rank};
    const Dist twice = make_dist(
        make_gdo({2 * size}),
        make_part({{.kind = DRI_INDICES, .nparts = size, .indices = own.data(), .nindices = 2}}), make_world());
    expect_refused({
        {"copies",
         map_of(copies),
         DRI_ERR_UNSUPPORTED,
         {"the group holds the data " + std::to_string(size) + " times, but a map gives each index one owner"}},
        {"pieces that meet", map_of(both), DRI_ERR_OVERLAP, {"positions 0 and 1 both own 4"}},
        {"lists that meet", map_of(twice), DRI_ERR_OVERLAP, {"dimension 0: index 0 is in two lists"}},
    });
    const std::vector<int64_t> fewer{rank};
    const Dist left_out = make_dist(
        make_gdo({2 * size}),
        make_part({{.kind = DRI_INDICES, .nparts = size, .indices = fewer.data(), .nindices = 1}}), make_world());
    expect_refused({{"lists that leave some out",
                     map_of(left_out),
                     DRI_ERR_GAP,
                     {"dimension 0: index " + std::to_string(size) + " is in no list"}}});
}

TEST(DistMapWords, OfIndicesOutside) {
    const Dist dist = make_dist(make_gdo({8}), make_blocks(1, 0), make_world());
    Map map;
    ASSERT_EQ(DRI_map_create_dist(dist, map.out()), DRI_SUCCESS) << DRI_error_message();
    const DRI_Map m = map;
    static int64_t index = 8;
    static int rank = 0;
    expect_refused({
        {"an owner outside",
         [=] { return DRI_map_owner(m, &index, &rank); },
         DRI_ERR_ARG,
         {"the index 8 is outside the distribution"}},
        {"a domain outside",
         makes<DRI_Domain>([=](DRI_Domain *out) {
             const DRI_Range range{2, 3, 3};
             return DRI_domain_create(m, DRI_RECTANGULAR, &range, out);
         }),
         DRI_ERR_ARG,
         {"dimension 0: the range 2..8 by 3 is outside [0, 8)"}},
    });
}

} // namespace
} // namespace dri::test
