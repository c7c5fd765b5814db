// Compares layouts with the address of each single element.
#include "model/layout.hpp"

#include "model_refusal.hpp"
#include "support/dice.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace dri::test {

namespace {

constexpr model::ElementType byte_type{};
const model::ElementType complex_type = model::make_complex(Scalar::float32);

using Order = std::vector<int>;
using Strides = std::vector<int64_t>;

int64_t offset_of(const Dims &strides, const Dims &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
        at += strides[d] * index[d];
    return at;
}

// Whether no two elements have the same address.
bool all_apart(const Dims &strides, const Dims &extents) {
    std::set<int64_t> taken;
    bool apart = true;
    for_each_index(extents,
                   [&](const Dims &index) { apart = taken.insert(offset_of(strides, index)).second && apart; });
    return apart;
}

// Whether each stride exceeds what all smaller strides span. Extents of 1 do not count.
bool nest(const Dims &strides, const Dims &extents) {
    for (size_t d = 0; d < extents.size(); ++d) {
        int64_t reach = 0;
        for (size_t e = 0; e < extents.size(); ++e) {
            if (e == d || extents[e] < 2)
                continue;
            if (strides[e] < strides[d] || (strides[e] == strides[d] && e < d))
                reach += strides[e] * (extents[e] - 1);
        }
        if (extents[d] > 1 && strides[d] <= reach)
            return false;
    }
    return true;
}

} // namespace

TEST(Layout, packed_strides_of_every_order) {
    for (const Dims &extents : {Dims{4, 5, 6}, Dims{1, 7, 2}, Dims{3, 1, 1}}) {
        Order order{0, 1, 2};
        do {
            const model::Layout layout = model::make_packed(order);
            const model::BufferShape p = model::buffer_shape(layout, extents, complex_type);
            EXPECT_EQ(p.strides, *plain_strides(layout, extents)) << model::to_text(layout);
            EXPECT_EQ(p.span, extents[0] * extents[1] * extents[2]);
            EXPECT_EQ(p.strides[static_cast<size_t>(order[2])], 1);
            EXPECT_TRUE(all_apart(p.strides, extents));
        } while (std::next_permutation(order.begin(), order.end()));
        EXPECT_EQ(model::buffer_shape(model::Layout{}, extents, complex_type).strides,
                  model::buffer_shape(model::make_packed(Order{0, 1, 2}), extents, complex_type).strides);
        const model::Layout columns{.kind = model::LayoutKind::col_major, .order = {}, .strides = {}};
        EXPECT_EQ(model::buffer_shape(columns, extents, complex_type).strides,
                  model::buffer_shape(model::make_packed(Order{2, 1, 0}), extents, complex_type).strides);
    }
    EXPECT_EQ(model::buffer_shape(model::Layout{}, Dims{4, 5}, complex_type).strides, (Dims{5, 1}));
}

TEST(Layout, no_dimensions_are_one_element) {
    EXPECT_EQ(model::buffer_shape(model::Layout{}, Dims{}, complex_type).span, 1);
    EXPECT_EQ(model::buffer_shape(model::make_packed({}), Dims{}, complex_type).span, 1);
    EXPECT_EQ(model::buffer_shape(model::make_strided({}), Dims{}, complex_type).span, 1);
}

TEST(Layout, empty_parts_span_nothing) {
    for (const model::Layout &layout : {model::Layout{}, model::with_pitch(model::Layout{}, 8),
                                        model::with_pitch(model::Layout{}, model::pitch_auto),
                                        model::make_packed(Order{1, 0}), model::make_strided(Strides{100, 1})}) {
        EXPECT_EQ(model::buffer_shape(layout, Dims{0, 5}, complex_type).span, 0) << model::to_text(layout);
        EXPECT_EQ(model::buffer_shape(layout, Dims{5, 0}, complex_type).span, 0) << model::to_text(layout);
    }
}

