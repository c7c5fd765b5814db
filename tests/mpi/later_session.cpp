// Arrays of a session that begins behind another one, with the same loops and moves.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"

#include <dri/dri_mpi.h>
#include <dri/loop.h>

namespace dri::test {
namespace {

TEST(LaterSession, HasPlansOfItsOwn) {
    std::vector<Array> ended; // with their session
    for (int session = 0; session < 3; ++session) {
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
        {
            const Numbers shape{4 * world().size, 4};
            const int turned[]{1, 0};
            std::vector<Array> arrays;
            for (int turn = 0; turn < 6; ++turn) {
                arrays.push_back(shape_array(shape, make_world()));
                const Array &array = arrays.back(), target = shape_array(shape, make_world());
                fill_flat(array, shape, [&](int64_t i) { return static_cast<double>(i + turn); });
                Array made;
                expect_success(DRI_array_permute(array, turned, made.out()), "DRI_array_permute");
                Values wanted;
                for (int64_t j = 0; j < shape[1]; ++j)
                    for (int64_t i = 0; i < shape[0]; ++i)
                        wanted.push_back(static_cast<double>(i * shape[1] + j + turn));
                EXPECT_EQ(all_of(made, {shape[1], shape[0]}), wanted) << session << ", " << turn;
                const Ranges low{{0, 1, shape[0] - 1}, {0, 1, 4}}, high{{1, 1, shape[0] - 1}, {0, 1, 4}};
                weighted_sum(operand_of(target, low), {operand_of(array, high)}, {1});
                const Values found = all_of(target, shape);
                for (int64_t i = 0; i < 4 * (shape[0] - 1); ++i)
                    EXPECT_EQ(found[static_cast<size_t>(i)], static_cast<double>(i + 4 + turn)) << session;
            }
            if (session == 0) // these end with the session
                ended = std::move(arrays);
        }
        ASSERT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
    }
}

} // namespace
} // namespace dri::test
