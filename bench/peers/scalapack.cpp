// ScaLAPACK: p?gemr2d if the order in memory stays, p?tran if it is transposed. Built if the package is installed.
#include "buffer.hpp"
#include "row.hpp"
#include "world.hpp"

#include <algorithm>
#include <array>
#include <limits>

// ScaLAPACK has no headers.
extern "C" {
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);

using Redistribute = void(int m, int n, const void *a, int ia, int ja, const int *a_descriptor, void *b, int ib,
                          int jb, const int *b_descriptor, int context);
Redistribute Cpsgemr2d, Cpcgemr2d, Cpzgemr2d;

using Transpose = void(const int *m, const int *n, const void *alpha, const void *a, const int *ia, const int *ja,
                       const int *a_descriptor, const void *beta, void *c, const int *ic, const int *jc,
                       const int *c_descriptor);
Transpose pstran_, pctranu_, pztranu_;
}

namespace bench {

namespace {

struct Routines {
    int64_t element_bytes;
    Redistribute *redistribute;
    Transpose *transpose;
};

constexpr Routines all_routines[] = {
    {4, Cpsgemr2d, pstran_},   // float
    {8, Cpcgemr2d, pctranu_},  // complex float
    {16, Cpzgemr2d, pztranu_}, // complex double
};

// A side as a column-major matrix: the contiguous dimension runs along a column.
struct Matrix {
    std::array<size_t, 2> dims; // dimensions of the case along a column and along a row
    std::array<int64_t, 2> blocks{}, parts{};
    bool fits = true; // block-cyclic, as ScaLAPACK requires
};

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

Matrix matrix_of(const Case &c, const Side &side, const dri::test::CaseSide &rules) {
    Matrix m{{static_cast<size_t>(side.order[1]), static_cast<size_t>(side.order[0])}};
    for (size_t i = 0; i < 2; ++i) {
        const size_t dim = m.dims[i];
        const auto &rule = rules.rules[dim];
        m.parts[i] = side.grid[dim];
        const int64_t dealt = ceil_div(std::max<int64_t>(c.sizes[dim], 1), m.parts[i]);
        m.blocks[i] = rule.kind == dri::test::CaseRule::Kind::cyclic ? rule.block : dealt;
        // Part p must start with block p. If that holds for all parts and the lengths add up, the other blocks
        // follow.
        for (size_t rank = 0; rank < side.parts.size(); ++rank) {
            const auto &runs = side.parts[rank].runs[dim];
            const int64_t coordinate =
                dim == 0 ? static_cast<int64_t>(rank) / side.grid[1] : static_cast<int64_t>(rank) % side.grid[1];
            const int64_t begin = coordinate * m.blocks[i];
            const int64_t count = std::clamp<int64_t>(c.sizes[dim] - begin, 0, m.blocks[i]);
            m.fits = m.fits && (runs.empty() ? count == 0 : runs[0].begin == begin && runs[0].count == count);
        }
    }
    return m;
}

using Descriptor = std::array<int, 9>;

class Context {
public:
    // Ranks fill the grid as parts do: the last dimension of the case varies fastest.
    explicit Context(const Matrix &m) {
        Cblacs_get(-1, 0, &id_);
        Cblacs_gridinit(&id_, m.dims[0] == 1 ? "Col" : "Row", static_cast<int>(m.parts[0]),
                        static_cast<int>(m.parts[1]));
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    ~Context() { Cblacs_gridexit(id_); }
    int id() const { return id_; }

private:
    int id_ = -1;
};

class Exchange {
public:
    Exchange(const Case &c, const Matrix &from, const Matrix &to, const Routines &routines)
        : routines_(routines), turns_(from.dims != to.dims), rows_(static_cast<int>(c.sizes[to.dims[0]])),
          columns_(static_cast<int>(c.sizes[to.dims[1]])), from_(from), to_(to),
          from_descriptor_(descriptor(c, from, c.source, from_.id())),
          to_descriptor_(descriptor(c, to, c.sink, turns_ ? from_.id() : to_.id())),
          source_(own_part(c.source).count * c.element_bytes), sink_(own_part(c.sink).count * c.element_bytes) {}

    void run() const {
        constexpr int first = 1;
        constexpr std::array<double, 2> zero{};
        if (turns_)
            routines_.transpose(&rows_, &columns_, one(), source_.data(), &first, &first, from_descriptor_.data(),
                                zero.data(), sink_.data(), &first, &first, to_descriptor_.data());
        else
            routines_.redistribute(rows_, columns_, source_.data(), first, first, from_descriptor_.data(),
                                   sink_.data(), first, first, to_descriptor_.data(), from_.id());
    }

    std::byte *source() const { return source_.data(); }
    std::byte *sink() const { return sink_.data(); }

private:
    static Descriptor descriptor(const Case &c, const Matrix &m, const Side &side, int context) {
        const auto column = static_cast<int>(std::max<int64_t>(own_part(side).extents[m.dims[0]], 1));
        return {1,
                context,
                static_cast<int>(c.sizes[m.dims[0]]),
                static_cast<int>(c.sizes[m.dims[1]]),
                static_cast<int>(m.blocks[0]),
                static_cast<int>(m.blocks[1]),
                0,
                0,
                column};
    }

    // The number 1 in the routine's type.
    const void *one() const {
        static constexpr float complex_float[2] = {1, 0};
        static constexpr double complex_double[2] = {1, 0};
        return routines_.element_bytes == 16 ? static_cast<const void *>(complex_double) : complex_float;
    }

    Routines routines_;
    bool turns_;
    int rows_, columns_; // of the matrix that arrives
    Context from_, to_;
    Descriptor from_descriptor_, to_descriptor_;
    Buffer source_, sink_;
};

Contest prepare_scalapack(const Case &c) {
    const auto routines = std::find_if(std::begin(all_routines), std::end(all_routines),
                                       [&](const Routines &r) { return r.element_bytes == c.element_bytes; });
    if (c.sizes.size() != 2 || c.line.sizes.size() != 2)
        return unfit("only for two dimensions");
    if (routines == std::end(all_routines))
        return unfit("only for elements of 4, 8 or 16 bytes");
    if (std::max(c.sizes[0], c.sizes[1]) > std::numeric_limits<int>::max() || c.bytes() == 0)
        return unfit("sizes are 0 or exceed int");
    const Matrix from = matrix_of(c, c.source, c.line.source), to = matrix_of(c, c.sink, c.line.sink);
    if (!from.fits || !to.fits || c.source.processes != world().size || c.sink.processes != world().size)
        return unfit("only for equal blocks, of ceil(n/P) if they do not repeat");
    // On a grid with several rows and columns, a matrix and its transpose number the processes differently.
    const bool one_grid = from.parts == to.parts && std::min(from.parts[0], from.parts[1]) == 1;
    if (from.dims != to.dims && !one_grid)
        return unfit("transposes only within one grid of a single row or column");
    const auto exchange = on_all_or_none([&] { return std::make_shared<Exchange>(c, from, to, *routines); });
    return contest_of(exchange);
}

const ExtraRow row({"ScaLAPACK gemr2d or tran", Contender::peer, prepare_scalapack});

} // namespace

} // namespace bench
