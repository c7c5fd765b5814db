// Element types, layouts and buffers: the offsets of elements, and their sizes in bytes.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <array>

namespace dri::test {
namespace {

// Rows to columns, lying in every order.
void expect_turns(const std::string &element, const char *sizes, const char *words = "") {
    for (const char *to : {"01", "10"})
        expect_transfer(fmt::format("{} {} block,* rm -> *,block {} direct{}", element, sizes, to, words));
}

TEST(MemoryLayouts, AllTypesOfTheLibrary) {
    const struct {
        const char *name;
        DRI_Type type;
        size_t bytes;
    } types[]{
        {"int8", DRI_INT8, 1},
        {"int16", DRI_INT16, 2},
        {"int32", DRI_INT32, 4},
        {"int64", DRI_INT64, 8},
        {"uint8", DRI_UINT8, 1},
        {"uint16", DRI_UINT16, 2},
        {"uint32", DRI_UINT32, 4},
        {"uint64", DRI_UINT64, 8},
        {"float", DRI_FLOAT, 4},
        {"double", DRI_DOUBLE, 8},
        {"complex-int8", DRI_COMPLEX_INT8, 2},
        {"complex-int16", DRI_COMPLEX_INT16, 4},
        {"complex-float", DRI_COMPLEX_FLOAT, 8},
        {"complex-double", DRI_COMPLEX_DOUBLE, 16},
    };
    for (const auto &[name, type, bytes] : types) {
        size_t pitch = 0;
        expect_success(DRI_type_get_pitch(type, &pitch), "DRI_type_get_pitch");
        EXPECT_EQ(pitch, bytes) << name;
        expect_turns(name, "[11,13]");
    }
}

TEST(MemoryLayouts, RecordsOfEverySize) {
    for (int size = 1; size <= 48; size += sanitized ? 5 : 1)
        expect_transfer(
            fmt::format("{}B [7,9] block,* rm -> *,block {} direct frames=1", size, size % 2 ? "10" : "01"));
}

TEST(MemoryLayouts, RecordsWithHoles) {
    for (const char *record : {"6B/8", "7B/8", "3B/4", "12B/16", "33B/64", "1B/2"})
        expect_turns(record, "[10,4]", " memory=heap");
}

TEST(MemoryLayouts, RowsWithPitch) {
    for (const char *from : {"rm", "rm/p4", "rm/p16"})
        for (int to : {1, 3, 32})
            for (const char *order : {"01", "10"})
                expect_transfer(
                    fmt::format("float [11,13] block,* {} -> *,block {}/p{} direct memory=heap", from, order, to));
    expect_transfer("float [5,6,7] block,*,* 201/p8 -> *,block,* 120/p5 direct");
}

TEST(MemoryLayouts, ExplicitStrides) {
    // s29:2 is every other element, with gaps between rows; s1:11 is column-major without gaps.
    for (const char *layouts :
         {"s29:2 -> *,block rm", "s29:2 -> *,block s1:11", "s29:2 -> *,block s3:40", "rm -> *,block s3:40"})
        expect_transfer(fmt::format("float [11,13] block,* {} direct memory=heap", layouts));
    expect_transfer("float [40] block s5 -> cyclic(0,3) s2 direct memory=library,heap");
}

TEST(MemoryLayouts, ThePitchOfTheLibrary) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({20, 1021}), make_blocks(2, 0), all);
    Layout layout;
    expect_success(DRI_layout_with_pitch(DRI_ROW_MAJOR, DRI_PITCH_AUTO, layout.out()), "DRI_layout_with_pitch");
    int64_t strides[2]{};
    expect_success(DRI_layout_get_strides(layout, rows, world().rank, strides), "DRI_layout_get_strides");
    EXPECT_EQ(strides[0], 1024) << "whole cache lines";
    EXPECT_EQ(strides[1], 1);
    const Xfer source = make_xfer("auto", DRI_SOURCE, rows, layout),
               sink = make_xfer("auto", DRI_SINK, rows, DRI_COL_MAJOR);
    commit(all);
    int64_t extents[2]{};
    expect_success(DRI_dist_get_extents(rows, world().rank, extents), "DRI_dist_get_extents");
    for (int64_t i = 0; i < extents[0]; ++i)
        for (int64_t j = 0; j < extents[1]; ++j)
            buffer_of<float>(source)[i * strides[0] + j] = static_cast<float>(i * 1021 + j);
    expect_success(DRI_do("auto", DRI_XFER_NULL), "DRI_do");
    const auto *in = buffer_of<float>(sink);
    for (int64_t i = 0; i < extents[0]; ++i)
        for (int64_t j = 0; j < extents[1]; ++j)
            EXPECT_EQ(in[j * extents[0] + i], static_cast<float>(i * 1021 + j)) << i << "," << j;
}

TEST(MemoryLayouts, EveryKindOfMemory) {
    for (const std::string_view from : memory_names)
        for (const std::string_view to : memory_names)
            expect_transfer(fmt::format(
                "float [11,13] block,* rm -> *,block rm direct buffers=3,2 memory={},{} frames=7", from, to));
}

TEST(MemoryLayouts, BuffersAreUsedRoundRobin) {
    for (int from = 1; from <= 3; ++from)
        for (int to = 1; to <= 3; ++to)
            expect_transfer(
                fmt::format("float [9,8] block,* rm -> *,block rm direct buffers={},{} frames=7", from, to));
}

TEST(MemoryLayouts, TheLibrarysBuffersAreAlignedAsTheType) {
    const Group all = make_world();
    for (const size_t alignment : {size_t{128}, size_t{4096}, size_t{8} << 20}) {
        SCOPED_TRACE(alignment);
        Type type;
        expect_success(DRI_type_create(100, alignment, type.out()), "DRI_type_create");
        // The last process has no element, but its buffers have an address.
        const Dist dist =
            make_dist(make_gdo({world().size > 1 ? world().size - 1 : 1}, type), make_blocks(1, 0), all);
        const Xfer source = make_xfer("aligned", DRI_SOURCE, dist, DRI_ROW_MAJOR, 3),
                   sink = make_xfer("aligned", DRI_SINK, dist, DRI_ROW_MAJOR, 2);
        commit(all);
        for (const Xfer *endpoint : {&source, &sink}) {
            std::array<void *, 3> buffers{};
            int n = 0;
            expect_success(DRI_xfer_get_buffers(*endpoint, &n, buffers.data()), "DRI_xfer_get_buffers");
            for (int i = 0; i < n; ++i)
                EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers[static_cast<size_t>(i)]) % alignment, 0u) << i;
        }
        expect_success(DRI_do("aligned", DRI_XFER_NULL), "DRI_do");
    }
}

} // namespace
} // namespace dri::test
