// Moves of arrays: where their results lie, and what becomes of them.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <fstream>
#include <numeric>

namespace dri::test {
namespace {

Array numbered(const Numbers &shape) {
    Array made = shape_array(shape, make_world());
    fill_flat(made, shape, [](int64_t i) { return static_cast<double>(i); });
    return made;
}

TEST(Moves, AShapeWithTooManyElementsIsRefused) {
    const Array array = numbered({4 * world().size, 4});
    const Array nothing = numbered({0, 4});
    Array made;
    // 2^64 + 16 size elements, if the product wraps.
    const int64_t half = int64_t{1} << 32;
    for (const Numbers &shape : {Numbers{half, half}, Numbers{half, half, 4}}) {
        EXPECT_EQ(DRI_array_reshape(array, static_cast<int>(shape.size()), shape.data(), made.out()),
                  DRI_ERR_OVERFLOW);
        EXPECT_EQ(DRI_array_reshape(nothing, static_cast<int>(shape.size()), shape.data(), made.out()),
                  DRI_ERR_OVERFLOW)
            << "it has no elements, but the shape has";
    }
    const int64_t empty[]{half, half, 0};
    EXPECT_EQ(DRI_array_reshape(array, 3, empty, made.out()), DRI_ERR_ARG);
}

} // namespace
} // namespace dri::test
