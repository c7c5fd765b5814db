#include "support/good_turn.hpp"

#include "support/objects.hpp"
#include "support/world.hpp"

#include <string>

namespace dri_test {

void expect_good_turn() {
    static int turn = 0;
    const auto [rank, size] = world();
    const std::string name = "good turn " + std::to_string(turn++);
    // Each process holds two rows or one column.
    const int rows = 2 * size, columns = size;
    const Gdo gdo = make_gdo({rows, columns}, DRI_INT32);
    const Group group = make_world();
    const Dist by_rows = make_dist(gdo, make_blocks(2, 0), group);
    const Dist by_columns = make_dist(gdo, make_blocks(2, 1), group);
    const Xfer source = make_xfer(name, DRI_SOURCE, by_rows), sink = make_xfer(name, DRI_SINK, by_columns);
    const int code = DRI_commit(group);
    EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    if (code != DRI_SUCCESS)
        return;

    int32_t *out = buffer_of<int32_t>(source);
    for (int i = 0; i < 2 * columns; ++i)
        out[i] = 2 * rank * columns + i + 1000 * turn;
    expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
    const int32_t *in = buffer_of<int32_t>(sink);
    for (int i = 0; i < rows; ++i)
        EXPECT_EQ(in[i], i * columns + rank + 1000 * turn) << "row " << i;
}

} // namespace dri_test
