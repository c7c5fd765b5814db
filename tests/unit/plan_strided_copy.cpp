// The canonical form: it copies the same bytes to the same addresses, and each copy has only one.
#include "kernel_cases.hpp"

#include "base/error.hpp"
#include "plan/strided_copy.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using dri::Scalar;
using dri::plan::canonical;
using dri::plan::Conversion;
using dri::plan::Loop;
using dri::plan::StridedCopy;
using kernel_cases::between;

namespace {

std::map<int64_t, int64_t> moves(const StridedCopy &copy) {
    std::map<int64_t, int64_t> from;
    kernel_cases::walk(copy, [&](int64_t source, int64_t destination) { from[destination] = source; });
    return from;
}

// Checks what the canonical form promises, taken from its description.
void expect_canonical(const StridedCopy &copy) {
    const auto text = dri::plan::to_text(copy);
    for (size_t i = 0; i < copy.loops.size(); ++i) {
        const Loop &a = copy.loops[i];
        EXPECT_GT(a.count, 1) << text;
        EXPECT_GT(a.dst_stride, 0) << text;
        EXPECT_FALSE(a.src_stride == copy.run_bytes && a.dst_stride == copy.run_bytes) << text;
        if (i > 0) {
            const Loop &before = copy.loops[i - 1];
            EXPECT_TRUE(before.dst_stride > a.dst_stride ||
                        (before.dst_stride == a.dst_stride && before.src_stride >= a.src_stride))
                << text;
        }
        for (const Loop &b : copy.loops)
            EXPECT_FALSE(&a != &b && b.src_stride == a.count * a.src_stride &&
                         b.dst_stride == a.count * a.dst_stride)
                << text;
    }
}

// Another form of the same copy: loops shuffled, split in two if the count allows, loops of count 1 added.
StridedCopy rewritten(kernel_cases::Random &random, const StridedCopy &copy) {
    StridedCopy other = copy;
    other.loops.clear();
    std::vector<Loop> loops;
    for (const Loop &l : copy.loops) {
        if (l.count % 2 == 0 && between(random, 0, 1) == 0) {
            loops.push_back({2, l.src_stride, l.dst_stride});
            loops.push_back({l.count / 2, 2 * l.src_stride, 2 * l.dst_stride});
        } else {
            loops.push_back(l);
        }
    }
    if (copy.run_bytes % 2 == 0 && between(random, 0, 1) == 0) {
        other.run_bytes = copy.run_bytes / 2;
        loops.push_back({2, other.run_bytes, other.run_bytes});
    }
    loops.push_back({1, between(random, -100, 100), between(random, -100, 100)});
    std::shuffle(loops.begin(), loops.end(), random);
    for (const Loop &l : loops)
        other.loops.push_back(l);
    return other;
}

} // namespace

TEST(Canonical, KeepsBytesAndOffsets) {
    kernel_cases::Random random(1);
    for (int round = 0; round < dri::test::rounds(2000); ++round) {
        StridedCopy copy = kernel_cases::random_copy(random, between(random, 1, 24),
                                                     static_cast<size_t>(between(random, 0, 6)), 2000);
        kernel_cases::settle(copy, between(random, 0, 9), between(random, 0, 9));
        const StridedCopy reduced = canonical(copy);
        ASSERT_EQ(moves(reduced), moves(copy))
            << dri::plan::to_text(copy) << " became " << dri::plan::to_text(reduced);
        ASSERT_EQ(dri::plan::copy_bytes(reduced), dri::plan::copy_bytes(copy)) << dri::plan::to_text(copy);
        expect_canonical(reduced);
        ASSERT_EQ(canonical(reduced), reduced) << dri::plan::to_text(copy);
    }
}

TEST(Canonical, IsOneFormForAllWaysToWriteACopy) {
    kernel_cases::Random random(2);
    for (int round = 0; round < dri::test::rounds(2000); ++round) {
        StridedCopy copy = kernel_cases::random_copy(random, between(random, 1, 24),
                                                     static_cast<size_t>(between(random, 0, 6)), 2000);
        for (Loop &l : copy.loops)
            l.src_stride = std::abs(l.src_stride);
        kernel_cases::settle(copy, 0, 0);
        const StridedCopy other = rewritten(random, copy);
        ASSERT_EQ(canonical(other), canonical(copy))
            << dri::plan::to_text(other) << " and " << dri::plan::to_text(copy);
    }
}

TEST(Canonical, MergesAdjacentRuns) {
    const StridedCopy rows{8, 16, 32, {{3, 40, 40}, {5, 8, 8}}};
    EXPECT_EQ(canonical(rows), (StridedCopy{120, 16, 32, {}}));
}