TEST(Layout, pitch_pads_the_contiguous_rows) {
    const model::BufferShape p =
        model::buffer_shape(model::with_pitch(model::Layout{}, 8), Dims{3, 13}, complex_type);
    EXPECT_EQ(p.strides, (Dims{16, 1}));
    EXPECT_EQ(p.span, 48);
    EXPECT_EQ(model::buffer_shape(model::with_pitch(model::Layout{}, 8), Dims{3, 16}, complex_type).strides,
              (Dims{16, 1}));
    EXPECT_EQ(
        model::buffer_shape(model::with_pitch(model::make_packed(Order{2, 0, 1}), 4), Dims{2, 5, 3}, complex_type)
            .strides,
        (Dims{8, 1, 16}));
    const model::Layout columns{.kind = model::LayoutKind::col_major, .order = {}, .strides = {}};
    EXPECT_EQ(model::buffer_shape(model::with_pitch(columns, 4), Dims{5, 3}, complex_type).strides, (Dims{1, 8}));
    EXPECT_EQ(model::buffer_shape(model::with_pitch(model::Layout{}, 8), Dims{13}, complex_type).strides,
              (Dims{1}));
}

TEST(Layout, automatic_pitch_is_whole_cache_lines_and_avoids_shared_cache_sets) {
    for (const model::ElementType &type :
         {byte_type, complex_type, model::make_record(6, 2), model::make_record(12, 4), model::make_record(48, 16),
          model::make_record(128, 8), model::make_record(4096, 8), model::make_record(12288, 8)})
        for (int64_t width : {1, 3, 7, 63, 64, 65, 85, 511, 512, 513, 1000, 1024, 2048, 4096, 8192, 12288}) {
            const model::BufferShape p =
                model::buffer_shape(model::with_pitch(model::Layout{}, model::pitch_auto), Dims{3, width}, type);
            const int64_t row_bytes = p.strides[0] * type.pitch();
            EXPECT_GE(p.strides[0], width);
            EXPECT_EQ(row_bytes % 64, 0) << width << " of " << model::to_text(type);
            EXPECT_EQ(p.strides[1], 1);
            const int64_t line = std::lcm(int64_t{64}, type.pitch());
            const int64_t min = (width * type.pitch() + line - 1) / line * line;
            const bool apart = min >= 12288 && min % 4096 == 0 && line <= 128;
            EXPECT_EQ(row_bytes, min + (apart ? 128 : 0)) << width << " of " << model::to_text(type);
        }
    EXPECT_EQ(
        model::buffer_shape(model::with_pitch(model::Layout{}, model::pitch_auto), Dims{3, 4096}, complex_type)
            .strides,
        (Dims{4112, 1}));
    EXPECT_EQ(
        model::buffer_shape(model::with_pitch(model::Layout{}, model::pitch_auto), Dims{3, 4097}, complex_type)
            .strides,
        (Dims{4104, 1}));
    EXPECT_EQ(
        model::buffer_shape(model::with_pitch(model::Layout{}, model::pitch_auto), Dims{3, 1024}, complex_type)
            .strides,
        (Dims{1024, 1}));
}

TEST(Layout, split_planes_count_components) {
    const model::Layout split = model::with_complex(model::Layout{}, 1);
    const model::BufferShape p = model::buffer_shape(split, Dims{3, 13}, complex_type);
    EXPECT_EQ(p.strides, (Dims{13, 1}));
    EXPECT_EQ(p.span, 39);
    EXPECT_EQ(p.step_bytes(), 4);
    EXPECT_EQ(p.part_bytes(), 39 * 4);
    const model::BufferShape pairs = model::buffer_shape(model::with_complex(split, 0), Dims{3, 13}, complex_type);
    EXPECT_EQ(pairs.step_bytes(), 8);
    EXPECT_EQ(pairs.part_bytes(), 4);
    EXPECT_EQ(model::buffer_shape(model::with_pitch(split, 8), Dims{3, 13}, complex_type).span, 48);
    EXPECT_EQ(model::buffer_shape(model::with_complex(model::with_pitch(model::Layout{}, 8), 1), Dims{3, 13},
                                  complex_type)
                  .part_bytes(),
              48 * 4);
    EXPECT_EQ(
        model::buffer_shape(model::with_complex(model::make_strided(Strides{40, 2}), 1), Dims{3, 13}, complex_type)
            .part_bytes(),
        105 * 4);
    EXPECT_EQ(model::buffer_shape(split, Dims{0, 13}, complex_type).span, 0);
    // Whole cache lines of components, so that the imaginary plane is aligned like the real one.
    const model::BufferShape lines =
        model::buffer_shape(model::with_pitch(split, model::pitch_auto), Dims{3, 1021}, complex_type);
    EXPECT_EQ(lines.part_bytes() % 64, 0);
    EXPECT_EQ(lines.strides[0], 1024);
}

