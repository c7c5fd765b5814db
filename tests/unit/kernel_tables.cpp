// Copies with tables: their canonical form, and that every instruction set copies the same bytes.
#include "kernel_cases.hpp"

#include "kernel/bind.hpp"
#include "kernel/kernel.hpp"
#include "support/oracle_run.hpp"
#include "support/oracle_scalars.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstring>

using dri::Scalar;
using dri::kernel::Isa;
using dri::plan::canonical;
using dri::plan::StridedCopy;
using dri::plan::Table;
using kernel_cases::between;
using kernel_cases::Random;

namespace {

using Moves = std::vector<std::pair<int64_t, int64_t>>;

Moves moves(const StridedCopy &copy) {
    Moves out;
    kernel_cases::walk(copy, [&](int64_t from, int64_t to) { out.emplace_back(to, from); });
    std::sort(out.begin(), out.end());
    return out;
}

// One dimension: the offsets of its steps in entries of a table, in any order in the source.
struct Axis {
    int64_t steps = 0;
    Table table; // in steps
};

Axis random_axis(Random &random, int64_t max) {
    Axis axis;
    const auto longest = between(random, 1, 3) == 1 ? int64_t{1} : between(random, 1, 6);
    std::vector<int64_t> counts;
    while (axis.steps < max) {
        counts.push_back(between(random, between(random, 1, 4) == 1 ? longest : 1, longest));
        axis.steps += counts.back();
    }
    std::vector<size_t> order(counts.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    int64_t src = 0;
    dri::plan::Entries::List entries(counts.size());
    if (between(random, 0, 1) == 0)
        std::shuffle(order.begin(), order.end(), random);
    for (size_t i : order) {
        entries[i].src_offset = src;
        src += counts[i] + between(random, 0, 1);
    }
    int64_t dst = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
        entries[i].dst_offset = dst;
        entries[i].count = counts[i];
        dst += counts[i];
    }
    axis.table = {1, 1, entries};
    return axis;
}

// A product of tables and loops, row-major in the destination and in any order in the source.
StridedCopy random_copy(Random &random, int64_t run_bytes) {
    StridedCopy copy;
    copy.run_bytes = run_bytes;
    const size_t ndims = static_cast<size_t>(between(random, 1, 3));
    std::vector<size_t> order(ndims);
    for (size_t d = 0; d < ndims; ++d)
        order[d] = d;
    std::vector<int64_t> dst(ndims), src(ndims);
    const int64_t max_steps = 60; // exceeds the steps of an axis, gaps included
    int64_t stride = copy.run_bytes;
    for (size_t d : order)
        dst[d] = stride, stride *= max_steps;
    std::shuffle(order.begin(), order.end(), random);
    stride = copy.run_bytes;
    for (size_t d : order)
        src[d] = stride, stride *= max_steps;
    for (size_t d = 0; d < ndims; ++d) {
        if (d > 0 && between(random, 0, 2) == 0) {
            copy.loops.push_back({between(random, 1, 20), src[d], dst[d]});
            continue;
        }
        Axis axis = random_axis(random, ndims == 3 ? 8 : 24);
        dri::plan::Entries::List entries = axis.table.entries.list();
        for (dri::plan::TableEntry &e : entries)
            e.src_offset *= src[d], e.dst_offset *= dst[d];
        std::shuffle(entries.begin(), entries.end(), random);
        copy.tables.push_back({src[d], dst[d], entries});
    }
    copy.src_offset = between(random, 0, 20);
    copy.dst_offset = between(random, 0, 20);
    return copy;
}

StridedCopy random_copy(Random &random) {
    const int64_t run_choices[] = {1, 2, 4, 8, 16, 12, 100};
    return random_copy(random, run_choices[between(random, 0, 6)]);
}

// The same for numbers that are converted.
StridedCopy random_conversion(Random &random) {
    StridedCopy copy = random_copy(random, between(random, 1, 3));
    const auto scalar = [&] { return static_cast<Scalar>(between(random, 1, static_cast<int>(Scalar::float64))); };
    copy.conversion = dri::plan::make_conversion(scalar(), scalar(), 0.5);
    const int64_t from = dri::scalar_bytes(copy.conversion.from), to = dri::scalar_bytes(copy.conversion.to);
    copy.run_bytes *= from;
    copy.src_offset *= from, copy.dst_offset *= to;
    for (dri::plan::Loop &l : copy.loops)
        l.src_stride *= from, l.dst_stride *= to;
    for (Table &t : copy.tables) {
        t.src_stride *= from, t.dst_stride *= to;
        dri::plan::Entries::List entries = t.entries.list();
        for (dri::plan::TableEntry &e : entries)
            e.src_offset *= from, e.dst_offset *= to;
        t.entries = entries;
    }
    return copy;
}

} // namespace

TEST(Tables, TheCanonicalFormMovesTheSameBytes) {
    Random random(20261121);
    for (int round = 0; round < dri::test::rounds(300); ++round) {
        const StridedCopy copy = random_copy(random), reduced = canonical(copy);
        ASSERT_EQ(moves(reduced), moves(copy))
            << dri::plan::to_text(copy) << " became " << dri::plan::to_text(reduced);
        ASSERT_EQ(dri::plan::copy_bytes(reduced), dri::plan::copy_bytes(copy));
        ASSERT_EQ(canonical(reduced), reduced);
        for (const Table &t : reduced.tables)
            ASSERT_GT(t.entries.size(), 1U);
    }
}

