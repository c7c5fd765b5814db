// Access to single elements by index: loops whose index goes wrong.
#include "face.hpp"

#include <vector>

namespace {

using dri::Array;
using dri::Domain;
using dri::Index;
using dri::range;
using dri::Ranges;

// Changes elements along a row until an index fails, as a compiler makes it of a plain loop. Returns the index
// that failed.
template <class T>
[[gnu::noinline]] std::int64_t change_row(Array<T, 2> &a, std::int64_t i, std::int64_t from, std::int64_t to,
                                          int &code) {
    std::int64_t last = from - 1;
    try {
        for (std::int64_t j = from; j < to; ++j) {
            a(i, j) = static_cast<T>(1 - a(i, j));
            last = j;
        }
    } catch (const dri::Error &error) {
        code = error.code();
    }
    return last + 1;
}
template <class T>
[[gnu::noinline]] void change_all(Array<T, 2> &a, std::int64_t i, std::int64_t from, std::int64_t to) {
    for (std::int64_t j = from; j < to; ++j)
        a(i, j) = static_cast<T>(1 - a(i, j));
}

// The elements of this process, of all boxes.
template <class T> std::vector<T> own_of(Array<T, 2> &a) {
    std::vector<T> all;
    dri::forall(a, [&](const T &x) { all.push_back(x); });
    return all;
}

template <class T> void expect_rows_to_end(Array<T, 2> &a) {
    for (const Ranges<2> &box : a.domain().boxes()) {
        const std::int64_t i = box[0].first, from = box[1].first, to = from + box[1].size;
        int code = 0;
        a = T(3);
        EXPECT_EQ(change_row(a, i, from, to, code), to);
        EXPECT_EQ(code, DRI_SUCCESS);
        for (std::int64_t j = from; j < to; ++j)
            EXPECT_EQ(a(i, j), T(-2));
        // Beyond the last element of the domain: those before are changed.
        const std::int64_t end = a.ranges()[1].first + a.ranges()[1].size;
        a = T(3);
        if (to == end) {
            EXPECT_EQ(change_row(a, i, from, to + 5, code), to);
            EXPECT_EQ(code, DRI_ERR_ARG);
            EXPECT_EQ(a(i, to - 1), T(-2));
            face::expect_failure(DRI_ERR_ARG, "is no member of", [&] { change_all(a, i, from, to + 1); });
        }
        // Before the first one, and in a row that is none: nothing is changed.
        a = T(3);
        const auto before = own_of(a);
        for (const auto &[row, first] : {std::pair{i, a.ranges()[1].first - 3}, std::pair{i, INT64_MIN},
                                         std::pair{std::int64_t{1000}, from}, std::pair{INT64_MIN, from}}) {
            code = 0;
            EXPECT_EQ(change_row(a, row, first, first + 9, code), first);
            EXPECT_EQ(code, DRI_ERR_ARG);
        }
        EXPECT_EQ(own_of(a), before);
    }
}

template <class T> void expect_all_maps() {
    const Ranges<2> plate(range(0, 12), range(-2, 21));
    for (Domain<2> domain : {Domain(dri::block_map(plate), plate), Domain(dri::stencil_map(plate, {1, 2}), plate),
                             Domain(dri::block_cyclic_map({0, -2}, {2, 5}), plate)}) {
        Array<T, 2> a(domain);
        expect_rows_to_end(a);
        // Another map, in which a process has several boxes, or one.
        domain.set(dri::block_cyclic_map({0, -2}, {3, 4}), plate);
        expect_rows_to_end(a);
        domain.set(dri::block_map(plate), plate);
        expect_rows_to_end(a);
    }
}

TEST(DomainFaceAccess, LoopsEndAtAWrongIndex) {
    expect_all_maps<double>();
    expect_all_maps<float>();
    expect_all_maps<std::int64_t>();
    expect_all_maps<std::uint8_t>();
}

// The array has the view of the library, so it also follows a domain that is changed by another handle.
TEST(DomainFaceAccess, FollowsAnyHandleOfTheDomain) {
    const Ranges<1> line(range(0, 24));
    const Domain domain(dri::block_map(line), line);
    Array<int, 1> a(domain);
    const auto cyclic = dri::block_cyclic_map({0}, {2});
    ASSERT_EQ(DRI_domain_set(domain.handle(), cyclic.handle(), line.data()), DRI_SUCCESS) << DRI_error_message();
    for (std::int64_t i = 0; i < 24; ++i)
        if (cyclic.owner({i}) == face::rank())
            EXPECT_EQ(a(i), 0);
        else
            face::expect_failure(DRI_ERR_ARG, "belongs to process", [&] { static_cast<void>(a(i)); });
}

} // namespace
