// Assignments in progress, as the functions `known` and `any` of a user's map see them.
#pragma once

#include <dri/array.h>
#include <dri/cpp/ranges.hpp>

namespace dri {
inline namespace v1 {

// What is assigned to what. Valid during the call of the map. To reach the elements, see Array::borrow(). See
// DRI_Assignment.
class Assignment {
public:
    explicit Assignment(const DRI_Assignment &raw) : raw_(raw) {}

    // The arrays. The handles stay the library's.
    DRI_Array dst() const noexcept { return raw_.dst; }
    DRI_Array src() const noexcept { return raw_.src; }
    // Their ranges. N: the number of dimensions of the array.
    template <std::size_t N> Ranges<N> to() const { return detail::ranges_of<N>(raw_.to); }
    template <std::size_t N> Ranges<N> from() const { return detail::ranges_of<N>(raw_.from); }
    // Whether the map of dst is asked, not that of src.
    bool asks_dst() const noexcept { return raw_.role == DRI_SINK; }

    // Asks the map of the other array instead. Returns whether it has done the assignment. Collective over the
    // processes of both maps. See DRI_assign_hand_over.
    bool hand_over() const {
        int done = 0;
        detail::check(DRI_assign_hand_over(&raw_, &done));
        return done == 1;
    }

private:
    const DRI_Assignment &raw_;
};

} // namespace v1
} // namespace dri
