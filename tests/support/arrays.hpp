// Arrays of tests: handles, and functions that fill and compare them index by index.
#pragma once

#include "support/domains.hpp"

#include <functional>

namespace dri::test {

using Array = Owned<DRI_Array, DRI_array_destroy>;
using ValueOf = std::function<double(const Indices &)>;

inline Array make_array(DRI_Domain domain, DRI_Type type = DRI_DOUBLE) {
    Array array;
    expect_success(DRI_array_create(domain, type, nullptr, array.out()), "DRI_array_create");
    return array;
}

inline Ranges ranges_of(DRI_Domain domain) {
    int ndims = 0;
    Ranges ranges(DRI_MAX_DIMS);
    expect_success(DRI_domain_get_ranges(domain, &ndims, ranges.data()), "DRI_domain_get_ranges");
    ranges.resize(static_cast<size_t>(ndims));
    return ranges;
}

inline bool is_own(DRI_Domain domain, const Indices &index) {
    int owner = -1;
    expect_success(DRI_domain_owner(domain, index.data(), &owner), "DRI_domain_owner");
    return owner == world().rank;
}

// The element that the process owns at an index.
template <class T = double> T *element_at(DRI_Array array, const Indices &index) {
    void *element = nullptr;
    expect_success(DRI_array_at(array, index.data(), &element), "DRI_array_at");
    return static_cast<T *>(element);
}

// Sets the elements of type T that the process owns.
template <class T = double> void fill(DRI_Array array, DRI_Domain domain, const ValueOf &value) {
    for (const Indices &index : tuples_of(ranges_of(domain)))
        if (is_own(domain, index))
            *element_at<T>(array, index) = static_cast<T>(value(index));
}

// Compares the elements that the process owns. Returns the first difference, or "".
template <class T = double> std::string difference(DRI_Array array, DRI_Domain domain, const ValueOf &value) {
    for (const Indices &index : tuples_of(ranges_of(domain))) {
        if (!is_own(domain, index))
            continue;
        const T is = *element_at<T>(array, index), wanted = static_cast<T>(value(index));
        if (is != wanted) {
            std::string where;
            for (const int64_t i : index)
                where += std::to_string(i) + " ";
            return "at " + where + "is " + std::to_string(is) + " instead of " + std::to_string(wanted);
        }
    }
    return "";
}

} // namespace dri::test
