// Kernels that change formats, every row of every instruction set: complex numbers between pairs and planes, and
// conversions. They are compared with plain code, with canaries around and between the destinations. The last test
// checks that no row of the table is left untried.
#include "kernel_cases.hpp"

#include "kernel/bind.hpp"
#include "kernel/kernel.hpp"
#include "kernel/table.hpp"
#include "support/oracle_run.hpp"
#include "support/oracle_scalars.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

using dri::Scalar;
using dri::kernel::Isa;
using dri::kernel::Kernel;
using dri::kernel::Stores;
using dri::plan::Conversion;
using dri::plan::Loop;
using dri::plan::StridedCopy;
using kernel_cases::between;
using kernel_cases::Buffer;
using kernel_cases::canary;
using kernel_cases::GuardedBytes;
using kernel_cases::margin;
using kernel_cases::Random;

namespace {

int64_t size_of(Scalar scalar) { return dri::scalar_bytes(scalar); }

class KernelFormats : public testing::Test {
protected:
    Random random{21};
    std::set<std::string> tried; // rows by name and instruction set

    // Runs every row that fits, with every kind of stores, and the row that bind() chooses.
    void try_all(StridedCopy copy) {
        const Conversion &c = copy.conversion;
        const int64_t from = c ? size_of(c.from) : copy.run_bytes, to = c ? size_of(c.to) : copy.run_bytes;
        auto extent = kernel_cases::settle(copy, from * between(random, 0, 9), to * between(random, 0, 9));
        extent.destination += dri::plan::dst_run_bytes(copy);
        Buffer source(static_cast<size_t>(extent.source));
        for (int64_t at = 0; at + from <= extent.source; at += from) {
            if (c)
                dri::test::make_number(c.from, random(), source.data() + at);
            else
                for (int64_t b = 0; b < from; ++b)
                    source[static_cast<size_t>(at + b)] = static_cast<std::byte>(random());
        }
        const int64_t past_line = between(random, 0, 2) == 0 ? 0 : between(random, 0, 63 / to) * to;
        GuardedBytes expected(extent.destination, past_line), got(extent.destination, past_line);
        dri::test::copy_plainly(copy, source.data(), expected.data());
        const auto judge = [&](const char *name, Isa isa, Stores stores) {
            const auto same = [&](size_t i) {
                return got.bytes[i + got.start] == expected.bytes[i + expected.start];
            };
            const auto last = static_cast<size_t>(extent.destination) + margin / 2;
            for (size_t i = 0; i < margin / 2; ++i)
                ASSERT_EQ(got.bytes[got.start - 1 - i], canary) << name << " writes before the destination";
            for (size_t i = 0; i < last; ++i) {
                if (same(i))
                    continue;
                const size_t number = c ? i / static_cast<size_t>(to) * static_cast<size_t>(to) : i;
                const bool right =
                    c && dri::test::same_number(c.to, got.data() + number, expected.data() + number);
                ASSERT_TRUE(right) << name << " " << dri::kernel::isa_name(isa) << ", stores "
                                   << static_cast<int>(stores) << ", destination at " << past_line << ": byte "
                                   << i << " of " << dri::plan::to_text(copy);
            }
            std::fill(got.bytes.begin(), got.bytes.end(), canary);
        };
        const StridedCopy reduced = dri::plan::canonical(copy);
        for (const Kernel &kernel : dri::kernel::kernels()) {
            if (kernel.isa > dri::kernel::best_isa() || !kernel.fits(reduced))
                continue;
            tried.insert(std::string(kernel.name) + " " + dri::kernel::isa_name(kernel.isa));
            for (const Stores stores : {Stores::cached, Stores::fetched, Stores::streaming}) {
                kernel.run(kernel.arrange(reduced), source.data(), got.data(), stores);
                judge(kernel.name, kernel.isa, stores);
            }
        }
        const dri::kernel::BoundCopy bound = dri::kernel::bind(copy, dri::kernel::best_isa());
        bound(source.data(), got.data());
        judge(bound.kernel->name, dri::kernel::best_isa(), bound.stores);
    }

