// Moves of whole arrays.
#include "moves.hpp"

#include "ends.hpp"

#include <dri/loop.h>

namespace dri_python {

namespace {

Array permuted(const Array &array, const py::tuple &order, double seconds) {
    const std::vector<int> dims = small_numbers(order);
    Array made;
    check(wait_in_slices(seconds, [&] { return DRI_array_permute(array.get(), dims.data(), made.put()); }));
    return made;
}

Array reshaped(const Array &array, const py::tuple &shape, double seconds) {
    const std::vector<int64_t> sizes = numbers(shape);
    Array made;
    check(wait_in_slices(seconds, [&] {
        return DRI_array_reshape(array.get(), static_cast<int>(sizes.size()), sizes.data(), made.put());
    }));
    return made;
}

// root: a rank of the world, or -1.
void gather_into(const Array &array, py::array to, int root, double seconds) {
    void *const data = to.mutable_data();
    check(wait_in_slices(seconds, [&] { return DRI_array_gather(array.get(), nullptr, root, data); }));
}

} // namespace

void bind_moves(ArrayClass &array) {
    array.def("permute", permuted).def("reshape", reshaped).def("gather", gather_into);
}

} // namespace dri_python
