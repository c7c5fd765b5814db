// Ranges of the C++ interface, compared with the sequences that they stand for.
#include "face.hpp"

#include <dri/cpp/ranges.hpp>

#include <algorithm>
#include <limits>

namespace {

using dri::Range;
using dri::range;
using dri::Ranges;
using Sequence = std::vector<std::int64_t>;

static_assert(range(0, 10, 3) == Range(0, 3, 4));
static_assert(range(0, 10, -3) == Range(9, -3, 4));
static_assert(range(0, 10, 3, 1) == Range(1, 3, 3));
static_assert(range(5, 2).size == 0 && !range(5, 2).low() && range(5, 2) == Range());
static_assert(range(0, 10).by(-3).high() == 9 && range(0, 10).by(-3).low() == 0);
static_assert(range(1, 9, 2).contains(7) && !range(1, 9, 2).contains(8) && range(1, 9, 2).order(7) == 3);
static_assert(range(2, 5).expand(1) == range(1, 6) && range(2, 5).expand(-2).size == 0);
static_assert(densify(range(3, 9, 3), range(0, 12, 3)) == range(1, 3));
static_assert(undensify(range(1, 3), range(0, 12, 3)) == range(3, 9, 3));
static_assert(Ranges(range(0, 3), range(0, 4)).size() == 12);
static_assert(Ranges(range(0, 3), range(5, 9)).order({2, 6}) == 9);

Sequence sequence_of(const Range &r) { return Sequence(r.begin(), r.end()); }

// The sequences that the tests go through: some of each sign and size.
std::vector<Range> some_ranges() {
    std::vector<Range> all;
    for (const std::int64_t first : {-7, 0, 5})
        for (const std::int64_t stride : {-3, -1, 1, 2})
            for (const std::int64_t size : {0, 1, 2, 7})
                all.emplace_back(first, stride, size);
    return all;
}

TEST(DomainFaceRanges, AreSequences) {
    for (const Range &r : some_ranges()) {
        Sequence wanted;
        for (std::int64_t k = 0; k < r.size; ++k)
            wanted.push_back(r.first + k * r.stride);
        EXPECT_EQ(sequence_of(r), wanted);
        const auto [low, high] = std::minmax_element(wanted.begin(), wanted.end());
        EXPECT_EQ(r.low(), wanted.empty() ? std::nullopt : std::optional(*low));
        EXPECT_EQ(r.high(), wanted.empty() ? std::nullopt : std::optional(*high));
        for (std::int64_t i = -30; i < 30; ++i) {
            const auto found = std::find(wanted.begin(), wanted.end(), i);
            EXPECT_EQ(r.contains(i), found != wanted.end());
            EXPECT_EQ(r.order(i), found == wanted.end() ? -1 : found - wanted.begin());
        }
        face::expect_failure(DRI_ERR_ARG, "Range::at(): the place is not from 0 to the size - 1",
                             [&] { static_cast<void>(r.at(r.size)); });
        face::expect_failure(DRI_ERR_ARG, "Range::at(): the place is not from 0 to the size - 1",
                             [&] { static_cast<void>(r.at(-1)); });
    }
}

TEST(DomainFaceRanges, ThinOutAndExpand) {
    for (const Range &r : some_ranges())
        for (const std::int64_t k : {-3, -2, -1, 1, 2, 3}) {
            Sequence all = sequence_of(r), thin, wide;
            if (k < 0)
                std::reverse(all.begin(), all.end());
            for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(k < 0 ? -k : k))
                thin.push_back(all[i]);
            EXPECT_EQ(sequence_of(r.by(k)), thin);
            for (std::int64_t i = -k; i < r.size + k; ++i)
                wide.push_back(r.first + i * r.stride);
            EXPECT_EQ(sequence_of(r.expand(k)), wide);
        }
    face::expect_failure(DRI_ERR_ARG, "Range::by(): the step is 0", [] { static_cast<void>(range(0, 5).by(0)); });
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    face::expect_failure(DRI_ERR_OVERFLOW, "Range::expand(): members exceed 64 bits",
                         [] { static_cast<void>(range(most - 2, most).expand(2)); });
    face::expect_failure(DRI_ERR_OVERFLOW, "Range::shift(): members exceed 64 bits",
                         [] { static_cast<void>(range(most - 2, most).shift(2)); });
    EXPECT_TRUE(Range(most - 1, 1, 2).contains(most));
    EXPECT_FALSE(Range(most - 1, 1, 2).contains(std::numeric_limits<std::int64_t>::min()));
}

