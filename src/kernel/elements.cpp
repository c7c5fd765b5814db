// Copies short runs. Every size up to 64 bytes is a few moves of fixed size, the last of which may overlap the one
// before it. The inner loop therefore has no call and no loop over bytes.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstring>

namespace dri::kernel {

namespace {

constexpr int64_t longest_element = 64;

// Bytes of the destination in one strip: two whole cache lines.
constexpr int64_t strip_bytes = 128;
constexpr int64_t min_strip_rows = 8;

// Copies the two innermost loops. If they turn a corner, the plane is divided into strips of about two cache lines
// of the destination.
template <size_t chunk, size_t chunks, bool tail>
void copy_plane(const plan::Loop &across, const plan::Loop &down, int64_t run, const std::byte *src,
                std::byte *dst) {
    const bool turns = std::abs(down.src_stride) > std::abs(across.src_stride);
    const int64_t strip = turns ? std::max(strip_bytes / run, min_strip_rows) : down.count;
    for (int64_t first = 0; first < down.count; first += strip) {
        const int64_t rows = std::min(strip, down.count - first);
        const std::byte *column = src + first * down.src_stride;
        std::byte *line = dst + first * down.dst_stride;
        for (int64_t c = 0; c < across.count; ++c, column += across.src_stride, line += across.dst_stride) {
            const std::byte *s = column;
            std::byte *d = line;
            for (int64_t r = 0; r < rows; ++r, s += down.src_stride, d += down.dst_stride) {
                for (size_t k = 0; k < chunks; ++k)
                    std::memcpy(d + k * chunk, s + k * chunk, chunk);
                if constexpr (tail)
                    std::memcpy(d + run - chunk, s + run - chunk, chunk);
            }
        }
    }
}

using PlaneFunction = void (*)(const plan::Loop &across, const plan::Loop &down, int64_t run, const std::byte *src,
                               std::byte *dst);

template <size_t chunk, size_t chunks> PlaneFunction plane_of(int64_t run) {
    const bool whole = run == static_cast<int64_t>(chunk * chunks);
    return whole ? copy_plane<chunk, chunks, false> : copy_plane<chunk, chunks, true>;
}

PlaneFunction plane_for(int64_t run) {
    if (run >= 64)
        return plane_of<16, 4>(run);
    if (run >= 48)
        return plane_of<16, 3>(run);
    if (run >= 32)
        return plane_of<16, 2>(run);
    if (run >= 16)
        return plane_of<16, 1>(run);
    if (run >= 8)
        return plane_of<8, 1>(run);
    if (run >= 4)
        return plane_of<4, 1>(run);
    if (run >= 2)
        return plane_of<2, 1>(run);
    return plane_of<1, 1>(run);
}

} // namespace

bool fits_elements(const plan::StridedCopy &copy) {
    return !copy.conversion && copy.run_bytes > 0 && copy.run_bytes <= longest_element && !copy.loops.empty();
}

// The loop with the smallest destination stride stays last. The loop with the smallest source stride comes before
// it if this changes the order of the source; otherwise the canonical order is best.
plan::StridedCopy arrange_elements(const plan::StridedCopy &copy) {
    plan::StridedCopy arranged = copy;
    plan::Loops &loops = arranged.loops;
    size_t across = 0;
    for (size_t i = 1; i + 1 < loops.size(); ++i)
        if (std::abs(loops[i].src_stride) <= std::abs(loops[across].src_stride))
            across = i;
    const bool turns = loops.size() > 1 && std::abs(loops[across].src_stride) < std::abs(loops.back().src_stride);
    if (turns)
        std::rotate(loops.begin() + across, loops.begin() + across + 1, loops.end() - 1);
    return arranged;
}

void copy_elements(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores) {
    const plan::Loop down = copy.loops.back();
    const bool pair = copy.loops.size() > 1;
    const plan::Loop across = pair ? copy.loops[copy.loops.size() - 2] : plan::Loop{1, 0, 0};
    const PlaneFunction plane = plane_for(copy.run_bytes);
    for_each_outer(copy, pair ? 2 : 1, src, dst,
                   [&](const std::byte *s, std::byte *d) { plane(across, down, copy.run_bytes, s, d); });
}

namespace {
constexpr Version elements_versions[] = {{Isa::scalar, fits_elements, copy_elements}, {}};
} // namespace

const Family elements_kernel{"elements", arrange_elements, elements_versions};

} // namespace dri::kernel
