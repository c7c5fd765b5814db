// Element types, layouts and buffers: the offsets of elements, and their sizes in bytes.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/sanitizer.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <array>

namespace dri_test {
namespace {

Case turn(const Numbers &sizes = {11, 13}) { return {sizes, {{blocks, whole}}, {{whole, blocks}}}; }

TEST(MemoryLayouts, AllTypesOfTheLibrary) {
    const Element types[]{
        {1, 1, DRI_INT8},          {2, 2, DRI_INT16},           {4, 4, DRI_INT32},
        {8, 8, DRI_INT64},         {1, 1, DRI_UINT8},           {2, 2, DRI_UINT16},
        {4, 4, DRI_UINT32},        {8, 8, DRI_UINT64},          {4, 4, DRI_FLOAT},
        {8, 8, DRI_DOUBLE},        {2, 1, DRI_COMPLEX_INT8},    {4, 2, DRI_COMPLEX_INT16},
        {8, 4, DRI_COMPLEX_FLOAT}, {16, 8, DRI_COMPLEX_DOUBLE},
    };
    for (const Element &type : types) {
        size_t pitch = 0;
        expect_success(DRI_type_get_pitch(type.builtin, &pitch), "DRI_type_get_pitch");
        EXPECT_EQ(static_cast<int64_t>(pitch), type.size);
        Case c = turn();
        c.element = type;
        expect_transfer(c);
        c.sink.lay.order = {1, 0};
        expect_transfer(c);
    }
}

TEST(MemoryLayouts, RecordsOfEverySize) {
    for (int64_t size = 1; size <= 48; size += dri_test::sanitized ? 5 : 1) {
        Case c = turn({7, 9});
        c.element = {size, 1};
        c.sink.lay.order = size % 2 ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
        c.frames = 1;
        expect_transfer(c);
    }
}

TEST(MemoryLayouts, RecordsWithHoles) {
    for (const Element &record :
         {Element{6, 8}, Element{7, 8}, Element{3, 4}, Element{12, 16}, Element{33, 64}, Element{1, 2}}) {
        Case c = turn({10, 4});
        c.element = record;
        c.source.memory = c.sink.memory = Memory::heap;
        expect_transfer(c);
        c.sink.lay.order = {1, 0};
        expect_transfer(c);
    }
}

TEST(MemoryLayouts, RowsWithPitch) {
    for (int64_t from : {0, 4, 16})
        for (int64_t to : {1, 3, 32}) {
            Case c = turn();
            c.source.lay.pitch = from;
            c.sink.lay.pitch = to;
            c.source.memory = c.sink.memory = Memory::heap;
            expect_transfer(c);
            c.sink.lay.order = {1, 0};
            expect_transfer(c);
        }
    Case cube{{5, 6, 7},
              {{blocks, whole, whole}, {}, {{2, 0, 1}, {}, 8}},
              {{whole, blocks, whole}, {}, {{1, 2, 0}, {}, 5}}};
    expect_transfer(cube);
}

TEST(MemoryLayouts, ExplicitStrides) {
    Case c = turn({11, 13});
    c.source.memory = c.sink.memory = Memory::heap;
    c.source.lay.strides = {29, 2}; // every other element, with gaps between rows
    expect_transfer(c);
    c.sink.lay.strides = {1, 11}; // column-major without gaps
    expect_transfer(c);
    c.sink.lay.strides = {3, 40};
    expect_transfer(c);
    c.source.lay = {};
    expect_transfer(c);
    Case line{{40}, {{blocks}, {}, {{}, {5}}}, {{{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 3}}, {}, {{}, {2}}}};
    line.sink.memory = Memory::heap;
    expect_transfer(line);
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
    for (Memory from : {Memory::library, Memory::heap, Memory::still, Memory::mapped, Memory::mixed})
        for (Memory to : {Memory::library, Memory::heap, Memory::still, Memory::mapped, Memory::mixed}) {
            Case c = turn();
            c.source.memory = from;
            c.sink.memory = to;
            c.source.nbuffs = 3;
            c.sink.nbuffs = 2;
            c.frames = 7;
            expect_transfer(c);
        }
}

TEST(MemoryLayouts, BuffersAreUsedRoundRobin) {
    for (int from = 1; from <= 3; ++from)
        for (int to = 1; to <= 3; ++to) {
            Case c = turn({9, 8});
            c.source.nbuffs = from;
            c.sink.nbuffs = to;
            c.frames = 7;
            expect_transfer(c);
        }
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
} // namespace dri_test
