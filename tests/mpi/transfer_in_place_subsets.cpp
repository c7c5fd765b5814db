// In place between different subsets of an array: common elements move, and all else in the buffer keeps its
// value.
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

namespace dri::test {
namespace {

// These shapes would be put in order if both sides had the same elements, because a process has some hundred bytes
// for each cube of P.
TEST(InPlaceSubsets, ElementsThatNoSinkReceivesAreKept) {
    const int64_t p = world().size, rows = 120 * p + 7, columns = 60 * p + 6;
    const std::string all = fmt::format("at[0,0]+[{},{}]", rows, columns),
                      inner = fmt::format("at[3,5]+[{},{}]", 120 * p, 60 * p),
                      low = fmt::format("at[0,0]+[{},{}]", 100 * p, columns),
                      high = fmt::format("at[{},0]+[{},{}]", 14 * p + 2, rows - 14 * p - 2, columns),
                      left = fmt::format("at[0,0]+[{},{}]", rows, 43 * p - 1), none = "at[0,0]+[0,0]";
    const std::pair<std::string, std::string> pairs[]{{inner, all}, {all, inner}, {low, all}, {low, high},
                                                      {high, left}, {left, high}, {none, all}};
    std::vector<std::string> lines;
    for (const auto &[from, to] : pairs)
        lines.push_back(
            fmt::format("int64 [{},{}] {} block,* rm -> {} *,block cm direct", rows, columns, from, to));
    for (const InPlaceCase &c : in_both_modes(lines)) {
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        commit(make_world());
        for (int f = 0; f < 3; ++f)
            run.frame();
    }
}

} // namespace
} // namespace dri::test
