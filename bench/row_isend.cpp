// The best exchange that is usually written by hand. Receives are posted first. Each message is sent as soon as it
// is packed. The process copies its own part while messages are under way. Messages are unpacked in the order of
// arrival.
#include "mpi_type.hpp"
#include "packed_exchange.hpp"

#include <algorithm>
#include <limits>

namespace bench {

namespace {

constexpr int tag = 1;

class IsendExchange : public PackedExchange {
public:
    explicit IsendExchange(const Case &c)
        : PackedExchange(c), type_(MpiType::element(c.element_bytes)), out_(sends().size(), MPI_REQUEST_NULL),
          in_(receives().size(), MPI_REQUEST_NULL) {}

    bool fits() const {
        const auto fits_int = [](const Piece &p) { return p.count <= std::numeric_limits<int>::max(); };
        return std::all_of(sends().begin(), sends().end(), fits_int) &&
               std::all_of(receives().begin(), receives().end(), fits_int);
    }

    void run() {
        for (size_t i = 0; i < in_.size(); ++i) {
            const Piece &p = receives()[i];
            MPI_Irecv(arrived(p), static_cast<int>(p.count), type_.get(), p.peer, tag, MPI_COMM_WORLD, &in_[i]);
        }
        for (size_t i = 0; i < out_.size(); ++i) {
            const Piece &p = sends()[i];
            pack(p);
            MPI_Isend(packed(p), static_cast<int>(p.count), type_.get(), p.peer, tag, MPI_COMM_WORLD, &out_[i]);
        }
        copy_own();
        for (size_t n = 0; n < in_.size(); ++n) {
            int i = 0;
            MPI_Waitany(static_cast<int>(in_.size()), in_.data(), &i, MPI_STATUS_IGNORE);
            unpack(receives()[static_cast<size_t>(i)]);
        }
        MPI_Waitall(static_cast<int>(out_.size()), out_.data(), MPI_STATUSES_IGNORE);
    }

private:
    MpiType type_;
    std::vector<MPI_Request> out_, in_;
};

} // namespace

Contest prepare_isend(const Case &c) { return prepare_packed<IsendExchange>(c); }

} // namespace bench
