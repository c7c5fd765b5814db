// Strips: a GDO that is sent or received in boxes along one dimension, one after the other.
#pragma once

#include "model/distribution.hpp"
#include "model/layout.hpp"

#include <memory>

namespace dri::model {

// The strips of an endpoint whose distribution is that of the first strip: their dimension, and the size of the
// whole array along it. The last strip may be shorter than the others.
struct Strips {
    int64_t dim = -1;   // -1: no strips, each frame is a whole array
    int64_t extent = 0; // of the whole array

    bool any() const { return dim >= 0; }
    friend bool operator==(const Strips &, const Strips &) = default;
};

// Fails with DRI_ERR_ARG if the distribution is not that of a first strip of the whole array along this dimension.
Strips make_strips(const Gdo &whole, int64_t dim, const Distribution &first);

Gdo whole_of(const Strips &strips, const Distribution &first);         // the array whose strips these are
int64_t count_strips(const Strips &strips, const Distribution &first); // 1 if there are no strips

// The distribution of strip k: by the partition of the first strip, in the same grid. Fails if a shorter strip
// does not fit that.
std::shared_ptr<const Distribution> strip_of(const std::shared_ptr<const Distribution> &first,
                                             const Strips &strips, int64_t k);

// strip_bytes(): bytes of a buffer that holds any strip. strip_step(): bytes from one strip to the next in a
// store.
int64_t strip_bytes(const std::shared_ptr<const Distribution> &first, const Strips &strips, const Layout &layout,
                    int position);
int64_t strip_step(int64_t bytes, const ElementType &type);

void put(Writer &out, const Strips &strips);
Strips get_strips(Reader &in);
std::string to_text(const Strips &strips, const Distribution &first); // "strips of 3 along dimension 0 of 17"

} // namespace dri::model