TEST(DomainFaceRanges, FailAsThoseOfC) {
    face::expect_failure(DRI_ERR_ARG, "no range", [] { static_cast<void>(Range(0, 0, 1)); });
    face::expect_failure(DRI_ERR_ARG, "no range", [] { static_cast<void>(Range(0, 1, -1)); });
    face::expect_failure(DRI_ERR_ARG, "stride is 0", [] { static_cast<void>(range(0, 5, 0)); });
    face::expect_failure(DRI_ERR_OVERFLOW, "64 bits", [] {
        using Limits = std::numeric_limits<std::int64_t>;
        static_cast<void>(range(Limits::min(), Limits::max()));
    });
    face::expect_failure(DRI_ERR_ARG, "the range 3..5 is not inside 0..4",
                         [] { static_cast<void>(densify(range(3, 6), range(0, 5))); });
    face::expect_failure(DRI_ERR_ARG, "the places 0..5 are not those of 0..4, which has 5 members",
                         [] { static_cast<void>(undensify(range(0, 6), range(0, 5))); });
    EXPECT_EQ(common(range(0, 20, 2), range(0, 20, 3)), range(0, 20, 6));
    EXPECT_EQ(common(range(0, 20, -2), range(0, 20, 3)), dri::Range(15, -6, 3));
}

TEST(DomainFaceRanges, AreTuplesInRowMajorOrder) {
    const Ranges box(range(0, 3), range(10, 4, 1), range(1, 8, -3));
    EXPECT_EQ(box.size(), 0);
    const Ranges two(range(2, 5), range(1, 8, -3));
    std::int64_t place = 0;
    const auto indices = two.indices();
    for (const std::int64_t i : sequence_of(two[0]))
        for (const std::int64_t j : sequence_of(two[1])) {
            EXPECT_EQ(two.at(place), (dri::Index<2>{i, j}));
            EXPECT_EQ(indices[place], (dri::Index<2>{i, j}));
            EXPECT_EQ(two.order({i, j}), place++);
        }
    EXPECT_EQ(place, two.size());
    EXPECT_EQ(two.order({2, 5}), -1);
    EXPECT_FALSE(two.contains({5, 7}));
    EXPECT_EQ(two.sizes(), (dri::Index<2>{3, 3}));
    EXPECT_EQ(two.expand(-1), Ranges(range(3, 4), range(4, 5)));
    EXPECT_EQ(two.expand({1, 0}), Ranges(range(1, 6), two[1]));
    EXPECT_EQ(two.by(2), Ranges(range(2, 5, 2), Range(7, -6, 2)));
    EXPECT_EQ(two.by({-1, 1})[0], range(2, 5, -1));
    EXPECT_EQ(undensify(densify(two.by(2), two), two), two.by(2));
    EXPECT_EQ(two.data()[1].first, 7);
    face::expect_failure(DRI_ERR_ARG, "Ranges::at(): the place is not from 0 to the size - 1",
                         [&] { static_cast<void>(two.at(9)); });
    const Range much(0, 1, std::int64_t{1} << 40);
    face::expect_failure(DRI_ERR_OVERFLOW, "Ranges::size(): there are more than 2^63 - 1 indices",
                         [&] { static_cast<void>(Ranges(much, much).size()); });
}

} // namespace
