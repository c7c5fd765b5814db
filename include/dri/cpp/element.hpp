// Element types: which type of the C interface a C++ type is.
#pragma once

#include <dri/cpp/handle.hpp>

#include <complex>
#include <concepts>
#include <type_traits>

namespace dri {
inline namespace v1 {

// Complex numbers of integers, the real part first.
struct cint8 {
    std::int8_t re, im;
    friend bool operator==(const cint8 &, const cint8 &) = default;
};

struct cint16 {
    std::int16_t re, im;
    friend bool operator==(const cint16 &, const cint16 &) = default;
};

// What the library needs to know of an element type.
//
// Integers, float, double and complex numbers are the library's own types. Any other trivially copyable type, bool
// included, is a record, which travels byte for byte. A complex type of your own can become one of the library's:
//
//     template <> struct dri::element<Sample> : dri::element<std::complex<float>> {};
template <class T> struct element {
    using component = void;                             // of a complex number: the type of its real part
    static DRI_Type predefined() { return DRI_Type{}; } // the null handle: a record
};

template <class T>
requires(std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8) struct element<T> {
    using component = void;
    static DRI_Type predefined() {
        if constexpr (sizeof(T) == 1)
            return std::is_signed_v<T> ? DRI_INT8 : DRI_UINT8;
        else if constexpr (sizeof(T) == 2)
            return std::is_signed_v<T> ? DRI_INT16 : DRI_UINT16;
        else if constexpr (sizeof(T) == 4)
            return std::is_signed_v<T> ? DRI_INT32 : DRI_UINT32;
        else
            return std::is_signed_v<T> ? DRI_INT64 : DRI_UINT64;
    }
};

template <> struct element<float> {
    using component = void;
    static DRI_Type predefined() { return DRI_FLOAT; }
};

template <> struct element<double> {
    using component = void;
    static DRI_Type predefined() { return DRI_DOUBLE; }
};

template <> struct element<std::complex<float>> {
    using component = float;
    static DRI_Type predefined() { return DRI_COMPLEX_FLOAT; }
};

template <> struct element<std::complex<double>> {
    using component = double;
    static DRI_Type predefined() { return DRI_COMPLEX_DOUBLE; }
};

template <> struct element<cint8> {
    using component = std::int8_t;
    static DRI_Type predefined() { return DRI_COMPLEX_INT8; }
};

template <> struct element<std::complex<std::int8_t>> : element<cint8> {};

template <> struct element<cint16> {
    using component = std::int16_t;
    static DRI_Type predefined() { return DRI_COMPLEX_INT16; }
};

template <> struct element<std::complex<std::int16_t>> : element<cint16> {};

namespace detail {

template <class T> inline constexpr bool is_complex = !std::is_void_v<typename element<T>::component>;

inline bool is_predefined(DRI_Type type) {
    for (const DRI_Type known :
         {DRI_INT8, DRI_INT16, DRI_INT32, DRI_INT64, DRI_UINT8, DRI_UINT16, DRI_UINT32, DRI_UINT64, DRI_FLOAT,
          DRI_DOUBLE, DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE, DRI_COMPLEX_INT8, DRI_COMPLEX_INT16})
        if (type.id == known.id)
            return true;
    return false;
}

// Each class of elements T derives from this, so that a wrong T fails in one place.
template <class T> struct Elementary {
    static_assert(!std::is_reference_v<T>, "dri: an element type is no reference");
    static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                  "dri: an element type is neither const nor volatile");
    static_assert(std::is_trivially_copyable_v<T>,
                  "dri: an element is copied byte for byte, so its type must be trivially copyable");
    static_assert(std::is_copy_assignable_v<T>,
                  "dri: an element type has no members that are references or const");
};

// The handle of an element type, for as long as the object exists.
template <class T> class ElementType {
public:
    ElementType() : type_(element<T>::predefined()) {
        if (type_.id != 0)
            return;
        check(DRI_type_create(sizeof(T), alignof(T), made_.out()));
        type_ = made_.get();
    }
    DRI_Type get() const noexcept { return type_; }

private:
    DRI_Type type_;
    Owned<DRI_Type, DRI_type_destroy> made_;
};

} // namespace detail

} // namespace v1
} // namespace dri
