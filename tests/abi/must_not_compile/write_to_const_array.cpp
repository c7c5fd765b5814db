// read-only|const-qualified
#include <dri/dri.hpp>

namespace write_to_const_array {

inline void write(dri::Array<int, 2> &a, const dri::Array<int, 2> &b) {
    a.local()(1, 2) = 0;
    b.local()(1, 2) = 0; // error
}

} // namespace write_to_const_array
