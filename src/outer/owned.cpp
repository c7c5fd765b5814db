// Tells predefined types from those that are destroyed.
#include "outer/owned.hpp"

#include <dri/env.h>

#include <algorithm>

namespace dri::outer {

bool library_runs() noexcept {
    int runs = 0;
    return DRI_initialized(&runs) == DRI_SUCCESS && runs;
}

OwnedType::~OwnedType() {
    const DRI_Type predefined[]{DRI_INT8,          DRI_INT16,         DRI_INT32,        DRI_INT64,
                                DRI_UINT8,         DRI_UINT16,        DRI_UINT32,       DRI_UINT64,
                                DRI_FLOAT,         DRI_DOUBLE,        DRI_COMPLEX_INT8, DRI_COMPLEX_INT16,
                                DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};
    const auto is_this = [this](const DRI_Type &type) { return type.id == type_.id; };
    if (type_.id && library_runs() && std::none_of(std::begin(predefined), std::end(predefined), is_this))
        DRI_type_destroy(&type_);
}

} // namespace dri::outer
