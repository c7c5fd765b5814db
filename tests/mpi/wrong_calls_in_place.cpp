// Wrong uses of DRI_ATTR_IN_PLACE.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

class WrongInPlace : public LastErrs {
protected:
    Dist rows_ = make_dist(make_gdo({12, 5}), make_blocks(2, 0), world_);
    Dist columns_ = make_dist(make_gdo({12, 5}), make_blocks(2, 1), world_);
    alignas(64) float memory_[4][64]{};
};

struct PlacedEndpoint {
    DRI_Role role;
    DRI_Dist dist;
    std::vector<void *> buffers{nullptr};
    int in_place = DRI_IN_PLACE;
    bool here = true, stream = false;
};

std::function<int()> committing_in_place(const std::string &name, const std::vector<PlacedEndpoint> &endpoints,
                                         DRI_Group scope) {
    return [=] {
        std::vector<Xfer> declared;
        for (const PlacedEndpoint &endpoint : endpoints) {
            if (!endpoint.here)
                continue;
            Xfer xfer;
            expect_success(DRI_xfer_create(name.c_str(), endpoint.role, endpoint.dist, DRI_ROW_MAJOR,
                                           static_cast<int>(endpoint.buffers.size()), endpoint.buffers.data(),
                                           xfer.out()),
                           "DRI_xfer_create");
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, endpoint.in_place), "DRI_xfer_set_attr");
            if (endpoint.stream)
                expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
            declared.push_back(std::move(xfer));
        }
        return DRI_commit(scope);
    };
}

TEST_F(WrongInPlace, ValuesAreRefused) {
    const Xfer endpoint = make_xfer("value", DRI_SOURCE, rows_);
    const DRI_Xfer x = endpoint;
    expect_refused({
        {"3", [=] { return DRI_xfer_set_attr(x, DRI_ATTR_IN_PLACE, 3); }, DRI_ERR_ARG, {"DRI_ATTR_IN_PLACE is 3"}},
        {"-1", [=] { return DRI_xfer_set_attr(x, DRI_ATTR_IN_PLACE, -1); }, DRI_ERR_ARG, {"-1", "0 to 2"}},
    });
}

TEST_F(WrongInPlace, EndpointsThatDisagreeAreRefusedByAll) {
    const DRI_Dist r = rows_, c = columns_;
    const DRI_Group w = world_;
    const Dist more = make_dist(make_gdo({12, 5}),
                                make_part({{.kind = DRI_BLOCK_CYCLIC, .nparts = size_, .block = 1}, {}}), world_);
    WrongCalls table{
        {"a source alone",
         committing_in_place("placed", {{DRI_SOURCE, r}, {DRI_SINK, c, {nullptr}, DRI_OUT_OF_PLACE}}, w),
         DRI_ERR_MISMATCH,
         {"'placed'", "DRI_ATTR_IN_PLACE", "source", "sink"}},
        {"a sink alone",
         committing_in_place("placed", {{DRI_SOURCE, r, {nullptr}, DRI_OUT_OF_PLACE}, {DRI_SINK, c}}, w),
         DRI_ERR_MISMATCH,
         {"'placed'", "DRI_ATTR_IN_PLACE is 0 at the source", "1 at the sink"}},
        {"a compact source",
         committing_in_place("placed", {{DRI_SOURCE, r, {nullptr}, DRI_IN_PLACE_COMPACT}, {DRI_SINK, c}}, w),
         DRI_ERR_MISMATCH,
         {"'placed'", "DRI_ATTR_IN_PLACE is 2 at the source", "1 at the sink"}},
        {"two sinks",
         committing_in_place("placed", {{DRI_SOURCE, r}, {DRI_SINK, c}, {DRI_SINK, more}}, w),
         DRI_ERR_MISMATCH,
         {"'placed'", "DRI_ATTR_IN_PLACE", "one sink", "2"}},
        {"a stream",
         committing_in_place("placed", {{DRI_SOURCE, r, {nullptr}, DRI_IN_PLACE, true, true}, {DRI_SINK, c}}, w),
         DRI_ERR_UNSUPPORTED,
         {"'placed'", "DRI_ATTR_IN_PLACE", "DRI_ATTR_STREAM"}},
        {"other numbers of buffers on one process",
         committing_in_place("placed", {{DRI_SOURCE, r, std::vector<void *>(last_ ? 2 : 1)}, {DRI_SINK, c}}, w),
         DRI_ERR_ARG,
         {"'placed'", "2 buffers", "1"}},
        {"other buffers on one process",
         committing_in_place("placed", {{DRI_SOURCE, r, {memory_[0]}}, {DRI_SINK, c, {memory_[last_ ? 1 : 0]}}},
                             w),
         DRI_ERR_ARG,
         {"'placed'", "in place", "buffer 0"}},
        {"buffers that share memory",
         committing_in_place("placed",
                             {{DRI_SOURCE, r, {memory_[0], nullptr}},
                              {DRI_SINK, c, {nullptr, last_ ? static_cast<void *>(memory_[0]) : memory_[2]}}},
                             w),
         DRI_ERR_ARG,
         {"'placed'", "share memory"}},
    };
    if (size_ > 1) {
        const bool not_last = !last_;
        table.push_back(
            {"a process without the attribute",
             committing_in_place("placed",
                                 {{DRI_SOURCE, r, {nullptr}, not_last}, {DRI_SINK, c, {nullptr}, not_last}}, w),
             DRI_ERR_MISMATCH,
             {"'placed'", "process " + who_, "process 0"}});
        std::vector<int> fewer = all_ranks();
        fewer.pop_back();
        Dist of_fewer;
        if (not_last)
            of_fewer = make_dist(make_gdo({12, 5}), make_blocks(2, 1), make_group(fewer));
        auto shared = std::make_shared<Dist>(std::move(of_fewer));
        const DRI_Dist f = *shared;
        table.push_back({"a process without a sink",
                         [=] {
                             const auto keep = shared;
                             return committing_in_place(
                                 "placed", {{DRI_SOURCE, r}, {DRI_SINK, f, {nullptr}, DRI_IN_PLACE, not_last}},
                                 w)();
                         },
                         DRI_ERR_MISMATCH,
                         {"'placed'", "same processes"}});
    }
    expect_refused_by_all(table);
}

