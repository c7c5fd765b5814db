#include "planner/partners.hpp"
#include "planner/pieces.hpp"

#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace dri::test {

namespace {

model::CutRule random_rule(std::mt19937 &random, int64_t parts) {
    model::CutRule rule;
    rule.nparts = parts;
    rule.kind = random() % 2 ? model::CutKind::block : model::CutKind::block_cyclic;
    if (rule.kind == model::CutKind::block)
        rule.remainder = static_cast<model::Remainder>(random() % 4);
    else
        rule.block = 1 + static_cast<int64_t>(random() % 6);
    return rule;
}

// The indices of each part of a cut, from the oracle.
std::map<int64_t, std::set<int64_t>> members(const model::CutRule &rule, int64_t size, int64_t parts) {
    std::map<int64_t, std::set<int64_t>> out;
    const auto owners = plain_owners(rule, size, parts);
    for (size_t i = 0; i < owners.size(); ++i)
        out[owners[i]].insert(static_cast<int64_t>(i));
    return out;
}

} // namespace

TEST(Partners, are_all_parts_that_share_an_index) {
    std::mt19937 random(9);
    for (int round = 0; round < rounds(20000); ++round) {
        const int64_t my_size = 1 + static_cast<int64_t>(random() % 60),
                      size = 1 + static_cast<int64_t>(random() % 60);
        const int64_t my_parts = 1 + static_cast<int64_t>(random() % 7),
                      parts = 1 + static_cast<int64_t>(random() % 12);
        const model::CutRule my_rule = random_rule(random, my_parts), rule = random_rule(random, parts);
        const int64_t shift = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 120) - 60;
        const model::Cut mine(my_rule, my_size, my_parts, 0), cut(rule, size, parts, 0);
        const auto own = members(my_rule, my_size, my_parts);
        const int64_t me = static_cast<int64_t>(random() % static_cast<uint64_t>(my_parts));
        std::vector<int64_t> expected;
        for (const auto &[part, indices] : members(rule, size, parts))
            for (int64_t i : indices)
                if (own.count(me) && own.at(me).count(i + shift)) {
                    expected.push_back(part);
                    break;
                }
        std::vector<int64_t> found;
        for (const planner::DimPartner &p :
             planner::partners_along(planner::PartOf::source, mine.axis(me), cut, shift))
            found.push_back(p.coord);
        ASSERT_EQ(found, expected) << my_size << " " << model::to_text(my_rule, my_parts) << " part " << me
                                   << " with " << size << " " << model::to_text(rule, parts) << " shifted by "
                                   << shift;
    }
}

// The search along a dimension finds every part, whatever overlap extends over edges and neighbours.
TEST(Partners, are_found_with_overlap) {
    std::mt19937 random(10);
    const auto up_to = [&](int64_t max) {
        return static_cast<int64_t>(random() % static_cast<uint64_t>(max + 1));
    };
    for (int round = 0; round < rounds(20000); ++round) {
        const int64_t source_size = 1 + up_to(60), sink_size = 1 + up_to(60);
        const int64_t source_parts = 1 + up_to(6), sink_parts = 1 + up_to(11);
        const model::CutRule source_rule = random_rule(random, source_parts);
        model::CutRule sink_rule = random_rule(random, sink_parts);
        sink_rule.overlap = {up_to(up_to(70)), up_to(up_to(70)), static_cast<model::Edge>(up_to(3)),
                             static_cast<model::Edge>(up_to(3))};
        const int64_t shift = random() % 3 == 0 ? 0 : up_to(120) - 60;
        const model::Cut source(source_rule, source_size, source_parts, 0),
            sink(sink_rule, sink_size, sink_parts, 0);
        const int64_t from = up_to(source_parts - 1), to = up_to(sink_parts - 1);
        const auto text = fmt::format("{} {} and {} {} shifted by {}: parts {} and {}", source_size,
                                      model::to_text(source_rule, source_parts), sink_size,
                                      model::to_text(sink_rule, sink_parts), shift, from, to);
        std::vector<int64_t> sinks, sources, found;
        for (int64_t c = 0; c < sink_parts; ++c)
            if (!planner::common_runs(source.part(from).lists(), sink.axis(c), shift).empty())
                sinks.push_back(c);
        for (int64_t c = 0; c < source_parts; ++c)
            if (!planner::common_runs(source.part(c).lists(), sink.axis(to), shift).empty())
                sources.push_back(c);
        for (const planner::DimPartner &p :
             planner::partners_along(planner::PartOf::source, source.axis(from), sink, shift))
            found.push_back(p.coord);
        ASSERT_EQ(found, sinks) << text;
        found.clear();
        for (const planner::DimPartner &p :
             planner::partners_along(planner::PartOf::sink, sink.axis(to), source, shift))
            found.push_back(p.coord);
        ASSERT_EQ(found, sources) << text;
    }
}

// Short runs of several lengths, which are contiguous on both sides, are one copy. Others are one per length.
TEST(Pieces, short_runs_of_several_lengths_share_a_table) {
    const auto copies_of = [](int64_t longest, int64_t column) {
        planner::Shared rows, runs;
        rows.repeated.push_back({0, 0, 5, {}, {}});
        for (const int64_t size : {int64_t{1}, int64_t{2}, longest})
            for (int64_t k = 0; k < 3; ++k)
                runs.runs.push_back({100 * size + 40 * k, 1000 * size + 50 * k, size});
        const auto type = model::make_real(Scalar::float64);
        const model::BufferShape from{{100000, 1}, 1000000, type}, to{{200000, column}, 2000000, type};
        const planner::Shared *const both[]{&rows, &runs};
        return planner::make_copies(both, from, to, 1, {.plain_copies = 1});
    };
    const auto shared = copies_of(16, 1);
    ASSERT_EQ(shared.size(), 1U);
    ASSERT_EQ(shared[0].tables.size(), 1U);
    EXPECT_EQ(shared[0].tables[0].entries.size(), 9U);
    EXPECT_EQ(plan::copies_bytes(shared), 5 * 3 * (1 + 2 + 16) * 8);
    EXPECT_EQ(copies_of(17, 1).size(), 3U) << "the longest runs are not short";
    EXPECT_EQ(copies_of(16, 3).size(), 3U) << "the sink is not contiguous";
}

} // namespace dri::test
