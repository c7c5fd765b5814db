// The sum of 10^7 numbers.
#include "arrays/by_hand.hpp"
#include "arrays/row.hpp"

#include <dri/dri.hpp>

#include <cmath>
#include <memory>

namespace array_bench {

namespace {

struct Both {
    explicit Both(std::int64_t n) : array({n}) {
        dri::forall(dri::zip(array.domain(), array),
                    [](const dri::Index<1> &at, double &x) { x = static_cast<double>(at[0] % 1000) * 0.5; });
        const auto part = array.parts()[1];
        mine.assign(part.data(), part.data() + part.size());
    }

    dri::Array<double, 1> array;
    std::vector<double> mine;
    double sum = 0, by_hand = 0;
};

Row sum(std::int64_t n) {
    auto both = std::make_shared<Both>(n);
    Row row;
    row.name = "sum of " + std::to_string(n);
    row.peer = "loop and MPI_Allreduce";
    row.goal = 1.1;
    row.most_seconds = static_cast<double>(n) * 1e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->sum = dri::sum(both->array);
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
            double mine = 0;
            for (const double x : both->mine)
                mine += x;
            MPI_Allreduce(&mine, &both->by_hand, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    };
    row.wrong = [both, n] { // halves: both sums are exact
        const double is = static_cast<double>(n / 1000) * 999 * 1000 / 2 * 0.5;
        return std::int64_t{both->sum != is} + std::int64_t{both->by_hand != is};
    };
    return row;
}

} // namespace

std::vector<std::function<Row()>> sum_rows() {
    return {[] { return sum(10000000); }};
}

} // namespace array_bench
