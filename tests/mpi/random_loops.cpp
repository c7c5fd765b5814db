// Random statements over arrays of all maps with one box per process. The oracle computes them on whole arrays
// that every process holds, by plain loops. RC_PARAMS=max_success=10000 sets the number of statements.
#include "support/library.hpp"
#include "support/random_arrays.hpp"
#include "support/random_cases.hpp"

#include <algorithm>
#include <cstring>

namespace dri::test {
namespace {

using Loop = Owned<DRI_Loop, DRI_loop_destroy>;

// One operand, and where the oracle finds its elements: per dimension of the loop first + position * step.
struct Read {
    DRI_Operand operand{};
    Whole *whole = nullptr;
    Indices first, step;      // per dimension of the operand
    std::vector<double> data; // plain memory
    Indices left, right;      // per dimension of the loop
};

// A slice of `sizes` members of an array, with space for a reach at both ends.
void random_operand(Dice &dice, Both &both, const Indices &sizes, const Indices &left, const Indices &right,
                    Read &read) {
    read.whole = &both.whole;
    read.operand.array = both.array;
    for (size_t d = 0; d < sizes.size(); ++d) {
        const int64_t all = both.whole.shape[d], size = sizes[d];
        const int64_t widest =
            std::max<int64_t>(1, (all - 1) / std::max<int64_t>(1, size - 1 + left[d] + right[d]));
        const int64_t step = dice.range(1, std::min<int64_t>(widest, 3));
        const int64_t lowest = left[d] * step,
                      highest = all - 1 - right[d] * step - (size > 0 ? (size - 1) * step : 0);
        const int64_t first = highest > lowest ? dice.range(lowest, highest) : lowest;
        read.first.push_back(first);
        read.step.push_back(step);
        read.operand.slice[d] = {both.ranges[d].first + first * both.ranges[d].stride,
                                 step * both.ranges[d].stride, size};
        read.operand.left[d] = left[d];
        read.operand.right[d] = right[d];
    }
}

// What a kernel knows beside its boxes.
struct Weights {
    std::vector<Indices> left, right; // per read
};

double term(double weight, double here, double left, double right) {
    return weight * (here + 2 * left + 3 * right);
}

int weigh(void *context, int ndims, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    const auto &weights = *static_cast<const Weights *>(context);
    Indices at(static_cast<size_t>(ndims), 0);
    for (;;) {
        double sum = 1;
        const auto place = [&](size_t k, int64_t by, bool forward) {
            auto *p = static_cast<char *>(data[k]);
            for (size_t d = 0; d < at.size(); ++d) {
                const int64_t reach = by == 0 ? 0 : forward ? weights.right[k - 1][d] : -weights.left[k - 1][d];
                p += (at[d] + reach) * steps[k][d];
            }
            return reinterpret_cast<double *>(p);
        };
        for (size_t k = 1; k <= weights.left.size(); ++k)
            sum += term(static_cast<double>(k), *place(k, 0, true), *place(k, 1, false), *place(k, 1, true));
        *place(0, 0, true) = sum;
        int d = ndims - 1;
        for (; d >= 0 && ++at[static_cast<size_t>(d)] == sizes[d]; --d)
            at[static_cast<size_t>(d)] = 0;
        if (d < 0)
            return DRI_SUCCESS;
    }
}

// The element that a read has at a position, moved by its reach.
double oracle_of(Read &read, const Indices &position, int direction) {
    const size_t n = read.whole ? read.first.size() : position.size();
    Indices index;
    int64_t plain = 0;
    for (size_t j = 0; j < n; ++j) {
        const size_t d = position.size() - n + j;
        const int64_t reach = direction == 0 ? 0 : direction > 0 ? read.right[d] : -read.left[d];
        const int64_t size = read.operand.slice[j].size;
        if (read.whole)
            index.push_back(read.first[j] +
                            (size == 1 && !read.left[d] && !read.right[d] ? 0 : position[d] + reach) *
                                read.step[j]);
        else
            plain += (size == 1 ? 0 : position[d]) * read.operand.steps[j] / 8;
    }
    return read.whole ? read.whole->at(index) : read.data[static_cast<size_t>(plain)];
}

Indices smaller(Dice &dice, const Indices &shape) {
    Indices sizes;
    for (const int64_t size : shape)
        sizes.push_back(dice.chance(5) ? 0 : dice.range(1, size));
    return sizes;
}

void random_read(Dice &dice, std::vector<std::unique_ptr<Both>> &arrays, const Indices &sizes, Read &read) {
    const size_t n = sizes.size();
    read.left.assign(n, 0);
    read.right.assign(n, 0);
    const size_t fewer = dice.chance(25) ? static_cast<size_t>(dice.range(0, static_cast<int64_t>(n) - 1)) : 0;
    Indices own(sizes.begin() + static_cast<std::ptrdiff_t>(fewer), sizes.end());
    for (int64_t &size : own)
        if (dice.chance(15))
            size = 1;
    if (dice.chance(15)) {
        own.insert(own.begin(), fewer, 1);
        int64_t step = 8;
        for (size_t d = n; d-- > 0; step *= own[d]) {
            read.operand.slice[d].size = own[d];
            read.operand.steps[d] = step;
        }
        for (int64_t i = total_of(own) + 1; i > 0; --i)
            read.data.push_back(static_cast<double>(dice.range(-9, 9)));
        read.operand.data = read.data.data();
        return;
    }
    size_t whole_shapes = 1; // arrays that were made for one read have other shapes
    while (whole_shapes < arrays.size() && arrays[whole_shapes]->whole.shape == arrays[0]->whole.shape)
        ++whole_shapes;
    Both *both = arrays[static_cast<size_t>(dice.range(0, static_cast<int64_t>(whole_shapes) - 1))].get();
    if (fewer > 0 || dice.chance(20)) {
        Indices shape;
        for (const int64_t size : own)
            shape.push_back(size + dice.range(0, 4));
        arrays.push_back(std::make_unique<Both>(random_array(dice, shape)));
        both = arrays.back().get();
    }
    Indices left(own.size()), right(own.size());
    if (dice.chance(30))
        for (size_t j = 0; j < own.size(); ++j) {
            const int64_t free = both->whole.shape[j] - own[j];
            if (own[j] != sizes[n - own.size() + j])
                continue;
            left[j] = read.left[n - own.size() + j] = dice.range(0, std::min<int64_t>(free / 2, 2));
            right[j] = read.right[n - own.size() + j] = dice.range(0, std::min<int64_t>(free / 2, 2));
        }
    random_operand(dice, *both, own, left, right, read);
}

std::string run_statement(Dice &dice) {
    Indices shape;
    const int64_t ndims = dice.range(1, 3);
    for (int64_t d = 0; d < ndims; ++d)
        shape.push_back(dice.range(1, d == 0 ? 24 : 7));
    std::vector<std::unique_ptr<Both>> arrays;
    for (int64_t i = dice.range(1, 3); i > 0; --i)
        arrays.push_back(std::make_unique<Both>(random_array(dice, shape)));
    const Indices sizes = smaller(dice, shape);
    Read target;
    random_operand(dice, *arrays[0], sizes, Indices(shape.size()), Indices(shape.size()), target);
    std::vector<std::unique_ptr<Read>> reads;
    Weights weights;
    std::vector<DRI_Operand> operands;
    for (int64_t i = dice.range(1, 5); i > 0; --i) {
        reads.push_back(std::make_unique<Read>());
        random_read(dice, arrays, sizes, *reads.back());
        operands.push_back(reads.back()->operand);
        weights.left.push_back(reads.back()->left);
        weights.right.push_back(reads.back()->right);
    }
    std::string text;
    for (const auto &one : arrays)
        text += one->text + ";";
    Loop loop;
    if (DRI_loop_create(&target.operand, static_cast<int>(operands.size()), operands.data(), loop.out()) !=
        DRI_SUCCESS)
        return text + DRI_error_message();
    Ranges positions;
    for (const int64_t size : sizes)
        positions.push_back({0, 1, size});
    for (int turn = 0; turn < 2; ++turn) {
        std::vector<std::pair<Indices, double>> results;
        for (const Indices &at : tuples_of(positions)) {
            double sum = 1;
            for (size_t k = 0; k < reads.size(); ++k)
                sum += term(static_cast<double>(k + 1), oracle_of(*reads[k], at, 0), oracle_of(*reads[k], at, -1),
                            oracle_of(*reads[k], at, 1));
            Indices index;
            for (size_t d = 0; d < at.size(); ++d)
                index.push_back(target.first[d] + at[d] * target.step[d]);
            results.emplace_back(index, sum);
        }
        for (const auto &[index, value] : results)
            target.whole->at(index) = value;
        if (DRI_loop_run(loop, weigh, &weights) != DRI_SUCCESS)
            return text + DRI_error_message();
        char plan[2000];
        expect_success(DRI_loop_explain(loop, plan, sizeof plan), "DRI_loop_explain");
        for (const auto &one : arrays)
            if (const std::string wrong = visit(*one, false); !wrong.empty())
                return text + " turn " + std::to_string(turn) + ": " + wrong + "\n" + plan;
    }
    return "";
}

TEST(Loops, Random) { run_random_cases(run_statement); }

} // namespace
} // namespace dri::test
