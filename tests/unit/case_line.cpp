#include "support/case_line.hpp"
#include "support/random_case.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace dri::test;
using Kind = CaseRule::Kind;
using Remainder = CaseRule::Remainder;

TEST(CaseLine, IsParsedCompletely) {
    const CaseLine c = parse_case_line(
        "  12B [97,64,5] block(4,last),*,cyclic(3,7) 021 -> sizes(90:0:7),block,block(0,ceil) cm ");
    EXPECT_EQ(c.element_bytes, 12);
    EXPECT_EQ(c.sizes, (std::vector<int64_t>{97, 64, 5}));
    EXPECT_EQ(c.source.rules,
              (std::vector<CaseRule>{
                  {Kind::block, Remainder::last, 4, 0, {}}, {}, {Kind::cyclic, Remainder::balanced, 3, 7, {}}}));
    EXPECT_EQ(c.source.order, (std::vector<int>{0, 2, 1}));
    EXPECT_EQ(c.sink.rules, (std::vector<CaseRule>{{Kind::sizes, Remainder::balanced, 0, 0, {90, 0, 7}},
                                                   {Kind::block, Remainder::balanced, 0, 0, {}},
                                                   {Kind::block, Remainder::ceil, 0, 0, {}}}));
    EXPECT_EQ(c.sink.order, (std::vector<int>{2, 1, 0}));
}

TEST(CaseLine, IsPrintedInItsShortestForm) {
    for (const char *line : {"8B [97,64] block(4),* 01 -> *,block(7) 10", "1B [] - - -> - -",
                             "6B [0] block 0 -> block(3,prop) 0", "4B [9] cyclic(0,1) 0 -> sizes(4:5) 0"})
        EXPECT_EQ(print_case_line(parse_case_line(line)), line);
    EXPECT_EQ(print_case_line(parse_case_line("8B  [3,4]  block(0),*  rm->*,block(2)\tcm")),
              "8B [3,4] block,* 01 -> *,block(2) 10");
}

// The parser's message, starting at "expected".
std::string complaint(const char *line, CaseWords accepted = CaseWords::plain) {
    try {
        parse_case(line, accepted, 0);
    } catch (const std::invalid_argument &error) {
        const std::string text = error.what();
        return text.substr(text.find("expected"));
    }
    return "no complaint";
}

TEST(CaseLine, NamesTheFirstFault) {
    EXPECT_EQ(complaint(""),
              "expected the bytes of an element, such as 8B at column 1, found the end of the line");
    EXPECT_EQ(complaint("0B [3] * 0 -> * 0"),
              "expected the bytes of an element, such as 8B at column 1, found \"0B [3] * 0 -\"");
    EXPECT_EQ(complaint("8B [3,-1] *,* 01 -> *,* 01"), "expected a size at column 7, found \"-1] *,* 01 -\"");
    EXPECT_EQ(complaint("8B [3,3] * 01 -> *,* 01"), "expected \",\" at column 11, found \" 01 -> *,* 0\"");
    EXPECT_EQ(complaint("8B [3] block(2,odd) 0 -> * 0"),
              "expected last, ceil or prop at column 16, found \"odd) 0 -> * \"");
    EXPECT_EQ(complaint("8B [3] cyclic(2,0) 0 -> * 0"),
              "expected a block size at column 17, found \"0) 0 -> * 0\"");
    EXPECT_EQ(complaint("8B [3] sizes(1:3) 0 -> * 0"),
              "expected sizes that add up to 3 before this place at column 17, found \") 0 -> * 0\"");
    EXPECT_EQ(complaint("8B [3] block(2) 0 -> * 0 x"), "expected the end of the line at column 26, found \"x\"");
    EXPECT_NE(complaint("8B [3,3] *,* 11 -> *,* 01").find("each of the 2 dimensions once"), std::string::npos);
    EXPECT_NE(complaint("8B [4000000000,4000000000] *,* 01 -> *,* 01").find("2^63 bytes"), std::string::npos);
    EXPECT_NE(complaint("8B [1,1,1,1,1,1,1,1,1] * 0 -> * 0").find("8 dimensions"), std::string::npos);
    EXPECT_NE(complaint("8B [3] block(2147483648) 0 -> * 0").find("2^31"), std::string::npos);
    EXPECT_NE(complaint("8B [3] block(99999999999999999999) 0 -> * 0").find("a number of parts"),
              std::string::npos);
}

TEST(CaseLine, NamesTheFirstFaultOfAllWords) {
    const auto fault = [](const char *line) { return complaint(line, CaseWords::all); };
    EXPECT_EQ(
        fault("complex-int32 [3] * rm -> * rm"),
        "expected a type, such as 8B or complex-float, before this place at column 14, found \" [3] * rm ->\"");
    EXPECT_EQ(fault("8B [3] block<1q:2> rm -> * rm"), "expected \":\" at column 15, found \"q:2> rm -> *\"");
    EXPECT_EQ(fault("8B [3] block(2,odd=1) rm -> * rm"),
              "expected min=, max= or multiple= at column 16, found \"odd=1) rm ->\"");
    EXPECT_EQ(fault("8B [3] {0+2,1+1} rm -> * rm").find("expected as many ranges as the array has dimensions"),
              0u);
    EXPECT_EQ(fault("8B [3] idx(3-1) rm -> * rm"), "expected a later index at column 14, found \"1) rm -> * r\"");
    EXPECT_EQ(fault("8B [3] * rm over all -> * rm").find("expected ranks before this place: no job is known"), 0u);
    EXPECT_EQ(fault("8B [3] * rm -> * rm slowly"),
              "expected a word of a case line at column 21, found \"slowly\"");
    EXPECT_EQ(fault("8B [3] * rm -> * rm directly"), "expected a space behind a word at column 27, found \"ly\"");
    EXPECT_EQ(fault("8B [3] * rm -> * rm memory=heap,none"),
              "expected a kind of memory at column 33, found \"none\"");
    EXPECT_EQ(complaint("8B [3] block(2)<1:1> 0 -> * 0").find("expected the order in memory"), 0u)
        << "plain words";
}

} // namespace