TEST(Tables, TablesWithStridesBecomeLoops) {
    const StridedCopy copy{4, 8, 0, {}, {{4, 4, {{0, 0, 2}, {40, 16, 2}, {80, 32, 2}}}}};
    EXPECT_EQ(canonical(copy), (StridedCopy{8, 8, 0, {{3, 40, 16}}, {}}));
    const StridedCopy one{4, 8, 4, {}, {{4, 4, {{12, 16, 5}}}}};
    EXPECT_EQ(canonical(one), (StridedCopy{20, 20, 20, {}, {}}));
    EXPECT_EQ(canonical({4, 8, 4, {}, {{4, 4, {}}}}), StridedCopy{});
}

TEST(Tables, EqualCountsBecomeALoop) {
    const StridedCopy copy{4, 0, 0, {}, {{40, 4, {{0, 0, 3}, {8, 12, 3}, {4, 24, 3}}}}};
    EXPECT_EQ(canonical(copy),
              (StridedCopy{4, 0, 0, {{3, 40, 4}}, {{0, 0, {{0, 0, 1}, {8, 12, 1}, {4, 24, 1}}}}}));
}

// Lists are shared and not copied, because they may be as long as a part.
TEST(Tables, AreSharedByBoundCopiesUntilOneChanges) {
    StridedCopy copy{
        4,
        0,
        0,
        {},
        {{4, 4, {{0, 0, 3}, {80, 12, 1}, {40, 24, 3}}}, {0, 0, {{0, 0, 1}, {9, 400, 1}, {5, 900, 1}}}}};
    copy = canonical(std::move(copy));
    const auto bound = dri::kernel::bind(copy, Isa::scalar);
    ASSERT_EQ(bound.copy, copy);
    for (size_t t = 0; t < 2; ++t) {
        EXPECT_EQ(bound.copy.tables[t].entries.memory(), copy.tables[t].entries.memory());
        EXPECT_EQ(copy.tables[t].entries.sharers(), 3) << "the plan, the bound copy and its walk";
    }
    StridedCopy other = copy;
    dri::plan::Entries::List entries = other.tables[0].entries.list();
    entries[1].src_offset = 8;
    other.tables[0].entries = entries;
    EXPECT_EQ(copy.tables[0].entries[1].src_offset, 9);
    EXPECT_NE(other, copy);
    EXPECT_EQ(other.tables[1].entries.memory(), copy.tables[1].entries.memory());
}

TEST(Tables, ThePrintedLineShowsTheFirstEntries) {
    const StridedCopy copy{4, 0, 8, {}, {{4, 4, {{0, 0, 3}, {8, 12, 1}, {4, 24, 3}, {20, 40, 2}}}}};
    EXPECT_EQ(dri::plan::to_text(copy), "4B @0->@8 x{4 of 9 steps 4->4: 0->0*3 8->12*1 4->24*3 ...}");
}

TEST(Tables, EveryInstructionSetMovesTheSameBytes) {
    Random random(7);
    for (int round = 0; round < dri::test::rounds(400); ++round) {
        const StridedCopy copy = random_copy(random);
        const Moves all = moves(copy);
        int64_t src_bytes = 0, dst_bytes = 0;
        for (const auto &[to, from] : all) {
            src_bytes = std::max(src_bytes, from + 1);
            dst_bytes = std::max(dst_bytes, to + 1);
        }
        kernel_cases::Buffer src(static_cast<size_t>(src_bytes));
        for (std::byte &b : src)
            b = static_cast<std::byte>(random());
        for (Isa isa : {Isa::scalar, Isa::sse4, Isa::avx2, Isa::avx512}) {
            if (isa > dri::kernel::best_isa())
                continue;
            kernel_cases::Buffer dst(static_cast<size_t>(dst_bytes) + 1, std::byte{0x5a}), expected = dst;
            for (const auto &[to, from] : all)
                expected[static_cast<size_t>(to)] = src[static_cast<size_t>(from)];
            dri::kernel::bind(copy, isa)(src.data(), dst.data());
            ASSERT_EQ(dst, expected) << dri::plan::to_text(copy);
        }
    }
}

TEST(Tables, EveryInstructionSetConvertsTheSameNumbers) {
    Random random(8);
    for (int round = 0; round < dri::test::rounds(300); ++round) {
        const StridedCopy copy = random_conversion(random);
        const int64_t from = dri::scalar_bytes(copy.conversion.from), to = dri::scalar_bytes(copy.conversion.to);
        int64_t numbers = 0; // more than the source or the destination holds
        kernel_cases::walk(copy, [&](int64_t src, int64_t dst) {
            numbers = std::max({numbers, src / from + 1, dst / to + copy.run_bytes / from + 1});
        });
        kernel_cases::Buffer src(static_cast<size_t>(numbers * from));
        for (int64_t i = 0; i < numbers; ++i)
            dri::test::make_number(copy.conversion.from, random(), src.data() + i * from);
        const kernel_cases::Buffer canaries(static_cast<size_t>(numbers * to), std::byte{0x5a});
        kernel_cases::Buffer expected = canaries;
        dri::test::copy_plainly(copy, src.data(), expected.data());
        for (Isa isa : {Isa::scalar, Isa::sse4, Isa::avx2, Isa::avx512}) {
            if (isa > dri::kernel::best_isa())
                continue;
            kernel_cases::Buffer dst = canaries;
            dri::kernel::bind(copy, isa)(src.data(), dst.data());
            for (int64_t i = 0; i < numbers; ++i)
                ASSERT_TRUE(
                    dri::test::same_number(copy.conversion.to, dst.data() + i * to, expected.data() + i * to))
                    << dri::kernel::isa_name(isa) << ", number " << i << " of " << dri::plan::to_text(copy);
        }
    }
}
