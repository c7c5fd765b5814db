// Converts scalars that lie one after the other, a vector at a time. Scalars are widened to float or double,
// multiplied by the scale, and narrowed to the wanted type. With scale 1 this is exact, too, because no type here
// has more digits than the intermediate one. Every result equals that of convert_scalar to the bit.
#include "kernel/convert.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/conversion.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/convert_line.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

namespace hn = hwy::HWY_NAMESPACE;

template <class W> using Tag = hn::ScalableTag<W>;
template <class W> using Vector = hn::Vec<Tag<W>>;
// A vector type with as many lanes as a vector of W, but of another type.
template <class T, class W> using Beside = hn::Rebind<T, Tag<W>>;

constexpr int32_t top_bit = INT32_MIN;
constexpr double half_range = 2147483648.0;

// Loads scalars and widens them to W, exactly. Unsigned 32-bit integers are converted by way of the signed range.
template <class W, class From> HWY_INLINE Vector<W> widen(const From *p) {
    const Tag<W> d;
    const Beside<int32_t, W> di;
    if constexpr (std::is_same_v<From, W>) {
        return hn::LoadU(d, p);
    } else if constexpr (std::is_same_v<From, uint32_t>) {
        const auto shifted = hn::Xor(hn::LoadU(di, reinterpret_cast<const int32_t *>(p)), hn::Set(di, top_bit));
        return hn::Add(hn::PromoteTo(d, shifted), hn::Set(d, half_range));
    } else if constexpr (sizeof(From) == 4) {
        return hn::PromoteTo(d, hn::LoadU(Beside<From, W>(), p)); // int32 or float to double
    } else {
        const auto wide = hn::PromoteTo(di, hn::LoadU(Beside<From, W>(), p));
        if constexpr (std::is_same_v<W, float>)
            return hn::ConvertTo(d, wide);
        else
            return hn::PromoteTo(d, wide);
    }
}

// Rounds to the nearest integers in the range of To; NaN becomes 0.
template <class To, class W> HWY_INLINE Vector<W> whole(Vector<W> v) {
    using Limits = std::numeric_limits<To>;
    const Tag<W> d;
    v = hn::IfThenElseZero(hn::Eq(v, v), v);
    v = hn::Max(v, hn::Set(d, static_cast<W>(Limits::min())));
    return hn::Round(hn::Min(v, hn::Set(d, static_cast<W>(Limits::max()))));
}

template <class To, class W> HWY_INLINE void narrow_to(Vector<W> v, To *p, bool streams) {
    const Tag<W> d;
    const Beside<int32_t, W> di;
    if constexpr (std::is_same_v<To, W>) {
        if (streams)
            hn::Stream(v, d, p);
        else
            hn::StoreU(v, d, p);
    } else if constexpr (std::is_same_v<To, double>) {
        static_assert(!std::is_same_v<To, double>, "products are in double then");
    } else if constexpr (std::is_same_v<To, float>) {
        hn::StoreU(hn::DemoteTo(Beside<float, W>(), v), Beside<float, W>(), p);
    } else if constexpr (std::is_same_v<To, uint32_t>) {
        const auto shifted = hn::DemoteTo(di, hn::Sub(whole<To, W>(v), hn::Set(d, half_range)));
        hn::StoreU(hn::Xor(shifted, hn::Set(di, top_bit)), di, reinterpret_cast<int32_t *>(p));
    } else {
        const auto r = whole<To, W>(v);
        if constexpr (std::is_same_v<W, double>) {
            const auto narrow = hn::DemoteTo(di, r);
            if constexpr (sizeof(To) == 4)
                hn::StoreU(narrow, di, p);
            else
                hn::StoreU(hn::DemoteTo(Beside<To, W>(), narrow), Beside<To, W>(), p);
        } else {
            hn::StoreU(hn::DemoteTo(Beside<To, W>(), hn::ConvertTo(di, r)), Beside<To, W>(), p);
        }
    }
}

template <class From, class To>
// Scalars before the first whole vector of the destination are converted one by one if the stores stream, and so
// are those after the last whole vector.
void convert_line(const std::byte *src, std::byte *dst, int64_t n, double scale, Stores stores) {
    using W = Product<From, To>;
    constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(Tag<W>()));
    constexpr int64_t vector_bytes = HWY_MAX_BYTES;
    const auto *from = reinterpret_cast<const From *>(src);
    auto *to = reinterpret_cast<To *>(dst);
    const auto factor = hn::Set(Tag<W>(), static_cast<W>(scale));
    const auto past =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(dst) % static_cast<uintptr_t>(vector_bytes));
    const bool streams = stores == Stores::streaming && std::is_same_v<To, W> && past % sizeof(To) == 0;
    int64_t i = 0;
    const auto one_by_one = [&](int64_t end) {
        for (; i < end; ++i) {
            From value;
            std::memcpy(&value, src + i * static_cast<int64_t>(sizeof(From)), sizeof value);
            const To result = convert_scalar<To>(value, scale);
            std::memcpy(dst + i * static_cast<int64_t>(sizeof(To)), &result, sizeof result);
        }
    };
    if (streams)
        one_by_one(std::min(n, (vector_bytes - past) % vector_bytes / static_cast<int64_t>(sizeof(To))));
    for (; i + lanes <= n; i += lanes)
        narrow_to<To, W>(hn::Mul(widen<W>(from + i), factor), to + i, streams);
    one_by_one(n);
}

// There are vector versions for conversions with a floating-point type on one side, and for scaling without a
// change of type, except with 64-bit integers.
ConvertLine vector_line(const plan::Conversion &conversion) {
    return visit_scalar(conversion.from, [&]<class From>(From) {
        return visit_scalar(conversion.to, []<class To>(To) -> ConvertLine {
            if constexpr (std::integral<From> && sizeof(From) == 8)
                return nullptr;
            else if constexpr (std::integral<To> && sizeof(To) == 8)
                return nullptr;
            else if constexpr (std::integral<From> && std::integral<To> && !std::is_same_v<From, To>)
                return nullptr;
            else
                return convert_line<From, To>;
        });
    });
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

#define DRI_LINES(isa, set) {Isa::isa, set::vector_line},
const VectorLines vector_lines[] = {DRI_FOR_VECTOR_SETS(DRI_LINES){}};
#undef DRI_LINES

} // namespace dri::kernel
#endif