    // Checks that all rows of a name that this machine can run were tried.
    void expect_tried(const std::string &name) {
        int rows = 0;
        for (const Kernel &kernel : dri::kernel::kernels()) {
            if (kernel.name != name || kernel.isa > dri::kernel::best_isa())
                continue;
            ++rows;
            EXPECT_TRUE(tried.count(name + " " + dri::kernel::isa_name(kernel.isa)))
                << name << " " << dri::kernel::isa_name(kernel.isa);
        }
        EXPECT_GT(rows, 0) << name;
    }

    // Strides of one side for `counts` complex elements: real and imaginary part in pairs or planes, the other
    // loops in either order, sometimes with gaps between rows.
    std::vector<int64_t> strides(std::vector<int64_t> counts, bool split, bool turned, int64_t run) {
        if (turned)
            std::reverse(counts.begin(), counts.end());
        const bool gaps = between(random, 0, 2) == 0;
        std::vector<int64_t> out(counts.size() + 1);
        int64_t step = split ? run : 2 * run;
        for (size_t i = counts.size(); i-- > 0;) {
            out[i] = step;
            step *= counts[i] + (gaps ? between(random, 0, 7) : 0);
        }
        if (turned)
            std::reverse(out.begin(), out.end() - 1);
        out.back() = split ? step : run;
        return out;
    }

    StridedCopy complex_copy(const std::vector<int64_t> &counts, bool from_split, bool to_split, bool turned,
                             int64_t src_run, int64_t dst_run) {
        const auto src = strides(counts, from_split, false, src_run),
                   dst = strides(counts, to_split, turned, dst_run);
        StridedCopy copy{src_run, 0, 0, {}};
        for (size_t i = 0; i < counts.size(); ++i)
            copy.loops.push_back({counts[i], src[i], dst[i]});
        copy.loops.push_back({2, src.back(), dst.back()});
        return copy;
    }

    Scalar any_scalar() { return static_cast<Scalar>(between(random, 1, static_cast<int>(Scalar::float64))); }
    Conversion any_conversion() {
        const double scales[] = {1, 1, 0.5, -3, 1.0 / 3, 1e-3, 1e30};
        Conversion c{any_scalar(), any_scalar(), scales[between(random, 0, 6)]};
        if (c.from == c.to && c.scale == 1)
            c.scale = 2;
        return c;
    }
};

} // namespace

TEST_F(KernelFormats, LinesOfPairsAndPlanes) {
    for (const int64_t run : {1, 2, 4, 8})
        for (const bool splits : {true, false})
            for (int round = 0; round < dri::test::rounds(60) && !HasFailure(); ++round) {
                const int64_t n = round < 40 ? round + 1 : between(random, 40, 1500);
                try_all(complex_copy({between(random, 1, 3), n}, !splits, splits, false, run, run));
            }
    expect_tried("planes");
}

TEST_F(KernelFormats, CornerTurnsOfPairsAndPlanes) {
    for (const int64_t run : {1, 2, 4, 8})
        for (const bool splits : {true, false})
            for (int round = 0; round < dri::test::rounds(50) && !HasFailure(); ++round) {
                const int64_t max = round % 5 == 0 ? 200 : 70;
                std::vector<int64_t> counts{between(random, 2, max), between(random, 2, max)};
                if (round % 4 == 0)
                    counts.insert(counts.begin() + 1, 2);
                if (round % 10 == 1)
                    counts[static_cast<size_t>(between(random, 0, 1))] = between(random, 1000, 1200);
                try_all(complex_copy(counts, !splits, splits, true, run, run));
            }
    expect_tried("planes");
}

