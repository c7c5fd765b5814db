// dri: a map has int owner(Index<N>) const, for an N from 1 to 8
#include <dri/dri.hpp>

namespace map_without_owner {

struct Owned {
    int owner(dri::Index<1>) const { return 0; }
};
struct Ownerless {};

inline void make() {
    const dri::Map<1> map(Owned{}, dri::world());
    const auto none = dri::detail::UserMap<Ownerless, dri::detail::dims_of<Ownerless>>::ops(); // error
}

} // namespace map_without_owner
