// Updates of overlap beside the same exchange by hand: packed, and by types of MPI.
#include "contest.hpp"
#include "world.hpp"

#include <dri/dri.hpp>
#include <mpi.h>

#include <array>
#include <cstring>
#include <optional>

namespace domain_bench {

namespace {

// The overlap of a block with one of its neighbours, which may be at an edge or a corner.
template <std::size_t N> struct Side {
    int rank = -1;
    int tag_out = 0, tag_in = 0; // number of the direction, and of the opposite one
    std::array<int, N> out{}, in{}, size{};
};

// Blocks of an array in its local memory, with `width` places around.
template <std::size_t N> class Around {
public:
    Around(int64_t side, int width) : width_(width) {
        for (std::size_t d = 0; d < N; ++d)
            plate_[d] = dri::range(0, side);
        dri::Index<N> overlap;
        overlap.fill(width);
        domain_.emplace(dri::stencil_map(plate_, overlap), plate_);
        ours_.emplace(*domain_);
        by_hand_.emplace(*domain_);
        for (auto *array : {&*ours_, &*by_hand_})
            dri::forall(dri::zip(*domain_, *array), [](auto at, double &x) {
                x = 0;
                for (std::size_t d = 0; d < N; ++d)
                    x = 1000 * x + static_cast<double>(at[d]);
            });
        const DRI_View *view = nullptr;
        bench::check(DRI_array_view(by_hand_->handle(), 0, &view));
        int64_t before = 0;
        for (std::size_t d = 0; d < N; ++d) {
            extents_[d] = static_cast<int>(view->range[d].size + 2 * width);
            before += width * view->step[d];
        }
        memory_ = static_cast<double *>(view->data) - before;
        find_sides();
    }
    Around(const Around &) = delete;
    Around &operator=(const Around &) = delete;
    ~Around() {
        for (MPI_Datatype &type : types_)
            MPI_Type_free(&type);
        if (neighbours_ != MPI_COMM_NULL)
            MPI_Comm_free(&neighbours_);
    }

    void update() { ours_->update_overlap(); }
    void exchange_packed() {
        requests_.assign(2 * sides_.size(), MPI_REQUEST_NULL);
        for (std::size_t i = 0; i < sides_.size(); ++i)
            MPI_Irecv(in_[i].data(), static_cast<int>(in_[i].size()), MPI_DOUBLE, sides_[i].rank, sides_[i].tag_in,
                      MPI_COMM_WORLD, &requests_[i]);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            copy(sides_[i].out, sides_[i].size, out_[i].data(), true);
            MPI_Isend(out_[i].data(), static_cast<int>(out_[i].size()), MPI_DOUBLE, sides_[i].rank,
                      sides_[i].tag_out, MPI_COMM_WORLD, &requests_[sides_.size() + i]);
        }
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        for (std::size_t i = 0; i < sides_.size(); ++i)
            copy(sides_[i].in, sides_[i].size, in_[i].data(), false);
    }
    void exchange_by_types() {
        const std::size_t n = sides_.size();
        MPI_Neighbor_alltoallw(memory_, ones_.data(), zeros_.data(), types_.data(), memory_, ones_.data(),
                               zeros_.data(), types_.data() + n, neighbours_);
    }
    std::string fault() const {
        const DRI_View *a = nullptr;
        bench::check(DRI_array_view(ours_->handle(), 0, &a));
        int64_t before = 0, held = 1;
        for (std::size_t d = 0; d < N; ++d) {
            before += width_ * a->step[d];
            held *= extents_[d];
        }
        const double *const ours = static_cast<const double *>(a->data) - before;
        return std::memcmp(ours, memory_, static_cast<std::size_t>(held) * sizeof(double)) == 0
                   ? ""
                   : "the overlap differs";
    }

private:
    void find_sides() {
        const auto grid = domain_->map().grid();
        const int rank = bench::world().rank;
        std::array<int, N> own{};
        for (std::size_t d = N; d-- > 0;) {
            int behind = 1;
            for (std::size_t e = d + 1; e < N; ++e)
                behind *= grid[e];
            own[d] = rank / behind % grid[d];
        }
        int directions = 1;
        for (std::size_t d = 0; d < N; ++d)
            directions *= 3;
        for (int direction = 0; direction < directions; ++direction) {
            Side<N> side;
            side.tag_out = direction;
            side.tag_in = directions - 1 - direction;
            side.rank = 0;
            bool is_there = direction != directions / 2;
            for (std::size_t d = 0, rest = static_cast<std::size_t>(direction); d < N; ++d, rest /= 3) {
                const int step = static_cast<int>(rest % 3) - 1, at = own[d] + step,
                          inner = extents_[d] - 2 * width_;
                is_there = is_there && at >= 0 && at < grid[d];
                side.rank = side.rank * grid[d] + at;
                side.size[d] = step == 0 ? inner : width_;
                side.out[d] = step > 0 ? inner : width_;
                side.in[d] = step < 0 ? 0 : step > 0 ? width_ + inner : width_;
            }
            if (is_there)
                sides_.push_back(side);
        }
        std::vector<int> ranks;
        for (const bool is_out : {true, false})
            for (const Side<N> &side : sides_) {
                MPI_Datatype &type = types_.emplace_back();
                MPI_Type_create_subarray(N, extents_.data(), side.size.data(),
                                         (is_out ? side.out : side.in).data(), MPI_ORDER_C, MPI_DOUBLE, &type);
                MPI_Type_commit(&type);
                std::size_t n = 1;
                for (const int size : side.size)
                    n *= static_cast<std::size_t>(size);
                (is_out ? out_ : in_).emplace_back(n);
                if (is_out)
                    ranks.push_back(side.rank);
            }
        ones_.assign(sides_.size(), 1);
        zeros_.assign(sides_.size(), 0);
        const int n = static_cast<int>(ranks.size());
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, ranks.data(), MPI_UNWEIGHTED, n, ranks.data(),
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &neighbours_);
    }