TEST(Layout, only_complex_numbers_are_split) {
    const model::Layout split = model::with_complex(model::Layout{}, 1);
    for (const model::ElementType &type : {byte_type, model::make_real(Scalar::float64), model::make_record(8, 4)})
        expect_refusal(DRI_ERR_ARG, {"split", model::to_text(type).c_str()}, [&] {
            model::buffer_shape(split, Dims{3, 2}, type);
        });
    for (const Scalar scalar : {Scalar::int8, Scalar::int16, Scalar::float32, Scalar::float64})
        EXPECT_EQ(model::buffer_shape(split, Dims{3, 2}, model::make_complex(scalar)).span, 6);
    expect_refusal(DRI_ERR_ARG, {"2", "DRI_SPLIT"}, [] { model::with_complex(model::Layout{}, 2); });
}

TEST(Layout, explicit_strides_as_given) {
    const model::BufferShape p = model::buffer_shape(model::make_strided(Strides{4, 1}), Dims{2, 3}, complex_type);
    EXPECT_EQ(p.strides, (Dims{4, 1}));
    EXPECT_EQ(p.span, 7);
    EXPECT_EQ(model::buffer_shape(model::make_strided(Strides{1, 1, 1}), Dims{1, 1, 1}, complex_type).span, 1);
    EXPECT_EQ(model::buffer_shape(model::make_strided(Strides{1, 5}), Dims{5, 2}, complex_type).span, 10);
}

TEST(Layout, strides_must_nest_so_that_elements_never_meet) {
    Dice dice(11);
    int refused = 0;
    for (int round = 0; round < rounds(20000); ++round) {
        Dims extents;
        Strides given;
        for (int64_t d = dice.range(1, 4); d > 0; --d) {
            extents.push_back(dice.range(1, 4));
            given.push_back(dice.range(1, 20));
        }
        const Dims strides(given.begin(), given.end());
        bool placed = true;
        try {
            const model::BufferShape p = model::buffer_shape(model::make_strided(given), extents, byte_type);
            int64_t last = 0;
            for_each_index(extents, [&](const Dims &index) { last = std::max(last, offset_of(strides, index)); });
            EXPECT_EQ(p.span, last + 1);
        } catch (const Error &e) {
            placed = false;
            EXPECT_EQ(e.code(), DRI_ERR_ARG);
        }
        ASSERT_EQ(placed, nest(strides, extents)) << model::to_text(model::make_strided(given));
        if (placed) {
            ASSERT_TRUE(all_apart(strides, extents)) << model::to_text(model::make_strided(given));
        }
        refused += !placed;
    }
    EXPECT_GT(refused, rounds(1000));
    EXPECT_LT(refused, rounds(19000));
}

