// dri: a View of const elements does not become one that is written
#include <dri/dri.hpp>

namespace view_of_const_to_write {

inline void take(const dri::View<const float, 2> &read) {
    [[maybe_unused]] const dri::View<const float, 2> right = read;
    [[maybe_unused]] const dri::View<float, 2> wrong = read; // error
}

} // namespace view_of_const_to_write
