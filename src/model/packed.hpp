// Distributions as bytes that outlast a run: the wire form with a mark, a version and a digest before it.
#pragma once

#include "model/distribution.hpp"

namespace dri::model {

Bytes pack(const Distribution &dist);

// The distribution that was packed, for a world of that many processes. Fails with DRI_ERR_ARG for bytes that are
// no packed distribution, or are damaged, and for one with a process outside the world. Fails with
// DRI_ERR_UNSUPPORTED for another version, or another byte order.
Distribution unpack(std::span<const std::byte> bytes, int world);

} // namespace dri::model
