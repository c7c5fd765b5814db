#include "rebind.hpp"

#include "dri_objects.hpp"
#include "harness.hpp"
#include "world.hpp"

#include <array>
#include <vector>

namespace bench {

namespace {

// A transfer inside each process, whose source moves.
class Moving {
public:
    Moving() {
        constexpr int64_t elements = 512;
        const int rank = world().rank;
        DRI_Group mine;
        DRI_Gdo gdo;
        DRI_Part whole;
        DRI_Dist dist;
        const DRI_Part_dim rule{};
        check(DRI_group_create(1, &rank, &mine));
        check(DRI_gdo_create(1, DRI_DOUBLE, &elements, &gdo));
        check(DRI_part_create_rule(1, &rule, &whole));
        check(DRI_dist_create(gdo, whole, mine, &dist));
        check(DRI_alloc(2 * elements * sizeof(double), 0, &memory_));
        addresses_ = {memory_, static_cast<double *>(memory_) + elements};
        check(DRI_xfer_create("bench, rebind", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, addresses_.data(), &source_));
        check(DRI_xfer_set_attr(source_, DRI_ATTR_REBIND, 1));
        check(DRI_xfer_create("bench, rebind", DRI_SINK, dist, DRI_ROW_MAJOR, 1, nullptr, &sink_));
        check(DRI_commit(mine));
        check(DRI_dist_destroy(&dist));
        check(DRI_part_destroy(&whole));
        check(DRI_gdo_destroy(&gdo));
        check(DRI_group_destroy(&mine));
    }
    ~Moving() {
        DRI_xfer_destroy(&source_);
        DRI_xfer_destroy(&sink_);
        DRI_free(memory_);
    }
    Moving(const Moving &) = delete;
    Moving &operator=(const Moving &) = delete;
    void run(int pairs) {
        for (int i = 0; i < pairs; ++i)
            for (void *address : addresses_)
                check(DRI_xfer_rebind(source_, address));
    }

private:
    void *memory_ = nullptr;
    std::array<void *, 2> addresses_{};
    DRI_Xfer source_{}, sink_{};
};

} // namespace

double rebind_us(int repetitions) {
    constexpr int pairs = 10000;
    Moving moving;
    moving.run(pairs / 10);
    std::vector<double> times_us;
    for (int i = 0; i < repetitions; ++i) {
        const double start = MPI_Wtime();
        moving.run(pairs);
        times_us.push_back(1e6 * (MPI_Wtime() - start) / (2 * pairs));
    }
    return greatest(median(std::move(times_us)));
}

} // namespace bench
