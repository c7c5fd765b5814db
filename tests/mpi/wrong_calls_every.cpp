// Wrong calls with DRI_ATTR_EVERY and DRI_ATTR_PHASE, and what they do not go with.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

std::function<int()> sets(DRI_Xfer xfer, DRI_Attr attribute, int64_t value) {
    return [=] { return DRI_xfer_set_attr(xfer, attribute, value); };
}

struct EveryEnds {
    Group all = make_world();
    Gdo gdo = make_gdo({14, 10}, DRI_INT32);
    Dist rows = make_dist(gdo, make_blocks(2, 0), all), columns = make_dist(gdo, make_blocks(2, 1), all);
    Xfer source = make_xfer("dwells", DRI_SOURCE, rows), sink = make_xfer("dwells", DRI_SINK, columns);
};

TEST(WrongEvery, ValuesAreRefused) {
    const EveryEnds e;
    expect_refused({
        {"no frame", sets(e.sink, DRI_ATTR_EVERY, 0), DRI_ERR_ARG, {"DRI_ATTR_EVERY is 0", "1 to 1048576"}},
        {"backwards", sets(e.sink, DRI_ATTR_EVERY, -2), DRI_ERR_ARG, {"DRI_ATTR_EVERY is -2"}},
        {"too seldom", sets(e.sink, DRI_ATTR_EVERY, largest), DRI_ERR_ARG, {"DRI_ATTR_EVERY"}},
        {"before the first",
         sets(e.sink, DRI_ATTR_PHASE, -1),
         DRI_ERR_ARG,
         {"DRI_ATTR_PHASE is -1", "0 to 1048575"}},
        {"too late", sets(e.sink, DRI_ATTR_PHASE, largest), DRI_ERR_ARG, {"DRI_ATTR_PHASE"}},
        {"a source", sets(e.source, DRI_ATTR_EVERY, 2), DRI_ERR_ARG, {"DRI_ATTR_EVERY", "source"}},
        {"a source's phase", sets(e.source, DRI_ATTR_PHASE, 0), DRI_ERR_ARG, {"DRI_ATTR_PHASE", "source"}},
    });
    commit(e.all);
    expect_refused({
        {"after the commit", sets(e.sink, DRI_ATTR_EVERY, 2), DRI_ERR_STATE, {"committed"}},
        {"the phase, too", sets(e.sink, DRI_ATTR_PHASE, 0), DRI_ERR_STATE, {"committed"}},
    });
    expect_success(DRI_do("dwells", DRI_XFER_NULL), "DRI_do");
    barrier();
}

TEST(WrongEvery, ACommitRefusesAPhaseThatIsNone) {
    for (const auto &[every, phase] : {std::pair<int64_t, int64_t>{1, 1}, {3, 3}, {2, 5}}) {
        const EveryEnds e;
        expect_success(DRI_xfer_set_attr(e.sink, DRI_ATTR_PHASE, phase), "DRI_xfer_set_attr"); // in any order
        expect_success(DRI_xfer_set_attr(e.sink, DRI_ATTR_EVERY, every), "DRI_xfer_set_attr");
        expect_refused({{"a phase that is none",
                         [&] { return DRI_commit(e.all); },
                         DRI_ERR_ARG,
                         {"'dwells'", "process 0 has DRI_ATTR_PHASE " + std::to_string(phase),
                          "less than DRI_ATTR_EVERY, which is " + std::to_string(every)}}});
        expect_success(DRI_xfer_set_attr(e.sink, DRI_ATTR_PHASE, 0), "DRI_xfer_set_attr");
        commit(e.all);
        barrier();
    }
}

TEST(WrongEvery, ProcessesOfASinkMustAgree) {
    if (world().size < 2)
        GTEST_SKIP() << "one process agrees with itself";
    for (const DRI_Attr attribute : {DRI_ATTR_EVERY, DRI_ATTR_PHASE}) {
        const EveryEnds e;
        expect_success(DRI_xfer_set_attr(e.sink, DRI_ATTR_EVERY, 4), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(e.sink, DRI_ATTR_PHASE, 1), "DRI_xfer_set_attr");
        if (world().rank == 1)
            expect_success(DRI_xfer_set_attr(e.sink, attribute, 3), "DRI_xfer_set_attr");
        const bool every = attribute == DRI_ATTR_EVERY;
        expect_refused(
            {{"values that differ",
              [&] { return DRI_commit(e.all); },
              DRI_ERR_MISMATCH,
              {"'dwells'", "processes of the sink differ", every ? "DRI_ATTR_EVERY" : "DRI_ATTR_PHASE",
               every ? "is 4 on process 0, but 3 on process 1" : "is 1 on process 0, but 3 on process 1"}}});
        barrier();
    }
}

TEST(WrongEvery, StripsOfTheSourceAndInPlaceAreRefused) {
    const Group all = make_world();
    const Gdo whole = make_gdo({14, 10}, DRI_INT32);
    const int64_t zero[]{0, 0}, sizes[]{14, 5};
    Gdo half;
    expect_success(DRI_gdo_subset(whole, zero, sizes, half.out()), "DRI_gdo_subset");
    const Dist rows = make_dist(whole, make_blocks(2, 0), all), strip = make_dist(half, make_blocks(2, 0), all);
    {
        Xfer source;
        expect_success(DRI_xfer_create_strips("stripped", DRI_SOURCE, whole, 1, strip, DRI_ROW_MAJOR, 1, nullptr,
                                              source.out()),
                       "DRI_xfer_create_strips");
        const Xfer sink = make_xfer("stripped", DRI_SINK, rows);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_EVERY, 2), "DRI_xfer_set_attr");
        expect_refused(
            {{"strips of the source",
              [&] { return DRI_commit(all); },
              DRI_ERR_UNSUPPORTED,
              {"'stripped'", "the source has strips", "process 0", "every 2nd frame (DRI_ATTR_EVERY)"}}});
        barrier();
    }
    const Xfer source = make_xfer("shared", DRI_SOURCE, rows), sink = make_xfer("shared", DRI_SINK, rows);
    for (const DRI_Xfer xfer : {source.get(), sink.get()})
        expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_EVERY, 3), "DRI_xfer_set_attr");
    expect_refused({{"in place",
                     [&] { return DRI_commit(all); },
                     DRI_ERR_UNSUPPORTED,
                     {"'shared'", "DRI_ATTR_IN_PLACE", "every 3rd frame (DRI_ATTR_EVERY)"}}});
    barrier();
}

} // namespace
} // namespace dri::test
