// Gives the user what was packed.
#include "domain/wire.hpp"

namespace dri::domain {

void give_packed(const Bytes &packed, void *bytes, size_t n, size_t *needed) {
    if (!bytes && n != 0)
        fail(DRI_ERR_ARG, "bytes is NULL, but n is {}", n);
    if (!bytes && !needed)
        fail(DRI_ERR_ARG, "bytes and needed are NULL");
    if (needed)
        *needed = packed.size();
    if (bytes && n < packed.size())
        fail(DRI_ERR_ARG, "n is {}, but {} bytes are needed", n, packed.size());
    if (bytes)
        std::memcpy(bytes, packed.data(), packed.size());
}

} // namespace dri::domain