// Half a frame is refused. A whole frame by the handle of one endpoint moves both.
TEST_F(WrongInPlace, HalvesOfAFrameAreRefused) {
    const Xfer source = make_xfer("together", DRI_SOURCE, rows_), sink = make_xfer("together", DRI_SINK, columns_);
    for (const DRI_Xfer endpoint : {source.get(), sink.get()})
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, 1), "DRI_xfer_set_attr");
    commit(world_);
    const DRI_Xfer out = source, in = sink;
    const std::vector<std::string> words{"'together'", "in place", "both endpoints together"};
    expect_refused({
        {"acquire", [=] { return DRI_acquire(out, nullptr); }, DRI_ERR_ARG, words},
        {"insert", [=] { return DRI_insert(out, nullptr); }, DRI_ERR_ARG, words},
        {"extract", [=] { return DRI_extract(in, nullptr, nullptr); }, DRI_ERR_ARG, words},
        {"release", [=] { return DRI_release(in); }, DRI_ERR_ARG, words},
        {"wait of the sink before a start", [=] { return DRI_wait(nullptr, in); }, DRI_ERR_STATE, {"DRI_start"}},
        {"get_frame of the source",
         [=] { return DRI_xfer_get_frame(out, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"source"}},
        {"get_frame before the first frame",
         [=] { return DRI_xfer_get_frame(in, nullptr, nullptr); },
         DRI_ERR_STATE,
         {"'together'", "holds no frame"}},
    });
    DRI_Xfer_info info;
    int64_t frames = 0;
    const auto expect_frame = [&](const char *what) {
        ++frames;
        for (const DRI_Xfer endpoint : {out, in}) {
            expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
            EXPECT_EQ(info.frames, frames) << what;
        }
    };
    expect_success(DRI_do("together", DRI_XFER_NULL), "DRI_do");
    expect_frame("by name");
    expect_success(DRI_do(nullptr, out), "DRI_do of the source");
    expect_frame("by the source");
    expect_success(DRI_do("together", in), "DRI_do of the sink");
    expect_frame("by the sink");
    expect_success(DRI_next(out, nullptr), "DRI_next of the buffer that is held");
    expect_success(DRI_start(nullptr, out), "DRI_start of the source");
    expect_refused({
        {"a start of the sink, too", [=] { return DRI_start(nullptr, in); }, DRI_ERR_STATE, {"started"}},
        {"the next buffer of what is started", [=] { return DRI_next(out, nullptr); }, DRI_ERR_ARG, words},
    });
    for (int done = 0; !done;)
        ASSERT_EQ(DRI_test(nullptr, in, &done), DRI_SUCCESS) << DRI_error_message();
    expect_success(DRI_wait("together", DRI_XFER_NULL), "DRI_wait after the test");
    expect_frame("in halves");
}

} // namespace
} // namespace dri::test
