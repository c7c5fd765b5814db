// The exchange of a square field without the library: one message to each of the eight neighbours. Rows and
// corners are sent from the array and received into it, columns are packed. What a process sends to itself is
// copied.
#include "halo/contender.hpp"
#include "world.hpp"

#include <array>
#include <vector>

namespace halo_bench {

namespace {

// A part of the array: one row, one column or one element.
struct Part {
    double *first = nullptr;
    int64_t count = 0, step = 1; // elements, and the distance between them
};

struct Neighbour {
    int rank = 0;
    int tag_to = 0, tag_from = 0;
    Part sent, received;
    std::vector<double> out, in; // of a column
};

class SquareByHand final : public Contender {
public:
    explicit SquareByHand(const Field &field) : field_(field), array_(static_cast<std::size_t>(field.size())) {
        const bench::World world = bench::world();
        const Grid grid = field_.grid();
        const int64_t row = world.rank / grid.columns, column = world.rank % grid.columns;
        for (int64_t down = -1; down <= 1; ++down)
            for (int64_t right = -1; right <= 1; ++right) {
                if (down == 0 && right == 0)
                    continue;
                Neighbour one;
                one.rank = static_cast<int>((row + down + grid.rows) % grid.rows * grid.columns +
                                            (column + right + grid.columns) % grid.columns);
                one.tag_to = static_cast<int>(3 * (down + 1) + right + 1);
                one.tag_from = 8 - one.tag_to;
                one.sent = part(down, right, 0);
                one.received = part(down, right, 1);
                if (one.rank == world.rank) {
                    own_.push_back({one.sent, part(-down, -right, 1)});
                    continue;
                }
                if (one.sent.step > 1) {
                    one.out.resize(static_cast<std::size_t>(one.sent.count));
                    one.in.resize(one.out.size());
                }
                others_.push_back(std::move(one));
            }
    }

    std::string name() const override { return "by hand"; }
    double *array() override { return array_.data(); }

    void exchange() override {
        std::array<MPI_Request, 16> requests{};
        int started = 0;
        for (Neighbour &one : others_)
            MPI_Irecv(one.in.empty() ? one.received.first : one.in.data(), static_cast<int>(one.received.count),
                      MPI_DOUBLE, one.rank, one.tag_from, MPI_COMM_WORLD, &requests.at(started++));
        for (Neighbour &one : others_) {
            for (std::size_t i = 0; i < one.out.size(); ++i)
                one.out[i] = one.sent.first[static_cast<int64_t>(i) * one.sent.step];
            MPI_Isend(one.out.empty() ? one.sent.first : one.out.data(), static_cast<int>(one.sent.count),
                      MPI_DOUBLE, one.rank, one.tag_to, MPI_COMM_WORLD, &requests.at(started++));
        }
        for (const auto &[from, to] : own_)
            for (int64_t i = 0; i < from.count; ++i)
                to.first[i * to.step] = from.first[i * from.step];
        MPI_Waitall(started, requests.data(), MPI_STATUSES_IGNORE);
        for (Neighbour &one : others_)
            for (std::size_t i = 0; i < one.in.size(); ++i)
                one.received.first[static_cast<int64_t>(i) * one.received.step] = one.in[i];
    }

private:
    // What lies at the edge in that direction: owned (outside 0), or overlap (outside 1).
    Part part(int64_t down, int64_t right, int64_t outside) {
        const auto first = [&](int64_t towards, int64_t owned) {
            return towards < 0 ? 1 - outside : towards > 0 ? owned + outside : int64_t{1};
        };
        double *const at =
            array_.data() + first(down, field_.rows) * field_.width() + first(right, field_.columns);
        if (down == 0)
            return {at, field_.rows, field_.width()};
        return {at, right == 0 ? field_.columns : 1, 1};
    }

    Field field_;
    std::vector<double> array_;
    std::vector<Neighbour> others_;
    std::vector<std::pair<Part, Part>> own_;
};

} // namespace

std::unique_ptr<Contender> make_square_by_hand(const Field &field) {
    return std::make_unique<SquareByHand>(field);
}

} // namespace halo_bench
