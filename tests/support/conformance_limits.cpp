#include "support/conformance_turn.hpp"

#include <algorithm>

namespace dri::test {

// The user states the size of the buffers. NULL is no buffer of the user: the library provides one that is large
// enough.
std::string check_small_buffer(const Json &c) {
    constexpr int64_t n = 16, bytes = n * 4;
    static float memory[n];
    const Group alone = make_group({world().rank});
    const Dist dist = make_dist(make_gdo({n}), make_blocks(1, 0), alone);
    const auto commit_with = [&](void *buffer, int64_t size) {
        Xfer source = make_xfer("small", DRI_SOURCE, dist), sink;
        expect_success(DRI_xfer_create("small", DRI_SINK, dist, DRI_ROW_MAJOR, 1, &buffer, sink.out()),
                       "DRI_xfer_create");
        // The C++ face compares the sizes at once, C in the commit.
        int code = DRI_xfer_set_attr(sink, DRI_ATTR_BUFFER_BYTES, size);
        if (code == DRI_SUCCESS)
            code = DRI_commit(alone);
        if (code == DRI_SUCCESS) {
            std::fill_n(buffer_of<float>(source), n, 7.0F);
            expect_success(DRI_do("small", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(std::count(buffer_of<float>(sink), buffer_of<float>(sink) + n, 7.0F), n);
        }
        return code;
    };
    EXPECT_EQ(commit_with(memory, bytes - 1) != DRI_SUCCESS, c["expect"]["error"].get<bool>());
    EXPECT_EQ(std::count(memory, memory + n, 0.0F), n) << "nothing is written";
    EXPECT_EQ(commit_with(nullptr, bytes), DRI_SUCCESS);
    EXPECT_EQ(commit_with(memory, bytes), DRI_SUCCESS);
    return "";
}

// The budget of a process is for its buffers and the workspace. What the buffers leave is the limit of each
// endpoint's workspace. All bytes travel as messages, because other ways may need no workspace.
std::string check_budget(const Json &c) {
    const int procs = c["input"]["procs"];
    if (const auto out = left_out(procs))
        return *out;
    const Numbers sizes = c["input"]["sizes"];
    const int64_t budget = c["input"]["budget_bytes"], strips = c["input"]["strips"];
    const auto commit_within = [&](const CornerTurn &turn, const Xfer &source, const Xfer &sink) {
        size_t out = 0, in = 0;
        expect_success(DRI_xfer_buffer_bytes(source, &out), "DRI_xfer_buffer_bytes");
        expect_success(DRI_xfer_buffer_bytes(sink, &in), "DRI_xfer_buffer_bytes");
        const int64_t left = std::max<int64_t>(budget - static_cast<int64_t>(out + in), 0);
        for (const DRI_Xfer endpoint : {source.get(), sink.get()}) {
            expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WORKSPACE_LIMIT, left / 2), "DRI_xfer_set_attr");
        }
        return DRI_commit(turn.group);
    };
    {
        const CornerTurn whole(sizes, DRI_FLOAT, procs);
        const Xfer source = make_xfer("budget", DRI_SOURCE, whole.rows),
                   sink = make_xfer("budget", DRI_SINK, whole.columns);
        EXPECT_EQ(commit_within(whole, source, sink), DRI_ERR_LIMIT) << DRI_error_message();
        void *buffer = nullptr;
        EXPECT_EQ(DRI_xfer_get_buffer(source, &buffer), DRI_ERR_STATE) << "nothing is left behind";
    }
    const int64_t rows = sizes[0] / strips;
    const CornerTurn turn({rows, sizes[1]}, DRI_FLOAT, procs);
    const Xfer source = make_xfer("budget", DRI_SOURCE, turn.rows),
               sink = make_xfer("budget", DRI_SINK, turn.columns);
    expect_success(commit_within(turn, source, sink), "DRI_commit");
    const auto value = [&](int64_t i, int64_t j) { return static_cast<float>(1 + i * sizes[1] + j); };
    int64_t wrong = 0;
    for (int64_t first = 0; first < sizes[0]; first += rows) {
        float *out = buffer_of<float>(source);
        for (int64_t i = turn.row.left_x; i < turn.row.right_x; ++i)
            for (int64_t j = 0; j < sizes[1]; ++j)
                *out++ = value(first + i, j);
        expect_success(DRI_do("budget", DRI_XFER_NULL), "DRI_do");
        const float *in = buffer_of<float>(sink);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = turn.column.left_x; j < turn.column.right_x; ++j)
                wrong += *in++ != value(first + i, j);
    }
    EXPECT_EQ(wrong, 0);
    return "";
}

// A window slides along the rows of the source's array, which are not cut. One commit serves all offsets.
std::string check_offset(const Json &) {
    constexpr int64_t rows = 10, window = 4, columns = 6;
    const Group all = make_world();
    const Gdo whole = make_gdo({rows, columns}, DRI_INT32);
    Gdo box;
    const int64_t origin[]{0, 0}, sizes[]{window, columns};
    expect_success(DRI_gdo_subset(whole, origin, sizes, box.out()), "DRI_gdo_subset");
    const Dist longer = make_dist(whole, make_blocks(2, 1), all), slice = make_dist(box, make_blocks(2, 0), all);
    const Xfer source = make_xfer("offset", DRI_SOURCE, longer), sink = make_xfer("offset", DRI_SINK, slice);
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
    commit(all);
    DRI_Part_tuple mine[2], received[2];
    expect_success(DRI_dist_get_part(longer, world().rank, mine), "DRI_dist_get_part");
    expect_success(DRI_dist_get_part(slice, world().rank, received), "DRI_dist_get_part");
    auto *out = buffer_of<int32_t>(source);
    for (int32_t i = 0; i < rows; ++i)
        for (auto j = static_cast<int32_t>(mine[1].left_x); j < mine[1].right_x; ++j)
            *out++ = 1 + i * static_cast<int32_t>(columns) + j;
    for (int64_t at = 0; at + window <= rows; ++at) {
        const int64_t offset[]{at, 0};
        expect_success(DRI_xfer_rebase(source, offset), "DRI_xfer_rebase");
        expect_success(DRI_do("offset", DRI_XFER_NULL), "DRI_do");
        const auto *in = buffer_of<int32_t>(sink);
        for (int64_t i = received[0].left_x; i < received[0].right_x; ++i)
            for (int64_t j = 0; j < columns; ++j)
                EXPECT_EQ(*in++, 1 + (at + i) * columns + j) << "offset " << at << ", " << i << "," << j;
    }
    return "";
}

} // namespace dri::test
