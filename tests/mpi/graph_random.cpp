// Random programs on all processes against an evaluation in one place.
#include "support/graph_program.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

namespace dri::test {
namespace {

class GraphRandom : public testing::TestWithParam<int> {}; // frames in flight

TEST_P(GraphRandom, EqualsItsEvaluationInOnePlace) {
    const Group all = make_world();
    for (unsigned seed = 0; seed < 25; ++seed) {
        std::mt19937 dice(seed), own(seed + static_cast<unsigned>(world().rank));
        const Program program = random_program(dice, world().size);
        const auto graph = graph_of(program, all, world().rank, seed % 3 == 0 ? 300 : 0, own);
        const Plan plan = make_plan(graph->graph);
        DRI_Plan_options options{};
        options.frames = GetParam();
        expect_success(DRI_plan_commit(plan, &options), "DRI_plan_commit");
        expect_frames(program, plan, world().rank, 0, 4);
    }
}

INSTANTIATE_TEST_SUITE_P(Frames, GraphRandom, testing::Values(1, 3));

} // namespace
} // namespace dri::test
