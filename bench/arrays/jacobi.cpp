// Jacobi's iteration: statements beside loops and an exchange by hand.
#include "arrays/by_hand.hpp"
#include "arrays/row.hpp"

#include <dri/dri.hpp>

#include <cmath>
#include <memory>

namespace array_bench {

namespace {

class Both {
public:
    explicit Both(std::int64_t n)
        : n_(n), a_({n, n}), b_({n, n}), in_(a_.ranges().expand(-1)), hand_a_(n, n), hand_b_(n, n) {
        a_[{dri::range(0, 1), dri::range(0, n)}] = 1.0;
        b_ = a_;
        if (hand_a_.rows().first == 0 && hand_a_.rows().count > 0)
            for (HandField *field : {&hand_a_, &hand_b_})
                std::fill_n(field->row(0), n, 1.0);
    }

    void step() {
        b_[in_] = 0.25 * (a_[in_.shift(-1, 0)] + a_[in_.shift(1, 0)] + a_[in_.shift(0, -1)] + a_[in_.shift(0, 1)]);
        std::swap(a_, b_);
    }
    double change() { return dri::max(dri::abs(b_[in_] - a_[in_])); }

    void step_by_hand() {
        hand_a_.exchange();
        const auto [begin, end] = inside();
        for (std::int64_t i = begin; i < end; ++i) {
            const double *up = hand_a_.row(i - 1), *here = hand_a_.row(i), *down = hand_a_.row(i + 1);
            double *to = hand_b_.row(i);
            for (std::int64_t j = 1; j < n_ - 1; ++j)
                to[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
        }
        hand_a_.swap(hand_b_);
    }
    double change_by_hand() {
        double mine = 0, all = 0;
        const auto [begin, end] = inside();
        for (std::int64_t i = begin; i < end; ++i)
            for (std::int64_t j = 1; j < n_ - 1; ++j)
                mine = std::max(mine, std::abs(hand_b_.row(i)[j] - hand_a_.row(i)[j]));
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return all;
    }

    std::int64_t count_wrong() {
        std::int64_t wrong = 0;
        const std::int64_t first = hand_a_.rows().first;
        dri::forall(dri::zip(a_.domain(), a_),
                    [&](const dri::Index<2> &at, double x) { wrong += x != hand_a_.row(at[0] - first)[at[1]]; });
        return wrong + (change() != change_by_hand());
    }

private:
    struct Span {
        std::int64_t begin, end;
    };
    Span inside() const {
        const Rows &rows = hand_a_.rows();
        return {std::max<std::int64_t>(1 - rows.first, 0), std::min(rows.count, n_ - 1 - rows.first)};
    }

    std::int64_t n_;
    dri::Array<double, 2> a_, b_;
    dri::Ranges<2> in_;
    HandField hand_a_, hand_b_;
};

Row step(std::int64_t n, double goal) {
    auto both = std::make_shared<Both>(n);
    Row row;
    row.name = "Jacobi step, " + std::to_string(n) + " squared";
    row.peer = "loops and exchange by hand";
    row.goal = goal;
    row.most_seconds = 3e-6 + static_cast<double>(n * n) * 1e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->step();
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->step_by_hand();
    };
    row.wrong = [both] { return both->count_wrong(); };
    return row;
}

Row iteration(std::int64_t n, double goal) {
    auto both = std::make_shared<Both>(n);
    Row row;
    row.name = "Jacobi iteration with its change, " + std::to_string(n) + " squared";
    row.peer = "two loops, exchange, MPI_Allreduce";
    row.goal = goal;
    row.most_seconds = 6e-6 + static_cast<double>(n * n) * 2e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
            both->step();
            both->change();
        }
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) {
            both->step_by_hand();
            both->change_by_hand();
        }
    };
    row.wrong = [both] { return both->count_wrong(); };
    return row;
}

} // namespace

std::vector<std::function<Row()>> jacobi_rows() {
    return {[] { return step(64, 1.3); },         [] { return step(1024, 1.05); },
            [] { return step(4096, 1.02); },      [] { return iteration(64, 1.3); },
            [] { return iteration(1024, 1.05); }, [] { return iteration(4096, 1.02); }};
}

} // namespace array_bench
