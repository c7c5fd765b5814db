// Views: memory as an n-dimensional array.
#include "face.hpp"

#include <complex>
#include <numeric>

namespace {

using dri::Index;
using dri::View;

// The interface of std::mdspan with any strides, as far as a View uses it.
template <class T, std::size_t N> struct Mdspan {
    using index_type = int;
    struct extents_type {
        std::array<int, N> of{};
        extents_type() = default;
        explicit extents_type(const std::array<int, N> &given) : of(given) {}
    };
    struct mapping_type {
        extents_type extents;
        std::array<int, N> strides{};
        mapping_type() = default;
        mapping_type(const extents_type &given, const std::array<int, N> &steps)
            : extents(given), strides(steps) {}
    };
    Mdspan(T *data, const mapping_type &mapping) : data_(data), mapping_(mapping) {}
    static constexpr std::size_t rank() { return N; }
    T *data_handle() const { return data_; }
    int extent(std::size_t d) const { return mapping_.extents.of[d]; }
    int stride(std::size_t d) const { return mapping_.strides[d]; }
    const extents_type &extents() const { return mapping_.extents; }
    const mapping_type &mapping() const { return mapping_; }

private:
    T *data_;
    mapping_type mapping_;
};

// No more than the contract asks of a type that a View is made of.
template <class T> struct Least {
    T *data;
    std::array<short, 2> extents, strides;
    static constexpr int rank() { return 2; }
    T *data_handle() const { return data; }
    short extent(int d) const { return extents[static_cast<std::size_t>(d)]; }
    short stride(int d) const { return strides[static_cast<std::size_t>(d)]; }
};

struct Base {
    int of_base;
};
struct Derived : Base {
    int more;
};

TEST(FaceView, FindsElements) {
    std::vector<int> memory(60);
    std::iota(memory.begin(), memory.end(), 0);
    const View<int, 3> v(memory.data(), {3, 4, 5});
    EXPECT_EQ(v(2, 1, 3), 2 * 20 + 5 + 3);
    v(0, 0, 0) = -1;
    EXPECT_EQ(memory[0], -1);
    EXPECT_EQ(v.extent(1), 4);
    EXPECT_EQ(v.stride(1), 5);
    EXPECT_EQ(v.size(), 60);
    EXPECT_EQ(v.data(), memory.data());
    const View<int, 2> backwards(memory.data() + 11, {3, 4}, {-4, -1});
    EXPECT_EQ(backwards(0, 0), 11);
    EXPECT_EQ(backwards(2, 3), memory[0]);
    const View<const int, 3> read = v;
    EXPECT_EQ(read(1, 0, 0), 20);
    const View<int, 0> one(memory.data() + 7, Index<0>{});
    EXPECT_EQ(one(), 7);
    EXPECT_EQ(one.size(), 1);
    EXPECT_EQ((View<int, 2>().size()), 0);
    const View line(std::span<int>{memory});
    EXPECT_EQ(line(59), 59);
}

TEST(FaceView, HasPieces) {
    std::vector<int> memory(60);
    std::iota(memory.begin(), memory.end(), 0);
    const View<int, 3> v(memory.data(), {3, 4, 5});
    const View<int, 2> plane = v.sub(1, dri::range(0, 4), dri::range(1, 5, 2));
    EXPECT_EQ(plane.extents(), (Index<2>{4, 2}));
    EXPECT_EQ(plane(3, 1), v(1, 3, 3));
    const View<int, 1> down = v.sub(2, dri::range(0, 4, -1), 4);
    EXPECT_EQ(down.extent(0), 4);
    EXPECT_EQ(down(0), v(2, 3, 4));
    EXPECT_EQ(down(3), v(2, 0, 4));
    EXPECT_EQ(v.sub(1, 2, 3)(), v(1, 2, 3));
    EXPECT_EQ(v.sub(dri::range(2, 2), 0, 0).size(), 0);
    EXPECT_EQ(dri::range(0, 10, 3), (dri::Range{0, 3, 4}));
    EXPECT_EQ(dri::range(0, 10, -3), (dri::Range{9, -3, 4}));
    EXPECT_EQ(dri::range(5, 2).size, 0);
}

TEST(FaceView, HasRowsInTheOrderOfMemory) {
    std::vector<int> memory(200);
    std::iota(memory.begin(), memory.end(), 0);
    for (const Index<3> &strides :
         {Index<3>{20, 5, 1}, Index<3>{1, 3, 12}, Index<3>{48, 1, 6}, Index<3>{50, 12, 2}}) {
        const View<int, 3> v(memory.data(), {3, 4, 5}, strides);
        int64_t rows = 0, elements = 0;
        int before = -1;
        for (const View<int, 1> row : v.rows()) {
            ++rows;
            for (int64_t i = 0; i < row.extent(0); ++i, ++elements) {
                EXPECT_LT(before, row(i));
                before = row(i);
            }
        }
        EXPECT_EQ(elements, 60);
        EXPECT_EQ(rows, v.rows().size());
    }
    EXPECT_EQ((View<int, 2>(memory.data(), {0, 4}).rows().size()), 0);
    EXPECT_EQ((View<int, 2>(memory.data(), {4, 0}).rows().size()), 0);
    EXPECT_EQ((View<int, 0>(memory.data(), Index<0>{}).rows().size()), 1);
    EXPECT_EQ((View<int, 1>(memory.data(), {9}).rows().size()), 1);
}

TEST(FaceView, IsASpanIfItIsPacked) {
    std::vector<int> memory(60);
    EXPECT_EQ((View<int, 2>(memory.data(), {3, 4}).span().size()), 12u);
    EXPECT_EQ((View<int, 2>(memory.data(), {3, 4}, {1, 3}).span().size()), 12u);
    EXPECT_EQ((View<int, 2>(memory.data(), {3, 1}, {1, 77}).span().size()), 3u);
    EXPECT_EQ((View<int, 2>(memory.data(), {0, 4}, {9, 9}).span().size()), 0u);
    EXPECT_EQ((View<int, 0>(memory.data(), Index<0>{}).span().size()), 1u);
    face::expect_failure(DRI_ERR_ARG, "rows()", [&] { View<int, 2>(memory.data(), {3, 4}, {5, 1}).span(); });
    face::expect_failure(DRI_ERR_ARG, "rows()", [&] {
        View<int, 2>(memory.data() + 11, {3, 4}, {-4, -1}).span();
    });
}

TEST(FaceView, IsCopied) {
    std::vector<int> memory(60), copied(100, -1);
    std::iota(memory.begin(), memory.end(), 0);
    const View<const int, 3> from(memory.data(), {3, 4, 5});
    for (const Index<3> &strides : {Index<3>{20, 5, 1}, Index<3>{1, 3, 12}, Index<3>{32, 1, 5}}) {
        const View<int, 3> to(copied.data(), {3, 4, 5}, strides);
        std::fill(copied.begin(), copied.end(), -1);
        copy(from, to);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j)
                for (int k = 0; k < 5; ++k)
                    EXPECT_EQ(to(i, j, k), from(i, j, k));
        EXPECT_EQ(std::count(copied.begin(), copied.end(), -1), 40);
    }
    copy(View<int, 0>(memory.data() + 5, Index<0>{}), View<int, 0>(copied.data(), Index<0>{}));
    EXPECT_EQ(copied[0], 5);
    copy(View<int, 2>(memory.data(), {0, 3}), View<int, 2>(copied.data(), {0, 3}));
    face::expect_failure(DRI_ERR_ARG, "extents", [&] { copy(from, View<int, 3>(copied.data(), {3, 5, 4})); });
}

