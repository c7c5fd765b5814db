#include "support/conformance_turn.hpp"
#include "support/world.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <numbers>

namespace dri::test {

namespace {

Xfer make_endpoint(const char *name, DRI_Role role, DRI_Dist dist, std::vector<void *> buffers,
                   DRI_Layout layout = DRI_ROW_MAJOR) {
    Xfer endpoint;
    expect_success(DRI_xfer_create(name, role, dist, layout, static_cast<int>(buffers.size()), buffers.data(),
                                   endpoint.out()),
                   "DRI_xfer_create");
    return endpoint;
}

} // namespace

std::string check_layout_strides(const Json &c) {
    const Numbers strides = c["input"]["strides"], extents = c["input"]["extents"];
    const auto expected = c["expect"]["memory"].get<std::vector<double>>();
    std::vector<double> memory(expected.size(), c["input"]["fill_before"].get<double>());
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo(extents, DRI_DOUBLE), make_blocks(2, 0), alone);
    Layout layout;
    expect_success(DRI_layout_create(2, strides.data(), layout.out()), "DRI_layout_create");
    const Xfer source = make_xfer("strides", DRI_SOURCE, dist),
               sink = make_endpoint("strides", DRI_SINK, dist, {memory.data()}, layout);
    commit(alone);
    double *out = buffer_of<double>(source);
    for (const auto &values : c["input"]["values"])
        for (const double value : values)
            *out++ = value;
    expect_success(DRI_do("strides", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(memory, expected);
    return "";
}

std::string check_buffers_in_turn(const Json &c) {
    const int nbuffs = c["input"]["nbuffs"], frames = c["input"]["frames"];
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({4 * world().size}), make_blocks(1, 0), all);
    const Xfer source = make_xfer("in turn", DRI_SOURCE, dist, DRI_ROW_MAJOR, nbuffs);
    const Xfer sink = make_xfer("in turn", DRI_SINK, dist, DRI_ROW_MAJOR, nbuffs);
    commit(all);
    std::vector<void *> sources(static_cast<size_t>(nbuffs)), sinks = sources;
    expect_success(DRI_xfer_get_buffers(source, nullptr, sources.data()), "DRI_xfer_get_buffers");
    expect_success(DRI_xfer_get_buffers(sink, nullptr, sinks.data()), "DRI_xfer_get_buffers");
    for (int f = 0; f < frames; ++f) {
        const auto k = c["expect"]["buffer_of_frame"][static_cast<size_t>(f)].get<size_t>();
        EXPECT_EQ(buffer_of<void>(source), sources[k]);
        expect_success(DRI_do("in turn", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(buffer_of<void>(sink), sinks[k]);
    }
    return "";
}

std::string check_user_buffers(const Json &c) {
    const int frames = c["input"]["frames"], nbuffs = c["input"]["nbuffs"];
    constexpr int64_t n = 16;
    static float fixed[2][n];
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo({n}), make_blocks(1, 0), alone);
    for (const std::string kind : c["input"]["kinds"]) {
        std::vector<std::unique_ptr<float[]>> fresh;
        std::vector<void *> buffers, to_free, to_unmap;
        for (int k = 0; k < nbuffs; ++k) {
            if (kind == "malloc")
                buffers.push_back(to_free.emplace_back(std::malloc(n * sizeof(float))));
            if (kind == "new")
                buffers.push_back(fresh.emplace_back(std::make_unique<float[]>(n)).get());
            if (kind == "static")
                buffers.push_back(fixed[k]);
            if (kind == "mmap")
                buffers.push_back(to_unmap.emplace_back(
                    mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
        }
        {
            const Xfer source = make_xfer("own", DRI_SOURCE, dist),
                       sink = make_endpoint("own", DRI_SINK, dist, buffers);
            commit(alone);
            for (int f = 0; f < frames; ++f) {
                for (int i = 0; i < n; ++i)
                    buffer_of<float>(source)[i] = static_cast<float>(100 * f + i);
                expect_success(DRI_do("own", DRI_XFER_NULL), "DRI_do");
                void *const given = buffers[static_cast<size_t>(f % nbuffs)];
                EXPECT_EQ(buffer_of<void>(sink), given) << kind;
                for (int i = 0; i < n; ++i)
                    EXPECT_EQ(static_cast<float *>(given)[i], static_cast<float>(100 * f + i));
            }
        }
        for (void *p : to_free)
            std::free(p);
        for (void *p : to_unmap)
            munmap(p, 4096);
    }
    return "";
}

std::string check_records(const Json &c) {
    if (const auto out = left_out(2))
        return *out;
    const Numbers sizes = c["input"]["elements"];
    const int64_t pitch = c["input"]["record_size"], payload = c["input"]["payload_bytes"];
    const auto before = static_cast<unsigned char>(c["input"]["holes_before"].get<int>());
    constexpr unsigned char source_hole = 0x37, outside = 0x5A;
    Type type;
    expect_success(DRI_type_create(static_cast<size_t>(payload), static_cast<size_t>(pitch), type.out()),
                   "DRI_type_create");
    const CornerTurn turn(sizes, type, 2);
    const auto record = [&](int64_t flat) {
        std::array<unsigned char, 8> bytes;
        bytes.fill(source_hole);
        const auto a = static_cast<int16_t>(flat);
        const auto b = static_cast<uint32_t>(flat * 65537);
        std::memcpy(bytes.data(), &a, 2);
        std::memcpy(bytes.data() + 2, &b, 4);
        return bytes;
    };
    const int64_t count = sizes[0] * turn.num_columns();
    std::vector<int64_t> aligned(static_cast<size_t>(count + 2)); // one extra element on either side
    auto *memory = reinterpret_cast<unsigned char *>(aligned.data());
    std::memset(memory, outside, aligned.size() * 8);
    std::memset(memory + 8, before, static_cast<size_t>(count * pitch));
    Xfer source = make_xfer("records", DRI_SOURCE, turn.rows);
    Xfer sink = make_endpoint("records", DRI_SINK, turn.columns, {memory + 8}, DRI_COL_MAJOR);
    commit(turn.group);
    auto *out = buffer_of<unsigned char>(source);
    for (int64_t flat = turn.row.left_x * sizes[1]; flat < turn.row.right_x * sizes[1]; ++flat, out += pitch)
        std::memcpy(out, record(flat).data(), 8);
    expect_success(DRI_do("records", DRI_XFER_NULL), "DRI_do");
    const unsigned char *in = memory + 8;
    for (int64_t j = turn.column.left_x; j < turn.column.right_x; ++j)
        for (int64_t i = 0; i < sizes[0]; ++i, in += pitch) {
            EXPECT_EQ(std::memcmp(in, record(i * sizes[1] + j).data(), static_cast<size_t>(payload)), 0)
                << i << "," << j;
            for (int64_t b = payload; b < pitch; ++b)
                EXPECT_TRUE(in[b] == before || in[b] == source_hole) << i << "," << j;
        }
    for (int64_t b = 0; b < 8; ++b) {
        EXPECT_EQ(memory[b], outside);
        EXPECT_EQ(in[b], outside);
    }
    return "";
}

std::string check_types(const Json &c) {
    if (const auto out = left_out(2))
        return *out;
    // Bit patterns: quiet and signalling NaNs, negative zero, the smallest denormals and the extremes.
    const uint64_t bits[]{
        0x7FF8000000000123u, 0x7FF0000000000001u, 0x8000000000000000u, 1u,           0xFFEFFFFFFFFFFFFFu,
        0x7FC0012380000000u, 0x7F80000100000001u, 0xFF7FFFFF7FFFFFFFu, ~uint64_t{0}, 0u};
    for (const std::string name : c["input"]["types"]) {
        size_t bytes = 0;
        expect_success(DRI_type_get_pitch(type_named(name), &bytes), "DRI_type_get_pitch");
        const CornerTurn turn({8, 6}, type_named(name), 2);
        const Xfer source = make_xfer("bits", DRI_SOURCE, turn.rows),
                   sink = make_xfer("bits", DRI_SINK, turn.columns);
        commit(turn.group);
        // Consecutive elements use consecutive bytes of `bits`, cyclically.
        const auto at = [&](int64_t element, size_t b) {
            return reinterpret_cast<const unsigned char *>(
                bits)[(static_cast<size_t>(element) * bytes + b) % sizeof bits];
        };
        auto *out = buffer_of<unsigned char>(source);
        for (int64_t e = turn.row.left_x * 6; e < turn.row.right_x * 6; ++e)
            for (size_t b = 0; b < bytes; ++b)
                *out++ = at(e, b);
        expect_success(DRI_do("bits", DRI_XFER_NULL), "DRI_do");
        const auto *in = buffer_of<unsigned char>(sink);
        for (int64_t i = 0; i < 8; ++i)
            for (int64_t j = turn.column.left_x; j < turn.column.right_x; ++j)
                for (size_t b = 0; b < bytes; ++b)
                    EXPECT_EQ(*in++, at(i * 6 + j, b)) << name << " " << i << "," << j;
    }
    return "";
}

std::string check_status(const Json &c) {
    if (const auto out = left_out(2))
        return *out;
    const CornerTurn turn(c["input"]["sizes"].get<Numbers>(), DRI_FLOAT, 2);
    const Xfer source = make_xfer("status", DRI_SOURCE, turn.rows),
               sink = make_xfer("status", DRI_SINK, turn.columns);
    commit(turn.group);
    for (int f = 0; f < c["input"]["frames"].get<int>(); ++f)
        expect_success(DRI_do("status", DRI_XFER_NULL), "DRI_do");
    DRI_Xfer_info info;
    expect_success(DRI_xfer_get_info(sink, &info), "DRI_xfer_get_info");
    const Json &expected = c["expect"]["rank" + std::to_string(world().rank)];
    EXPECT_EQ(info.frames, expected["frames"].get<int64_t>());
    DRI_Part_tuple tuples[2];
    expect_success(DRI_dist_get_part(turn.columns, world().rank, tuples), "DRI_dist_get_part");
    for (size_t d = 0; d < 2; ++d)
        EXPECT_EQ((Numbers{tuples[d].left_v, tuples[d].left_x, tuples[d].right_x, tuples[d].right_v}),
                  expected["tuples"][d].get<Numbers>());
    return "";
}

std::string check_strips(const Json &c) {
    const int procs = c["input"]["procs"];
    if (const auto out = left_out(procs))
        return *out;
    const Numbers sizes = c["input"]["sizes"], strip = c["input"]["strip"];
    const int nbuffs = c["input"]["nbuffs"];
    const CornerTurn turn(strip, DRI_FLOAT, procs);
    const Xfer source = make_xfer("strips", DRI_SOURCE, turn.rows, DRI_ROW_MAJOR, nbuffs);
    const Xfer sink = make_xfer("strips", DRI_SINK, turn.columns, DRI_COL_MAJOR, nbuffs);
    commit(turn.group);
    Numbers extents(2);
    expect_success(DRI_dist_get_extents(turn.columns, world().rank, extents.data()), "DRI_dist_get_extents");
    EXPECT_EQ(extents, c["expect"]["sink_part_extents"][static_cast<size_t>(world().rank)].get<Numbers>());
    int64_t frames = 0;
    for (int64_t first = 0; first < sizes[1]; first += strip[1], ++frames) {
        float *out = buffer_of<float>(source);
        for (int64_t i = turn.row.left_x; i < turn.row.right_x; ++i)
            for (int64_t j = 0; j < strip[1]; ++j)
                *out++ = static_cast<float>(1 + i * sizes[1] + first + j);
        expect_success(DRI_do("strips", DRI_XFER_NULL), "DRI_do");
        const float *in = buffer_of<float>(sink);
        for (int64_t j = turn.column.left_x; j < turn.column.right_x; ++j)
            for (int64_t i = 0; i < sizes[0]; ++i)
                EXPECT_EQ(*in++, static_cast<float>(1 + i * sizes[1] + first + j)) << i << "," << first + j;
    }
    EXPECT_EQ(frames, c["expect"]["frames"].get<int64_t>());
    return "";
}

std::string check_chain(const Json &c) {
    const int procs = c["input"]["procs"];
    if (const auto out = left_out(procs))
        return *out;
    const Numbers sizes = c["input"]["sizes"];
    const CornerTurn turn(sizes, DRI_FLOAT, procs);
    std::vector<float> middle(static_cast<size_t>(sizes[0] * turn.num_columns()));
    const Xfer source = make_xfer("there", DRI_SOURCE, turn.rows), sink = make_xfer("back", DRI_SINK, turn.rows);
    const Xfer arrived = make_endpoint("there", DRI_SINK, turn.columns, {middle.data()});
    const Xfer leaving = make_endpoint("back", DRI_SOURCE, turn.columns, {middle.data()});
    commit(turn.group);
    const int64_t n = turn.num_rows() * sizes[1], first = turn.row.left_x * sizes[1];
    for (int f = 0; f < c["input"]["frames"].get<int>(); ++f) {
        for (int64_t i = 0; i < n; ++i)
            buffer_of<float>(source)[i] = static_cast<float>(100 * f + first + i);
        expect_success(DRI_do("there", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(buffer_of<float>(arrived), buffer_of<float>(leaving));
        expect_success(DRI_do("back", DRI_XFER_NULL), "DRI_do");
        for (int64_t i = 0; i < n; ++i)
            EXPECT_EQ(buffer_of<float>(sink)[i], static_cast<float>(100 * f + first + i));
    }
    return "";
}

namespace {

using Complex = std::complex<double>;

// The discrete Fourier transform, computed from its definition.
void transform(Complex *x, int64_t n) {
    std::vector<Complex> result(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k)
        for (int64_t i = 0; i < n; ++i)
            result[static_cast<size_t>(k)] +=
                x[i] *
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n));
    std::copy(result.begin(), result.end(), x);
}

Complex complex_of(const Json &pair) { return {pair[0].get<double>(), pair[1].get<double>()}; }

} // namespace

std::string check_two_stage_fft(const Json &c) {
    const Numbers sizes = c["input"]["sizes"];
    const double tolerance = c["expect"]["tolerance"];
    for (const int procs : c["input"]["procs"]) {
        if (procs > world().size || world().rank >= procs)
            continue;
        const CornerTurn turn(sizes, DRI_COMPLEX_DOUBLE, procs);
        const Xfer source = make_xfer("fft", DRI_SOURCE, turn.rows);
        const Xfer sink = make_xfer("fft", DRI_SINK, turn.columns, DRI_COL_MAJOR);
        commit(turn.group);
        auto *rows = buffer_of<Complex>(source);
        for (int64_t i = 0; i < turn.num_rows(); ++i) {
            for (int64_t j = 0; j < sizes[1]; ++j)
                rows[i * sizes[1] + j] =
                    complex_of(c["input"]["x"][static_cast<size_t>(turn.row.left_x + i)][static_cast<size_t>(j)]);
            transform(rows + i * sizes[1], sizes[1]);
        }
        expect_success(DRI_do("fft", DRI_XFER_NULL), "DRI_do");
        auto *columns = buffer_of<Complex>(sink);
        for (int64_t j = 0; j < turn.num_columns(); ++j) {
            transform(columns + j * sizes[0], sizes[0]);
            for (int64_t k = 0; k < sizes[0]; ++k) {
                const Complex expected = complex_of(
                    c["expect"]["X"][static_cast<size_t>(k)][static_cast<size_t>(turn.column.left_x + j)]);
                EXPECT_NEAR(std::abs(columns[j * sizes[0] + k] - expected), 0, tolerance) << k << "," << j;
            }
        }
    }
    return "";
}

} // namespace dri::test
