// Wrong calls of DRI_dist_create. Collective: a mistake of one process gives all the same code.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

#include <algorithm>

namespace dri::test {
namespace {

class WrongDist : public LastErrs {
protected:
    Gdo gdo_ = make_gdo({12, 5});
    Part part_ = make_blocks(2, 0);

    std::function<int()> create(DRI_Gdo gdo, DRI_Part part, DRI_Group group) {
        return makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_dist_create(gdo, part, group, out); });
    }
    std::function<int()> create(DRI_Gdo gdo, DRI_Part part) { return create(gdo, part, world_); }
};

TEST_F(WrongDist, HandlesAndOutputsAreRefusedByAll) {
    Gdo gone_gdo = make_gdo({12, 5});
    Part gone_part = make_blocks(2, 0);
    Group gone_group = make_world();
    const DRI_Gdo g = gdo_, old_gdo = gone_gdo;
    const DRI_Part p = part_, old_part = gone_part;
    const DRI_Group w = world_, old_group = gone_group;
    gone_gdo.reset();
    gone_part.reset();
    gone_group.reset();
    const bool last = last_;
    const WrongCalls table{
        {"null GDO", create({}, p), DRI_ERR_HANDLE, {"GDO"}},
        {"null GDO on one process", create(last ? DRI_Gdo{} : g, p), DRI_ERR_HANDLE, {"GDO", "process " + who_}},
        {"a partition for a GDO", create(as<DRI_Gdo>(p), p), DRI_ERR_HANDLE, {"GDO", "partition"}},
        {"a destroyed GDO on one process", create(last ? old_gdo : g, p), DRI_ERR_HANDLE, {"process " + who_}},
        {"null partition", create(g, {}), DRI_ERR_HANDLE, {"partition"}},
        {"a GDO for a partition on one process",
         create(g, last ? as<DRI_Part>(g) : p),
         DRI_ERR_HANDLE,
         {"process " + who_}},
        {"a destroyed partition", create(g, old_part), DRI_ERR_HANDLE, {"partition"}},
        {"null group", create(g, p, {}), DRI_ERR_HANDLE, {"group"}},
        {"a GDO for a group", create(g, p, as<DRI_Group>(g)), DRI_ERR_HANDLE, {"group"}},
        {"a destroyed group", create(g, p, old_group), DRI_ERR_HANDLE, {"group"}},
        {"no output for the handle", [=] { return DRI_dist_create(g, p, w, nullptr); }, DRI_ERR_ARG, {"dist"}},
        {"no output for the handle on one process",
         [=] {
             DRI_Dist dist{5};
             const int code = DRI_dist_create(g, p, w, last ? nullptr : &dist);
             if (!last && dist.id != 0)
                 note_output_not_nulled();
             return code;
         },
         DRI_ERR_ARG,
         {"dist", "process " + who_}},
    };
    expect_refused_by_all(table);
}

TEST_F(WrongDist, PartitionsThatDoNotFitAreRefusedByAll) {
    const int n = size_;
    // the sizes add up to 2n, but the dimension has 12n + 1 elements
    const std::vector<int64_t> sizes(static_cast<size_t>(n), 2);
    const Gdo long_gdo = make_gdo({12 * n + 1, 5});
    const Part one = make_part({{}}), three = make_part({{}, {}, {}});
    const Part many = make_part({{.kind = DRI_BLOCK, .nparts = n + 1}, {}});
    const Part grid = make_part({{.kind = DRI_BLOCK, .nparts = n}, {.kind = DRI_BLOCK, .nparts = 2}});
    const Part exact = make_part({{.kind = DRI_BLOCK, .nparts = n, .min = 12, .max = 12}, {}});
    const Part short_max = make_part({{.kind = DRI_BLOCK, .max = 3}, {}});
    const Part high_min = make_part({{.kind = DRI_BLOCK, .nparts = n, .min = 12 * n + 2}, {}});
    const Part cyclic = make_part({{.kind = DRI_BLOCK_CYCLIC, .nparts = n, .block = 4, .max = 2}, {}});
    const Part sum = make_part({{.kind = DRI_SIZES, .nparts = n, .sizes = sizes.data()}, {}});
    const Part whole = make_part({{}, {.min = 6}});
    const std::string elements = std::to_string(12 * n + 1), parts = std::to_string(n);
    WrongCalls table{
        {"one dimension for two", create(gdo_, one), DRI_ERR_ARG, {"1", "2", "dimension"}},
        {"three dimensions for two", create(gdo_, three), DRI_ERR_ARG, {"3", "2", "dimension"}},
        {"one part more than processes", create(gdo_, many), DRI_ERR_ARG, {std::to_string(n + 1), parts}},
        {"a grid of twice the processes", create(gdo_, grid), DRI_ERR_ARG, {parts, "2"}},
        {"exactly 12 each, and one element left",
         create(long_gdo, exact),
         DRI_ERR_CONSTRAINT,
         {"dimension 0", elements, "12"}},
        {"at most 3 each", create(long_gdo, short_max), DRI_ERR_CONSTRAINT, {"dimension 0", elements, "3"}},
        {"more each than there are",
         create(long_gdo, high_min),
         DRI_ERR_CONSTRAINT,
         {"dimension 0", elements, std::to_string(12 * n + 2)}},
        {"cyclic parts above their limit",
         create(long_gdo, cyclic),
         DRI_ERR_CONSTRAINT,
         {"dimension 0", "part 0", "2"}},
        {"a whole dimension below its limit", create(gdo_, whole), DRI_ERR_CONSTRAINT, {"dimension 1", "5", "6"}},
        {"sizes with another sum",
         create(long_gdo, sum),
         DRI_ERR_CONSTRAINT,
         {"dimension 0", std::to_string(2 * n), elements}},
    };
    const Part two = make_part({{.kind = DRI_BLOCK, .nparts = 2}, {}});
    if (n > 2 && n % 2 == 1)
        table.push_back(
            {"processes that are no multiple of the parts", create(gdo_, two), DRI_ERR_ARG, {parts, "2"}});
    expect_refused_by_all(table);
}