TEST(FaceView, IsMadeOfMdspanAndBecomesIt) {
    std::vector<int> memory(60);
    std::iota(memory.begin(), memory.end(), 0);
    using Other = Mdspan<int, 2>;
    const Other m(memory.data(), Other::mapping_type(Other::extents_type({6, 4}), {8, 2}));
    const View<int, 2> v = m;
    EXPECT_EQ(v(5, 3), 5 * 8 + 3 * 2);
    const View<const int, 2> read = m;
    EXPECT_EQ(read(1, 1), 10);
    const Other back = v.sub(dri::range(1, 6, 2), dri::range(0, 4));
    EXPECT_EQ(back.extent(0), 3);
    EXPECT_EQ(back.stride(0), 16);
    EXPECT_EQ(*back.data_handle(), 8);
    static_assert(!std::is_convertible_v<Mdspan<int, 3>, View<int, 2>>);
    static_assert(!std::is_convertible_v<Mdspan<const int, 2>, View<int, 2>>);
    const Least<int> least{memory.data(), {3, 4}, {10, 2}};
    EXPECT_EQ((View<int, 2>(least)(2, 3)), 26);
    EXPECT_EQ((View<const int, 2>(least)(2, 3)), 26);
    static_assert(!std::is_constructible_v<View<Base, 2>, Least<Derived>>, "its strides count other elements");
    static_assert(!std::is_constructible_v<View<long, 2>, Least<int>>);
    static_assert(!std::is_constructible_v<View<int, 2>, View<const int, 2>>);
    static_assert(!std::is_constructible_v<Mdspan<const int, 2>, View<int, 3>>);
    const Mdspan<const int, 2> read_only = v;
    EXPECT_EQ(read_only.data_handle(), memory.data());
    const View<int, 2> huge(memory.data(), {1, 1}, {int64_t{1} << 40, 1});
    face::expect_failure(DRI_ERR_OVERFLOW, "1099511627776", [&] { static_cast<void>(static_cast<Other>(huge)); });
#ifdef __cpp_lib_mdspan
    EXPECT_EQ(v.mdspan().extent(0), 6u);
#endif
}

} // namespace
