// Random sliding windows. Plans for the first offset, moved as the library says, must have the result of a
// transfer planned at the later offset. Every byte of every buffer is checked.
#include "run_property.hpp"

#include "support/oracle_window.hpp"

namespace dri::test {

constexpr int window_cases = 1000;

TEST(RandomWindows, every_element_arrives_and_nothing_else_changes) {
    int slid = 0, cases = 0;
    run_property(window_cases, [&] {
        const TransferCase c = *random_transfers();
        const auto seed = *rc::gen::arbitrary<uint64_t>();
        const WindowCase w = make_window_case(c, seed % 2 == 0, seed / 2);
        RC_PRE(w.slides != 0 && is_legal(w.planned) && is_legal(w.moved));
        const std::string fault = find_fault(w);
        if (!fault.empty())
            RC_FAIL(fault + ", moved as in " + to_line(w.moved));
        ++cases;
        slid += w.planned.sink.offset != w.moved.sink.offset || w.planned.source.offset != w.moved.source.offset;
    });
    EXPECT_GT(slid, cases / 10);
}

TEST(RandomWindows, the_oracle_detects_windows_that_stay) {
    for (const bool of_sink : {false, true}) {
        const char *line = of_sink ? "4B [12,7] at[2,0]+[5,7] block(2),* rm over 0-1 -> *,block(2) rm over 0-1"
                                   : "4B [12,7] *,block(2) rm over 0-1 -> at[2,0]+[5,7] block(2),* rm over 0-1";
        bool seen = false;
        for (uint64_t seed = 0; seed < 10; ++seed) {
            const WindowCase w = make_window_case(from_line(line), of_sink, seed);
            EXPECT_EQ(find_fault(w), "");
            seen = seen || !find_fault(w, true).empty();
        }
        EXPECT_TRUE(seen);
    }
}

} // namespace dri::test
