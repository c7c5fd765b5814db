// DRI_domain_set: arrays follow their domain. The oracle is the value that each index had.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_domains.hpp"

#include <algorithm>

namespace dri::test {
namespace {

double value_of(const Indices &index) {
    double value = 3;
    for (const int64_t i : index)
        value = value * 61 + static_cast<double>(i + 30);
    return value;
}

bool has(const Ranges &ranges, const Indices &index) {
    const auto all = tuples_of(ranges);
    return std::find(all.begin(), all.end(), index) != all.end();
}

// A chain of domains: what an index loses once does not come back.
TEST(DomainSet, RandomMapsAndRanges) {
    for (uint64_t seed = 1; seed <= 25; ++seed) {
        Dice dice(seed);
        const auto ndims = static_cast<size_t>(dice.range(1, 2));
        std::vector<RandomMap> maps;
        maps.push_back(make_random_map(dice, ndims, "any"));
        std::vector<Ranges> chain{random_ranges(dice, ndims, 7)};
        const Domain domain = make_domain(maps[0].map, chain[0]);
        const Array first = make_array(domain), second = make_array(domain, DRI_INT32);
        fill(first, domain, value_of);
        fill<int32_t>(second, domain, [](const Indices &i) { return -value_of(i); });
        for (int turn = 0; turn < 3; ++turn) {
            const bool is_new = dice.chance(50);
            if (is_new)
                maps.push_back(make_random_map(dice, ndims, "any"));
            chain.push_back(random_ranges(dice, ndims, 7));
            ASSERT_EQ(DRI_domain_set(domain, is_new ? maps.back().map.get() : DRI_Map{}, chain.back().data()),
                      DRI_SUCCESS)
                << "seed " << seed << ": " << DRI_error_message();
            ASSERT_EQ(tuples_of(ranges_of(domain)), tuples_of(chain.back()));
            const auto kept = [&](const Indices &index) {
                return std::all_of(chain.begin(), chain.end(), [&](const Ranges &r) { return has(r, index); });
            };
            const RandomMap &map = maps.back();
            for (const Indices &index : tuples_of(chain.back())) {
                int owner = -1;
                expect_success(DRI_domain_owner(domain, index.data(), &owner), "DRI_domain_owner");
                ASSERT_EQ(owner, map.ranks[static_cast<size_t>(map.position(index))]);
            }
            ASSERT_EQ(difference(first, domain, [&](const Indices &i) { return kept(i) ? value_of(i) : 0; }), "")
                << "seed " << seed << " turn " << turn;
            ASSERT_EQ(
                difference<int32_t>(second, domain, [&](const Indices &i) { return kept(i) ? -value_of(i) : 0; }),
                "")
                << "seed " << seed << " turn " << turn;
        }
    }
}

class DomainSetBlocks : public testing::Test {
protected:
    static Map blocks(const std::vector<int> &ranks, int64_t rim = 0) {
        MapDim rule = block_dim(0, 12);
        rule.left = rule.right = rim;
        return make_map({rule}, make_group(ranks));
    }
    Map map_ = blocks(all_ranks());
    Domain domain_ = make_domain(map_, {{0, 1, 12}});
    Array array_ = make_array(domain_);
    void SetUp() override { fill(array_, domain_, value_of); }
    void expect_unchanged() const {
        EXPECT_EQ(sequence_of(ranges_of(domain_)[0]), sequence_of({0, 1, 12}));
        EXPECT_EQ(difference(array_, domain_, value_of), "");
    }
};

// The elements move from all processes to the last one, and to all again.
TEST_F(DomainSetBlocks, FromProcessesToOthers) {
    const Ranges same{{0, 1, 12}};
    const Map one = blocks({world().size - 1}), all = blocks(all_ranks(), 1);
    ASSERT_EQ(DRI_domain_set(domain_, one, same.data()), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(array_, domain_, value_of), "");
    ASSERT_EQ(DRI_domain_set(domain_, all, same.data()), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(array_, domain_, value_of), "");
}

TEST_F(DomainSetBlocks, TheViewStaysAtItsPlaceAndOverlapIsZero) {
    const DRI_View *before = nullptr, *after = nullptr;
    expect_success(DRI_array_view(array_, 0, &before), "DRI_array_view");
    const Ranges next{{0, 1, 11}};
    const Map rimmed = blocks(all_ranks(), 1);
    ASSERT_EQ(DRI_domain_set(domain_, rimmed, next.data()), DRI_SUCCESS) << DRI_error_message();
    expect_success(DRI_array_view(array_, 0, &after), "DRI_array_view");
    EXPECT_EQ(before, after);
    const DRI_Range own = after->range[0];
    for (int64_t i = own.size ? -1 : 0; own.size && i <= own.size; ++i)
        EXPECT_EQ(static_cast<const double *>(after->data)[i],
                  i < 0 || i == own.size ? 0 : value_of({own.first + i}));
}

// Kept plans are not those of the old memory.
TEST_F(DomainSetBlocks, MemoryThatIsKeptOutlivesTheSetAndTheArray) {
    Array array = make_array(domain_);
    fill(array, domain_, value_of);
    const DRI_View *view = nullptr;
    expect_success(DRI_array_view(array, 0, &view), "DRI_array_view");
    const auto *const first = static_cast<const double *>(view->data);
    const auto n = static_cast<size_t>(view->range[0].size);
    const std::vector<double> before(first, first + n);
    DRI_Kept *old = nullptr, *last = nullptr;
    expect_success(DRI_array_keep(array, &old), "DRI_array_keep");
    const DRI_Range next{-5, 1, 40};
    expect_success(DRI_domain_set(domain_, {}, &next), "DRI_domain_set");
    EXPECT_NE(view->data, static_cast<const void *>(first));
    EXPECT_EQ(std::vector<double>(first, first + n), before);
    expect_success(DRI_array_keep(array, &last), "DRI_array_keep");
    auto *const again = static_cast<double *>(view->data);
    const auto m = static_cast<size_t>(view->range[0].size);
    array = Array();
    std::fill_n(again, m, 7.0);
    EXPECT_EQ(std::count(again, again + m, 7.0), static_cast<std::ptrdiff_t>(m));
    EXPECT_EQ(DRI_kept_free(old), DRI_SUCCESS);
    EXPECT_EQ(DRI_kept_free(last), DRI_SUCCESS);
}

TEST_F(DomainSetBlocks, AssignmentsBeforeAndAfter) {
    const Domain cyclic = make_domain(make_map({cyclic_dim(0)}, make_world()), {{0, 1, 20}});
    const Array other = make_array(cyclic);
    const Ranges some{{2, 2, 5}}, next{{0, 1, 20}};
    fill(other, cyclic, [](const Indices &i) { return static_cast<double>(i[0]); });
    for (int turn = 0; turn < 2; ++turn) {
        DRI_Assigned info{};
        ASSERT_EQ(DRI_assign(array_, some.data(), other, some.data(), &info), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(info.planned, 1) << "the memory is new";
        EXPECT_EQ(difference(array_, domain_,
                             [&](const Indices &i) {
                                 return has(some, i) ? static_cast<double>(i[0]) : i[0] < 12 ? value_of(i) : 0;
                             }),
                  "");
        ASSERT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
    }
}

TEST_F(DomainSetBlocks, CallersMemoryIsRefusedByAll) {
    int64_t held = 0;
    expect_success(DRI_domain_get_count(domain_, world().rank, nullptr, &held), "DRI_domain_get_count");
    std::vector<double> data(static_cast<size_t>(held) + 2, -5);
    Array mine;
    ASSERT_EQ(DRI_array_create(domain_, DRI_DOUBLE, data.data() + 1, mine.out()), DRI_SUCCESS)
        << DRI_error_message();
    EXPECT_EQ(difference(mine, domain_, [](const Indices &) { return -5; }), "") << "its contents stay";
    ASSERT_EQ(DRI_assign(mine, nullptr, array_, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(mine, domain_, value_of), "");
    size_t n = 1;
    for (int64_t i = 0; i < 12; ++i)
        if (is_own(domain_, {i})) {
            EXPECT_EQ(data[n++], value_of({i}));
        }
    EXPECT_EQ(data.front(), -5);
    EXPECT_EQ(data.back(), -5);
    const Ranges next{{0, 1, 6}};
    EXPECT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("caller's memory"), std::string::npos) << DRI_error_message();
    expect_unchanged();
    mine.reset();
    EXPECT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
}

// One process says something else than the others. Nobody waits, and nothing changes.
TEST_F(DomainSetBlocks, ProcessesThatDisagree) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    const bool odd = world().rank == world().size - 1;
    const Ranges same{{0, 1, 12}}, next{{0, 1, 6}}, other{{0, 1, 7}}, none{{0, 0, 7}};
    const Map rimmed = blocks(all_ranks(), 1);
    const struct {
        const char *what;
        DRI_Map map;
        const Ranges &ranges;
        DRI_Code code;
    } rows[] = {{"other ranges", {}, other, DRI_ERR_MISMATCH},
                {"another map", rimmed, next, DRI_ERR_MISMATCH},
                {"the present ranges", {}, same, DRI_ERR_MISMATCH},
                {"ranges that are none", {}, none, DRI_ERR_ARG}};
    for (const auto &row : rows) {
        SCOPED_TRACE(row.what);
        EXPECT_EQ(DRI_domain_set(domain_, odd ? row.map : DRI_Map{}, odd ? row.ranges.data() : next.data()),
                  row.code)
            << DRI_error_message();
        EXPECT_NE(std::string(DRI_error_message()).find("process"), std::string::npos);
        expect_unchanged();
        barrier();
    }
}

// One process has one array more over the domain than the others.
TEST_F(DomainSetBlocks, ArraysThatDiffer) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    Array more = make_array(domain_);
    const Ranges next{{0, 1, 6}};
    if (world().rank == 0)
        more.reset();
    EXPECT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_ERR_MISMATCH);
    EXPECT_NE(std::string(DRI_error_message()).find("arrays"), std::string::npos) << DRI_error_message();
    expect_unchanged();
}

} // namespace
} // namespace dri::test
