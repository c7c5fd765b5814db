// Names of the predefined types, for messages.
#include "outer/type_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dri::outer {

const char *name_of_number(DRI_Type type) {
    const std::pair<DRI_Type, const char *> names[]{
        {DRI_INT8, "int8"},
        {DRI_INT16, "int16"},
        {DRI_INT32, "int32"},
        {DRI_INT64, "int64"},
        {DRI_UINT8, "uint8"},
        {DRI_UINT16, "uint16"},
        {DRI_UINT32, "uint32"},
        {DRI_UINT64, "uint64"},
        {DRI_FLOAT, "float"},
        {DRI_DOUBLE, "double"},
        {DRI_COMPLEX_INT8, "complex int8"},
        {DRI_COMPLEX_INT16, "complex int16"},
        {DRI_COMPLEX_FLOAT, "complex float"},
        {DRI_COMPLEX_DOUBLE, "complex double"},
    };
    for (const auto &[one, name] : names)
        if (one.id == type.id)
            return name;
    return nullptr;
}

bool is_complex(DRI_Type type) {
    const DRI_Type all[]{DRI_COMPLEX_INT8, DRI_COMPLEX_INT16, DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};
    return std::any_of(std::begin(all), std::end(all), [&](DRI_Type one) { return one.id == type.id; });
}

} // namespace dri::outer
