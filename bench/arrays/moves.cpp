// A corner turn and a gather, beside MPI with subarray types: as mpi4py-fft transposes.
#include "arrays/by_hand.hpp"
#include "arrays/row.hpp"

#include <dri/dri.hpp>

#include <memory>

namespace array_bench {

namespace {

// A type of MPI that ends with its owner.
class Type {
public:
    Type() = default;
    static Type subarray(std::array<int, 2> sizes, std::array<int, 2> part, std::array<int, 2> first) {
        Type made;
        if (part[0] == 0 || part[1] == 0) {
            MPI_Type_contiguous(0, MPI_DOUBLE, &made.type_);
        } else {
            MPI_Type_create_subarray(2, sizes.data(), part.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE,
                                     &made.type_);
        }
        MPI_Type_commit(&made.type_);
        return made;
    }
    Type(const Type &) = delete;
    Type(Type &&other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Type &operator=(Type &&) = delete;
    ~Type() {
        if (type_ != MPI_DATATYPE_NULL)
            MPI_Type_free(&type_);
    }
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The corner turn of mpi4py-fft, then the local transposition. Both make a new array.
class Turn {
public:
    explicit Turn(std::int64_t n) : n_(n), array_({n, n}), rows_(n) {
        dri::forall(dri::zip(array_.domain(), array_),
                    [&](const dri::Index<2> &at, double &x) { x = static_cast<double>(at[0] * n + at[1]); });
        const int processes = bench::world().size;
        const auto size = static_cast<int>(n), mine = static_cast<int>(rows_.count);
        for (int k = 0; k < processes; ++k) {
            const auto box = dri::default_partition(processes, k, {n, n});
            const auto first = static_cast<int>(box.offset[0]), count = static_cast<int>(box.size[0]);
            types_.push_back(Type::subarray({mine, size}, {mine, count}, {0, first}));
            types_.push_back(Type::subarray({size, mine}, {count, mine}, {first, 0}));
            sends_.push_back(types_[types_.size() - 2].get());
            receives_.push_back(types_.back().get());
        }
        ones_.assign(static_cast<std::size_t>(processes), 1);
        zeros_.assign(static_cast<std::size_t>(processes), 0);
        columns_.resize(static_cast<std::size_t>(rows_.count * n));
    }

    void turn() { turned_.emplace(array_.permuted({1, 0})); }
    void turn_by_hand() {
        MPI_Alltoallw(array_.parts()[1].data(), ones_.data(), zeros_.data(), sends_.data(), columns_.data(),
                      ones_.data(), zeros_.data(), receives_.data(), MPI_COMM_WORLD);
        to_ = std::vector<double>(columns_.size());
        constexpr std::int64_t block = 16;
        for (std::int64_t i = 0; i < rows_.count; i += block)
            for (std::int64_t j = 0; j < n_; j += block)
                for (std::int64_t a = i; a < std::min(i + block, rows_.count); ++a)
                    for (std::int64_t b = j; b < std::min(j + block, n_); ++b)
                        to_[static_cast<std::size_t>(a * n_ + b)] =
                            columns_[static_cast<std::size_t>(b * rows_.count + a)];
    }
    std::int64_t count_wrong() {
        std::int64_t wrong = 0, place = 0;
        dri::forall(dri::zip(turned_->domain(), *turned_), [&](const dri::Index<2> &at, double x) {
            const auto is = static_cast<double>(at[1] * n_ + at[0]);
            wrong += x != is || to_[static_cast<std::size_t>(place++)] != is;
        });
        return wrong;
    }

private:
    std::int64_t n_;
    dri::Array<double, 2> array_;
    Rows rows_;
    std::optional<dri::Array<double, 2>> turned_;
    std::vector<double> columns_, to_;
    std::vector<int> ones_, zeros_;
    std::vector<Type> types_;
    std::vector<MPI_Datatype> sends_, receives_;
};

// Half of the columns on the first process.
class Collection {
public:
    explicit Collection(std::int64_t n)
        : n_(n), array_({n, n}), some_(dri::range(0, n), dri::range(0, n / 2)), rows_(n),
          type_(Type::subarray({static_cast<int>(rows_.count), static_cast<int>(n)},
                               {static_cast<int>(rows_.count), static_cast<int>(n / 2)}, {0, 0})) {
        dri::forall(dri::zip(array_.domain(), array_),
                    [&](const dri::Index<2> &at, double &x) { x = static_cast<double>(at[0] * n + at[1]); });
        const bench::World world = bench::world();
        for (int k = 0; k < world.size; ++k) {
            const auto box = dri::default_partition(world.size, k, {n, n / 2});
            counts_.push_back(static_cast<int>(box.size[0] * (n / 2)));
            first_.push_back(static_cast<int>(box.offset[0] * (n / 2)));
        }
        if (world.is_first()) {
            all_.resize(static_cast<std::size_t>(n * (n / 2)));
            to_ = all_;
        }
    }

    void gather() { array_.gather(some_, 0, std::span(all_)); }
    void gather_by_hand() {
        MPI_Gatherv(array_.parts()[1].data(), rows_.count > 0 ? 1 : 0, type_.get(), to_.data(), counts_.data(),
                    first_.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    std::int64_t count_wrong() const {
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const auto half = static_cast<std::size_t>(n_ / 2), all = static_cast<std::size_t>(n_);
            const auto is = static_cast<double>(k / half * all + k % half);
            wrong += all_[k] != is || to_[k] != is;
        }
        return wrong;
    }

private:
    std::int64_t n_;
    dri::Array<double, 2> array_;
    dri::Ranges<2> some_;
    Rows rows_;
    Type type_;
    std::vector<double> all_, to_;
    std::vector<int> counts_, first_;
};

Row turn(std::int64_t n) {
    auto both = std::make_shared<Turn>(n);
    Row row;
    row.name = "permute, " + std::to_string(n) + " squared";
    row.peer = "MPI_Alltoallw with subarrays, transposition";
    row.goal = 0.5;
    row.most_seconds = static_cast<double>(n * n) * 4e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->turn();
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->turn_by_hand();
    };
    row.wrong = [both] { return both->count_wrong(); };
    return row;
}

Row gather(std::int64_t n) {
    auto both = std::make_shared<Collection>(n);
    Row row;
    row.name = "gather of half the columns, " + std::to_string(n) + " squared";
    row.peer = "MPI_Gatherv with subarrays";
    row.goal = 0.5;
    row.most_seconds = static_cast<double>(n * n) * 2e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->gather();
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->gather_by_hand();
    };
    row.wrong = [both] { return both->count_wrong(); };
    return row;
}

} // namespace

std::vector<std::function<Row()>> move_rows() {
    return {[] { return turn(1024); }, [] { return turn(4096); }, [] { return gather(1024); },
            [] { return gather(4096); }};
}

} // namespace array_bench
