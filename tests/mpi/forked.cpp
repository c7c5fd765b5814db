// Children that a program forks while the library runs, with and without threads of its own. Every call in a child
// is refused at once, and the parent's frames are not disturbed.
#include "support/child.hpp"
#include "support/dropping.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"

#include <unistd.h>

namespace dri::test {
namespace {

// A corner turn over all processes. It moves frames while children are forked and exit.
class CornerTurn {
public:
    CornerTurn(int threads, int progress) {
        set_attr(sink_, DRI_ATTR_THREADS, threads);
        set_attr(sink_, DRI_ATTR_SHARE_BYTES, 1000);
        set_attr(source_, DRI_ATTR_PROGRESS_THREAD, progress);
        commit(make_world());
    }
    void frames(int n) {
        for (int i = 0; i < n; ++i, ++frame_) {
            source_->fill(buffer_of<void>(source_->xfer), frame_);
            expect_success(DRI_do("turning", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(sink_->wrong(buffer_of<void>(sink_->xfer), frame_), 0) << frame_;
        }
    }
    DRI_Xfer source() const { return source_->xfer; }
    DRI_Xfer sink() const { return sink_->xfer; }
    int64_t wrong() const { return sink_->wrong(buffer_of<void>(sink_->xfer), frame_ - 1); }

private:
    std::optional<Strip> source_ = declare_stream("turning", all_ranks(), 2, {200, 150}),
                         sink_ = declare_strip("turning", DRI_SINK, all_ranks(), 2, {200, 150});
    int64_t frame_ = 0;
};

// Makes the calls of a frame, by the parent's name and by its handle, and others. Returns the number of the first
// call that is not refused, or 0.
int call_all(DRI_Xfer xfer) {
    int done = 0, rank = 0, number = 0;
    int flag = 1;
    DRI_Gdo gdo{};
    void *memory = &rank;
    const int64_t sizes[]{4};
    for (const int code :
         {DRI_do("turning", DRI_XFER_NULL), DRI_do(nullptr, xfer), DRI_start("turning", DRI_XFER_NULL),
          DRI_test(nullptr, xfer, &done), DRI_insert(xfer, nullptr), DRI_acquire(xfer, nullptr),
          DRI_next(xfer, nullptr), DRI_xfer_close(xfer), DRI_xfer_destroy(&xfer), DRI_progress(),
          DRI_world_rank(&rank), DRI_gdo_create(1, DRI_FLOAT, sizes, &gdo), DRI_free(memory),
          DRI_alloc(1, 0, &memory), DRI_init(nullptr, nullptr), DRI_init_comm(MPI_COMM_WORLD), DRI_init_fcomm(0),
          DRI_finalize()}) {
        ++number;
        if (!is_refused(code))
            return number;
    }
    return DRI_initialized(&flag) == DRI_SUCCESS && flag == 0 ? 0 : 99;
}

TEST(Forked, ChildrenDoNotDisturbTheParent) {
    for (const int threads : {1, 3})
        for (const int progress : {0, 1}) {
            CornerTurn corner_turn(threads, progress);
            corner_turn.frames(3);
            for (int round = 0; round < 5; ++round) {
                EXPECT_EQ(outcome_of([] { return 7; }), "7");
                corner_turn.frames(1);
                EXPECT_EQ(outcome_of([] {
                              execl("/bin/sh", "sh", "-c", "exit 8", nullptr);
                              return 1;
                          }),
                          "8");
                corner_turn.frames(1);
                EXPECT_EQ(outcome_of([&] { return call_all(corner_turn.source()); }), "0");
                corner_turn.frames(1);
            }
        }
}

// A child reads buffers that the parent keeps, and frees its copy. The parent's stay.
TEST(Forked, AChildReadsKeptBuffers) {
    CornerTurn corner_turn(1, 0);
    corner_turn.frames(2);
    DRI_Kept *source = nullptr, *sink = nullptr;
    expect_success(DRI_xfer_keep_buffers(corner_turn.source(), &source), "DRI_xfer_keep_buffers");
    expect_success(DRI_xfer_keep_buffers(corner_turn.sink(), &sink), "DRI_xfer_keep_buffers");
    const auto *const first = buffer_of<volatile char>(corner_turn.sink());
    const char expected = *first;
    EXPECT_EQ(outcome_of([&] {
                  DRI_Kept *more = nullptr;
                  if (*first != expected || !is_refused(DRI_xfer_keep_buffers(corner_turn.sink(), &more)))
                      return 1;
                  return DRI_kept_free(source) == DRI_SUCCESS && DRI_kept_free(sink) == DRI_SUCCESS ? 0 : 2;
              }),
              "0");
    corner_turn.frames(2);
    EXPECT_EQ(corner_turn.wrong(), 0);
    EXPECT_EQ(DRI_kept_free(sink), DRI_SUCCESS);
    EXPECT_EQ(DRI_kept_free(source), DRI_SUCCESS);
    corner_turn.frames(1);
}

// A child that exits runs the library's exit code. It has the library's memory, but neither its threads nor MPI. A
// child of a child is tested, too.
TEST(Forked, AChildMayExitNormally) {
    if (sanitized)
        GTEST_SKIP() << "a child that exits runs the sanitizer's exit code";
    for (const int progress : {0, 1}) {
        CornerTurn corner_turn(2, progress);
        corner_turn.frames(2);
        EXPECT_EQ(outcome_of([&] {
                      if (const int wrong = call_all(corner_turn.source()))
                          return wrong;
                      return outcome_of([&] { return call_all(corner_turn.source()); }) == "0" ? 0 : 98;
                  }),
                  "0");
        EXPECT_EQ(outcome_of([]() -> int { exit(9); }), "9");
        corner_turn.frames(2);
    }
}

} // namespace
} // namespace dri::test
