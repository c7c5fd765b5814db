// dri: expressions have integers, bool, float, double and std::complex as elements
#include <dri/dri.hpp>

namespace expression_of_records {

struct Pair {
    int first, second;
};

inline void compute(dri::Array<Pair, 1> &a) {
    a[a.ranges()] = a;
    dri::sum(a); // error
}

} // namespace expression_of_records
