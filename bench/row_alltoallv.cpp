// An exchange written by hand: pack, MPI_Alltoallv, unpack.
#include "mpi_type.hpp"
#include "packed_exchange.hpp"
#include "world.hpp"

#include <limits>

namespace bench {

namespace {

// Number of elements for each peer, and their offset in the memory for messages.
struct Counts {
    std::vector<int> counts, offsets;
    bool fits = true; // all numbers fit MPI's int

    explicit Counts(const std::vector<PackedExchange::Piece> &pieces)
        : counts(static_cast<size_t>(world().size), 0), offsets(counts) {
        for (const PackedExchange::Piece &p : pieces) {
            fits = fits && p.first + p.count <= std::numeric_limits<int>::max();
            counts[static_cast<size_t>(p.peer)] = static_cast<int>(p.count);
            offsets[static_cast<size_t>(p.peer)] = static_cast<int>(p.first);
        }
    }
};

class AlltoallvExchange : public PackedExchange {
public:
    explicit AlltoallvExchange(const Case &c)
        : PackedExchange(c), type_(MpiType::element(c.element_bytes)), send_counts_(sends()),
          receive_counts_(receives()) {}

    bool fits() const { return send_counts_.fits && receive_counts_.fits; }

    void run() const {
        for (const Piece &p : sends())
            pack(p);
        copy_own();
        const auto first = [&](const std::vector<Piece> &pieces, auto at) {
            return pieces.empty() ? nullptr : (this->*at)(pieces.front());
        };
        MPI_Alltoallv(first(sends(), &AlltoallvExchange::packed), send_counts_.counts.data(),
                      send_counts_.offsets.data(), type_.get(), first(receives(), &AlltoallvExchange::arrived),
                      receive_counts_.counts.data(), receive_counts_.offsets.data(), type_.get(), MPI_COMM_WORLD);
        for (const Piece &p : receives())
            unpack(p);
    }

private:
    MpiType type_;
    Counts send_counts_, receive_counts_;
};

} // namespace

Contest prepare_alltoallv(const Case &c) { return prepare_packed<AlltoallvExchange>(c); }

} // namespace bench
