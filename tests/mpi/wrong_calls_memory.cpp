// Wrong uses of the library's memory.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

class WrongMemory : public LastErrs {
protected:
    Group alone_ = make_group({rank_});
    Dist dist_ = make_dist(make_gdo({6, 4}, DRI_DOUBLE), make_blocks(2, 0), alone_);
    void *memory_ = nullptr;

    void SetUp() override { expect_success(DRI_alloc(1000, 0, &memory_), "DRI_alloc"); }
    void TearDown() override { expect_success(DRI_free(memory_), "DRI_free"); }
    char *at(size_t offset) const { return static_cast<char *>(memory_) + offset; }
    Xfer declare(const char *name, DRI_Role role, void *buffer) const {
        Xfer xfer;
        expect_success(DRI_xfer_create(name, role, dist_, DRI_ROW_MAJOR, 1, &buffer, xfer.out()),
                       "DRI_xfer_create");
        return xfer;
    }
};

std::function<int()> takes(size_t bytes, size_t alignment) {
    return [=] {
        void *memory = &memory;
        const int code = DRI_alloc(bytes, alignment, &memory);
        if (memory)
            note_output_not_nulled();
        return code;
    };
}

TEST_F(WrongMemory, CallsAreRefused) {
    static int own = 0;
    void *const inside = at(64);
    void *gone = nullptr;
    expect_success(DRI_alloc(10, 0, &gone), "DRI_alloc");
    expect_success(DRI_free(gone), "DRI_free");
    expect_refused({
        {"no output", [] { return DRI_alloc(1, 0, nullptr); }, DRI_ERR_ARG, {"memory"}},
        {"an alignment of 3", takes(10, 3), DRI_ERR_ARG, {"alignment is 3", "power of two"}},
        {"an alignment of 2^31", takes(10, size_t{1} << 31), DRI_ERR_ARG, {"alignment is 2147483648"}},
        {"more than there is", takes(size_t{1} << 61, 0), DRI_ERR_MEMORY, {}},
        {"more than 64 bits hold", takes(~size_t{0}, 0), DRI_ERR_MEMORY, {}},
        {"memory of the program", [] { return DRI_free(&own); }, DRI_ERR_ARG, {"DRI_alloc"}},
        {"an address inside", [=] { return DRI_free(inside); }, DRI_ERR_ARG, {"DRI_alloc"}},
        {"memory that is freed", [=] { return DRI_free(gone); }, DRI_ERR_ARG, {"freed already"}},
    });
    EXPECT_EQ(DRI_free(nullptr), DRI_SUCCESS);
}

