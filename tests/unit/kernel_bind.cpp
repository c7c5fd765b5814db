// The choice of a kernel: instruction sets, DRI_ISA, streaming, and that the chosen kernel copies correctly.
#include "kernel_cases.hpp"

#include "base/error.hpp"
#include "kernel/bind.hpp"
#include "kernel/kernel.hpp"
#include "kernel/table.hpp"
#include "support/sanitizer.hpp"
#include "support/variable.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

using dri::kernel::best_isa;
using dri::kernel::bind;
using dri::kernel::BoundCopy;
using dri::kernel::Isa;
using dri::kernel::Stores;
using dri::plan::StridedCopy;
using dri::test::Variable;

namespace {

constexpr Isa all_sets[] = {Isa::scalar, Isa::sse4, Isa::avx2, Isa::avx512};
const StridedCopy turn{8, 0, 0, {{64, 512, 8}, {64, 8, 512}}};
constexpr int64_t tebibyte = int64_t{1} << 40;

void expect_moved(const StridedCopy &copy, const std::byte *src, const std::byte *dst) {
    kernel_cases::walk(copy, [&](int64_t from, int64_t to) {
        ASSERT_EQ(dst[to], src[from]) << "destination byte " << to << " of " << dri::plan::to_text(copy);
    });
}

} // namespace

TEST(Isa, TheVariableLimitsTheInstructionSet) {
    Isa processor;
    {
        const Variable unset("DRI_ISA", nullptr);
        processor = best_isa();
    }
    for (const Isa isa : all_sets) {
        const Variable limit("DRI_ISA", dri::kernel::isa_name(isa));
        EXPECT_EQ(best_isa(), std::min(isa, processor));
    }
}

TEST(Isa, UnknownNameIsAnError) {
    const Variable wrong("DRI_ISA", "avx1024");
    try {
        best_isa();
        FAIL() << "no error";
    } catch (const dri::Error &e) {
        EXPECT_EQ(e.code(), DRI_ERR_ARG);
        const std::string message = e.what();
        for (const char *word : {"DRI_ISA", "avx1024", "scalar", "sse4", "avx2", "avx512"})
            EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
    }
}

TEST(Bind, NeverGoesAboveTheInstructionSet) {
    kernel_cases::Random random(3);
    for (const Isa isa : all_sets) {
        EXPECT_LE(bind(turn, isa).kernel->isa, isa);
        for (int round = 0; round < dri::test::rounds(300); ++round) {
            const int64_t run = kernel_cases::between(random, 1, 2000);
            const auto loops = static_cast<size_t>(kernel_cases::between(random, 0, 5));
            EXPECT_LE(bind(kernel_cases::random_copy(random, run, loops, 100000), isa).kernel->isa, isa);
        }
    }
}

TEST(Bind, UsesTheTableRowOfTheInstructionSet) {
    EXPECT_STREQ(bind(turn, Isa::scalar).kernel->name, "elements");
    for (const Isa isa : all_sets) {
        // A library built only for a newer processor has no rows for the older sets.
        const auto rows = dri::kernel::kernels();
        const bool built = std::any_of(rows.begin(), rows.end(), [isa](const auto &k) { return k.isa == isa; });
        if (isa == Isa::scalar || isa > best_isa() || !built)
            continue;
        EXPECT_STREQ(bind(turn, isa).kernel->name, "transpose");
        EXPECT_EQ(bind(turn, isa).kernel->isa, isa);
    }
}

TEST(Bind, TheReferenceIsTheLastResort) {
    EXPECT_STREQ(dri::kernel::kernels().back().name, "reference");
    EXPECT_STREQ(bind({100, 0, 0, {{3, 200, 300}}}, Isa::scalar).kernel->name, "reference");
}

TEST(Bind, OfAnEmptyCopyCopiesNothing) {
    const BoundCopy bound = bind({8, 3, 5, {{0, 8, 8}}}, best_isa());
    bound(nullptr, nullptr);
    EXPECT_EQ(bound.copy, StridedCopy{});
}

TEST(Bind, StreamsCopiesLargerThanTheCache) {
    const StridedCopy huge{8, 0, 0, {{1 << 20, 8 << 20, 8}, {1 << 20, 8, 8 << 20}}};
    EXPECT_EQ(bind(huge, Isa::avx512).stores, Stores::streaming);
    EXPECT_EQ(bind(turn, Isa::avx512).stores, Stores::cached);
    EXPECT_EQ(bind(turn, Isa::avx512, tebibyte).stores, Stores::streaming);
}

