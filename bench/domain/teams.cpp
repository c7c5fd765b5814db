// A loop that two threads share, beside OpenMP.
#include "contest.hpp"

#include <dri/dri.hpp>

namespace domain_bench {

namespace {

constexpr int64_t elements = int64_t{1} << 16;

struct Work {
    dri::Team team{2};
    dri::Domain<1> domain{dri::Ranges<1>(dri::range(0, elements))};
    dri::Array<double, 1> x{domain}, y{domain};
    std::vector<double> to = std::vector<double>(elements), from = std::vector<double>(elements, 2);
    Work() { y = 2; }
};

Pair share() {
    const auto w = std::make_shared<Work>();
    return {
        .ours =
            [w] { dri::forall(w->team, dri::zip(w->x, w->y), [](double &to, double a) { to = 3 * a + to / 2; }); },
        .theirs =
            [w] {
                double *const to = w->to.data();
                const double *const from = w->from.data();
#pragma omp parallel for num_threads(2) schedule(static)
                for (int64_t i = 0; i < elements; ++i)
                    to[i] = 3 * from[i] + to[i] / 2;
            },
        .operations = elements};
}

} // namespace

std::vector<Contest> teams() { return {{"team of two, 512 KB", "OpenMP", 1.05, 0, share}}; }

} // namespace domain_bench
