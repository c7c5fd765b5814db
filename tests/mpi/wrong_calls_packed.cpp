// Wrong calls of packed distributions.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

#include <utility>

namespace dri::test {
namespace {

TEST(WrongPacked, BytesAreRefused) {
    const Dist dist = make_dist(make_gdo({6, 4}), make_blocks(2, 0), make_world());
    const DRI_Dist d = dist;
    size_t n = 0;
    expect_success(DRI_dist_pack(d, nullptr, 0, &n), "DRI_dist_pack");
    std::vector<char> good(n + 1, 'x'), swapped, later, damaged;
    expect_success(DRI_dist_pack(d, good.data(), n, nullptr), "DRI_dist_pack");
    EXPECT_EQ(good.back(), 'x') << "the byte behind the output";
    good.pop_back();
    swapped = later = damaged = good;
    std::swap(swapped[8], swapped[11]);
    later[12] = 77;
    damaged.back() = static_cast<char>(damaged.back() + 1);
    const auto unpack = [](const std::vector<char> &bytes, size_t size) {
        return makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_dist_unpack(bytes.data(), size, out); });
    };
    std::vector<char> untouched(n, 'u');
    expect_refused({
        {"packing null", [&n] { return DRI_dist_pack({}, nullptr, 0, &n); }, DRI_ERR_HANDLE, {}},
        {"packing for nobody", [d] { return DRI_dist_pack(d, nullptr, 0, nullptr); }, DRI_ERR_ARG, {"needed"}},
        {"packing into NULL", [d, &n] { return DRI_dist_pack(d, nullptr, 3, &n); }, DRI_ERR_ARG, {"bytes", "3"}},
        {"packing into too little",
         [&] { return DRI_dist_pack(d, untouched.data(), n - 1, nullptr); },
         DRI_ERR_ARG,
         {std::to_string(n - 1), std::to_string(n)}},
        {"unpacking NULL",
         makes<DRI_Dist>([](DRI_Dist *out) { return DRI_dist_unpack(nullptr, 8, out); }),
         DRI_ERR_ARG,
         {"bytes"}},
        {"unpacking nothing", unpack(good, 0), DRI_ERR_ARG, {"0 bytes", "no packed distribution"}},
        {"unpacking too little", unpack(good, n - 1), DRI_ERR_ARG, {"damaged"}},
        {"unpacking a few bytes", unpack(good, 9), DRI_ERR_ARG, {"9 bytes"}},
        {"unpacking damage", unpack(damaged, n), DRI_ERR_ARG, {"damaged"}},
        {"unpacking the other byte order", unpack(swapped, n), DRI_ERR_UNSUPPORTED, {"byte order"}},
        {"unpacking a later version", unpack(later, n), DRI_ERR_UNSUPPORTED, {"version 77", "version 1"}},
        {"unpacking something else",
         unpack(std::vector<char>(n, 'a'), n),
         DRI_ERR_ARG,
         {"no packed distribution"}},
        {"no output for the handle",
         [&] { return DRI_dist_unpack(good.data(), n, nullptr); },
         DRI_ERR_ARG,
         {"dist"}},
    });
    EXPECT_EQ(untouched, std::vector<char>(n, 'u')) << "too little is left as it is";
}

} // namespace
} // namespace dri::test
