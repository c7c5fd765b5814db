// Reads wisdom. A text is correct if to_text writes it again unchanged.
#include "kernel/table.hpp"
#include "kernel/wisdom.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "plan/conversion.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dri::kernel {

namespace {

constexpr Stores all_stores[] = {Stores::cached, Stores::streaming, Stores::fetched};

// Quotes at most 80 characters, because the text may come from any file.
[[noreturn]] void fail_at(std::string_view what, std::string_view text) {
    fail(DRI_ERR_ARG, "expected {}, but found '{}'", what, text.substr(0, 80));
}

// Reads a text from left to right.
class Scan {
public:
    explicit Scan(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool next_is(std::string_view word) const { return rest_.starts_with(word); }

    void skip(std::string_view word) {
        if (!next_is(word))
            fail_at(fmt::format("'{}'", word), rest_);
        rest_.remove_prefix(word.size());
    }

    template <class T> T number() {
        T value{};
        // Does not depend on the locale of the program, unlike strtod.
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc())
            fail_at("a number", rest_);
        rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
        return value;
    }

    // Returns the text up to one of the given characters, or up to the end.
    std::string_view word(std::string_view until) {
        const std::string_view found = rest_.substr(0, rest_.find_first_of(until));
        rest_.remove_prefix(found.size());
        return found;
    }

private:
    std::string_view rest_;
};

Isa isa_from_text(std::string_view text) {
    if (const auto isa = isa_named(text))
        return *isa;
    fail_at("one of scalar, sse4, avx2, avx512", text);
}

Scalar scalar_from_text(std::string_view text) {
    if (const auto scalar = scalar_named(text))
        return *scalar;
    fail_at("a number type", text);
}

// A copy without a conversion has nothing here; its offsets follow at once.
plan::Conversion read_conversion(Scan &in) {
    if (!in.next_is(" ") || in.next_is(" @"))
        return {};
    in.skip(" ");
    plan::Conversion c;
    c.from = scalar_from_text(in.word("-"));
    in.skip("->");
    c.to = scalar_from_text(in.word("* "));
    if (in.next_is("*")) {
        in.skip("*");
        c.scale = in.number<double>();
    }
    return c;
}

plan::StridedCopy read_copy(Scan &in) {
    plan::StridedCopy copy;
    copy.run_bytes = in.number<int64_t>();
    in.skip("B");
    copy.conversion = read_conversion(in);
    in.skip(" @");
    copy.src_offset = in.number<int64_t>();
    in.skip("->@");
    copy.dst_offset = in.number<int64_t>();
    while (!in.done()) {
        // Without this check, push_back() would report an error of the library.
        if (copy.loops.size() == plan::max_loops)
            fail(DRI_ERR_ARG, "the copy has more than {} loops", plan::max_loops);
        plan::Loop loop{};
        in.skip(" x[");
        loop.count = in.number<int64_t>();
        in.skip(": ");
        loop.src_stride = in.number<int64_t>();
        in.skip("->");
        loop.dst_stride = in.number<int64_t>();
        in.skip("]");
        copy.loops.push_back(loop);
    }
    return copy;
}

// Fails with DRI_ERR_OVERFLOW if addresses of the copy are farther apart than 64 bits can express.
void check_strides(const plan::StridedCopy &copy) {
    int64_t src = copy.run_bytes, dst = copy.run_bytes;
    for (const plan::Loop &l : copy.loops) {
        src = checked_add(src, checked_mul(l.count, std::max(l.src_stride, checked_mul(l.src_stride, -1))));
        dst = checked_add(dst, checked_mul(l.count, l.dst_stride));
    }
}

// Kernels rely on what the canonical form guarantees.
void check_copy(const plan::StridedCopy &copy) {
    const auto in_line = [](int64_t offset) { return offset >= 0 && offset < cache_line_bytes; };
    const auto counts = [](const plan::Loop &l) { return l.count >= 2 && l.dst_stride > 0; };
    const bool whole =
        !copy.conversion ||
        (copy.run_bytes % scalar_bytes(copy.conversion.from) == 0 && std::isfinite(copy.conversion.scale) &&
         plan::make_conversion(copy.conversion.from, copy.conversion.to, copy.conversion.scale));
    // Kernels add strides to addresses without a check, so both extents must fit into 64 bits.
    check_strides(copy);
    if (copy.run_bytes <= 0 || !in_line(copy.src_offset) || !in_line(copy.dst_offset) || !whole ||
        !std::all_of(copy.loops.begin(), copy.loops.end(), counts) || plan::canonical(copy) != copy ||
        plan::copy_bytes(copy) <= 0)
        fail(DRI_ERR_ARG, "the copy '{}' cannot be part of a transfer", plan::to_text(copy));
}

} // namespace

Shape shape_from_text(std::string_view text) {
    Scan in(text);
    Shape shape;
    shape.isa = isa_from_text(in.word(" "));
    in.skip(" l2 ");
    shape.caches.second = in.number<int64_t>();
    in.skip(" l3 ");
    shape.caches.outermost = in.number<int64_t>();
    in.skip(" threads ");
    shape.threads = in.number<int>();
    in.skip(" written ");
    shape.written_bytes = in.number<int64_t>();
    in.skip(" copy ");
    shape.copy = read_copy(in);
    check_copy(shape.copy);
    if (shape.caches.second < 1 || shape.caches.outermost < shape.caches.second || shape.threads < 1 ||
        shape.written_bytes < plan::copy_bytes(shape.copy))
        fail(DRI_ERR_ARG,
             "l2 {}, l3 {}, threads {} and written {} do not describe a possible machine and transfer",
             shape.caches.second, shape.caches.outermost, shape.threads, shape.written_bytes);
    // The scan accepts some texts that to_text does not write, such as a number with leading zeros. They are
    // refused, because Wisdom finds shapes by their text: one shape must not have two texts.
    if (to_text(shape) != text)
        fail(DRI_ERR_ARG, "the shape '{}' must be written as '{}'", text.substr(0, 80), to_text(shape));
    return shape;
}

KnownChoice choice_from_text(std::string_view text) {
    // A kernel's name may have several words.
    const size_t last = text.rfind(' ');
    const size_t middle = last == std::string_view::npos ? last : text.rfind(' ', last - 1);
    if (middle == std::string_view::npos || middle == 0)
        fail_at("a kernel, its instruction set and its stores", text);
    const std::string_view name = text.substr(0, middle), stores = text.substr(last + 1);
    KnownChoice known;
    known.isa = isa_from_text(text.substr(middle + 1, last - middle - 1));
    const auto how = std::find_if(std::begin(all_stores), std::end(all_stores),
                                  [&](Stores s) { return stores == stores_name(s); });
    if (how == std::end(all_stores))
        fail_at("one of cached, streaming, fetched", stores);
    known.choice.stores = *how;
    // A known name without a row for this instruction set is valid wisdom from another build. An unknown name is
    // an error.
    bool named = false;
    for (const Kernel &row : kernels()) {
        named = named || row.name == name;
        if (row.name == name && row.isa == known.isa)
            known.choice.kernel = &row;
    }
    if (!named)
        fail_at("a kernel of this library", name);
    return known;
}

} // namespace dri::kernel
