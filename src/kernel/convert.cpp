// Copies that convert. Runs of at least 16 scalars are converted as lines. Copies with shorter runs are divided
// into tiles that pass through a buffer in the first cache. One half of such a copy, to the buffer or from it, has
// long runs and converts; the other half is a plain copy with a plain copy's kernels. A corner turn that converts
// is therefore a converted line and a corner turn in registers.
#include "kernel/convert.hpp"

#include "base/memory.hpp"
#include "kernel/bind.hpp"
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace dri::kernel {

namespace {

constexpr int64_t line_numbers = 16;              // scalars; copies with shorter runs are divided into tiles
constexpr int64_t tile_bytes = int64_t{16} << 10; // of each buffer
constexpr int64_t tile_side = 64;                 // steps of a tile along each of the two loops that are cut
constexpr int64_t small_count = 4; // loops with at most this count are never cut: the parts of complex numbers

struct alignas(cache_line_bytes) Buffer {
    std::byte bytes[tile_bytes];
};

int64_t numbers_of_run(const plan::StridedCopy &copy) {
    return copy.run_bytes / scalar_bytes(copy.conversion.from);
}

using StrideOf = int64_t plan::Loop::*;

// Indices of the loops by rising stride of one side.
std::array<size_t, plan::max_loops> order_by(const plan::Loops &loops, StrideOf stride) {
    std::array<size_t, plan::max_loops> order;
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.begin() + loops.size(),
              [&](size_t a, size_t b) { return std::abs(loops[a].*stride) < std::abs(loops[b].*stride); });
    return order;
}

// Count of each loop inside a tile. Small loops are taken whole. The loop that is innermost in the source and the
// one that is innermost in the destination are taken in part. All other loops have count 1.
plan::Loops tile_counts(const plan::StridedCopy &copy) {
    const plan::Loops &loops = copy.loops;
    const int64_t unit = std::max(copy.run_bytes, plan::dst_run_bytes(copy));
    int64_t budget = tile_bytes / unit;
    plan::Loops tile = loops;
    for (plan::Loop &l : tile)
        l.count = 1;
    size_t cut[2] = {loops.size(), loops.size()};
    const StrideOf sides[] = {&plan::Loop::src_stride, &plan::Loop::dst_stride};
    for (int side = 0; side < 2; ++side) {
        const auto order = order_by(loops, sides[side]);
        for (size_t i = 0; i < loops.size() && cut[side] == loops.size(); ++i) {
            const size_t at = order[i];
            if (loops[at].count > small_count) {
                cut[side] = at;
            } else if (tile[at].count == 1 && budget / loops[at].count >= tile_side) {
                tile[at].count = loops[at].count;
                budget /= tile[at].count;
            }
        }
    }
    // The destination's loop takes enough steps for some whole cache lines. The source's loop takes what the
    // budget leaves.
    const int64_t width = std::max<int64_t>(32, 128 / plan::dst_run_bytes(copy));
    for (int side = 1; side >= 0; --side) {
        if (cut[side] == loops.size() || tile[cut[side]].count > 1)
            continue;
        const bool alone = cut[0] == cut[1] || cut[1 - side] == loops.size() || side == 0;
        const int64_t stretch = std::min(loops[cut[side]].count, alone ? budget : std::min(width, budget));
        tile[cut[side]].count = stretch;
        budget /= stretch;
    }
    return tile;
}

// The two or three copies that move a tile of one shape.
struct TileCopy {
    std::array<BoundCopy, 3> steps;
    int count = 0;
};

// Sets dense strides for the loops of a tile, in the order of rising stride of one side.
void lay_densely(plan::Loops &tile, StrideOf by, StrideOf dense, int64_t run) {
    const auto order = order_by(tile, by);
    for (size_t i = 0; i < tile.size(); ++i) {
        tile[order[i]].*dense = run;
        run *= tile[order[i]].count;
    }
}

// A copy from the source to a buffer that is dense in the order of one side, and a copy from there to the
// destination.
struct Halves {
    plan::StridedCopy to_buffer, from_buffer;
};

Halves halves(const plan::StridedCopy &copy, const plan::Loops &tile, StrideOf by, int64_t run_in_buffer) {
    Halves h{copy, copy};
    for (plan::StridedCopy *half : {&h.to_buffer, &h.from_buffer}) {
        half->src_offset = half->dst_offset = 0;
        half->conversion = {};
        half->loops = tile;
    }
    lay_densely(h.to_buffer.loops, by, &plan::Loop::dst_stride, run_in_buffer);
    for (size_t i = 0; i < tile.size(); ++i)
        h.from_buffer.loops[i].src_stride = h.to_buffer.loops[i].dst_stride;
    return h;
}

// Converts in the first copy, in the last copy, or between two plain copies, wherever runs are long.
TileCopy plan_tile(const plan::StridedCopy &copy, const plan::Loops &tile, Isa isa) {
    TileCopy plan;
    const auto add = [&](const plan::StridedCopy &step) {
        plan.steps[static_cast<size_t>(plan.count++)] = bind(step, isa);
    };
    const int64_t dst_run = plan::dst_run_bytes(copy);

    Halves first = halves(copy, tile, &plan::Loop::src_stride, dst_run);
    first.to_buffer.conversion = copy.conversion;
    first.from_buffer.run_bytes = dst_run;
    const plan::StridedCopy converting = plan::canonical(first.to_buffer);
    if (numbers_of_run(converting) >= line_numbers) {
        add(converting);
        add(first.from_buffer);
        return plan;
    }
    Halves last = halves(copy, tile, &plan::Loop::dst_stride, copy.run_bytes);
    last.from_buffer.conversion = copy.conversion;
    const plan::StridedCopy to_sink = plan::canonical(last.from_buffer);
    add(last.to_buffer);
    if (numbers_of_run(to_sink) >= line_numbers) {
        add(to_sink);
        return plan;
    }
    int64_t steps = 1;
    for (const plan::Loop &l : tile)
        steps *= l.count;
    add({steps * copy.run_bytes, 0, 0, {}, {}, copy.conversion});
    Halves out = halves(copy, tile, &plan::Loop::dst_stride, dst_run);
    out.from_buffer.run_bytes = dst_run;
    add(out.from_buffer);
    return plan;
}

void copy_tile(const TileCopy &plan, const std::byte *src, std::byte *dst, Buffer &a, Buffer &b, Stores stores) {
    const auto run = [](const BoundCopy &step, const std::byte *from, std::byte *to, Stores how) {
        step.kernel->run(step.copy, from, to, how);
    };
    run(plan.steps[0], src, a.bytes, Stores::cached);
    if (plan.count == 2)
        return run(plan.steps[1], a.bytes, dst, stores);
    run(plan.steps[1], a.bytes, b.bytes, Stores::cached);
    run(plan.steps[2], b.bytes, dst, stores);
}

void copy_in_tiles(const plan::StridedCopy &copy, Isa isa, const std::byte *src, std::byte *dst, Stores stores) {
    const plan::Loops tile = tile_counts(copy);
    // Walks all loops in units of tiles. The two loops that are cut may end with an incomplete tile. Each of the
    // up to four shapes is planned once, when it is first needed.
    plan::StridedCopy walk = copy;
    walk.conversion = {};
    std::array<size_t, 2> cut{plan::max_loops, plan::max_loops};
    size_t cuts = 0;
    for (size_t i = 0; i < tile.size(); ++i) {
        plan::Loop &l = walk.loops[i];
        if (tile[i].count > 1 && l.count % tile[i].count != 0)
            cut[cuts++] = i;
        l.count = (l.count + tile[i].count - 1) / tile[i].count;
        l.src_stride *= tile[i].count;
        l.dst_stride *= tile[i].count;
    }
    TileCopy shapes[2][2];
    Buffer a, b;
    std::array<int64_t, plan::max_loops> at{};
    for_each_outer(walk, 0, src, dst, [&](const std::byte *s, std::byte *d) {
        bool rest[2] = {false, false};
        for (size_t k = 0; k < cuts; ++k)
            rest[k] = at[cut[k]] + 1 == walk.loops[cut[k]].count;
        TileCopy &plan = shapes[rest[0] ? 1 : 0][rest[1] ? 1 : 0];
        if (plan.count == 0) {
            plan::Loops counts = tile;
            for (size_t k = 0; k < cuts; ++k)
                if (rest[k])
                    counts[cut[k]].count = copy.loops[cut[k]].count % tile[cut[k]].count;
            plan = plan_tile(copy, counts, isa);
        }
        copy_tile(plan, s, d, a, b, stores);
        for (size_t i = walk.loops.size(); i-- > 0 && ++at[i] == walk.loops[i].count;)
            at[i] = 0;
    });
}

// Converts each run as one line.
void copy_in_lines(const plan::StridedCopy &copy, Isa isa, const std::byte *src, std::byte *dst, Stores stores) {
    const plan::Conversion &c = copy.conversion;
    const ConvertLine line = line_for(c, isa);
    const int64_t n = numbers_of_run(copy);
    for_each_outer(copy, 0, src, dst, [&](const std::byte *s, std::byte *d) { line(s, d, n, c.scale, stores); });
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

} // namespace

ConvertLine line_for(const plan::Conversion &conversion, Isa isa) {
    for (const VectorLines *lines = vector_lines; lines->find; ++lines)
        if (lines->isa <= isa)
            if (const ConvertLine line = lines->find(conversion))
                return line;
    return plain_line(conversion);
}

namespace {

bool fits_converting_lines(const plan::StridedCopy &copy) {
    return copy.conversion && (copy.loops.empty() || numbers_of_run(copy) >= line_numbers);
}

bool fits_converting_tiles(const plan::StridedCopy &copy) {
    return copy.conversion && plan::copy_bytes(copy) / copy.run_bytes >= tile_side;
}

// Puts the loop that is innermost in the source last, so that tiles follow each other along the rows of the
// source.
plan::StridedCopy arrange_converting_tiles(const plan::StridedCopy &copy) {
    plan::StridedCopy arranged = copy;
    plan::Loops &loops = arranged.loops;
    const auto order = order_by(loops, &plan::Loop::src_stride);
    for (size_t i = 0; i < loops.size(); ++i)
        if (loops[order[i]].count > small_count) {
            std::rotate(loops.begin() + order[i], loops.begin() + order[i] + 1, loops.end());
            break;
        }
    return arranged;
}

template <Isa isa>
void copy_converting_lines(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    copy_in_lines(copy, isa, src, dst, stores);
}

template <Isa isa>
void copy_converting_tiles(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    copy_in_tiles(copy, isa, src, dst, stores);
}

#define DRI_LINES(isa, set) {Isa::isa, fits_converting_lines, copy_converting_lines<Isa::isa>},
#define DRI_TILES(isa, set) {Isa::isa, fits_converting_tiles, copy_converting_tiles<Isa::isa>},
constexpr Version lines_versions[] = {DRI_FOR_VECTOR_SETS(DRI_LINES) DRI_LINES(scalar, ){}};
constexpr Version tiles_versions[] = {DRI_FOR_VECTOR_SETS(DRI_TILES) DRI_TILES(scalar, ){}};
#undef DRI_LINES
#undef DRI_TILES

} // namespace

const Family converting_lines_kernel{"converting lines", keep_order, lines_versions};
const Family converting_tiles_kernel{"converting tiles", arrange_converting_tiles, tiles_versions};

} // namespace dri::kernel
