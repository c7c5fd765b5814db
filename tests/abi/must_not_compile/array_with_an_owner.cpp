// must be trivially copyable
#include <dri/dri.hpp>

namespace array_with_an_owner {

inline void make(const dri::Domain<1> &domain) {
    static_cast<void>(dri::Array<float, 1>(domain));
    static_cast<void>(dri::Array<std::shared_ptr<int>, 1>(domain)); // error
}

} // namespace array_with_an_owner
