// Texts of arrays. The oracle prints the elements one by one, in the words of the contract.
#include "support/arrays.hpp"
#include "support/library.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

namespace dri::test {
namespace {

struct Text {
    std::string all{};
    int calls = 0, fails_at = 0, code = DRI_SUCCESS;
};

int append_text(void *ctx, const char *text, size_t n) {
    auto *const out = static_cast<Text *>(ctx);
    EXPECT_TRUE(n >= 1 && n <= 16384) << n;
    out->all.append(text, n);
    return ++out->calls == out->fails_at ? out->code : DRI_SUCCESS;
}

// Separators by the place of an element: a space, the end of a row, of a plane, of the text.
std::string text_of(const std::vector<int64_t> &sizes, const std::function<std::string(int64_t)> &element) {
    int64_t n = 1, row = sizes.back(), plane = sizes.size() > 2 ? sizes[sizes.size() - 2] * row : 0;
    for (const int64_t size : sizes)
        n *= size;
    std::string text;
    for (int64_t i = 0; i < n; ++i) {
        text += element(i);
        const bool last = i + 1 == n;
        if ((i + 1) % row != 0)
            text += ' ';
        else if (sizes.size() > 1)
            text += plane && (i + 1) % plane == 0 && !last ? "\n\n" : "\n";
    }
    return text;
}

std::vector<int64_t> sizes_of(const Ranges &ranges) {
    std::vector<int64_t> sizes;
    for (const DRI_Range &r : ranges)
        sizes.push_back(r.size);
    return sizes;
}

// The text is there on the first process of the map, and nowhere else.
void expect_text(DRI_Array array, int first, const std::string &wanted, int least_calls = 1) {
    Text text;
    ASSERT_EQ(DRI_array_write(array, append_text, &text), DRI_SUCCESS) << DRI_error_message();
    if (world().rank != first) {
        EXPECT_EQ(text.calls, 0);
        return;
    }
    EXPECT_GE(text.calls, least_calls);
    ASSERT_EQ(text.all.size(), wanted.size());
    EXPECT_TRUE(text.all == wanted) << text.all.substr(0, 200);
}

// A map of blocks whose first process is the last one of the world.
Map backwards(size_t ndims) {
    std::vector<int> ranks = all_ranks();
    std::reverse(ranks.begin(), ranks.end());
    std::vector<MapDim> rules(ndims, block_dim(0, 6));
    return make_map(rules, make_group(ranks));
}

std::string quarters(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", value);
    return digits;
}

TEST(ArrayWrite, RowsPlanesAndDirections) {
    const std::vector<Ranges> all{{{0, 1, 6}},
                                  {{0, 1, 1}},
                                  {{5, -1, 6}, {1, 2, 3}},
                                  {{0, 1, 4}, {0, 1, 1}},
                                  {{0, 1, 2}, {6, -3, 3}, {0, 1, 4}},
                                  {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
    for (const Ranges &ranges : all) {
        const Domain domain = make_domain(backwards(ranges.size()), ranges);
        const Array array = make_array(domain);
        const std::vector<Indices> order = tuples_of(ranges);
        const auto value = [](const Indices &index) {
            double sum = 0.25;
            for (const int64_t i : index)
                sum = sum * 8 - static_cast<double>(i);
            return sum;
        };
        fill(array, domain, value);
        expect_text(array, world().size - 1, text_of(sizes_of(ranges), [&](int64_t i) {
                        return quarters(value(order[static_cast<size_t>(i)]));
                    }));
    }
}

TEST(ArrayWrite, TheDocumentedText) {
    const Domain domain = make_domain(make_map({cyclic_dim(0), MapDim{}}, make_world()), {{0, 1, 2}, {0, 1, 3}});
    const Array array = make_array(domain, DRI_INT32);
    fill<int32_t>(array, domain, [](const Indices &i) { return static_cast<double>(i[0] * 3 + i[1] + 1); });
    expect_text(array, 0, "1 2 3\n4 5 6\n");
    const Ranges column{{1, -1, 2}, {2, 1, 1}};
    Array whole, line;
    expect_success(DRI_array_slice(array, column.data(), 0, whole.out()), "DRI_array_slice");
    expect_success(DRI_array_slice(array, column.data(), 2, line.out()), "DRI_array_slice");
    expect_text(whole, 0, "6\n3\n");
    expect_text(line, 0, "6 3");
    const Domain empty = make_domain(make_map({cyclic_dim(0)}, make_world()), {{0, 1, 0}});
    expect_text(make_array(empty), -1, "");
}

template <class T> void expect_element(DRI_Type type, T value, const std::string &wanted) {
    const Domain domain = make_domain(make_map({block_dim(0, 2)}, make_world()), {{0, 1, 2}});
    const Array array = make_array(domain, type);
    if (is_own(domain, {1}))
        *element_at<T>(array, {1}) = value;
    Text text;
    ASSERT_EQ(DRI_array_write(array, append_text, &text), DRI_SUCCESS) << DRI_error_message();
    if (world().rank == 0) {
        EXPECT_EQ(text.all.substr(text.all.find(' ') + 1), wanted);
    }
}

TEST(ArrayWrite, EachTypeHasItsText) {
    expect_element<int8_t>(DRI_INT8, -128, "-128");
    expect_element<uint8_t>(DRI_UINT8, 255, "255");
    expect_element<int16_t>(DRI_INT16, -32768, "-32768");
    expect_element<uint16_t>(DRI_UINT16, 65535, "65535");
    expect_element<int32_t>(DRI_INT32, INT32_MIN, "-2147483648");
    expect_element<uint32_t>(DRI_UINT32, UINT32_MAX, "4294967295");
    expect_element<int64_t>(DRI_INT64, INT64_MIN, "-9223372036854775808");
    expect_element<uint64_t>(DRI_UINT64, UINT64_MAX, "18446744073709551615");
    expect_element<float>(DRI_FLOAT, 0.1f, "0.1");
    expect_element<double>(DRI_DOUBLE, 0.1, "0.1");
    expect_element<double>(DRI_DOUBLE, 1e300, "1e+300");
    expect_element<double>(DRI_DOUBLE, -INFINITY, "-inf");
    expect_element<std::complex<float>>(DRI_COMPLEX_FLOAT, {0.1f, -2}, "(0.1,-2)");
    expect_element<std::complex<double>>(DRI_COMPLEX_DOUBLE, {-0.5, 1e-9}, "(-0.5,1e-09)");
    const double longest = -2.2250738585072014e-308;
    expect_element<std::complex<double>>(DRI_COMPLEX_DOUBLE, {longest, longest},
                                         "(-2.2250738585072014e-308,-2.2250738585072014e-308)");
    expect_element<std::array<int8_t, 2>>(DRI_COMPLEX_INT8, {-128, 127}, "(-128,127)");
    expect_element<std::array<int16_t, 2>>(DRI_COMPLEX_INT16, {-32768, 1}, "(-32768,1)");
}

// Slabs of 1 MiB are 65536 of these elements.
using WideComplex = std::complex<double>;

// What an element carries: its place in the order of the domain, without numbers of few digits such as 1e+05.
int64_t mark(int64_t place) { return place % 99991; }

// Marked elements.
Array make_wide(DRI_Domain domain, const std::vector<int64_t> &sizes) {
    Array array = make_array(domain, DRI_COMPLEX_DOUBLE);
    const DRI_View *view = nullptr;
    expect_success(DRI_array_view(array, 0, &view), "DRI_array_view");
    std::array<int64_t, 3> n{1, 1, 1}, step{}, first{}, size{1, 1, 1};
    const size_t skip = 3 - sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) {
        n[skip + d] = view->range[d].size;
        step[skip + d] = view->step[d];
        first[skip + d] = view->range[d].first;
        size[skip + d] = sizes[d];
    }
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t k = 0; k < n[2]; ++k)
                static_cast<WideComplex *>(view->data)[i * step[0] + j * step[1] + k * step[2]] = {
                    static_cast<double>(mark(((first[0] + i) * size[1] + first[1] + j) * size[2] + first[2] + k)),
                    0.5};
    return array;
}

Domain wide_domain(const std::vector<int64_t> &sizes) {
    std::vector<MapDim> rules;
    Ranges ranges;
    for (const int64_t size : sizes) {
        rules.push_back(block_dim(0, size));
        ranges.push_back({0, 1, size});
    }
    return make_domain(make_map(rules, make_world()), ranges);
}

TEST(ArrayWrite, SeveralSlabs) {
    const auto element = [](int64_t i) { return "(" + std::to_string(mark(i)) + ",0.5)"; };
    // A line, rows that fit, rows that do not, planes of such rows, and slabs of several rows that end anywhere.
    for (const std::vector<int64_t> &sizes :
         {std::vector<int64_t>{70001}, {2, 40003}, {2, 65537}, {2, 1, 65537}, {5, 30000}, {3, 300, 300}}) {
        const Domain domain = wide_domain(sizes);
        expect_text(make_wide(domain, sizes), 0, world().rank == 0 ? text_of(sizes, element) : "", 2);
    }
}

// After the failure the array is as good as before.
TEST(ArrayWrite, APutThatFailsEndsTheCallOnAllProcesses) {
    const std::vector<int64_t> sizes{2, 40003};
    const Domain domain = wide_domain(sizes);
    const Array array = make_wide(domain, sizes);
    for (const auto &[code, wanted] : {std::pair<int, int>{DRI_ERR_MEMORY, DRI_ERR_MEMORY},
                                       {DRI_ERR_TRANSPORT, DRI_ERR_TRANSPORT},
                                       {-3, DRI_ERR_ARG},
                                       {100000, DRI_ERR_ARG}}) {
        Text text{.fails_at = 2, .code = code};
        EXPECT_EQ(DRI_array_write(array, append_text, &text), wanted) << DRI_error_message();
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("put returned " + std::to_string(code)), std::string::npos) << message;
        EXPECT_NE(message.find("process 0"), std::string::npos) << message;
        EXPECT_EQ(text.calls, world().rank == 0 ? 2 : 0);
        barrier();
    }
    Text text;
    ASSERT_EQ(DRI_array_write(array, append_text, &text), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(text.calls > 2, world().rank == 0);
}

TEST(ArrayWrite, RecordsHaveNoText) {
    Type record;
    expect_success(DRI_type_create(12, 4, record.out()), "DRI_type_create");
    const Array array = make_array(wide_domain({6}), record);
    Text text;
    EXPECT_EQ(DRI_array_write(array, append_text, &text), DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("records"), std::string::npos) << DRI_error_message();
    EXPECT_EQ(text.calls, 0);
}

} // namespace
} // namespace dri::test
