// dri: the function of forall() takes an element, or its index and the element
#include <dri/dri.hpp>

namespace function_of_no_element {

inline void fill(const dri::Source<float, 2> &source) {
    source.forall([](float &x) { x = 1; });
    source.forall([](dri::Index<3> at, float &x) { x = static_cast<float>(at[2]); }); // error
}

} // namespace function_of_no_element
