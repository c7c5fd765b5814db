// An exchange as programs write it: packed, sent by MPI_Isend, received by MPI_Irecv, unpacked.
#pragma once

#include <dri/dri.hpp>
#include <mpi.h>

#include <cstdint>
#include <vector>

namespace domain_bench {

// Elements that lie side by side in a local array.
struct Run {
    int64_t first, size;
};
// By process, in the order of the elements on their way.
using RunsOfAll = std::vector<std::vector<Run>>;

// What this process sends if the elements of some indices of one domain move to the same indices of another one.
// Elements of a row are looked at in steps of `together`, which lie side by side in both.
RunsOfAll sends_between(const dri::Domain<2> &from, const dri::Domain<2> &to, const dri::Ranges<2> &which,
                        int64_t together);
RunsOfAll receives_between(const dri::Domain<2> &from, const dri::Domain<2> &to, const dri::Ranges<2> &which,
                           int64_t together);

class Exchange {
public:
    // each: every element is copied by its own index, as by general libraries for lists of indices.
    enum class Copy { runs, each };
    Exchange(RunsOfAll sends, RunsOfAll receives, Copy copy);
    void operator()(const double *from, double *to);

private:
    Copy copy_;
    RunsOfAll sends_, receives_;
    std::vector<std::vector<int64_t>> send_places_, receive_places_; // of single elements
    std::vector<std::vector<double>> out_, in_;
    std::vector<MPI_Request> requests_;
};

} // namespace domain_bench
