// Wrong calls with weights, lists of indices, overlap and exact pieces, and sources whose pieces do not tile.
#include "support/last_errs.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

#include <cstring>
#include <limits>

namespace dri::test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::function<int()> weights(const std::vector<double> &values) {
    return makes<DRI_Part>([=](DRI_Part *out) {
        const DRI_Part_dim dim =
            Rule{.kind = DRI_WEIGHTS, .nparts = static_cast<int>(values.size()), .weights = values.data()};
        return DRI_part_create_rule(1, &dim, out);
    });
}

std::function<int()> indices(const std::vector<int64_t> &values) {
    return makes<DRI_Part>([=](DRI_Part *out) {
        const DRI_Part_dim dim =
            Rule{.kind = DRI_INDICES, .indices = values.data(), .nindices = std::ssize(values)};
        return DRI_part_create_rule(1, &dim, out);
    });
}

TEST(WrongCallsPieces, RulesAreRefused) {
    const double one[]{1, 1};
    const int64_t list[]{0, 1};
    const auto bad_edge = [](DRI_Edge DRI_Part_dim::*which, int edge) {
        DRI_Part_dim dim{};
        dim.*which = static_cast<DRI_Edge>(edge);
        return rule_of(dim);
    };
    expect_refused({
        {"weights that are missing",
         rule({.kind = DRI_WEIGHTS, .nparts = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "weights"}},
        {"weights without their number",
         rule({.kind = DRI_WEIGHTS, .weights = one}),
         DRI_ERR_ARG,
         {"dimension 1", "nparts"}},
        {"weights of plain blocks",
         rule({.kind = DRI_BLOCK, .nparts = 2, .weights = one}),
         DRI_ERR_ARG,
         {"dimension 1", "weights"}},
        {"a negative weight", weights({1, -0.5}), DRI_ERR_ARG, {"weight 1", "-0.5"}},
        {"an infinite weight", weights({1, infinite}), DRI_ERR_ARG, {"weight 1", "inf"}},
        {"a weight that is no number", weights({no_number}), DRI_ERR_ARG, {"weight 0", "nan"}},
        {"no weight at all", weights({0, 0, 0}), DRI_ERR_ARG, {"0"}},
        {"indices that are missing",
         rule({.kind = DRI_INDICES, .nindices = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "indices"}},
        {"a negative number of indices",
         rule({.kind = DRI_INDICES, .indices = list, .nindices = -1}),
         DRI_ERR_ARG,
         {"dimension 1", "nindices", "-1"}},
        {"more indices than memory holds",
         rule({.kind = DRI_INDICES, .indices = list, .nindices = largest}),
         DRI_ERR_ARG,
         {"dimension 1", "indices", std::to_string(largest)}},
        {"indices of plain blocks",
         rule({.kind = DRI_BLOCK, .indices = list, .nindices = 2}),
         DRI_ERR_ARG,
         {"dimension 1"}},
        {"a number of indices of a whole dimension",
         rule({.nindices = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "nindices"}},
        {"a negative index", indices({3, -4}), DRI_ERR_ARG, {"indices[1]", "-4"}},
        {"an index that no array has", indices({largest}), DRI_ERR_ARG, {"indices[0]"}},
        {"negative overlap at the left", rule({.left = -1}), DRI_ERR_ARG, {"dimension 1", "left", "-1"}},
        {"negative overlap at the right", rule({.right = -2}), DRI_ERR_ARG, {"dimension 1", "right", "-2"}},
        {"edge 4", bad_edge(&DRI_Part_dim::right_edge, 4), DRI_ERR_ARG, {"dimension 1", "right_edge is 4"}},
        {"edge -1", bad_edge(&DRI_Part_dim::left_edge, -1), DRI_ERR_ARG, {"dimension 1", "left_edge is -1"}},
    });
}

auto exact(int ndims, const std::vector<DRI_Part_tuple> &tuples) {
    return makes<DRI_Part>([=](DRI_Part *out) { return DRI_part_create(ndims, tuples.data(), out); });
}

auto edges(DRI_Part part, const std::vector<int> &left, const std::vector<int> &right) {
    return makes<DRI_Part>([=](DRI_Part *out) {
        // Any number, because C allows it.
        std::vector<DRI_Edge> lefts(left.size()), rights(right.size());
        static_assert(sizeof(DRI_Edge) == sizeof(int));
        if (!left.empty())
            std::memcpy(static_cast<void *>(lefts.data()), left.data(), left.size() * sizeof(int));
        if (!right.empty())
            std::memcpy(static_cast<void *>(rights.data()), right.data(), right.size() * sizeof(int));
        return DRI_part_with_edges(part, left.empty() ? nullptr : lefts.data(),
                                   right.empty() ? nullptr : rights.data(), out);
    });
}

TEST(WrongCallsPieces, TuplesAndEdgesAreRefused) {
    const std::vector<DRI_Part_tuple> nine(9, DRI_Part_tuple{0, 0, 1, 0});
    const Part part = make_blocks(2, 0);
    const DRI_Part p = part;
    expect_refused({
        {"fewer than 0 dimensions", exact(-1, nine), DRI_ERR_ARG, {"-1"}},
        {"9 dimensions", exact(9, nine), DRI_ERR_ARG, {"9", "8"}},
        {"no tuples",
         makes<DRI_Part>([](DRI_Part *out) { return DRI_part_create(1, nullptr, out); }),
         DRI_ERR_ARG,
         {"tuples"}},
        {"no output for the pieces",
         [&] { return DRI_part_create(1, nine.data(), nullptr); },
         DRI_ERR_ARG,
         {"part"}},
        {"a piece before the beginning",
         exact(2, {{0, 0, 1, 0}, {0, -1, 1, 0}}),
         DRI_ERR_ARG,
         {"dimension 1", "-1"}},
        {"a piece that ends before it begins",
         exact(2, {{0, 0, 1, 0}, {0, 4, 3, 0}}),
         DRI_ERR_ARG,
         {"dimension 1", "3", "4"}},
        {"negative overlap of a piece", exact(1, {{-2, 0, 1, 0}}), DRI_ERR_ARG, {"dimension 0", "left_v", "-2"}},
        {"negative overlap behind a piece",
         exact(1, {{0, 0, 1, -3}}),
         DRI_ERR_ARG,
         {"dimension 0", "right_v", "-3"}},
        {"edges of null", edges({}, {0, 0}, {0, 0}), DRI_ERR_HANDLE, {}},
        {"edges of a type", edges(as<DRI_Part>(DRI_INT8), {0, 0}, {0, 0}), DRI_ERR_HANDLE, {}},
        {"edge 4 at the left", edges(p, {0, 4}, {0, 0}), DRI_ERR_ARG, {"dimension 1", "left_edges", "4"}},
        {"edge -1 at the right", edges(p, {0, 0}, {-1, 0}), DRI_ERR_ARG, {"dimension 0", "right_edges", "-1"}},
        {"no left edges", edges(p, {}, {0, 0}), DRI_ERR_ARG, {"left_edges"}},
        {"no right edges", edges(p, {0, 0}, {}), DRI_ERR_ARG, {"right_edges"}},
        {"no output for the partition with edges",
         [p] {
             const DRI_Edge both[]{DRI_WRAP, DRI_WRAP};
             return DRI_part_with_edges(p, both, both, nullptr);
         },
         DRI_ERR_ARG,
         {"with_edges"}},
    });
}

class WrongPieces : public LastErrs {
protected:
    Gdo gdo_ = make_gdo({2 * size_, 5});

    std::function<int()> create(DRI_Part part) {
        const DRI_Gdo gdo = gdo_;
        const DRI_Group all = world_;
        return makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_dist_create(gdo, part, all, out); });
    }
    // Rows [lo, hi) and all columns.
    Part rows(int64_t lo, int64_t hi) { return make_exact({{0, lo, hi, 0}, {0, 0, 5, 0}}); }
    Part list(const std::vector<int64_t> &rows, int nparts = 0) {
        return make_part(
            {{.kind = DRI_INDICES, .nparts = nparts, .indices = rows.data(), .nindices = std::ssize(rows)}, {}});
    }
    std::function<int()> source(DRI_Dist dist) {
        return makes<DRI_Xfer>([=](DRI_Xfer *out) {
            return DRI_xfer_create("pieces", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, nullptr, out);
        });
    }
};

TEST_F(WrongPieces, PiecesThatDoNotFitAreRefusedByAll) {
    const int64_t n = 2 * size_;
    const Part good = rows(2 * rank_, 2 * rank_ + 2);
    const Part outside = rows(2 * rank_, last_ ? n + 1 : 2 * rank_ + 2), one = make_exact({{0, 0, 1, 0}});
    const Part wrapped = with_edges(good, {DRI_WRAP, DRI_TRUNCATE}, {DRI_TRUNCATE, DRI_TRUNCATE});
    const Part by_rule = make_blocks(2, 0);
    const Part far = list({2 * rank_, last_ ? n : 2 * rank_ + 1});
    const Part too_few = list({2 * rank_}, size_ + 1);
    const Part limited = make_part(
        {{.kind = DRI_INDICES, .min = 2, .indices = std::vector<int64_t>{rank_}.data(), .nindices = 1}, {}});
    const Part heavy = make_part({{.kind = DRI_WEIGHTS,
                                   .nparts = size_,
                                   .max = 1,
                                   .weights = std::vector<double>(static_cast<size_t>(size_), 1).data()},
                                  {}});
    const Part wide = make_part({{.kind = DRI_BLOCK, .left = largest, .right = 1, .left_edge = DRI_PAD_ZERO}, {}});
    const Part wide_piece =
        with_edges(make_exact({{0, 2 * rank_, 2 * rank_ + 2, last_ ? largest : 0}, {0, 0, 5, 0}}),
                   {DRI_TRUNCATE, DRI_TRUNCATE}, {DRI_WRAP, DRI_TRUNCATE});
    const Part large = make_part({{.kind = DRI_BLOCK, .left = largest / 8, .left_edge = DRI_PAD_ZERO}, {}});
    const Part large_piece =
        with_edges(make_exact({{last_ ? largest / 8 : 0, 2 * rank_, 2 * rank_ + 2, 0}, {0, 0, 5, 0}}),
                   {DRI_PAD_ZERO, DRI_TRUNCATE}, {DRI_TRUNCATE, DRI_TRUNCATE});
    WrongCalls table{
        {"a piece that leaves the array",
         create(outside),
         DRI_ERR_ARG,
         {"process " + who_, "dimension 0", std::to_string(n + 1)}},
        {"pieces of one dimension for two", create(one), DRI_ERR_ARG, {"1", "2", "dimension"}},
        {"an index that the array does not have",
         create(far),
         DRI_ERR_ARG,
         {"process " + who_, "dimension 0", "index " + std::to_string(n)}},
        {"lists for more parts than processes", create(too_few), DRI_ERR_ARG, {std::to_string(size_ + 1)}},
        {"lists below their limit", create(limited), DRI_ERR_CONSTRAINT, {"dimension 0", "at least 2"}},
        {"weighed parts above their limit",
         create(heavy),
         DRI_ERR_CONSTRAINT,
         {"dimension 0", "at most 1", std::to_string(size_) + " too few"}},
        {"overlap that no address reaches", create(wide), DRI_ERR_OVERFLOW, {"dimension 0", "64 bits"}},
        {"overlap of a piece that no address reaches",
         create(wide_piece),
         DRI_ERR_OVERFLOW,
         {"dimension 0", "process " + who_, "overlap of 0 and " + std::to_string(largest), "64 bits"}},
        {"parts of more bytes than 64 bits count",
         create(large),
         DRI_ERR_OVERFLOW,
         {std::to_string(largest / 8 + 2) + ",5]", "64 bits"}},
        {"a piece of more bytes than 64 bits count",
         create(large_piece),
         DRI_ERR_OVERFLOW,
         {std::to_string(largest / 8 + 2) + ",5]", "process " + who_, "64 bits"}},
    };
    if (size_ > 1) {
        table.push_back(
            {"other edges on one process", create(last_ ? wrapped : good), DRI_ERR_MISMATCH, {"exact<0w:0>"}});
        table.push_back(
            {"a rule on one process", create(last_ ? by_rule : good), DRI_ERR_MISMATCH, {"exact", "block"}});
    }
    expect_refused_by_all(table);
}

TEST_F(WrongPieces, ListsOfOnePartMustBeEqual) {
    if (size_ < 2)
        GTEST_SKIP() << "needs two processes with one part";
    const Part lists = list(last_ ? std::vector<int64_t>{0, 2, 1} : std::vector<int64_t>{0, 1, 2}, 1);
    const Part longer = list(last_ ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{0, 1}, 1);
    expect_refused_by_all(
        {{"another order on one process",
          create(lists),
          DRI_ERR_MISMATCH,
          {"dimension 0", "processes 0 and " + who_, "part 0", "entry 1 is 1 in the first and 2 in the second"}},
         {"one index more on one process", create(longer), DRI_ERR_MISMATCH, {"2 and 3 indices"}}});
}

TEST_F(WrongPieces, SourcesThatDoNotTileAreRefused) {
    const int64_t n = 2 * size_;
    const Dist short_last = make_dist(gdo_, rows(2 * rank_, 2 * rank_ + (last_ ? 1 : 2)), world_);
    const Dist missing = make_dist(
        gdo_, list(last_ ? std::vector<int64_t>{2 * rank_} : std::vector<int64_t>{2 * rank_, 2 * rank_ + 1}),
        world_);
    // What a rule (DRI_Part_dim) is as a tuple.
    const Dist empty = make_dist(gdo_, rows(0, 0), world_);
    const Dist twice = make_dist(gdo_, list({2 * rank_, 2 * rank_ + 1, 2 * rank_}), world_);
    const std::string end = "element (" + std::to_string(n - 1);
    WrongCalls table{
        {"pieces that leave out a row",
         source(short_last),
         DRI_ERR_GAP,
         {end, "in line with it are of process " + who_}},
        {"pieces without elements",
         source(empty),
         DRI_ERR_GAP,
         {"all pieces", "are empty", "DRI_part_create_rule takes rules"}},
        {"lists that leave out a row",
         source(missing),
         DRI_ERR_GAP,
         {end + ",0)", "in line with it are of process " + who_}},
        {"a row twice in one list", source(twice), DRI_ERR_OVERLAP, {"element (0,0)", "process 0 twice"}},
    };
    Dist shared, shared_list, hole;
    if (size_ > 1) {
        hole = make_dist(gdo_, rows(2 * rank_, 2 * rank_ + (rank_ == 0 ? 1 : 2)), world_);
        table.push_back({"pieces that leave out a row between them",
                         source(hole),
                         DRI_ERR_GAP,
                         {"element (1,0)", "in line with it are of processes 0-1"}});
        shared = make_dist(gdo_, rows(2 * rank_ - (rank_ == 1), 2 * rank_ + 2), world_);
        shared_list = make_dist(gdo_, list({2 * rank_, 2 * rank_ + 1, (2 * rank_ + 2) % n}), world_);
        table.push_back(
            {"pieces that share a row", source(shared), DRI_ERR_OVERLAP, {"element (1,0)", "processes 0 and 1"}});
        table.push_back({"lists that share rows",
                         source(shared_list),
                         DRI_ERR_OVERLAP,
                         {"element (0,0)", "processes 0 and " + who_}});
    }
    expect_refused(table);
    // As sinks the same distributions are valid.
    for (const Dist *dist : {&short_last, &missing, &twice})
        EXPECT_TRUE(make_xfer("pieces", DRI_SINK, *dist));
}

TEST_F(WrongPieces, QueriesWithoutAnAnswerAreRefused) {
    const Part pads = with_edges(make_exact({{1, 0, 2 * size_, 0}, {0, 0, rank_ == 0 ? 2 : 0, 1}}),
                                 {DRI_PAD_ZERO, DRI_TRUNCATE}, {DRI_TRUNCATE, DRI_TRUNCATE});
    const Dist dist = make_dist(gdo_, pads, world_);
    const DRI_Dist d = dist;
    const int r = 0;
    const auto global = [=](int64_t i, int64_t j) {
        return [=] {
            const int64_t local[]{i, j};
            int64_t index[2];
            return DRI_dist_global_index(d, r, local, index);
        };
    };
    const auto local = [=](int64_t i, int64_t j) {
        return [=] {
            const int64_t index[]{i, j};
            int64_t local_index[2];
            return DRI_dist_local_index(d, r, index, local_index);
        };
    };
    const auto owner = [=](int64_t i, int64_t j) {
        return [=] {
            const int64_t index[]{i, j};
            int rank;
            return DRI_dist_owner(d, index, &rank);
        };
    };
    int numbers[2];
    const WrongCalls table{
        {"the owner of an element without owner", owner(0, 4), DRI_ERR_ARG, {"(0,4)"}},
        {"the offset of an element that a process does not hold",
         local(0, 3),
         DRI_ERR_ARG,
         {"process 0", "dimension 1", "3"}},
        {"a local offset behind the part", global(1, 3), DRI_ERR_ARG, {"dimension 1", "3"}},
        {"a local offset before the part", global(-1, 0), DRI_ERR_ARG, {"dimension 0", "-1"}},
        {"the grid of pieces", [&] { return DRI_dist_get_grid(d, numbers); }, DRI_ERR_UNSUPPORTED, {"exact"}},
        {"coordinates of a piece",
         [&] { return DRI_dist_get_coords(d, r, numbers); },
         DRI_ERR_UNSUPPORTED,
         {"exact"}},
        {"the index of a pad of zeros", global(0, 0), DRI_ERR_ARG, {"dimension 0", "pad"}},
    };
    expect_refused(table);
}

} // namespace
} // namespace dri::test
