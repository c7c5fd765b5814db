// Every row of the kernel table against the oracle, with canaries around and between the destinations, with all
// kinds of stores, at every alignment.
#include "kernel_cases.hpp"

#include "kernel/kernel.hpp"
#include "kernel/table.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

using dri::kernel::Kernel;
using dri::kernel::Stores;
using dri::plan::StridedCopy;
using kernel_cases::between;
using kernel_cases::Buffer;
using kernel_cases::canary;
using kernel_cases::GuardedBytes;
using kernel_cases::margin;
using kernel_cases::Random;

namespace {

Buffer random_bytes(Random &random, size_t n) {
    Buffer bytes(n);
    for (std::byte &b : bytes)
        b = static_cast<std::byte>(random());
    return bytes;
}

// Runs the copy by every row that fits and that this processor can run. Returns the names of these rows.
std::vector<std::string> try_all_rows(Random &random, StridedCopy copy) {
    const auto extent = kernel_cases::settle(copy, between(random, 0, 70), between(random, 0, 70));
    const int64_t size = extent.destination;
    // At offset 0 whole cache lines can often be streamed. At other offsets lines start inside a run.
    const int64_t offset = between(random, 0, 1) == 0 ? 0 : between(random, 0, 63);
    const Buffer source = random_bytes(random, static_cast<size_t>(extent.source));
    GuardedBytes expected(size, offset), got(size, offset);
    kernel_cases::walk(copy,
                       [&](int64_t from, int64_t to) { expected.data()[to] = source[static_cast<size_t>(from)]; });
    const std::byte *const first = expected.data() - margin / 2, *const last = expected.data() + size + margin / 2;
    const StridedCopy reduced = dri::plan::canonical(copy);
    std::vector<std::string> rows;
    for (const Kernel &kernel : dri::kernel::kernels()) {
        if (kernel.isa > dri::kernel::best_isa() || !kernel.fits(reduced))
            continue;
        rows.push_back(kernel.name);
        for (const Stores stores : {Stores::cached, Stores::fetched, Stores::streaming}) {
            std::fill(got.bytes.begin(), got.bytes.end(), canary);
            kernel.run(kernel.arrange(reduced), source.data(), got.data(), stores);
            EXPECT_TRUE(std::equal(first, last, got.data() - margin / 2))
                << kernel.name << " " << dri::kernel::isa_name(kernel.isa) << ", stores "
                << static_cast<int>(stores) << ", destination at " << offset << ": " << dri::plan::to_text(copy);
        }
    }
    return rows;
}

class KernelRow : public testing::Test {
protected:
    Random random{20};
};

} // namespace

TEST_F(KernelRow, CopiesAnything) {
    for (int round = 0; round < dri::test::rounds(1500) && !HasFailure(); ++round) {
        const auto loops = static_cast<size_t>(between(random, 0, 6));
        ASSERT_GE(
            try_all_rows(random, kernel_cases::random_copy(random, between(random, 1, 48), loops, 6000)).size(),
            1u);
    }
}

TEST_F(KernelRow, CopiesRunsThatShareCacheSets) {
    for (const int64_t run : {64, 200, 512, 1000, 1024, 3000}) {
        const int64_t rows = between(random, 2, 20), apart = int64_t{128} << 10;
        try_all_rows(random, {run, 0, 0, {{rows, run, 3 * run}, {3, apart, run}}});
        try_all_rows(random,
                     {run, 0, 0, {{2, rows * run, 3 * rows * run}, {rows, run, 3 * run}, {3, apart, run}}});
    }
}

TEST_F(KernelRow, CopiesEveryShortRun) {
    for (int64_t run = 1; run <= 80 && !HasFailure(); ++run)
        for (size_t loops = 1; loops <= 3; ++loops)
            try_all_rows(random, kernel_cases::random_copy(random, run, loops, 20000));
}

TEST_F(KernelRow, PerformsCornerTurnsOfEverySize) {
    for (const int64_t element : {1, 2, 4, 8, 16, 3, 5, 6, 12, 20, 24, 33, 48, 63}) {
        for (int round = 0; round < dri::test::rounds(60) && !HasFailure(); ++round) {
            const int64_t max = round % 3 == 0 && element <= 16 ? 250 : 40;
            const int64_t rows = between(random, 2, max);
            const int64_t columns = round % 20 == 0 ? between(random, 400, 1100) : between(random, 2, max);
            const int64_t src_pitch = element * columns + (round % 2) * between(random, 0, 50);
            int64_t dst_pitch = element * rows + (round % 5 == 0) * between(random, 0, 50);
            // Half of the pitches are whole cache lines: only such columns can be streamed.
            if (round % 2 == 0)
                dst_pitch += (64 - dst_pitch % 64) % 64;
            StridedCopy turn{element, 0, 0, {{rows, src_pitch, element}, {columns, element, dst_pitch}}};
            if (round % 4 == 0)
                turn.loops.push_back({3, src_pitch * rows, dst_pitch * columns});
            try_all_rows(random, turn);
        }
    }
}

// Rows end before, at and behind the borders of what is joined to lines.
TEST_F(KernelRow, CopiesEvenlySpacedElements) {
    for (const int64_t element : {4, 8, 16, 32})
        for (const int64_t stride :
             {2 * element, 3 * element, element + 1, int64_t{200}, -2 * element, int64_t{0}})
            for (const int64_t bytes : {512, 1024, 1056, 2048, 2112, 3500}) {
                const int64_t count = bytes / element, row = count * std::abs(stride) + element;
                const dri::plan::Loop along{count, stride, element};
                const int64_t apart = bytes + between(random, 0, 3) * element;
                for (const StridedCopy &copy :
                     {StridedCopy{element, 0, 0, {along}}, StridedCopy{element, 0, 0, {{3, row, apart}, along}}}) {
                    const std::vector<std::string> rows = try_all_rows(random, copy);
                    ASSERT_GE(rows.size(), 2u) << stride;
                    if (stride > element && dri::kernel::best_isa() >= dri::kernel::Isa::sse4) {
                        ASSERT_GT(std::count(rows.begin(), rows.end(), "even elements"), 0) << stride;
                    }
                }
            }
}

TEST_F(KernelRow, CopiesLongRuns) {
    for (int round = 0; round < dri::test::rounds(200) && !HasFailure(); ++round) {
        const auto loops = static_cast<size_t>(between(random, 0, 2));
        try_all_rows(random, kernel_cases::random_copy(random, between(random, 900, 3000), loops, 20000));
    }
}

// Several runs with equal strides are copied side by side, and later ones are prefetched.
TEST_F(KernelRow, CopiesLongRunsOfEqualAlignment) {
    for (const int64_t run : {64, 200, 256, 512, 1000, 1024, 1536, 2048, 2500, 4096})
        for (const int64_t count : {1, 3, 4, 5, 16, 17, 37})
            for (int64_t planes = 1; planes <= 3 && !HasFailure(); ++planes) {
                const auto lines = [&](int64_t bytes) {
                    return (bytes + 63) / 64 * 64 + 64 * between(random, 0, 2);
                };
                const int64_t src_step = run + between(random, 0, 100), dst_step = lines(run);
                StridedCopy copy{run, 0, 0, {{count, src_step, dst_step}}};
                if (planes > 1)
                    copy.loops = {{planes, count * src_step + 8, lines(count * dst_step)},
                                  {count, src_step, dst_step}};
                copy.dst_offset = 8 * between(random, 0, 7);
                try_all_rows(random, copy);
            }
}
