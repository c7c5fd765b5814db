// Strips: a GDO that comes, or goes, in boxes along one dimension, one after the other.
#pragma once

#include "model/distribution.hpp"
#include "model/layout.hpp"

#include <memory>

namespace dri {

// Of an end whose distribution is that of the first strip: the dimension, and how long the whole is along it. The
// last strip may be shorter than the others.
struct Strips {
    int64_t dim = -1; // none: each frame is a whole
    int64_t extent = 0;

    bool any() const { return dim >= 0; }
    friend bool operator==(const Strips &, const Strips &) = default;
};

// Fails with DRI_ERR_ARG where the distribution is none of a first strip of the whole along that dimension.
Strips make_strips(const Gdo &whole, int64_t dim, const Distribution &first);

int64_t count_strips(const Strips &strips, const Distribution &first); // 1 where there are none

// The distribution of one of them: by the partition of the first, in the same grid. Fails where that does not fit
// a shorter strip.
std::shared_ptr<const Distribution> strip_of(const std::shared_ptr<const Distribution> &first,
                                             const Strips &strips, int64_t k);

// Bytes of a buffer that any strip fits into, and from one to the next of those that follow each other.
int64_t strip_bytes(const std::shared_ptr<const Distribution> &first, const Strips &strips, const Layout &layout,
                    int position);
int64_t strip_step(int64_t bytes, const ElementType &type);

void put(Writer &out, const Strips &strips);
Strips get_strips(Reader &in);
std::string to_text(const Strips &strips, const Distribution &first); // "strips of 3 along dimension 0 of 17"

} // namespace dri
