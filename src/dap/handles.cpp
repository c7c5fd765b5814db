// Tells predefined types from those that are destroyed.
#include "dap/handles.hpp"

#include <algorithm>

namespace dri::dap {

OwnedType::~OwnedType() {
    const DRI_Type predefined[]{DRI_INT8,          DRI_INT16,         DRI_INT32,        DRI_INT64,
                                DRI_UINT8,         DRI_UINT16,        DRI_UINT32,       DRI_UINT64,
                                DRI_FLOAT,         DRI_DOUBLE,        DRI_COMPLEX_INT8, DRI_COMPLEX_INT16,
                                DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};
    const auto is_this = [this](const DRI_Type &type) { return type.id == type_.id; };
    if (type_.id && std::none_of(std::begin(predefined), std::end(predefined), is_this))
        DRI_type_destroy(&type_);
}

} // namespace dri::dap