    // Rows of the last dimension, each by one memcpy.
    void copy(const std::array<int, N> &from, const std::array<int, N> &size, double *packed, bool is_out) const {
        std::array<int, N> at{};
        const auto bytes = static_cast<std::size_t>(size[N - 1]) * sizeof(double);
        for (;;) {
            int64_t place = 0;
            for (std::size_t d = 0; d < N; ++d)
                place = place * extents_[d] + from[d] + at[d];
            if (is_out)
                std::memcpy(packed, memory_ + place, bytes);
            else
                std::memcpy(memory_ + place, packed, bytes);
            packed += size[N - 1];
            std::size_t d = N - 1;
            while (d > 0 && ++at[d - 1] == size[d - 1])
                at[--d] = 0;
            if (d == 0)
                return;
        }
    }

    int width_;
    dri::Ranges<N> plate_;
    std::optional<dri::Domain<N>> domain_;
    std::optional<dri::Array<double, N>> ours_, by_hand_;
    double *memory_ = nullptr;
    std::array<int, N> extents_{};
    std::vector<Side<N>> sides_;
    std::vector<std::vector<double>> out_, in_;
    std::vector<MPI_Request> requests_;
    std::vector<MPI_Datatype> types_; // of what is sent, then of what is received
    std::vector<int> ones_;
    std::vector<MPI_Aint> zeros_;
    MPI_Comm neighbours_ = MPI_COMM_NULL;
};

template <std::size_t N> Pair packed(int64_t side, int width) {
    const auto a = std::make_shared<Around<N>>(side, width);
    return {.ours = [a] { a->update(); },
            .theirs = [a] { a->exchange_packed(); },
            .fault = [a] { return a->fault(); }};
}
template <std::size_t N> Pair by_types(int64_t side, int width) {
    const auto a = std::make_shared<Around<N>>(side, width);
    return {.ours = [a] { a->update(); },
            .theirs = [a] { a->exchange_by_types(); },
            .fault = [a] { return a->fault(); }};
}

} // namespace

std::vector<Contest> updates() {
    if (bench::world().size == 1)
        return {}; // there are no neighbours
    return {
        {"overlap, 4096^2, width 1", "packed Isend, Irecv", 0.5, 0, [] { return packed<2>(4096, 1); }},
        {"overlap, 4096^2, width 1", "Neighbor_alltoallw", 0.5, 0, [] { return by_types<2>(4096, 1); }},
        {"overlap, 256^3, width 2", "packed Isend, Irecv", 0.5, 0, [] { return packed<3>(256, 2); }},
        {"overlap, 256^3, width 2", "Neighbor_alltoallw", 0.5, 0, [] { return by_types<3>(256, 2); }},
    };
}

} // namespace domain_bench
