// Random transfers: all ranks are planned and run in this process, and every byte of every buffer is checked.
#include "run_property.hpp"

#include "support/oracle_in_place.hpp"
#include "support/oracle_run.hpp"

namespace dri::test {

constexpr int transfer_cases = 4000;

TEST(RandomTransfers, every_element_arrives_and_nothing_else_changes) {
    run_property(transfer_cases, [] {
        const TransferCase c = *random_transfers();
        const std::string fault = find_fault(c);
        if (!fault.empty())
            RC_FAIL(fault);
    });
}

// Messages are written as early as the plans allow, with as little memory as they request.
TEST(RandomTransfers, every_element_arrives_in_place) {
    run_property(transfer_cases, [] {
        const TransferCase c = as_in_place(*random_transfers());
        RC_PRE(is_legal(c));
        const std::string fault = find_fault_in_place(c, 5);
        if (!fault.empty())
            RC_FAIL(fault);
    });
}

// The same with parts put in order before and after. A byte-by-byte reordering checks the library's.
TEST(RandomTransfers, every_element_arrives_in_place_arranged) {
    int64_t before = 0, after = 0, cases = 0;
    run_property(transfer_cases, [&] {
        const TransferCase c = as_in_place(*random_transfers());
        RC_PRE(is_legal(c));
        const std::string fault = find_fault_in_place(c, 6, false, Arranging::yes);
        if (!fault.empty())
            RC_FAIL(fault);
        const ArrangedParts parts = count_arranged(c);
        ++cases;
        before += parts.before;
        after += parts.after;
    });
    EXPECT_GT(before, cases / 10) << "parts are put in order";
    EXPECT_GT(after, cases / 10);
}

// Both sides are one distribution, so only overlap moves, and processes of one node read it where it lies.
TEST(RandomTransfers, every_element_arrives_in_halos) {
    run_property(transfer_cases, [] {
        TransferCase c = *random_transfers();
        c.sink = c.source;
        RC_PRE(is_legal(c));
        for (c.direct_way = true;; c.direct_way = false) {
            const std::string fault = find_fault_in_place(c, 8);
            if (!fault.empty())
                RC_FAIL(fault);
            if (!c.direct_way)
                return;
        }
    });
}

TEST(RandomTransfers, in_place_the_oracle_detects_early_writes) {
    for (const char *line : {"8B [24,24] block(3),* rm over 0-2 -> *,block(3) cm over 0-2",
                             "8B [23,24] block(3),* rm over 0-2 -> *,block(3) rm over 0-2"}) {
        EXPECT_EQ(find_fault_in_place(from_line(line), 7), "");
        EXPECT_NE(find_fault_in_place(from_line(line), 7, true), "");
        EXPECT_EQ(find_fault_in_place(from_line(line), 7, false, Arranging::yes), "");
        EXPECT_NE(find_fault_in_place(from_line(line), 7, true, Arranging::yes), "");
    }
}

TEST(RandomTransfers, lines_describe_cases_completely) {
    run_property(transfer_cases, [] {
        TransferCase c = *random_transfers();
        for (SideSpec *side : {&c.source, &c.sink}) {
            side->buffers = *rc::gen::inRange(1, 4);
            side->memory = static_cast<Memory>(*rc::gen::inRange(0, static_cast<int>(memory_names.size())));
        }
        c.frames = *rc::gen::inRange(1, 5);
        const TransferCase again = from_line(to_line(c));
        RC_ASSERT(to_line(again) == to_line(c));
        RC_ASSERT(again.frames == c.frames);
        for (SideSpec TransferCase::*side : {&TransferCase::source, &TransferCase::sink}) {
            RC_ASSERT((again.*side).rules == (c.*side).rules);
            RC_ASSERT((again.*side).boxes == (c.*side).boxes);
            RC_ASSERT((again.*side).ranks == (c.*side).ranks);
            RC_ASSERT((again.*side).offset == (c.*side).offset);
            RC_ASSERT((again.*side).sizes == (c.*side).sizes);
            RC_ASSERT((again.*side).layouts == (c.*side).layouts);
            RC_ASSERT((again.*side).type == (c.*side).type);
            RC_ASSERT((again.*side).scale == (c.*side).scale);
            RC_ASSERT((again.*side).buffers == (c.*side).buffers);
            RC_ASSERT((again.*side).memory == (c.*side).memory);
        }
        RC_ASSERT(again.type == c.type);
        RC_ASSERT(again.root == c.root);
        RC_ASSERT(again.options() == c.options());
        RC_ASSERT(again.nodes == c.nodes);
    });
}

TEST(CaseLines, in_the_short_form_are_read) {
    EXPECT_EQ(to_line(from_line("8B [97,64] block(4),* 01 -> *,block(7) 10")),
              "8B [97,64] block(4),* 01 over 0-3 -> *,block(7) 10 over 0-6");
    EXPECT_EQ(to_line(from_line("8B [97] block rm over 0-4 -> cyclic(3,2) cm limit=9")),
              "8B [97] block(0) rm over 0-4 -> cyclic(3,2) cm over 0-2 limit=9");
    EXPECT_EQ(to_line(from_line("2B [] - - -> - -")), "2B [] - rm over 0 -> - rm over 0");
    EXPECT_EQ(
        to_line(from_line("complex-int16 [6] block(2) rm -> block(3) rm/p4/split to=complex-float scale=0.5")),
        "complex-int16 [6] block(2) rm over 0-1 -> block(3) rm/p4/split over 0-2 to=complex-float scale=0.5");
}

TEST(CaseLines, may_name_all_processes_of_a_job) {
    EXPECT_EQ(to_line(from_line("8B [9] * rm over all -> block rm over 2-0,3", 4)),
              "8B [9] * rm over 0-3 -> block(0) rm over 2,1,0,3");
    EXPECT_EQ(to_line(from_line("8B [9,9] block,* rm -> *,block(2) rm frames=7 memory=heap buffers=3,2", 3)),
              "8B [9,9] block(0),* rm over 0-2 -> *,block(2) rm over 0-1 buffers=3,2 memory=heap frames=7");
    EXPECT_ANY_THROW(from_line("8B [9] * rm over all -> * rm"));
}

TEST(CaseLines, without_meaning_are_refused) {
    for (const char *line :
         {"", "8 [3] * rm -> * rm", "8B 3 * rm -> * rm", "8B [3] what(2) rm -> * rm", "8B [3] * rm * rm",
          "8B [3] * rm -> * rm later", "8B [x] * rm -> * rm", "what [3] * rm -> * rm",
          "8B [3] * rm -> * rm memory=what", "8B [3] * rm -> * rm frames=x", "int8 [3] * rm -> * rm to=what"})
        EXPECT_ANY_THROW(from_line(line)) << line;
}

} // namespace dri::test
