#include "planner/pieces.hpp"

#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace dri::test {

namespace {

CutRule random_rule(std::mt19937 &random, int64_t parts) {
    CutRule rule;
    rule.nparts = parts;
    rule.kind = random() % 2 ? CutKind::block : CutKind::block_cyclic;
    if (rule.kind == CutKind::block)
        rule.remainder = static_cast<Remainder>(random() % 4);
    else
        rule.block = 1 + static_cast<int64_t>(random() % 6);
    return rule;
}

// Indices of each part of a cut, by the oracle.
std::map<int64_t, std::set<int64_t>> members(const CutRule &rule, int64_t size, int64_t parts) {
    std::map<int64_t, std::set<int64_t>> out;
    const auto owners = plain_owners(rule, size, parts);
    for (size_t i = 0; i < owners.size(); ++i)
        out[owners[i]].insert(static_cast<int64_t>(i));
    return out;
}

} // namespace

TEST(Partners, are_all_parts_that_share_an_index) {
    std::mt19937 random(9);
    for (int round = 0; round < 20000; ++round) {
        const int64_t my_size = 1 + static_cast<int64_t>(random() % 60),
                      size = 1 + static_cast<int64_t>(random() % 60);
        const int64_t my_parts = 1 + static_cast<int64_t>(random() % 7),
                      parts = 1 + static_cast<int64_t>(random() % 12);
        const CutRule my_rule = random_rule(random, my_parts), rule = random_rule(random, parts);
        const int64_t shift = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 120) - 60;
        const Cut mine(my_rule, my_size, my_parts, 0), cut(rule, size, parts, 0);
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
        for (const Partner &p : find_partners(mine.part(me), cut, shift))
            found.push_back(p.coord);
        ASSERT_EQ(found, expected) << my_size << " " << to_text(my_rule, my_parts) << " part " << me << " with "
                                   << size << " " << to_text(rule, parts) << " shifted by " << shift;
    }
}

} // namespace dri::test
