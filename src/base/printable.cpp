// Escapes what a terminal would not print as text.
#include "base/printable.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdint>

namespace dri::inline base {

namespace {

unsigned char byte_at(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

// The code point of n bytes of UTF-8: the value bits of the first byte, then six of each further one. Any value if
// a further byte is missing or is not one.
uint32_t decode(std::string_view text, size_t n) {
    uint32_t point = n == 1 ? byte_at(text, 0) : byte_at(text, 0) & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; ++i) {
        if (i >= text.size() || (byte_at(text, i) & 0xC0) != 0x80)
            return UINT32_MAX;
        point = point << 6 | (byte_at(text, i) & 0x3Fu);
    }
    return point;
}

// Whether a code point of n bytes may be printed: no control character, no half of a pair of UTF-16, and not
// written in more bytes than it needs.
bool prints(uint32_t point, size_t n) {
    constexpr uint32_t first_of_length[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    return !control && !surrogate && point >= first_of_length[n] && point <= 0x10FFFF;
}

// The number of bytes that a first byte announces; 0 if it is no first byte.
size_t length_of(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first >= 0xC0 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF8 ? 4 : 0;
}

// kept: control characters that stay.
std::string escape(std::string_view text, std::string_view kept) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const size_t n = length_of(byte_at(text, 0));
        if (kept.find(text[0]) != kept.npos || (n > 0 && prints(decode(text, n), n))) {
            out += text.substr(0, n);
            text.remove_prefix(n);
        } else {
            out += fmt::format("\\x{:02X}", byte_at(text, 0));
            text.remove_prefix(1);
        }
    }
    return out;
}

} // namespace

std::string printable(std::string_view text) { return escape(text, {}); }

std::string printable_lines(std::string_view text) { return escape(text, "\n\t"); }

} // namespace dri::inline base
