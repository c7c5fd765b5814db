#include "oracle_scalars.hpp"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace dri::test {

namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "holds every value of every type");

template <class T> T read(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T> void write(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

long double read_as(Scalar type, const std::byte *from) {
    switch (type) {
    case Scalar::int8: return read<int8_t>(from);
    case Scalar::int16: return read<int16_t>(from);
    case Scalar::int32: return read<int32_t>(from);
    case Scalar::int64: return read<int64_t>(from);
    case Scalar::uint8: return read<uint8_t>(from);
    case Scalar::uint16: return read<uint16_t>(from);
    case Scalar::uint32: return read<uint32_t>(from);
    case Scalar::uint64: return read<uint64_t>(from);
    case Scalar::float32: return read<float>(from);
    case Scalar::float64: return read<double>(from);
    case Scalar::none: break;
    }
    throw std::runtime_error("not a number type");
}

template <class T> void write_integer(std::byte *to, long double value) {
    T out = 0;
    if (value >= static_cast<long double>(std::numeric_limits<T>::max()))
        out = std::numeric_limits<T>::max();
    else if (value <= static_cast<long double>(std::numeric_limits<T>::min()))
        out = std::numeric_limits<T>::min();
    else if (value == value)
        out = static_cast<T>(std::nearbyint(value));
    write(to, out);
}

void write_as(Scalar type, std::byte *to, long double value) {
    switch (type) {
    case Scalar::int8: return write_integer<int8_t>(to, value);
    case Scalar::int16: return write_integer<int16_t>(to, value);
    case Scalar::int32: return write_integer<int32_t>(to, value);
    case Scalar::int64: return write_integer<int64_t>(to, value);
    case Scalar::uint8: return write_integer<uint8_t>(to, value);
    case Scalar::uint16: return write_integer<uint16_t>(to, value);
    case Scalar::uint32: return write_integer<uint32_t>(to, value);
    case Scalar::uint64: return write_integer<uint64_t>(to, value);
    case Scalar::float32: return write(to, static_cast<float>(value));
    case Scalar::float64: return write(to, static_cast<double>(value));
    case Scalar::none: break;
    }
    throw std::runtime_error("not a number type");
}

bool is_small(Scalar type) {
    return type == Scalar::float32 || type == Scalar::int8 || type == Scalar::int16 || type == Scalar::uint8 ||
           type == Scalar::uint16;
}

bool is_float(Scalar type) { return type == Scalar::float32 || type == Scalar::float64; }

size_t bytes_of(Scalar type) {
    if (type == Scalar::int8 || type == Scalar::uint8)
        return 1;
    if (type == Scalar::int16 || type == Scalar::uint16)
        return 2;
    return type == Scalar::int32 || type == Scalar::uint32 || type == Scalar::float32 ? 4 : 8;
}

} // namespace

Scalar plain_scalar(const model::ElementType &type) {
    std::string name = model::to_text(type);
    if (name.rfind("complex ", 0) == 0)
        name = name.substr(8);
    for (int i = 1; i <= static_cast<int>(Scalar::float64); ++i)
        if (name == scalar_name(static_cast<Scalar>(i)))
            return static_cast<Scalar>(i);
    return Scalar::none;
}

void convert_plainly(const plan::Conversion &conversion, const std::byte *src, std::byte *dst) {
    long double value = read_as(conversion.from, src);
    if (conversion.scale != 1) {
        // The product goes through memory, so that it has no more digits than its type.
        if (is_small(conversion.from) && is_small(conversion.to)) {
            const volatile float a = static_cast<float>(value), b = static_cast<float>(conversion.scale);
            const volatile float product = a * b;
            value = product;
        } else {
            const volatile double a = static_cast<double>(value), b = conversion.scale;
            const volatile double product = a * b;
            value = product;
        }
    }
    write_as(conversion.to, dst, value);
}

bool same_number(Scalar type, const std::byte *a, const std::byte *b) {
    if (std::memcmp(a, b, bytes_of(type)) == 0)
        return true;
    return is_float(type) && std::isnan(read_as(type, a)) && std::isnan(read_as(type, b));
}

void make_number(Scalar type, uint64_t seed, std::byte *dst) {
    const uint64_t bits = seed * 0x9e3779b97f4a7c15u ^ seed >> 7;
    if (seed % 4 == 0 || (!is_float(type) && seed % 4 < 3)) {
        std::memcpy(dst, &bits, bytes_of(type)); // arbitrary bits
        return;
    }
    const long double small = static_cast<long double>(bits >> 40 & 0x3ff) - 512;
    if (!is_float(type))
        return write_as(type, dst, small);
    const long double limits[] = {127.5L,
                                  128,
                                  255.5L,
                                  32767.5L,
                                  65535.5L,
                                  2147483647.5L,
                                  4294967295.5L,
                                  9223372036854775807.0L,
                                  18446744073709551615.0L,
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::min() / 8,
                                  std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
    if (seed % 4 == 1) // limits of the types, and numbers slightly beyond
        return write_as(type, dst,
                        limits[(bits >> 20) % std::size(limits)] * (bits & 1 ? 1 : -1) + (bits >> 1 & 3) * 0.5L);
    write_as(type, dst, small / 2); // halves, which are ties when rounded
}

} // namespace dri::test
