// Wrong uses of the user's buffers: sizes, and views of what cannot be viewed.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

class WrongBuffers : public LastErrs {
protected:
    // Each process has two rows of a source, or all rows of one column of a sink.
    Dist rows_ = make_dist(make_gdo({2 * size_, size_}, DRI_DOUBLE), make_blocks(2, 0), world_);
    Dist columns_ = make_dist(make_gdo({2 * size_, size_}, DRI_DOUBLE), make_blocks(2, 1), world_);
    int64_t bytes_ = 16 * size_; // of either part
    std::vector<double> from_ = std::vector<double>(at(2 * size_)), to_ = from_;

    static size_t at(int64_t i) { return static_cast<size_t>(i); }
    // sizes: of the buffers of source and sink; -1: the attribute is not set.
    std::function<int()> committing(int64_t source_bytes, int64_t sink_bytes, int64_t in_place = 0) {
        return [=, this] {
            Xfer source, sink;
            void *const out[]{from_.data()}, *const in[]{in_place ? from_.data() : to_.data()};
            expect_success(DRI_xfer_create("sized", DRI_SOURCE, rows_, DRI_ROW_MAJOR, 1, out, source.out()),
                           "DRI_xfer_create");
            expect_success(DRI_xfer_create("sized", DRI_SINK, columns_, DRI_COL_MAJOR, 1, in, sink.out()),
                           "DRI_xfer_create");
            for (const auto &[xfer, bytes] : {std::pair(source.get(), source_bytes), {sink.get(), sink_bytes}}) {
                expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, in_place), "DRI_xfer_set_attr");
                if (bytes >= 0)
                    expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_BUFFER_BYTES, bytes), "DRI_xfer_set_attr");
            }
            const int queried = DRI_xfer_query(world_, 0, nullptr, nullptr);
            const int committed = DRI_commit(world_);
            EXPECT_EQ(queried, committed) << "a query fails as the commit does";
            return committed;
        };
    }
};

TEST_F(WrongBuffers, OneByteTooLittleIsRefusedByAll) {
    const int64_t one_less = last_ ? bytes_ - 1 : bytes_;
    const std::string less = std::to_string(bytes_ - 1), needed = std::to_string(bytes_);
    expect_refused_by_all({
        {"a source",
         committing(one_less, bytes_),
         DRI_ERR_ARG,
         {"'sized'", "source of process " + who_, "DRI_ATTR_BUFFER_BYTES", less, needed}},
        {"a sink", committing(-1, one_less), DRI_ERR_ARG, {"'sized'", "sink of process " + who_, less, needed}},
        {"in place",
         committing(one_less, -1, DRI_IN_PLACE),
         DRI_ERR_ARG,
         {"'sized'", "source of process " + who_, less, needed}},
        {"a buffer of no bytes", committing(last_ ? 0 : bytes_, -1), DRI_ERR_ARG, {"have 0 bytes"}},
    });
    for (const int64_t in_place : {0, 1}) {
        expect_success(committing(bytes_, bytes_, in_place)(), "DRI_commit");
        expect_success(committing(bytes_ + 100, -1, in_place)(), "DRI_commit");
    }
}

// The attribute is about the user's buffers alone. Parts without elements need no bytes.
TEST_F(WrongBuffers, TheLibrarysBuffersHaveTheirSize) {
    const Xfer source = make_xfer("own", DRI_SOURCE, rows_), sink = make_xfer("own", DRI_SINK, columns_);
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_BUFFER_BYTES, 1), "DRI_xfer_set_attr");
    const Dist empty = make_dist(make_gdo({0, 5}), make_blocks(2, 0), world_);
    Xfer nothing;
    void *const none[]{from_.data()};
    expect_success(DRI_xfer_create("none", DRI_SOURCE, empty, DRI_ROW_MAJOR, 1, none, nothing.out()),
                   "DRI_xfer_create");
    expect_success(DRI_xfer_set_attr(nothing, DRI_ATTR_BUFFER_BYTES, 0), "DRI_xfer_set_attr");
    const Xfer of_nothing = make_xfer("none", DRI_SINK, empty);
    commit(world_);
    expect_success(DRI_do("own", DRI_XFER_NULL), "DRI_do");
    DRI_View view;
    expect_success(DRI_xfer_get_view(nothing, &view), "DRI_xfer_get_view");
    EXPECT_EQ(view.range[0].size, 0);
    EXPECT_EQ(view.data, static_cast<void *>(from_.data()));
    const DRI_Xfer x = source;
    expect_refused({
        {"no output for the view", [=] { return DRI_xfer_get_view(x, nullptr); }, DRI_ERR_ARG, {"view"}},
        {"a size after the commit",
         [=] { return DRI_xfer_set_attr(x, DRI_ATTR_BUFFER_BYTES, 5); },
         DRI_ERR_STATE,
         {"'own'"}},
        {"a negative size",
         [=] { return DRI_xfer_set_attr(x, DRI_ATTR_BUFFER_BYTES, -1); },
         DRI_ERR_ARG,
         {"DRI_ATTR_BUFFER_BYTES is -1"}},
    });
}

} // namespace
} // namespace dri::test