TEST_F(KernelFormats, EveryPairOfTypesInLines) {
    for (int from = 1; from <= static_cast<int>(Scalar::float64); ++from)
        for (int to = 1; to <= static_cast<int>(Scalar::float64); ++to)
            for (const double scale : {1.0, 0.5, -1.0 / 3, 1000.0}) {
                const Conversion c{static_cast<Scalar>(from), static_cast<Scalar>(to), scale};
                if (HasFailure() || (from == to && scale == 1))
                    continue;
                try_all({size_of(c.from) * between(random, 1, 300), 0, 0, {}, {}, c});
                const int64_t n = between(random, 1, 80);
                try_all(
                    {size_of(c.from) * n, 0, 0, {{3, size_of(c.from) * (n + 2), size_of(c.to) * (n + 1)}}, {}, c});
            }
    expect_tried("converting lines");
}

TEST_F(KernelFormats, ConversionsInAnyOrder) {
    for (int round = 0; round < dri::test::rounds(600) && !HasFailure(); ++round) {
        const Conversion c = any_conversion();
        std::vector<int64_t> counts{between(random, 1, round % 7 == 0 ? 150 : 30), between(random, 1, 90)};
        if (round % 3 == 0)
            counts.insert(counts.begin(), between(random, 1, 5));
        StridedCopy copy = complex_copy(counts, between(random, 0, 1), between(random, 0, 1),
                                        between(random, 0, 1), size_of(c.from), size_of(c.to));
        if (round % 2 == 0) // real numbers; a side in pairs then uses every second one
            copy.loops.pop_back();
        copy.conversion = c;
        try_all(copy);
    }
    expect_tried("converting tiles");
}

TEST_F(KernelFormats, CornerTurnsThatConvert) {
    for (int round = 0; round < dri::test::rounds(400) && !HasFailure(); ++round) {
        const Conversion c = any_conversion();
        const int64_t numbers = between(random, 1, 2), from = numbers * size_of(c.from),
                      to = numbers * size_of(c.to);
        const int64_t rows = between(random, 2, 200);
        const int64_t columns = round % 20 == 0 ? between(random, 1000, 1200) : between(random, 2, 150);
        const int64_t src_pitch = from * (columns + (round % 3 == 0 ? between(random, 1, 20) : 0));
        // Half of the pitches are whole cache lines.
        const int64_t gap = round % 2 == 0 ? (64 - rows * to % 64) % 64 : between(random, 0, 3) * to;
        try_all({from, 0, 0, {{rows, src_pitch, to}, {columns, from, rows * to + gap}}, {}, c});
    }
    expect_tried("converting turn");
}

TEST_F(KernelFormats, ConversionsOfAnyStrides) {
    for (int round = 0; round < dri::test::rounds(600) && !HasFailure(); ++round) {
        const Conversion c = any_conversion();
        const auto loops = static_cast<size_t>(between(random, 0, 5));
        // Strides are chosen in numbers, then multiplied by the bytes of a number on each side.
        StridedCopy copy = kernel_cases::random_copy(random, between(random, 1, 4), loops, 3000);
        copy.run_bytes *= size_of(c.from);
        for (Loop &l : copy.loops) {
            l.src_stride *= size_of(c.from);
            l.dst_stride *= size_of(c.to);
        }
        copy.conversion = c;
        try_all(copy);
    }
    expect_tried("converting tiles");
}

// All rows of the table, with those that change no format. A new row must fit one of these copies.
TEST_F(KernelFormats, EveryRowIsTried) {
    const int64_t lines = 1024;
    const Conversion widens{Scalar::int16, Scalar::float32, 1};
    try_all({8, 0, 0, {{64, 8, 512}, {64, 512, 8}}});
    try_all({24, 0, 0, {{64, 24, 1536}, {64, 1536, 24}}});
    try_all({lines, 0, 0, {{3, lines, 2 * lines}}});
    try_all({4, 0, 0, {{2, 4, 512}, {128, 8, 4}}});
    try_all({lines, 0, 0, {}, {}, widens});
    try_all({2, 0, 0, {{64, 4, 4}}, {}, widens});
    try_all({2, 0, 0, {{64, 2, 512}, {128, 128, 4}}, {}, widens});
    for (const Kernel &kernel : dri::kernel::kernels())
        if (kernel.isa <= dri::kernel::best_isa())
            expect_tried(kernel.name);
}