TEST(Layout, refusals_say_what_disagrees) {
    expect_refusal(DRI_ERR_ARG, {"3,1", "2x4", "stride 3", "dimension 0", "one address"}, [] {
        model::buffer_shape(model::make_strided(Strides{3, 1}), Dims{2, 4}, complex_type);
    });
    expect_refusal(DRI_ERR_ARG, {"2", "3"}, [] {
        model::buffer_shape(model::make_packed(Order{0, 1}), Dims{1, 1, 1}, complex_type);
    });
    expect_refusal(DRI_ERR_ARG, {"1", "2"}, [] {
        model::buffer_shape(model::make_strided(Strides{1}), Dims{2, 2}, complex_type);
    });
    expect_refusal(DRI_ERR_ARG, {"dimension 1", "0"}, [] { model::make_strided(Strides{1, 0}); });
    expect_refusal(DRI_ERR_ARG, {"dimension 0", "-4"}, [] { model::make_strided(Strides{-4, 1}); });
    expect_refusal(DRI_ERR_ARG, {"order", "order[1] is 0"}, [] { model::make_packed(Order{0, 0}); });
    expect_refusal(DRI_ERR_ARG, {"order", "order[0] is 2"}, [] { model::make_packed(Order{2, 0}); });
    expect_refusal(DRI_ERR_ARG, {"order", "-1"}, [] { model::make_packed(Order{-1, 0}); });
    expect_refusal(DRI_ERR_ARG, {"pitch"}, [] { model::with_pitch(model::make_strided(Strides{1}), 8); });
    expect_refusal(DRI_ERR_ARG, {"pitch", "0"}, [] { model::with_pitch(model::Layout{}, 0); });
    expect_refusal(DRI_ERR_ARG, {"pitch", "-2"}, [] { model::with_pitch(model::Layout{}, -2); });
}

TEST(Layout, bytes_that_do_not_fit_are_refused) {
    const int64_t half = int64_t{1} << 62;
    const auto expect_too_large = [](const model::Layout &layout, const Dims &extents,
                                     const model::ElementType &type, std::initializer_list<const char *> words) {
        expect_refusal(DRI_ERR_OVERFLOW, words, [&] { model::buffer_shape(layout, extents, type); });
    };
    const char *const strides = "strides 4611686018427387904,1", *const pitch =
                                                                     "row-major pitch 4611686018427387904";
    expect_too_large(model::make_strided(Strides{half, 1}), Dims{3, 2}, byte_type,
                     {strides, "3x2", "dimension 0"});
    expect_too_large(model::make_strided(Strides{half, 1}), Dims{2, 2}, complex_type,
                     {strides, "2x2", "dimension 0"});
    expect_too_large(model::with_pitch(model::Layout{}, half), Dims{3, 2}, byte_type,
                     {pitch, "3x2", "dimension 0"});
    expect_too_large(model::with_pitch(model::Layout{}, half), Dims{2, 2}, byte_type,
                     {pitch, "2x2", "dimension 0"});
    expect_too_large(model::with_pitch(model::Layout{}, model::pitch_auto), Dims{2, INT64_MAX - 1}, byte_type,
                     {"row-major pitch auto", "2x9223372036854775806", "dimension 1"});
    EXPECT_EQ(model::buffer_shape(model::make_strided(Strides{half, 1}), Dims{2, 2}, byte_type).span, half + 2);
}

TEST(Layout, the_wire_keeps_all) {
    for (const model::Layout &layout :
         {model::Layout{}, model::with_pitch(model::make_packed(Order{1, 0}), 7),
          model::with_pitch(model::Layout{}, model::pitch_auto), model::make_strided(Strides{9, 1}),
          model::with_complex(model::make_strided(Strides{9, 1}), 1)}) {
        Writer out;
        model::put(out, layout);
        const Bytes bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(model::get_layout(in), layout);
        EXPECT_TRUE(in.done());
    }
}

TEST(Layout, text) {
    EXPECT_EQ(model::to_text(model::Layout{}), "row-major");
    EXPECT_EQ(model::to_text(model::Layout{.kind = model::LayoutKind::col_major, .order = {}, .strides = {}}),
              "column-major");
    EXPECT_EQ(model::to_text(model::make_packed(Order{1, 2, 0})), "order 120");
    EXPECT_EQ(model::to_text(model::make_strided(Strides{40, 1})), "strides 40,1");
    EXPECT_EQ(model::to_text(model::with_pitch(model::Layout{}, 8)), "row-major pitch 8");
    EXPECT_EQ(model::to_text(model::with_pitch(model::Layout{}, model::pitch_auto)), "row-major pitch auto");
    EXPECT_EQ(model::to_text(model::with_complex(model::with_pitch(model::Layout{}, 8), 1)),
              "row-major pitch 8 split");
}

} // namespace dri::test
