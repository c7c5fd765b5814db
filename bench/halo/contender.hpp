// One way to refresh the overlap of a field.
#pragma once

#include "halo/field.hpp"

#include <memory>
#include <string>

namespace halo_bench {

class Contender {
public:
    virtual ~Contender() = default;
    virtual std::string name() const = 0;
    virtual double *array() = 0; // of field.size() elements
    // Sends what lies at the edges and receives what the neighbours have there.
    virtual void exchange() = 0;
};

// All are collective over the world.
std::unique_ptr<Contender> make_by_hand(const Field &field); // MPI_Irecv, MPI_Isend and MPI_Waitall of these rows
std::unique_ptr<Contender> make_square_by_hand(const Field &field); // the same with eight neighbours
std::unique_ptr<Contender> make_in_place(const Field &field, int64_t ways, std::string name);

} // namespace halo_bench
