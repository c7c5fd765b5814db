#include "model/gdo.hpp"

#include "model_refusal.hpp"

#include <array>

namespace dri::test {

namespace {

using Sizes = std::vector<int64_t>;

model::Gdo gdo_of(const Sizes &sizes, const model::ElementType &type = model::make_complex(Scalar::float32)) {
    return model::make_gdo(type, sizes);
}

template <class T, class Get> T over_wire(const T &value, Get get) {
    Writer out;
    put(out, value);
    const Bytes bytes = out.take();
    Reader in(bytes);
    T again = get(in);
    EXPECT_TRUE(in.done());
    return again;
}

} // namespace

TEST(ElementType, sizes_and_names_of_the_builtin_ones) {
    struct Row {
        model::ElementType type;
        int64_t size;
        const char *name;
    };
    const std::array rows{
        Row{model::make_real(Scalar::int8), 1, "int8"},
        Row{model::make_real(Scalar::int16), 2, "int16"},
        Row{model::make_real(Scalar::int32), 4, "int32"},
        Row{model::make_real(Scalar::int64), 8, "int64"},
        Row{model::make_real(Scalar::uint8), 1, "uint8"},
        Row{model::make_real(Scalar::uint16), 2, "uint16"},
        Row{model::make_real(Scalar::uint32), 4, "uint32"},
        Row{model::make_real(Scalar::uint64), 8, "uint64"},
        Row{model::make_real(Scalar::float32), 4, "float"},
        Row{model::make_real(Scalar::float64), 8, "double"},
        Row{model::make_complex(Scalar::int8), 2, "complex int8"},
        Row{model::make_complex(Scalar::int16), 4, "complex int16"},
        Row{model::make_complex(Scalar::float32), 8, "complex float"},
        Row{model::make_complex(Scalar::float64), 16, "complex double"},
    };
    for (const auto &row : rows) {
        const model::ElementType &type = row.type;
        EXPECT_EQ(type.size, row.size) << row.name;
        EXPECT_EQ(type.pitch(), row.size) << row.name;
        EXPECT_EQ(model::to_text(type), row.name);
        EXPECT_EQ(over_wire(type, model::get_element_type), type);
    }
    EXPECT_NE(model::make_real(Scalar::int32), model::make_real(Scalar::float32));
}

TEST(ElementType, records_keep_their_pitch) {
    for (int64_t size = 1; size <= 70; ++size)
        for (int64_t alignment = 1; alignment <= 64; alignment *= 2) {
            int64_t pitch = 0;
            while (pitch < size)
                pitch += alignment;
            EXPECT_EQ(model::make_record(size, alignment).pitch(), pitch) << size << " " << alignment;
        }
    EXPECT_EQ(model::make_record(6, 8).pitch(), 8);
    EXPECT_EQ(model::to_text(model::make_record(6, 8)), "record of 6 bytes aligned to 8");
    EXPECT_EQ(model::make_record(6, 8), model::make_record(6, 8));
    EXPECT_NE(model::make_record(6, 8), model::make_record(6, 4));
    EXPECT_EQ(over_wire(model::make_record(6, 8), model::get_element_type), model::make_record(6, 8));
}

TEST(ElementType, wrong_records_are_refused) {
    expect_refusal(DRI_ERR_ARG, {"size", "0"}, [] { model::make_record(0, 1); });
    expect_refusal(DRI_ERR_ARG, {"size", "-3"}, [] { model::make_record(-3, 1); });
    for (int64_t alignment : {0, -1, 3, 12})
        expect_refusal(DRI_ERR_ARG, {"alignment", "power of two"}, [&] { model::make_record(8, alignment); });
    expect_refusal(DRI_ERR_OVERFLOW, {}, [] { model::make_record(INT64_MAX, 8); });
}

TEST(Gdo, counts) {
    EXPECT_EQ(model::count_elements(gdo_of({17, 96}).sizes), 1632);
    EXPECT_EQ(model::count_bytes(gdo_of({17, 96})), 13056);
    EXPECT_EQ(model::count_elements(gdo_of({}).sizes), 1);
    EXPECT_EQ(model::count_bytes(gdo_of({}, model::make_real(Scalar::float64))), 8);
    EXPECT_EQ(model::count_elements(gdo_of({0, 5}).sizes), 0);
    EXPECT_EQ(model::count_bytes(gdo_of({0, 5})), 0);
    EXPECT_EQ(model::count_bytes(model::make_gdo(model::make_record(6, 8), Sizes{10})), 80);
    EXPECT_EQ(model::count_elements(gdo_of({1 << 20, 1 << 20}).sizes), int64_t{1} << 40);
    EXPECT_EQ(gdo_of({1, 2, 3, 4, 5, 6, 7, 8}).ndims(), max_dims);
}

TEST(Gdo, overflow_is_refused) {
    const int64_t big = int64_t{1} << 31;
    expect_refusal(DRI_ERR_OVERFLOW, {"[2147483648,2147483648,4]"}, [&] { gdo_of({big, big, 4}); });
    // The number of elements fits into 64 bits, their bytes do not.
    expect_refusal(DRI_ERR_OVERFLOW, {"[2305843009213693952]", "16 bytes"},
                   [] { gdo_of({int64_t{1} << 61}, model::make_complex(Scalar::float64)); });
    EXPECT_NO_THROW(gdo_of({INT64_MAX}, model::make_real(Scalar::int8)));
    EXPECT_NO_THROW(gdo_of({(int64_t{1} << 60) - 1}, model::make_real(Scalar::float64)));
    expect_refusal(DRI_ERR_OVERFLOW, {}, [] { gdo_of({int64_t{1} << 60}, model::make_real(Scalar::float64)); });
    // A size of 0 does not hide an overflow of the others.
    expect_refusal(DRI_ERR_OVERFLOW, {}, [&] { gdo_of({big, 0, big, big}); });
    expect_refusal(DRI_ERR_ARG, {"dimension 1", "-1"}, [] { gdo_of({4, -1}); });
}

TEST(Gdo, subsets_know_the_root) {
    const model::Gdo root = gdo_of({10, 20});
    const model::Gdo sub = model::make_subset(root, Sizes{2, 5}, Sizes{6, 10});
    EXPECT_EQ(sub.sizes, (Dims{6, 10}));
    EXPECT_EQ(sub.offset, (Dims{2, 5}));
    EXPECT_EQ(sub.root_sizes, root.sizes);
    const model::Gdo inner = model::make_subset(sub, Sizes{1, 0}, Sizes{2, 10});
    EXPECT_EQ(inner.offset, (Dims{3, 5}));
    EXPECT_EQ(inner.root_sizes, root.sizes);
    EXPECT_EQ(model::make_subset(root, Sizes{10, 20}, Sizes{0, 0}).sizes, (Dims{0, 0}));
    EXPECT_EQ(model::make_subset(root, Sizes{0, 0}, Sizes{10, 20}), root);
    EXPECT_EQ(over_wire(inner, model::get_gdo), inner);
}

TEST(Gdo, boxes_outside_the_parent_are_refused) {
    const model::Gdo root = gdo_of({10, 20}), sub = model::make_subset(root, Sizes{2, 5}, Sizes{6, 10});
    expect_refusal(DRI_ERR_ARG, {"dimension 1", "11", "10", "20"}, [&] {
        model::make_subset(root, Sizes{0, 10}, Sizes{1, 11});
    });
    expect_refusal(DRI_ERR_ARG, {"dimension 0", "-1"}, [&] {
        model::make_subset(root, Sizes{-1, 0}, Sizes{1, 1});
    });
    expect_refusal(DRI_ERR_ARG, {"dimension 0", "-2"}, [&] {
        model::make_subset(root, Sizes{0, 0}, Sizes{-2, 1});
    });
    expect_refusal(DRI_ERR_ARG, {"dimension 0"}, [&] { model::make_subset(sub, Sizes{6, 0}, Sizes{1, 1}); });
    expect_refusal(DRI_ERR_ARG, {"dimension 1"}, [&] {
        model::make_subset(root, Sizes{0, INT64_MAX}, Sizes{1, INT64_MAX});
    });
}

TEST(Gdo, text) {
    const model::Gdo root = gdo_of({97, 64});
    EXPECT_EQ(model::to_text(root), "complex float [97,64]");
    EXPECT_EQ(model::to_text(model::make_subset(root, Sizes{1, 2}, Sizes{90, 60})),
              "complex float [90,60] at [1,2] of [97,64]");
    EXPECT_EQ(model::to_text(gdo_of({}, model::make_real(Scalar::int16))), "int16 []");
}

} // namespace dri::test