TEST_F(WrongDist, ProcessesThatDisagreeAreRefusedByAll) {
    if (size_ < 2)
        GTEST_SKIP() << "one process cannot disagree";
    const bool last = last_;
    const int n = size_;
    std::vector<int> backwards = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    const Gdo longer = make_gdo({13, 5}), doubles = make_gdo({12, 5}, DRI_DOUBLE),
              integers = make_gdo({12, 5}, DRI_INT32);
    const Gdo third = make_gdo({12, 5, 1});
    const Part columns = make_blocks(2, 1), ceil = make_part({{.kind = DRI_BLOCK, .remainder = DRI_CEIL}, {}});
    const Part same_text = make_part({{.kind = DRI_BLOCK, .nparts = n}, {}});
    const Part tiny = make_part({{.kind = DRI_BLOCK, .max = 1}, {}});
    const Group turned = make_group(backwards);
    const std::vector<int64_t> even(static_cast<size_t>(n), 12), uneven = [&] {
        std::vector<int64_t> sizes = even;
        ++sizes[0], --sizes[1];
        return sizes;
    }();
    const Gdo long_gdo = make_gdo({12 * n, 5});
    const Part sizes = make_part({{.kind = DRI_SIZES, .nparts = n, .sizes = (last ? uneven : even).data()}, {}});
    const DRI_Gdo g = gdo_;
    const DRI_Part p = part_;
    const DRI_Group w = world_;
    const WrongCalls table{
        {"other sizes",
         create(last ? longer.get() : g, p),
         DRI_ERR_MISMATCH,
         {"[12,5]", "[13,5]", "process " + who_}},
        {"another type",
         create(last ? doubles.get() : g, p),
         DRI_ERR_MISMATCH,
         {"float", "double", "process " + who_}},
        {"another type of the same size",
         create(last ? integers.get() : g, p),
         DRI_ERR_MISMATCH,
         {"float", "int32"}},
        {"another cut dimension", create(g, last ? columns.get() : p), DRI_ERR_MISMATCH, {"process " + who_}},
        {"another remainder", create(g, last ? ceil.get() : p), DRI_ERR_MISMATCH, {"ceil"}},
        {"other sizes of parts", create(long_gdo, sizes), DRI_ERR_MISMATCH, {"12", "13"}},
        {"another order of the group", create(g, p, last ? turned.get() : w), DRI_ERR_MISMATCH, {}},
        {"other dimensions on one process",
         create(last ? third.get() : g, p),
         DRI_ERR_ARG,
         {"3", "2", "process " + who_}},
        {"a constraint on one process", create(g, last ? tiny.get() : p), DRI_ERR_CONSTRAINT, {"process " + who_}},
    };
    expect_refused_by_all(table);
}

TEST_F(WrongDist, ProcessesOutsideTheGroupAreRefused) {
    if (size_ < 2)
        GTEST_SKIP() << "needs a process outside";
    const Group others = make_group({(rank_ + 1) % size_});
    expect_refused({{"a group without the caller",
                     create(gdo_, part_, others),
                     DRI_ERR_ARG,
                     {"process " + std::to_string(rank_), std::to_string((rank_ + 1) % size_)}}});
}

} // namespace
} // namespace dri::test