TEST(Bind, RunsFollowTheSourceIfOtherOrdersConflictInACache) {
    if (best_isa() == Isa::scalar)
        GTEST_SKIP() << "plain code does not reorder long runs";
    const auto bound = [](int64_t apart) {
        return bind({2048, 0, 0, {{8, 2048, 1 << 20}, {8, apart, 2048}}}, best_isa());
    };
    ASSERT_STREQ(bound(1 << 19).kernel->name, "long runs");
    EXPECT_EQ(bound(1 << 19).copy.loops.back().src_stride, 2048);
    const int64_t beside = (1 << 19) + 2048;
    EXPECT_EQ(bound(beside).copy.loops.back().src_stride, beside);
}

TEST(Bind, CopiesCorrectlyWithEveryInstructionSet) {
    kernel_cases::Random random(4);
    for (int round = 0; round < dri::test::rounds(400) && !testing::Test::HasFailure(); ++round) {
        const auto loops = static_cast<size_t>(kernel_cases::between(random, 0, 6));
        StridedCopy copy = kernel_cases::random_copy(random, kernel_cases::between(random, 1, 48), loops, 4000);
        const auto extent = kernel_cases::settle(copy, 0, 0);
        kernel_cases::Buffer src(static_cast<size_t>(extent.source)), dst(static_cast<size_t>(extent.destination));
        for (std::byte &b : src)
            b = static_cast<std::byte>(random());
        for (const Isa isa : all_sets) {
            if (isa > best_isa())
                continue;
            std::fill(dst.begin(), dst.end(), std::byte{0x5A});
            bind(copy, isa, round % 2 == 0 ? 0 : tebibyte)(src.data(), dst.data());
            expect_moved(copy, src.data(), dst.data());
        }
    }
}

// The memory is sparse: only the touched pages exist.
TEST(Bind, CopiesOverMoreThan4GiB) {
    const int64_t gib = int64_t{1} << 30, row = 3 * gib, column = 5 * gib;
    const int64_t rows = 16, columns = 8;
    const StridedCopy far{8, 0, 0, {{rows, row + 64, 8}, {columns, 8, column + 128}}};
    const auto src_size = static_cast<size_t>(rows * (row + 64)),
               dst_size = static_cast<size_t>(columns * (column + 128));
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *from = mmap(nullptr, src_size, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *to = mmap(nullptr, dst_size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (from == MAP_FAILED || to == MAP_FAILED)
        GTEST_SKIP() << "no address space for 90 GiB";
    auto *src = static_cast<std::byte *>(from), *dst = static_cast<std::byte *>(to);
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            const int64_t value = 1000 * r + c + 1;
            std::memcpy(src + r * (row + 64) + 8 * c, &value, 8);
        }
    for (const Isa isa : all_sets) {
        if (isa > best_isa())
            continue;
        for (int64_t c = 0; c < columns; ++c)
            std::memset(dst + c * (column + 128), 0, static_cast<size_t>(8 * rows));
        bind(far, isa)(src, dst);
        expect_moved(far, src, dst);
    }
    munmap(from, src_size);
    munmap(to, dst_size);
}

// A frame reads the roles of the loops off their places, and does not look for them.
TEST(Planes, TheLoopsOfTheirRolesComeLast) {
    const dri::plan::Loop part{2, 4, 40000}, pairs{16, 8, 160}, plane{40, 256, 4}, line{40, 8, 4},
        outer{3, 90000, 90000};
    const auto arranged = [](const StridedCopy &copy) { return dri::kernel::planes_kernel.arrange(copy).loops; };
    const auto reversed = [](StridedCopy copy) {
        for (dri::plan::Loop &loop : copy.loops)
            std::swap(loop.src_stride, loop.dst_stride);
        return copy;
    };
    const StridedCopy turned{4, 0, 0, {outer, part, pairs, plane}}, lines{4, 0, 0, {outer, part, line}},
        none{4, 0, 0, {outer, plane}};
    EXPECT_EQ(arranged(turned), (dri::plan::Loops{outer, plane, pairs, part}));
    EXPECT_EQ(arranged(lines), (dri::plan::Loops{outer, line, part}));
    EXPECT_EQ(arranged(none), none.loops);
    EXPECT_EQ(arranged(reversed(turned)), reversed({4, 0, 0, {outer, plane, pairs, part}}).loops);
    EXPECT_EQ(arranged(reversed(lines)), reversed({4, 0, 0, {outer, line, part}}).loops);
}
