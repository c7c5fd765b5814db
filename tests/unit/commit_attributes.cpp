// The table of attributes: what it says about each is what the manual says, and what matching does.
#include "commit/attributes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <vector>

namespace dri::test {
namespace {

using commit::attribute_table;
using commit::AttributeRow;
using commit::Attributes;
using commit::Scope;

// The cells of the manual's table by attribute: endpoint, range, default, who must agree.
std::map<std::string, std::vector<std::string>> manual_rows() {
    std::ifstream file(std::filesystem::path(DRI_TESTS_FOLDER) / "../docs/reference/attributes.md");
    std::map<std::string, std::vector<std::string>> rows;
    const std::regex row(R"(\| `(DRI_ATTR_\w+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|.*)");
    for (std::string line; std::getline(file, line);)
        if (std::smatch cells; std::regex_match(line, cells, row))
            rows[cells[1]] = {cells[2], cells[3], cells[4], cells[5]};
    return rows;
}

// "1024", "2^30" or "2^31 - 1".
int64_t number_of(const std::string &text) {
    std::smatch parts;
    if (!std::regex_match(text, parts, std::regex(R"((\d+)(\^(\d+))?( - (\d+))?)")))
        return INT64_MIN;
    const auto value = [&](size_t i, int64_t otherwise) {
        return parts[i].matched ? std::stoll(parts[i]) : otherwise;
    };
    int64_t power = 1;
    for (int64_t i = 0; i < value(3, 1); ++i)
        power *= value(1, 0);
    return power - value(5, 0);
}

std::string agreement_of(const AttributeRow &row) {
    switch (row.scope) {
    case Scope::own:
    case Scope::smallest:
    case Scope::common: return "nobody";
    case Scope::name: return "all endpoints of the name";
    case Scope::side: break;
    }
    return std::string("all processes of the ") + (row.role ? commit::role_name(*row.role) : "side");
}

TEST(AttributeTable, is_that_of_the_manual) {
    const auto rows = manual_rows();
    ASSERT_EQ(rows.size(), attribute_table.size());
    int ranges = 0, defaults = 0;
    for (const AttributeRow &row : attribute_table) {
        SCOPED_TRACE(row.name);
        ASSERT_TRUE(rows.contains(row.name));
        const std::vector<std::string> &cells = rows.at(row.name);
        EXPECT_EQ(cells[0], row.role ? commit::role_name(*row.role) : "both");
        EXPECT_EQ(cells[3], agreement_of(row));
        std::smatch range;
        if (std::regex_match(cells[1], range, std::regex(R"((\d+) (?:to|or) (.+))"))) {
            EXPECT_EQ(number_of(range[1]), row.min) << cells[1];
            EXPECT_EQ(number_of(range[2]), row.max) << cells[1];
            ++ranges;
        }
        if (const int64_t number = number_of(cells[2]); number != INT64_MIN) {
            EXPECT_EQ(number, Attributes{}.*row.member);
            ++defaults;
        }
    }
    EXPECT_GE(ranges, 8) << "the others are enumerations and sums";
    EXPECT_GE(defaults, 7);
}

TEST(AttributeTable, has_each_number_and_each_member_once) {
    std::set<int64_t Attributes::*, bool (*)(int64_t Attributes::*, int64_t Attributes::*)> members(
        [](int64_t Attributes::*a, int64_t Attributes::*b) {
            static const Attributes one;
            return &(one.*a) < &(one.*b);
        });
    int number = 0;
    for (const AttributeRow &row : attribute_table) {
        EXPECT_EQ(static_cast<int>(row.id), ++number);
        EXPECT_EQ(&commit::row_of(number), &row);
        EXPECT_TRUE(members.insert(row.member).second) << row.name;
    }
    EXPECT_EQ(sizeof(Attributes), attribute_table.size() * sizeof(int64_t) + sizeof(double))
        << "every member except the scale has a row";
    EXPECT_THROW(commit::row_of(0), Error);
    EXPECT_THROW(commit::row_of(number + 1), Error);
}

TEST(AttributeTable, bounds_are_allowed_and_nothing_beyond_them) {
    for (const AttributeRow &row : attribute_table) {
        SCOPED_TRACE(row.name);
        constexpr size_t ndims = 3;
        const bool bits = row.id == DRI_ATTR_REBASE, ways = row.id == DRI_ATTR_WAYS;
        const int64_t min = ways ? int64_t{DRI_WAY_MESSAGE} : row.min, max = bits ? 7 : row.max;
        EXPECT_NO_THROW(commit::check_value(row, min, ndims));
        EXPECT_NO_THROW(commit::check_value(row, max, ndims));
        EXPECT_THROW(commit::check_value(row, min - 1, ndims), Error);
        EXPECT_THROW(commit::check_value(row, max + 1, ndims), Error);
    }
    EXPECT_THROW(commit::check_value(commit::row_of(DRI_ATTR_WAYS), DRI_WAY_SELF | DRI_WAY_DIRECT, 1), Error);
}

// Every attribute has a value of its own.
Attributes all_different() {
    Attributes attributes;
    int64_t value = 100;
    for (const AttributeRow &row : attribute_table)
        attributes.*row.member = value++;
    attributes.scale = 0.5;
    return attributes;
}

// Expects that others receive what is not a process's own. Returns the bytes that are sent.
size_t expect_received(const Attributes &sent) {
    Writer out;
    commit::put(out, sent);
    const Bytes bytes = out.take();
    Reader in(bytes);
    const Attributes received = commit::get_attributes(in);
    EXPECT_TRUE(in.done());
    for (const AttributeRow &row : attribute_table)
        EXPECT_EQ(received.*row.member, row.scope == Scope::own ? Attributes{}.*row.member : sent.*row.member)
            << row.name;
    EXPECT_EQ(received.scale, sent.scale);
    return bytes.size();
}

TEST(AttributeTable, others_receive_all_that_is_not_a_process_s_own) { expect_received(all_different()); }

TEST(AttributeTable, only_unusual_values_are_sent) {
    const size_t usual = expect_received({});
    EXPECT_LE(usual, sizeof(int64_t));
    for (const AttributeRow &row : attribute_table) {
        Attributes one;
        one.*row.member = all_different().*row.member;
        EXPECT_EQ(expect_received(one), usual + (row.scope == Scope::own ? 0 : sizeof(int64_t))) << row.name;
    }
    Attributes scaled;
    scaled.scale = -0.25;
    EXPECT_EQ(expect_received(scaled), usual + sizeof(double));
}

TEST(AttributeTable, the_most_restrictive_values_hold) {
    Attributes a = all_different(), b = a;
    a.ways = DRI_WAY_MESSAGE | DRI_WAY_SELF;
    b.ways = DRI_WAY_MESSAGE | DRI_WAY_DIRECT;
    a.message_bytes = 5000;
    b.message_bytes = 700;
    for (const auto &[x, y] : {std::pair(a, b), {b, a}}) {
        const Attributes both = commit::restrict_to_both(x, y);
        EXPECT_EQ(both.ways, DRI_WAY_MESSAGE);
        EXPECT_EQ(both.message_bytes, 700);
        EXPECT_EQ(both.in_place, x.in_place);
        EXPECT_EQ(both.workspace_limit, x.workspace_limit);
    }
}

} // namespace
} // namespace dri::test
