// The exchange of rows that a program without the library writes.
#include "halo/contender.hpp"
#include "world.hpp"

#include <array>
#include <vector>

namespace halo_bench {

namespace {

// The tag is that of the edge that the row leaves: with two processes both neighbours are one process.
class ByHand final : public Contender {
public:
    explicit ByHand(const Field &field) : field_(field), array_(static_cast<std::size_t>(field.size())) {
        const bench::World world = bench::world();
        before_ = (world.rank + world.size - 1) % world.size;
        behind_ = (world.rank + 1) % world.size;
    }

    std::string name() const override { return "by hand"; }
    double *array() override { return array_.data(); }

    void exchange() override {
        const auto n = static_cast<int>(field_.columns);
        std::array<MPI_Request, 4> requests{};
        MPI_Irecv(row(0), n, MPI_DOUBLE, before_, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(row(field_.rows + 1), n, MPI_DOUBLE, behind_, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(row(1), n, MPI_DOUBLE, before_, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(row(field_.rows), n, MPI_DOUBLE, behind_, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    double *row(int64_t i) { return array_.data() + i * field_.columns; }

    Field field_;
    std::vector<double> array_;
    int before_ = 0, behind_ = 0;
};

} // namespace

std::unique_ptr<Contender> make_by_hand(const Field &field) { return std::make_unique<ByHand>(field); }

} // namespace halo_bench
