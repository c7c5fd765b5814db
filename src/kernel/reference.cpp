// The reference kernel, against which every other one is tested. It fits every copy.
#include "kernel/odometer.hpp"
#include "kernel/scalars.hpp"
#include "kernel/table.hpp"
#include "plan/conversion.hpp"
#include "plan/strided_copy.hpp"

#include <cstring>

namespace dri::kernel {

namespace {

template <class From, class To>
void convert_plainly(const std::byte *src, std::byte *dst, int64_t n, double scale, Stores) {
    for (int64_t i = 0; i < n; ++i, src += sizeof(From), dst += sizeof(To)) {
        From from;
        std::memcpy(&from, src, sizeof from);
        const To to = convert_scalar<To>(from, scale);
        std::memcpy(dst, &to, sizeof to);
    }
}

} // namespace

plan::StridedCopy keep_order(const plan::StridedCopy &copy) { return copy; }

ConvertLine plain_line(const plan::Conversion &conversion) {
    return visit_scalar(conversion.from, [&]<class From>(From) {
        return visit_scalar(conversion.to, []<class To>(To) -> ConvertLine { return convert_plainly<From, To>; });
    });
}

void copy_reference(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores) {
    if (copy.run_bytes == 0)
        return;
    if (copy.conversion) {
        const plan::Conversion &c = copy.conversion;
        const ConvertLine line = plain_line(c);
        const int64_t n = copy.run_bytes / scalar_bytes(c.from);
        for_each_outer(copy, 0, src, dst,
                       [&](const std::byte *s, std::byte *d) { line(s, d, n, c.scale, Stores::cached); });
        return;
    }
    const auto run = static_cast<size_t>(copy.run_bytes);
    for_each_outer(copy, 0, src, dst, [run](const std::byte *s, std::byte *d) { std::memcpy(d, s, run); });
}

namespace {

bool fits_all(const plan::StridedCopy &) { return true; }

constexpr Version reference_versions[] = {{Isa::scalar, fits_all, copy_reference}, {}};

} // namespace

const Family reference_kernel{"reference", keep_order, reference_versions};

} // namespace dri::kernel