TEST_F(WrongMemory, IsNotFreedWhileAnEndpointUsesIt) {
    void *const memory = memory_;
    const auto frees = [=] { return DRI_free(memory); };
    {
        const Xfer source = declare("used", DRI_SOURCE, at(808)), sink = make_xfer("used", DRI_SINK, dist_);
        const WrongCalls refused{{"memory of a source", frees, DRI_ERR_STATE, {"source of transfer 'used'"}}};
        expect_refused(refused);
        commit(alone_);
        expect_refused(refused);
        buffer_of<double>(source)[23] = 5;
        expect_success(DRI_do("used", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(buffer_of<double>(sink)[23], 5);
    }
    Xfer sink = declare("used", DRI_SINK, at(0));
    expect_refused({{"memory of a declared sink", frees, DRI_ERR_STATE, {"sink of transfer 'used'"}}});
    EXPECT_EQ(sink.reset(), DRI_SUCCESS);
}

auto rebinds(DRI_Xfer xfer, void *buffer) {
    return [=] { return DRI_xfer_rebind(xfer, buffer); };
}

TEST_F(WrongMemory, BuffersThatMoveAreRefused) {
    const Xfer source = make_xfer("moves", DRI_SOURCE, dist_), sink = declare("moves", DRI_SINK, at(0));
    const DRI_Xfer out = source, in = sink;
    expect_success(DRI_xfer_set_attr(in, DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
    expect_refused({
        {"before the commit", rebinds(in, at(8)), DRI_ERR_STATE, {"'moves'"}},
        {"a value of 2", [=] { return DRI_xfer_set_attr(out, DRI_ATTR_REBIND, 2); }, DRI_ERR_ARG, {"0 to 1"}},
    });
    commit(alone_);
    expect_refused({
        {"of null", rebinds({}, at(0)), DRI_ERR_HANDLE, {}},
        {"no memory", rebinds(in, nullptr), DRI_ERR_ARG, {"buffer"}},
        {"not aligned", rebinds(in, at(4)), DRI_ERR_ARG, {"'moves'", "aligned to the 8 bytes"}},
        {"too near to the end", rebinds(in, at(816)), DRI_ERR_ARG, {"'moves'", "184 bytes", "192"}},
        {"an endpoint that stays", rebinds(out, at(0)), DRI_ERR_STATE, {"'moves'", "source", "DRI_ATTR_REBIND"}},
    });
    buffer_of<double>(source)[0] = 3;
    expect_success(DRI_do("moves", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(*reinterpret_cast<double *>(at(0)), 3) << "a refused call moves nothing";
}

// What does not go together, refused on all processes.
TEST_F(WrongMemory, BuffersThatMoveAreAloneAndPlain) {
    const Dist shared = make_dist(make_gdo({6 * size_, 4}, DRI_DOUBLE), make_blocks(2, 0), world_);
    const auto committing = [&, this](int nbuffs, DRI_Attr attr, int64_t value, bool rebinds_here = true) {
        return [&, nbuffs, attr, value, rebinds_here, this] {
            const Xfer source = make_xfer("plain", DRI_SOURCE, shared, DRI_ROW_MAJOR, last_ ? nbuffs : 1),
                       sink = make_xfer("plain", DRI_SINK, shared);
            expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBIND, rebinds_here), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(source, attr, value), "DRI_xfer_set_attr");
            if (attr == DRI_ATTR_IN_PLACE)
                expect_success(DRI_xfer_set_attr(sink, attr, value), "DRI_xfer_set_attr");
            return DRI_commit(world_);
        };
    };
    const auto in_strips = [&, this] {
        const Gdo whole = make_gdo({6, 4 * size_}, DRI_DOUBLE);
        const int64_t from[]{0, 0}, sizes[]{2, 4 * size_};
        Gdo first;
        expect_success(DRI_gdo_subset(whole, from, sizes, first.out()), "DRI_gdo_subset");
        const Dist strip = make_dist(first, make_blocks(2, 1), world_),
                   all = make_dist(whole, make_blocks(2, 1), world_);
        Xfer source;
        expect_success(
            DRI_xfer_create_strips("plain", DRI_SOURCE, whole, 0, strip, DRI_ROW_MAJOR, 1, nullptr, source.out()),
            "DRI_xfer_create_strips");
        const Xfer sink = make_xfer("plain", DRI_SINK, all);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_REBIND, 1), "DRI_xfer_set_attr");
        return DRI_commit(world_);
    };
    WrongCalls table{
        {"two buffers",
         committing(2, DRI_ATTR_THREADS, 1),
         DRI_ERR_ARG,
         {"'plain'", "source of process " + who_, "DRI_ATTR_REBIND and 2 buffers"}},
        {"in place",
         committing(1, DRI_ATTR_IN_PLACE, DRI_IN_PLACE),
         DRI_ERR_UNSUPPORTED,
         {"'plain'", "in place", "source", "DRI_ATTR_REBIND"}},
        {"a window that slides",
         committing(1, DRI_ATTR_REBASE, 2),
         DRI_ERR_UNSUPPORTED,
         {"'plain'", "DRI_ATTR_REBASE", "DRI_ATTR_REBIND"}},
        {"strips", in_strips, DRI_ERR_UNSUPPORTED, {"'plain'", "strips", "sink", "DRI_ATTR_REBIND"}},
    };
    if (size_ > 1)
        table.push_back({"all but one process",
                         committing(1, DRI_ATTR_THREADS, 1, !last_),
                         DRI_ERR_MISMATCH,
                         {"'plain'", "DRI_ATTR_REBIND is 1 on process 0, but 0 on process " + who_}});
    expect_refused_by_all(table);
}

// The library knows the end of its memory. All processes of the commit fail.
TEST_F(WrongMemory, ABufferMustEndInIt) {
    const Dist shared = make_dist(make_gdo({6 * size_, 4}, DRI_DOUBLE), make_blocks(2, 0), world_);
    const auto committing = [&, this](size_t source_at, size_t sink_at) {
        return [&, source_at, sink_at, this] {
            Xfer source, sink;
            void *out = at(source_at), *in = at(sink_at);
            expect_success(DRI_xfer_create("ends", DRI_SOURCE, shared, DRI_ROW_MAJOR, 1, &out, source.out()),
                           "DRI_xfer_create");
            expect_success(DRI_xfer_create("ends", DRI_SINK, shared, DRI_ROW_MAJOR, 1, &in, sink.out()),
                           "DRI_xfer_create");
            return DRI_commit(world_);
        };
    };
    expect_refused_by_all({
        {"a source",
         committing(last_ ? 816 : 808, 0),
         DRI_ERR_ARG,
         {"'ends'", "source of process " + who_, "184 bytes", "DRI_alloc", "192"}},
        {"a sink", committing(0, last_ ? 992 : 808), DRI_ERR_ARG, {"sink of process " + who_, "8 bytes"}},
    });
    expect_success(committing(0, 808)(), "DRI_commit");
}

} // namespace
} // namespace dri::test
