// Assignments whose plan is kept: between blocks and cyclic blocks, strided slices, maps that are lists, and
// single elements.
#include "by_hand.hpp"
#include "contest.hpp"
#include "world.hpp"

#include <dri/dri.hpp>

#include <algorithm>

namespace domain_bench {

namespace {

double value_at(const dri::Index<2> &at) { return static_cast<double>(10000 * at[0] + at[1]); }

double *data_of(DRI_Array array) {
    const DRI_View *view = nullptr;
    bench::check(DRI_array_view(array, 0, &view));
    return static_cast<double *>(view->data);
}

// An array that is assigned to two others: by the library, and by hand.
struct Trio {
    dri::Ranges<2> all;
    dri::Domain<2> left, right;
    dri::Array<double, 2> ours{left}, by_hand{left}, from{right};

    Trio(const dri::Ranges<2> &plate, const dri::Map<2> &to, const dri::Map<2> &of)
        : all(plate), left(to, plate), right(of, plate) {
        dri::forall(dri::zip(right, from), [](auto at, double &x) { x = value_at({at[0], at[1]}); });
    }
    std::string fault() const {
        int64_t wrong = 0;
        dri::forall(dri::zip(ours, by_hand), [&wrong](double a, double b) { wrong += a != b; });
        return wrong ? std::to_string(wrong) + " elements differ from those by hand" : "";
    }
    std::shared_ptr<Exchange> exchange(int64_t together, Exchange::Copy copy) const {
        return std::make_shared<Exchange>(sends_between(right, left, all, together),
                                          receives_between(right, left, all, together), copy);
    }
};

constexpr int64_t side = 4096;

// Elements of arrays of several boxes lie in the order of local_index, from the first place on.
Pair blocks_to_cyclic_blocks() {
    const dri::Ranges<2> plate(dri::range(0, side), dri::range(0, side));
    const auto t = std::make_shared<Trio>(plate, dri::block_cyclic_map({0, 0}, {64, 64}), dri::block_map(plate));
    const auto exchange = t->exchange(64, Exchange::Copy::runs);
    return {.ours = [t] { t->ours = t->from; },
            .theirs = [t, exchange] { (*exchange)(data_of(t->from.handle()), data_of(t->by_hand.handle())); },
            .fault = [t] { return t->fault(); }};
}

// Bands of columns that no rule describes, with lists of them.
struct Bands {
    int processes;
    int owner(const dri::Index<2> &at) const {
        return static_cast<int>((at[1] * at[1] / 96 + at[1] / 7) % processes);
    }
    std::vector<dri::Ranges<2>> local(int position, const dri::Ranges<2> &whole) const {
        std::vector<dri::Ranges<2>> boxes;
        for (int64_t j = 0; j < whole[1].size;) {
            int64_t n = 1;
            const int at = owner({0, whole[1][j]});
            while (j + n < whole[1].size && owner({0, whole[1][j + n]}) == at)
                ++n;
            if (at == position)
                boxes.emplace_back(whole[0], dri::Range(whole[1][j], whole[1].stride, n));
            j += n;
        }
        return boxes;
    }
};

Pair bands_to_blocks() {
    const dri::Ranges<2> plate(dri::range(0, 2048), dri::range(0, 2048));
    const auto t = std::make_shared<Trio>(plate, dri::block_map(plate),
                                          dri::Map<2>(Bands{bench::world().size}, dri::world()));
    const auto exchange = t->exchange(1, Exchange::Copy::each);
    return {.ours = [t] { t->ours = t->from; },
            .theirs = [t, exchange] { (*exchange)(data_of(t->from.handle()), data_of(t->by_hand.handle())); },
            .fault = [t] { return t->fault(); }};
}

Pair elements_one_by_one() {
    const dri::Ranges<2> plate(dri::range(0, 1024), dri::range(0, 1024));
    const auto t = std::make_shared<Trio>(plate, dri::block_cyclic_map({0, 0}, {64, 64}), dri::block_map(plate));
    const auto known = std::make_shared<dri::Array<double, 2>>(t->left);
    t->ours.bulk(false);
    t->by_hand = t->from;
    return {.ours = [t] { t->ours = t->from; },
            .theirs = [t, known] { *known = t->from; },
            .fault = [t] { return t->fault(); }};
}

// Even rows and columns of blocks of rows to the first rows and columns.
class StridedSlices {
public:
    StridedSlices() {
        const auto [rank, size] = bench::world();
        dri::forall(dri::zip(domain_, from_), [](auto at, double &x) { x = value_at({at[0], at[1]}); });
        types_.assign(static_cast<std::size_t>(2 * size), MPI_DOUBLE);
        counts_.assign(static_cast<std::size_t>(2 * size), 0);
        offsets_.assign(static_cast<std::size_t>(2 * size), 0);
        const auto first_row = [size = size](int64_t q) { return (side * q + size - 1) / size; };
        for (int q = 0; q < size; ++q) {
            // Row k of the left side comes from row 2 k.
            const auto rows_of = [&](int64_t to, int64_t of) {
                const int64_t first = std::max(first_row(to), (first_row(of) + 1) / 2);
                const int64_t last = std::min({first_row(to + 1), (first_row(of + 1) + 1) / 2, side / 2});
                return std::pair(first, std::max<int64_t>(0, last - first));
            };
            const auto [to_there, n_there] = rows_of(q, rank);
            const auto [to_here, n_here] = rows_of(rank, q);
            set(static_cast<std::size_t>(q), 2 * to_there - first_row(rank), n_there, 2);
            set(static_cast<std::size_t>(size + q), to_here - first_row(rank), n_here, 1);
        }
    }
    StridedSlices(const StridedSlices &) = delete;
    StridedSlices &operator=(const StridedSlices &) = delete;
    ~StridedSlices() {
        for (MPI_Datatype &type : types_)
            if (type != MPI_DOUBLE)
                MPI_Type_free(&type);
    }
    void assign() { ours_[{dri::range(0, side / 2), dri::range(0, side / 2)}] = from_[plate_.by(2)]; }
    void by_hand() {
        const auto n = static_cast<std::size_t>(bench::world().size);
        MPI_Alltoallw(data_of(from_.handle()), counts_.data(), offsets_.data(), types_.data(),
                      data_of(by_hand_.handle()), counts_.data() + n, offsets_.data() + n, types_.data() + n,
                      MPI_COMM_WORLD);
    }
    std::string fault() const {
        int64_t wrong = 0;
        dri::forall(dri::zip(ours_, by_hand_), [&wrong](double a, double b) { wrong += a != b; });
        return wrong ? "slices differ" : "";
    }

private:
    void set(std::size_t i, int64_t row, int64_t rows, int stride) {
        if (rows == 0)
            return;
        MPI_Datatype line, wide;
        MPI_Type_vector(side / 2, 1, stride, MPI_DOUBLE, &line);
        MPI_Type_create_resized(line, 0, stride * side * static_cast<MPI_Aint>(sizeof(double)), &wide);
        MPI_Type_contiguous(static_cast<int>(rows), wide, &types_[i]);
        MPI_Type_commit(&types_[i]);
        MPI_Type_free(&line);
        MPI_Type_free(&wide);
        counts_[i] = 1;
        offsets_[i] = static_cast<int>(row * side * static_cast<int64_t>(sizeof(double)));
    }