TEST(Canonical, MergesLoopsThatAreNotNeighbours) {
    const StridedCopy copy{4, 0, 0, {{2, 80, 48}, {6, 500, 100}, {4, 20, 12}}};
    EXPECT_EQ(canonical(copy), (StridedCopy{4, 0, 0, {{6, 500, 100}, {8, 20, 12}}}));
}

TEST(Canonical, SortsByDestination) {
    const StridedCopy turn{8, 0, 0, {{4, 8, 128}, {12, 96, 8}}};
    const StridedCopy other{8, 0, 0, {{12, 96, 8}, {4, 8, 128}}};
    EXPECT_EQ(canonical(other), turn);
    EXPECT_EQ(canonical(turn), turn);
}

TEST(Canonical, OfAnEmptyCopyIsEmpty) {
    EXPECT_EQ(canonical({8, 16, 32, {{3, 40, 40}, {0, 8, 8}}}), StridedCopy{});
    EXPECT_EQ(canonical({0, 16, 32, {{3, 40, 40}}}), StridedCopy{});
    EXPECT_EQ(dri::plan::copy_bytes({8, 16, 32, {{3, 40, 40}, {0, 8, 8}}}), 0);
}

TEST(Canonical, WalksUpwardsInTheDestination) {
    EXPECT_EQ(canonical({8, 0, 24, {{4, 100, -8}}}), (StridedCopy{8, 300, 0, {{4, -100, 8}}}));
    EXPECT_EQ(canonical({8, 24, 24, {{4, -8, -8}}}), (StridedCopy{32, 0, 0, {}}));
}

TEST(Canonical, HoldsStridesBeyond32Bits) {
    const int64_t far = int64_t{1} << 40;
    EXPECT_EQ(canonical({8, 0, 0, {{3, far, 4 * far}, {4, 8, far}}}),
              (StridedCopy{8, 0, 0, {{3, far, 4 * far}, {4, 8, far}}}));
    EXPECT_EQ(dri::plan::copy_bytes({1 << 20, 0, 0, {{1 << 20, far, far}}}), far);
}

TEST(Canonical, SizesThatWrapAreErrors) {
    const int64_t far = int64_t{1} << 32;
    try {
        dri::plan::copy_bytes({8, 0, 0, {{far, 8, 8}, {far, 16, 16}}});
        FAIL() << "no error";
    } catch (const dri::Error &e) {
        EXPECT_EQ(e.code(), DRI_ERR_OVERFLOW);
    }
}

TEST(Canonical, ARunThatConvertsGrowsOnBothSides) {
    const Conversion c{Scalar::int16, Scalar::float32, 0.5};
    const StridedCopy pairs{2, 0, 0, {{3, 40, 80}, {5, 4, 8}, {2, 2, 4}}, {}, c};
    EXPECT_EQ(canonical(pairs), (StridedCopy{20, 0, 0, {{3, 40, 80}}, {}, c}));
    EXPECT_EQ(dri::plan::dst_run_bytes(canonical(pairs)), 40);
    EXPECT_EQ(dri::plan::copy_bytes(pairs), 60);
    // Only the bytes of the source are contiguous.
    const StridedCopy apart{2, 0, 0, {{5, 2, 8}}, {}, c};
    EXPECT_EQ(canonical(apart), apart);
    EXPECT_EQ(canonical({2, 0, 0, {{0, 2, 8}}, {}, c}), StridedCopy{});
    EXPECT_EQ(dri::plan::to_text(apart), "2B int16->float*0.5 @0->@0 x[5: 2->8]");
    EXPECT_EQ(dri::plan::to_text(StridedCopy{8, 0, 0, {}, {}, {Scalar::float64, Scalar::float32, 1}}),
              "8B double->float @0->@0");
    EXPECT_FALSE(apart == (StridedCopy{2, 0, 0, {{5, 2, 8}}, {}, {Scalar::int16, Scalar::float32, 1}}));
}

TEST(Canonical, AConversionThatChangesNothingIsNone) {
    EXPECT_EQ(dri::plan::make_conversion(Scalar::int16, Scalar::int16, 1), Conversion{});
    EXPECT_EQ(dri::plan::make_conversion(Scalar::none, Scalar::none, 1), Conversion{});
    EXPECT_TRUE(dri::plan::make_conversion(Scalar::int16, Scalar::int16, 2));
    EXPECT_TRUE(dri::plan::make_conversion(Scalar::int16, Scalar::uint16, 1));
}

TEST(Canonical, PrintsOneLine) {
    EXPECT_EQ(dri::plan::to_text(StridedCopy{8, 0, 64, {{12, 96, 8}, {4, 8, 128}}}),
              "8B @0->@64 x[12: 96->8] x[4: 8->128]");
    EXPECT_EQ(dri::plan::to_text(StridedCopy{}), "0B @0->@0");
}
