// dri: what is gathered is copied byte for byte, so its type must be trivially copyable
#include <dri/dri.hpp>

namespace gathered_owner {

inline void take(const dri::Group &group, const std::vector<int> &list) {
    group.gather(std::span(list));
    group.gather(list); // error
}

} // namespace gathered_owner
