// Wrong runs of indices, and wrong phases.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <array>

namespace dri::test {
namespace {

TEST(WrongRuns, AreRefused) {
    static const std::array<DRI_Run, 2> fine{{{0, 2, 3, 4}, {1, 1, 1, 0}}};
    static const int64_t index[]{3};
    const auto runs = [](const DRI_Run &run) {
        return makes<DRI_Part>([=](DRI_Part *out) {
            const DRI_Run all[]{fine[0], run};
            const DRI_Part_dim dims[2]{{}, Rule{.kind = DRI_RUNS, .runs = all, .nruns = 2}};
            return DRI_part_create_rule(2, dims, out);
        });
    };
    const int64_t half = int64_t{1} << 62;
    expect_refused({
        {"first -1", runs({-1, 1, 1, 0}), DRI_ERR_ARG, {"dimension 1", "runs[1]", "-1"}},
        {"the largest number as first", runs({largest, 1, 1, 0}), DRI_ERR_ARG, {"dimension 1", "runs[1]"}},
        {"size 0", runs({0, 0, 1, 0}), DRI_ERR_ARG, {"dimension 1", "runs[1]", "size", "0"}},
        {"count 0", runs({0, 1, 0, 0}), DRI_ERR_ARG, {"dimension 1", "runs[1]", "count", "0"}},
        {"falling below 0", runs({5, 1, 4, -2}), DRI_ERR_ARG, {"dimension 1", "runs[1]", "-2"}},
        {"rising beyond 64 bits", runs({5, 1, half, 4}), DRI_ERR_ARG, {"dimension 1", "runs[1]"}},
        {"a stretch beyond 64 bits", runs({5, largest - 4, 1, 0}), DRI_ERR_ARG, {"dimension 1", "runs[1]"}},
        {"more indices than 64 bits count", runs({0, half, 3, 1}), DRI_ERR_OVERFLOW, {"dimension 1", "runs[1]"}},
        {"runs that are missing", rule({.kind = DRI_RUNS, .nruns = 2}), DRI_ERR_ARG, {"dimension 1", "runs"}},
        {"-1 runs",
         rule({.kind = DRI_RUNS, .runs = fine.data(), .nruns = -1}),
         DRI_ERR_ARG,
         {"dimension 1", "nruns", "-1"}},
        {"runs of indices",
         rule({.kind = DRI_INDICES, .indices = index, .nindices = 1, .runs = fine.data(), .nruns = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "nruns"}},
        {"indices of runs",
         rule({.kind = DRI_RUNS, .indices = index, .nindices = 1, .runs = fine.data(), .nruns = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "nindices"}},
        {"runs of blocks",
         rule({.kind = DRI_BLOCK, .runs = fine.data()}),
         DRI_ERR_ARG,
         {"dimension 1", "runs", "DRI_RUNS"}},
        {"exact pieces by rule", rule({.kind = DRI_PIECES}), DRI_ERR_ARG, {"DRI_PIECES", "DRI_part_create"}},
        {"a phase of blocks", rule({.kind = DRI_BLOCK, .phase = 1}), DRI_ERR_ARG, {"dimension 1", "phase", "1"}},
        {"phase -1",
         rule({.kind = DRI_BLOCK_CYCLIC, .block = 1, .phase = -1}),
         DRI_ERR_ARG,
         {"dimension 1", "phase", "-1"}},
        {"a phase beyond the parts",
         rule({.kind = DRI_BLOCK_CYCLIC, .nparts = 3, .block = 1, .phase = 3}),
         DRI_ERR_ARG,
         {"dimension 1", "phase is 3", "3 parts"}},
    });
}

// The number of parts is chosen here, so only DRI_dist_create can refuse the phase.
TEST(WrongRuns, APhaseBeyondTheChosenPartsIsRefusedByAll) {
    const Gdo gdo = make_gdo({12, 5});
    const Group group = make_world();
    const Part part = make_part({{.kind = DRI_BLOCK_CYCLIC, .block = 2, .phase = world().size}, {}});
    const DRI_Gdo g = gdo;
    const DRI_Part p = part;
    const DRI_Group w = group;
    expect_refused_by_all({
        {"a phase beyond the parts",
         makes<DRI_Dist>([=](DRI_Dist *out) { return DRI_dist_create(g, p, w, out); }),
         DRI_ERR_ARG,
         {"dimension 0", "phase is " + std::to_string(world().size)}},
    });
}

} // namespace
} // namespace dri::test
