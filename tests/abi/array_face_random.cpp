// Random statements against the same on whole arrays that every process has: shapes, slices, strides, broadcasts,
// maps, reads of the target.
#include "array_face.hpp"

#include <random>

namespace {

using namespace array_face;

// Equal on all processes.
class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    // From lo to hi, both included.
    std::int64_t roll(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(hi - lo + 1));
    }

private:
    std::mt19937_64 engine_;
};

// A whole array, by index from 0.
template <std::size_t N> class Whole {
public:
    explicit Whole(const Index<N> &shape) : shape_(shape) {
        std::int64_t n = 1;
        for (const std::int64_t size : shape)
            n *= size;
        values_.resize(static_cast<std::size_t>(n));
    }
    double &operator[](const Index<N> &at) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < N; ++d) {
            EXPECT_TRUE(at[d] >= 0 && at[d] < shape_[d]);
            place = place * shape_[d] + at[d];
        }
        return values_[static_cast<std::size_t>(place)];
    }

private:
    Index<N> shape_;
    std::vector<double> values_;
};

template <std::size_t N> dri::Domain<N> random_domain(Dice &dice, const Index<N> &shape) {
    Ranges<N> all;
    for (std::size_t d = 0; d < N; ++d)
        all[d] = range(0, shape[d]);
    Index<N> overlap{};
    for (std::size_t d = 0; d < N; ++d)
        overlap[d] = dice.roll(0, 1);
    switch (dice.roll(0, 2)) {
    case 0: return dri::Array<double, N>(shape).domain();
    case 1: return dri::Domain<N>(dri::block_map(all), all);
    default: return dri::Domain<N>(dri::stencil_map(all, overlap), all);
    }
}

// Ranges of these sizes in a shape, and its shape where it may be larger.
template <std::size_t N> struct Part {
    Index<N> shape;
    Ranges<N> ranges;
};
template <std::size_t N> Part<N> random_part(Dice &dice, const Index<N> &sizes) {
    Part<N> part;
    for (std::size_t d = 0; d < N; ++d) {
        const std::int64_t stride = dice.roll(0, 3) == 0 ? dice.roll(2, 3) : 1, first = dice.roll(0, 3);
        part.ranges[d] = dri::Range(first, stride, sizes[d]);
        part.shape[d] = first + stride * sizes[d] + dice.roll(0, 2);
    }
    return part;
}

// An array with the whole array that it stands for.
template <std::size_t N> struct Both {
    Both(Dice &dice, const Index<N> &shape)
        : array(random_domain(dice, shape)), whole(shape), offset(dice.roll(0, 50)) {
        for (const auto &at : array.ranges().indices())
            whole[at] = value(at);
        set(array, [this](auto at) { return value(at); });
    }
    double value(const Index<N> &at) const {
        double x = static_cast<double>(offset);
        for (const std::int64_t i : at)
            x = 3 * x + static_cast<double>(i);
        return std::fmod(x, 101);
    }

    Array<double, N> array;
    Whole<N> whole;
    std::int64_t offset;
};

// What is at a position of a slice that is broadcast.
template <std::size_t N, std::size_t L>
double element(Whole<N> &whole, const Ranges<N> &slice, const Index<L> &position) {
    Index<N> at{};
    for (std::size_t d = 0; d < N; ++d) {
        const std::int64_t i = slice[d].size == 1 ? 0 : position[d + L - N];
        at[d] = slice[d].first + i * slice[d].stride;
    }
    return whole[at];
}

// Sizes of a read that is broadcast to these.
template <std::size_t M, std::size_t N> Index<M> narrowed(Dice &dice, const Index<N> &sizes) {
    Index<M> found{};
    for (std::size_t d = 0; d < M; ++d)
        found[d] = dice.roll(0, 3) == 0 ? 1 : sizes[d + N - M];
    return found;
}

template <std::size_t N, std::size_t M> void run_statement(Dice &dice) {
    Index<N> sizes{};
    for (std::int64_t &size : sizes)
        size = dice.roll(1, 9);
    const auto target = random_part(dice, sizes);
    Both<N> to(dice, target.shape);
    const auto first = random_part(dice, sizes);
    Both<N> a(dice, first.shape);
    const auto second = random_part(dice, narrowed<M>(dice, sizes));
    Both<M> b(dice, second.shape);
    // The target is read, too, sometimes at other elements.
    Ranges<N> self = target.ranges;
    for (std::size_t d = 0; d < N; ++d)
        if (dice.roll(0, 1) == 0)
            self[d] = self[d].shift(dice.roll(-std::min<std::int64_t>(self[d].first, 2), 0));
    const auto x = std::as_const(a.array)[first.ranges];
    const auto y = std::as_const(b.array)[second.ranges];
    const auto z = to.array[self];
    Whole<N> before = to.whole;
    const auto kind = dice.roll(0, 4);
    const Ranges<N> positions = [&] {
        Ranges<N> all;
        for (std::size_t d = 0; d < N; ++d)
            all[d] = range(0, sizes[d]);
        return all;
    }();
    double sum = 0, least = 1e300;
    for (const auto &at : positions.indices()) {
        const double u = element(a.whole, first.ranges, at), v = element(b.whole, second.ranges, at);
        const double w = element(before, self, at);
        Index<N> place{};
        for (std::size_t d = 0; d < N; ++d)
            place[d] = target.ranges[d].first + at[d] * target.ranges[d].stride;
        double &left = to.whole[place];
        switch (kind) {
        case 0: left = u + 2 * v; break;
        case 1: left = u * v - w; break;
        case 2: left += u > v ? u : w; break;
        case 3: left = std::max(u, w) + v * v; break;
        default: left = w; break;
        }
        sum += u * v;
        least = std::min(least, v - u);
    }
    const auto left = to.array[target.ranges];
    switch (kind) {
    case 0: left = x + 2 * y; break;
    case 1: left = x * y - z; break;
    case 2: left += dri::where(x > y, x, z); break;
    case 3: left = dri::max(x, z) + y * y; break;
    default: left = z + 0; break;
    }
    expect(to.array, [&](auto at) { return to.whole[at]; });
    EXPECT_EQ(dri::sum(y * x), sum);
    EXPECT_EQ(dri::min(y - x), least);
}

TEST(ArrayFaceRandom, StatementsAreThoseOfWholeArrays) {
    for (unsigned seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Dice dice(seed);
        switch (seed % 5) {
        case 0: run_statement<1, 1>(dice); break;
        case 1: run_statement<2, 1>(dice); break;
        case 2: run_statement<2, 2>(dice); break;
        case 3: run_statement<3, 2>(dice); break;
        default: run_statement<3, 3>(dice); break;
        }
    }
}

} // namespace