    dri::Ranges<2> plate_{dri::range(0, side), dri::range(0, side)};
    dri::Domain<2> domain_{dri::Map<2>({dri::MapDim::block(plate_[0]), dri::MapDim::whole()}), plate_};
    dri::Array<double, 2> ours_{domain_}, by_hand_{domain_}, from_{domain_};
    std::vector<MPI_Datatype> types_; // of what is sent, then of what is received
    std::vector<int> counts_, offsets_;
};

Pair strided_slices() {
    const auto s = std::make_shared<StridedSlices>();
    return {.ours = [s] { s->assign(); }, .theirs = [s] { s->by_hand(); }, .fault = [s] { return s->fault(); }};
}

// The transfer of a small assignment without the assignment around it.
class Bare {
public:
    Bare(const dri::Domain<2> &to, const dri::Domain<2> &from) {
        const auto left = to.dist<double>(), right = from.dist<double>();
        bench::check(DRI_xfer_create("bare", DRI_SINK, left.handle(), DRI_ROW_MAJOR, 1, nullptr, &sink_));
        bench::check(DRI_xfer_create("bare", DRI_SOURCE, right.handle(), DRI_ROW_MAJOR, 1, nullptr, &source_));
        const DRI_Xfer both[]{source_, sink_};
        bench::check(DRI_commit_ends(dri::world().handle(), 2, both));
    }
    Bare(const Bare &) = delete;
    Bare &operator=(const Bare &) = delete;
    ~Bare() {
        DRI_xfer_destroy(&sink_);
        DRI_xfer_destroy(&source_);
    }
    static void run() { bench::check(DRI_do("bare", DRI_XFER_NULL)); }

private:
    DRI_Xfer source_{}, sink_{};
};

Pair small_again() {
    const dri::Ranges<2> plate(dri::range(0, 32), dri::range(0, 32));
    const auto t = std::make_shared<Trio>(plate, dri::block_cyclic_map({0, 0}, {4, 4}), dri::block_map(plate));
    const auto bare = std::make_shared<Bare>(t->left, t->right);
    return {.ours = [t] { t->ours = t->from; }, .theirs = [bare] { bare->run(); }};
}

} // namespace

std::vector<Contest> assignments() {
    return {
        {"blocks to cyclic blocks, 4096 x 4096", "packed Isend, Irecv", 1 / 3.0, 0, blocks_to_cyclic_blocks},
        {"strided slices, 2048 x 2048", "Alltoallw of vector types", 1 / 3.0, 0, strided_slices},
        {"lists to blocks, 2048 x 2048", "Isend, Irecv by lists of indices", 0.5, 0, bands_to_blocks},
        {"element by element, 1024 x 1024", "the same, known", 3, 0, elements_one_by_one},
        {"again, 32 x 32", "DRI_do alone", 1, 0.3, small_again},
    };
}

} // namespace domain_bench
