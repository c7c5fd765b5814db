// Elements on their way: slices of one array onto itself, types that are converted, and elements that a function
// puts.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_domains.hpp"

#include <atomic>
#include <map>

namespace dri::test {
namespace {

double element_value(const Indices &index) {
    double value = 1;
    for (const int64_t i : index)
        value = value * 101 + static_cast<double>(i + 50);
    return value;
}

// The pairs of an assignment: for each index of the left side that of the right one.
std::map<Indices, Indices> pairs_of(const Ranges &to, const Ranges &from) {
    const auto left = tuples_of(to), right = tuples_of(from);
    std::map<Indices, Indices> pairs;
    for (size_t i = 0; i < left.size(); ++i)
        pairs[left[i]] = right[i];
    return pairs;
}

// As if the right side were read first.
TEST(ArrayElements, SlicesOfOneArrayOntoItself) {
    const std::vector<std::pair<Ranges, Ranges>> moves{{{{1, 1, 11}}, {{0, 1, 11}}},     // up by one
                                                       {{{0, 1, 11}}, {{1, 1, 11}}},     // down by one
                                                       {{{0, 1, 12}}, {{11, -1, 12}}},   // reversed in place
                                                       {{{11, -1, 12}}, {{11, -1, 12}}}, // nothing
                                                       {{{0, 2, 6}}, {{11, -2, 6}}},     // even ones from odd ones
                                                       {{{2, 1, 5}}, {{1, 2, 5}}}};      // of another stride
    for (const MapDim &rule : {block_dim(0, 12), cyclic_dim(0), cyclic_dim(0, 2)})
        for (const auto &[to, from] : moves)
            for (const int64_t bulk : {1, 0}) {
                const Domain domain = make_domain(make_map({rule}, make_world()), {{0, 1, 12}});
                const Array array = make_array(domain);
                expect_success(DRI_array_set_attr(array, DRI_ARRAY_BULK, bulk), "DRI_array_set_attr");
                const auto pairs = pairs_of(to, from);
                for (int turn = 0; turn < 2; ++turn) {
                    fill(array, domain, element_value);
                    ASSERT_EQ(DRI_assign(array, to.data(), array, from.data(), nullptr), DRI_SUCCESS)
                        << DRI_error_message();
                    ASSERT_EQ(difference(array, domain,
                                         [&](const Indices &i) {
                                             const auto pair = pairs.find(i);
                                             return element_value(pair == pairs.end() ? i : pair->second);
                                         }),
                              "")
                        << text_of(to) << text_of(from) << rule.kind << rule.block;
                }
            }
}

// A plane onto itself with its two dimensions reversed, by aliases of the same memory.
TEST(ArrayElements, AliasesOfOneArray) {
    const Ranges whole{{0, 1, 6}, {0, 1, 9}}, turned{{5, -1, 6}, {8, -1, 9}};
    const Domain domain = make_domain(make_map({block_dim(0, 6), cyclic_dim(0)}, make_world()), whole);
    const Array array = make_array(domain);
    Array alias;
    fill(array, domain, element_value);
    expect_success(DRI_array_slice(array, turned.data(), 0, alias.out()), "DRI_array_slice");
    ASSERT_EQ(DRI_assign(array, nullptr, alias, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(array, domain, [](const Indices &i) { return element_value({5 - i[0], 8 - i[1]}); }), "");
}

// Rounded to the nearest, ties to even, and held at the ends of the type.
TEST(ArrayElements, TypesAreConverted) {
    const Ranges all{{0, 1, 8}};
    const Domain to = make_domain(make_map({cyclic_dim(0)}, make_world()), all),
                 from = make_domain(make_map({block_dim(0, 8)}, make_world()), all);
    const std::vector<double> given{0.5, 1.5, 2.5, -0.5, -1.5, 1e10, -1e10, 100};
    const std::vector<double> small{0, 2, 2, 0, -2, 32767, -32768, 100}; // int16
    const auto number = [](const std::vector<double> &list) {
        return [&list](const Indices &i) { return list[static_cast<size_t>(i[0])]; };
    };
    const Array doubles = make_array(from), shorts = make_array(to, DRI_INT16), floats = make_array(to, DRI_FLOAT);
    fill(doubles, from, number(given));
    DRI_Assigned info{};
    ASSERT_EQ(DRI_assign(shorts, nullptr, doubles, nullptr, &info), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(info.path, DRI_ASSIGN_ELEMENT);
    EXPECT_EQ(info.tried, 0);
    EXPECT_EQ(difference<int16_t>(shorts, to, number(small)), "");
    ASSERT_EQ(DRI_assign(doubles, nullptr, shorts, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(doubles, from, number(small)), "");
    const Ranges some{{1, 2, 3}}, down{{7, -3, 3}};
    ASSERT_EQ(DRI_assign(floats, some.data(), doubles, down.data(), nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference<float>(floats, to,
                                [&](const Indices &i) {
                                    return i[0] % 2 == 1 && i[0] < 6
                                               ? small[static_cast<size_t>(7 - (i[0] - 1) / 2 * 3)]
                                               : 0.0;
                                }),
              "");
}

TEST(ArrayElements, TypesWithoutAConversionAreRefused) {
    Type record, wider;
    expect_success(DRI_type_create(8, 8, record.out()), "DRI_type_create");
    expect_success(DRI_type_create(16, 8, wider.out()), "DRI_type_create");
    const Domain domain = make_domain(make_map({block_dim(0, 8)}, make_world()), {{0, 1, 8}});
    const Array records = make_array(domain, record), others = make_array(domain, wider),
                doubles = make_array(domain);
    fill(doubles, domain, [](const Indices &) { return 7; });
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(DRI_assign(doubles, nullptr, records, nullptr, nullptr), DRI_ERR_ARG) << DRI_error_message();
        EXPECT_EQ(DRI_assign(records, nullptr, doubles, nullptr, nullptr), DRI_ERR_ARG) << DRI_error_message();
        EXPECT_EQ(DRI_assign(records, nullptr, others, nullptr, nullptr), DRI_ERR_ARG) << DRI_error_message();
    }
    EXPECT_EQ(difference(doubles, domain, [](const Indices &) { return 7; }), "");
}

// A record that owns memory: its bytes alone would be a double owner.
struct Counted {
    int64_t value;
    const void *home; // where it lives, which copying bytes makes wrong
};

struct Copies {
    std::atomic<int64_t> calls = 0;
};

void copy_counted(const void *from, void *to, void *ctx) {
    ++static_cast<Copies *>(ctx)->calls;
    *static_cast<Counted *>(to) = {static_cast<const Counted *>(from)->value, to};
}

TEST(ArrayElements, AFunctionPutsEachElement) {
    Type record;
    expect_success(DRI_type_create(sizeof(Counted), alignof(Counted), record.out()), "DRI_type_create");
    const Ranges all{{0, 1, 21}}, some{{1, 2, 10}}, down{{18, -2, 10}};
    const Domain to = make_domain(make_map({cyclic_dim(0)}, make_world()), all),
                 from = make_domain(make_map({block_dim(0, 21)}, make_world()), all);
    // Declared by the left side, and by the right one.
    for (const bool left : {true, false}) {
        const Array dst = make_array(to, record), src = make_array(from, record);
        Copies copies;
        expect_success(DRI_array_set_copy(left ? dst : src, copy_counted, &copies), "DRI_array_set_copy");
        for (const Indices &index : tuples_of(all)) {
            if (is_own(to, index)) {
                auto *const element = element_at<Counted>(dst, index);
                *element = {-1, element};
            }
            if (is_own(from, index))
                *element_at<Counted>(src, index) = {index[0], nullptr};
        }
        DRI_Assigned info{};
        ASSERT_EQ(DRI_assign(dst, some.data(), src, down.data(), &info), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(info.path, DRI_ASSIGN_ELEMENT);
        int64_t put = 0;
        for (const Indices &index : tuples_of(all)) {
            if (!is_own(to, index))
                continue;
            const auto *const element = element_at<Counted>(dst, index);
            const bool is_inside = index[0] % 2 == 1 && index[0] < 20;
            EXPECT_EQ(element->value, is_inside ? 18 - (index[0] - 1) : -1);
            EXPECT_EQ(element->home, element);
            put += is_inside;
        }
        EXPECT_EQ(copies.calls, put);
        expect_success(DRI_array_set_copy(left ? dst : src, nullptr, nullptr), "DRI_array_set_copy");
        ASSERT_EQ(DRI_assign(dst, some.data(), src, down.data(), &info), DRI_SUCCESS) << DRI_error_message();
        EXPECT_NE(info.path, DRI_ASSIGN_ELEMENT) << "elements are plain again";
        EXPECT_EQ(copies.calls, put);
    }
}

} // namespace
} // namespace dri::test
