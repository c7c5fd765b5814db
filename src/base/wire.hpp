// Converts values to bytes and back, for the messages that processes exchange at set-up; computes digests of such
// bytes.
#pragma once

#include "base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dri::inline base {

using Bytes = std::vector<std::byte>;

// Numbers are sent as they lie in memory, because all processes of a job have the same byte order. A list is
// preceded by its length, an int64_t.
class Writer {
public:
    Writer() = default;
    // With capacity for some bytes.
    explicit Writer(size_t bytes) { bytes_.reserve(bytes); }
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Writer &put(T value) {
        append(&value, sizeof value);
        return *this;
    }
    Writer &put(std::span<const std::byte> bytes) {
        put(static_cast<int64_t>(bytes.size()));
        append(bytes.data(), bytes.size());
        return *this;
    }
    Writer &put(std::string_view text) { return put(std::as_bytes(std::span(text.data(), text.size()))); }
    template <class Range> Writer &put_all(const Range &values) {
        put(static_cast<int64_t>(values.size()));
        for (const auto &v : values)
            put(v);
        return *this;
    }
    Bytes take() { return std::move(bytes_); }

private:
    void append(const void *from, size_t n) {
        const size_t at = bytes_.size();
        bytes_.resize(at + n);
        if (n > 0)
            std::memcpy(bytes_.data() + at, from, n);
    }
    Bytes bytes_;
};

// Reads what a Writer wrote, in the same order and with the same types. Fails with DRI_ERR_INTERNAL if the bytes
// end too early. Does not own the bytes.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T get() {
        T value;
        std::memcpy(&value, advance(sizeof value), sizeof value);
        return value;
    }
    Bytes get_bytes() {
        const std::span<const std::byte> all = view_bytes();
        return Bytes(all.begin(), all.end());
    }
    // The same without a copy: they lie in what is read.
    std::span<const std::byte> view_bytes() {
        const auto n = static_cast<size_t>(get<int64_t>());
        return {advance(n), n};
    }
    std::string get_string() {
        const std::span<const std::byte> b = view_bytes();
        return std::string(reinterpret_cast<const char *>(b.data()), b.size());
    }
    template <class Container> Container get_all() {
        Container values;
        using Value = std::remove_cvref_t<decltype(values[0])>;
        const auto n = get<int64_t>();
        if constexpr (requires { values.reserve(left()); })
            values.reserve(std::min(static_cast<size_t>(n), left() / sizeof(Value))); // no more than there are
        for (int64_t i = 0; i < n; ++i)
            values.push_back(get<Value>());
        return values;
    }
    bool done() const { return at_ == bytes_.size(); }
    size_t left() const { return bytes_.size() - at_; } // bytes

private:
    const std::byte *advance(size_t n) {
        if (n > bytes_.size() - at_)
            fail(DRI_ERR_INTERNAL, "a set-up message is too short");
        const std::byte *p = bytes_.data() + at_;
        at_ += n;
        return p;
    }
    std::span<const std::byte> bytes_;
    size_t at_ = 0;
};

// 128 bits are enough that different values never have equal digests in practice.
struct Digest {
    uint64_t high = 0, low = 0;
    friend bool operator==(const Digest &, const Digest &) = default;
    friend auto operator<=>(const Digest &, const Digest &) = default;
};

Digest digest(std::span<const std::byte> bytes);
void put(Writer &out, const Digest &id);
Digest get_digest(Reader &in);

// Gives the user what was packed: its size, and the bytes if there is capacity. Fails with DRI_ERR_ARG as
// DRI_map_pack.
void give_packed(const Bytes &packed, void *bytes, size_t n, size_t *needed);

} // namespace dri::inline base
