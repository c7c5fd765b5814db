// Wrong calls on arrays, local and collective ones.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/wrong_call.hpp"

#include <array>
#include <chrono>
#include <string>

namespace dri::test {
namespace {

class WrongArrays : public testing::Test {
protected:
    Map map_ = make_map({block_dim(0, 12), MapDim{}}, make_world());
    Domain domain_ = make_domain(map_, {{0, 1, 12}, {0, 2, 5}});
    Array array_ = make_array(domain_);
};

TEST_F(WrongArrays, LocalCallsAreRefused) {
    const DRI_Array a = array_;
    const Indices mine{(world().rank * 12 + world().size - 1) / world().size, 0}; // its first row
    static int64_t outside[]{12, 0}, odd[]{0, 1};
    static void *element = nullptr;
    static const DRI_View *view = nullptr;
    static char text[8];
    const auto slice = [a](const DRI_Range &range, unsigned dropped) {
        return makes<DRI_Array>([=](DRI_Array *out) {
            const DRI_Range ranges[]{{0, 1, 1}, range};
            return DRI_array_slice(a, ranges, dropped, out);
        });
    };
    const auto set = [a](int attr, int64_t value) {
        return [=] { return DRI_array_set_attr(a, static_cast<DRI_Array_attr>(attr), value); };
    };
    expect_refused({
        {"no output", [=] { return DRI_array_create({}, DRI_DOUBLE, nullptr, nullptr); }, DRI_ERR_ARG, {"array"}},
        {"no ranges",
         makes<DRI_Array>([=](DRI_Array *out) { return DRI_array_slice(a, nullptr, 0, out); }),
         DRI_ERR_ARG,
         {"ranges"}},
        {"a slice outside", slice({0, 2, 6}, 0), DRI_ERR_ARG, {"dimension 1", "0..10 by 2", "0..8 by 2"}},
        {"a slice between", slice({1, 2, 2}, 0), DRI_ERR_ARG, {"dimension 1", "1..3 by 2", "0..8 by 2"}},
        {"a slice that is none", slice({0, 0, 2}, 0), DRI_ERR_ARG, {"dimension 1", "stride 0"}},
        {"dropping two members", slice({0, 2, 2}, 2), DRI_ERR_ARG, {"dimension 1", "2 members"}},
        {"dropping no members", slice({0, 2, 0}, 2), DRI_ERR_ARG, {"dimension 1", "0 members"}},
        {"dropping all", slice({0, 1, 1}, 3), DRI_ERR_ARG, {"one dimension must stay"}},
        {"dropping what is not there", slice({0, 2, 2}, 4), DRI_ERR_ARG, {"dropped is 4", "2 dimensions"}},
        {"an element outside",
         [=] { return DRI_array_at(a, outside, &element); },
         DRI_ERR_ARG,
         {"(12, 0) is no member of {0..11, 0..8 by 2}"}},
        {"an element between", [=] { return DRI_array_at(a, odd, &element); }, DRI_ERR_ARG, {"is no member of"}},
        {"no index", [=] { return DRI_array_at(a, nullptr, &element); }, DRI_ERR_ARG, {"index"}},
        {"no element", [=] { return DRI_array_at(a, odd, nullptr); }, DRI_ERR_ARG, {"element"}},
        {"nowhere to keep", [=] { return DRI_array_keep(a, nullptr); }, DRI_ERR_ARG, {"kept"}},
        {"box 1 of one", [=] { return DRI_array_view(a, 1, &view); }, DRI_ERR_ARG, {"box is 1"}},
        {"box -1", [=] { return DRI_array_view(a, -1, &view); }, DRI_ERR_ARG, {"box is -1"}},
        {"no view", [=] { return DRI_array_view(a, 0, nullptr); }, DRI_ERR_ARG, {"view"}},
        {"a setting that is none", set(9, 1), DRI_ERR_ARG, {"attr is 9"}},
        {"bulk 2", set(DRI_ARRAY_BULK, 2), DRI_ERR_ARG, {"DRI_ARRAY_BULK is 2"}},
        {"-1 plans", set(DRI_ARRAY_PLANS, -1), DRI_ERR_ARG, {"DRI_ARRAY_PLANS is -1"}},
        {"1025 plans", set(DRI_ARRAY_PLANS, 1025), DRI_ERR_ARG, {"DRI_ARRAY_PLANS is 1025"}},
        {"no threads", set(DRI_ARRAY_THREADS, 0), DRI_ERR_ARG, {"DRI_ARRAY_THREADS is 0"}},
        {"a deadline in the past", set(DRI_ARRAY_TIMEOUT_MS, -1), DRI_ERR_ARG, {"DRI_ARRAY_TIMEOUT_MS is -1"}},
        {"a text of no bytes", [=] { return DRI_array_describe(a, text, 0); }, DRI_ERR_ARG, {"n is 0"}},
        {"no put", [=] { return DRI_array_write(a, nullptr, nullptr); }, DRI_ERR_ARG, {"put is NULL"}},
        {"a handle of a domain",
         [=, this] { return DRI_array_view(as<DRI_Array>(domain_.get()), 0, &view); },
         DRI_ERR_HANDLE,
         {}},
        {"handing over outside an assignment",
         [] { return DRI_assign_hand_over(nullptr, nullptr); },
         DRI_ERR_ARG,
         {"assignment"}},
    });
    EXPECT_EQ(DRI_array_at(a, mine.data(), &element), DRI_SUCCESS) << DRI_error_message();
    if (world().size == 1)
        return;
    const Indices theirs{world().rank == 0 ? 11 : 0, 2};
    EXPECT_EQ(DRI_array_at(a, theirs.data(), &element), DRI_ERR_ARG);
    const std::string owner = "belongs to process " + std::to_string(world().rank == 0 ? world().size - 1 : 0);
    EXPECT_NE(std::string(DRI_error_message()).find(owner), std::string::npos) << DRI_error_message();
}

// Refused on all processes, and the left side stays as it is.
TEST_F(WrongArrays, AssignmentsAreRefusedByAll) {
    const Array other = make_array(domain_);
    const DRI_Array a = array_, b = other;
    fill(array_, domain_, [](const Indices &) { return 7; });
    static const DRI_Range some[]{{0, 1, 6}, {0, 2, 5}}, turned[]{{0, 1, 5}, {0, 2, 5}},
        outside[]{{0, 1, 13}, {0, 2, 5}}, none[]{{0, 1, 6}, {0, 0, 5}}, fewer[]{{3, 1, 6}, {0, 2, 4}},
        empty[]{{0, 1, 0}, {0, 2, 5}};
    const auto assigns = [=](const DRI_Range *to, const DRI_Range *from) {
        return [=] { return DRI_assign(a, to, b, from, nullptr); };
    };
    expect_refused_by_all({
        {"shapes that differ", assigns(some, fewer), DRI_ERR_ARG, {"shapes differ", "{0..5, 0..8 by 2}"}},
        {"another first dimension", assigns(turned, some), DRI_ERR_ARG, {"shapes differ"}},
        {"all to some", assigns(some, nullptr), DRI_ERR_ARG, {"shapes differ"}},
        {"nothing to some", assigns(some, empty), DRI_ERR_ARG, {"shapes differ"}},
        {"a left side outside", assigns(outside, some), DRI_ERR_ARG, {"to, dimension 0", "0..12", "0..11"}},
        {"a right side outside", assigns(some, outside), DRI_ERR_ARG, {"from, dimension 0", "0..12", "0..11"}},
        {"a left side that is none", assigns(none, some), DRI_ERR_ARG, {"dimension 1", "to", "stride 0"}},
        {"no left side", [=] { return DRI_assign({}, nullptr, b, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
        {"no right side", [=] { return DRI_assign(a, nullptr, {}, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
    });
    EXPECT_EQ(difference(array_, domain_, [](const Indices &) { return 7; }), "");
    EXPECT_EQ(DRI_assign(a, empty, b, empty, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(array_, domain_, [](const Indices &) { return 7; }), "");
}

// One process is wrong. All are told at once, instead of waiting for it until the deadline of set-up calls.
TEST_F(WrongArrays, OneWrongProcessIsToldToAll) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    const Array other = make_array(domain_);
    const DRI_Array a = array_, b = other;
    const DRI_Domain d = domain_;
    const bool odd = world().rank == world().size - 1;
    const std::string who = "process " + std::to_string(world().size - 1);
    static const DRI_Range some[]{{0, 1, 6}, {0, 2, 5}}, outside[]{{0, 1, 13}, {0, 2, 5}},
        none[]{{0, 1, 6}, {0, 0, 5}}, fewer[]{{3, 1, 6}, {0, 2, 4}}, rows[]{{0, 1, 2}, {0, 2, 5}};
    const Map one_dimension = make_map({block_dim(0, 12)}, make_world());
    const DRI_Map line = one_dimension;
    const auto assigns = [=](const DRI_Range *to, const DRI_Range *from) {
        return [=] { return DRI_assign(a, odd ? to : some, b, odd ? from : some, nullptr); };
    };
    fill(array_, domain_, [](const Indices &) { return 7; });
    const auto begin = std::chrono::steady_clock::now();
    for (int turn = 0; turn < 2; ++turn) {
        expect_refused_by_all({
            {"a left side outside",
             assigns(outside, some),
             DRI_ERR_ARG,
             {who, "to, dimension 0", "0..12", "0..11"}},
            {"a right side outside", assigns(some, outside), DRI_ERR_ARG, {who, "from, dimension 0", "0..12"}},
            {"a right side that is none", assigns(some, none), DRI_ERR_ARG, {who, "stride 0"}},
            {"shapes that differ", assigns(some, fewer), DRI_ERR_ARG, {who, "shapes differ"}},
            {"no ranges of a domain",
             [=] { return DRI_domain_set(d, {}, odd ? nullptr : some); },
             DRI_ERR_ARG,
             {who, "ranges is NULL"}},
            {"a map of one dimension",
             [=] { return DRI_domain_set(d, odd ? line : DRI_Map{}, some); },
             DRI_ERR_ARG,
             {who, "1 dimensions", "2"}},
        });
        // In the second turn plans of other pairs are kept.
        ASSERT_EQ(DRI_assign(a, rows, a, rows, nullptr), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(DRI_assign(b, rows, b, rows, nullptr), DRI_SUCCESS) << DRI_error_message();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(difference(array_, domain_, [](const Indices &) { return 7; }), "");
}

// The others have a plan and wait for its frame. They get it once the process has mended its call.
TEST_F(WrongArrays, OneWrongProcessFailsAtOnceWhereAPlanIsKept) {
    const Array from = make_array(domain_);
    const DRI_Array a = array_, b = from;
    static const DRI_Range rows[]{{0, 1, 2}, {0, 2, 5}}, outside[]{{0, 1, 13}, {0, 2, 5}};
    fill(from, domain_, [](const Indices &) { return 7; });
    fill(array_, domain_, [](const Indices &) { return 7; });
    ASSERT_EQ(DRI_assign(a, rows, b, rows, nullptr), DRI_SUCCESS) << DRI_error_message();
    const auto begin = std::chrono::steady_clock::now();
    if (world().rank == world().size - 1) {
        EXPECT_EQ(DRI_assign(a, outside, b, rows, nullptr), DRI_ERR_ARG) << DRI_error_message();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    }
    EXPECT_EQ(DRI_assign(a, rows, b, rows, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(array_, domain_, [](const Indices &) { return 7; }), "");
}

TEST_F(WrongArrays, CollectiveCallsAreRefusedByAll) {
    const Map line = make_map({block_dim(0, 12)}, make_world());
    const DRI_Domain d = domain_;
    const DRI_Map m = line;
    static std::array<double, 64> data{};
    static const DRI_Range none[]{{0, 1, 12}, {0, 0, 5}}, fine[]{{0, 1, 12}, {0, 2, 5}};
    expect_refused_by_all({
        {"memory that is not aligned",
         makes<DRI_Array>([=](DRI_Array *out) {
             return DRI_array_create(d, DRI_DOUBLE, reinterpret_cast<char *>(data.data()) + 4, out);
         }),
         DRI_ERR_ARG,
         {"data", "8 bytes"}},
        {"a type that is none",
         makes<DRI_Array>([=](DRI_Array *out) { return DRI_array_create(d, {}, nullptr, out); }),
         DRI_ERR_HANDLE,
         {}},
        {"ranges that are none", [=] { return DRI_domain_set(d, {}, none); }, DRI_ERR_ARG, {"dimension 1"}},
        {"no ranges", [=] { return DRI_domain_set(d, {}, nullptr); }, DRI_ERR_ARG, {"ranges"}},
        {"a map of one dimension", [=] { return DRI_domain_set(d, m, fine); }, DRI_ERR_ARG, {"1 dimensions", "2"}},
    });
}

TEST_F(WrongArrays, ProcessesThatMakeDifferentArrays) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    const bool odd = world().rank == 0;
    const Domain other = make_domain(map_, {{0, 1, 12}, {0, 2, 4}});
    const DRI_Domain d = odd ? other : domain_, same = domain_;
    expect_refused_by_all({
        {"a type of one process that is none",
         makes<DRI_Array>(
             [=](DRI_Array *out) { return DRI_array_create(same, odd ? DRI_Type{} : DRI_INT32, nullptr, out); }),
         DRI_ERR_HANDLE,
         {"process 0", "type handle is null"}},
        {"one process that takes no handle",
         makes<DRI_Array>([=](DRI_Array *out) {
             *out = {};
             return DRI_array_create(same, DRI_INT32, nullptr, odd ? nullptr : out);
         }),
         DRI_ERR_ARG,
         {"array is NULL"}},
        {"other types",
         makes<DRI_Array>(
             [=](DRI_Array *out) { return DRI_array_create(same, odd ? DRI_FLOAT : DRI_INT32, nullptr, out); }),
         DRI_ERR_MISMATCH,
         {"disagree", "type"}},
        {"other domains",
         makes<DRI_Array>([=](DRI_Array *out) { return DRI_array_create(d, DRI_FLOAT, nullptr, out); }),
         DRI_ERR_MISMATCH,
         {"disagree", "domain"}},
    });
}

} // namespace
} // namespace dri::test
