// Lets all members of a step agree on a record: each of its fields has a rule by which two values become one.
//
// A record lists its fields once, in a function `fields` that calls f(pointer to member, rule) for each. The wire
// form and the combination follow from that list. Rules are associative, so the shape of the tree does not change
// a result.
#pragma once

#include "base/wire.hpp"
#include "transport/tree_step.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace dri::transport {

// The rules. `sum` is the value of some members, `next` that of members that come after them in ascending order.
struct Largest {
    template <class T> void operator()(T &sum, T &&next) const { sum = std::max(sum, next); }
    // For each key the largest value of any member.
    template <class K, class T> void operator()(std::map<K, T> &sum, std::map<K, T> &&next) const {
        for (auto &[key, value] : next) {
            const auto [at, is_new] = sum.try_emplace(key, value);
            if (!is_new)
                at->second = std::max(at->second, value);
        }
    }
};
struct Lowest { // an empty optional is above all values
    template <class T> void operator()(std::optional<T> &sum, std::optional<T> &&next) const {
        if (next && (!sum || *next < *sum))
            sum = std::move(next);
    }
};
template <size_t max> struct LowestKeys { // the entries of the lowest keys; of two with one key the first
    template <class K, class T> void operator()(std::map<K, T> &sum, std::map<K, T> &&next) const {
        sum.merge(std::move(next));
        while (sum.size() > max)
            sum.erase(std::prev(sum.end()));
    }
};
struct Sum {
    template <class T> void operator()(T &sum, T &&next) const { sum += next; }
};
struct Any {
    void operator()(bool &sum, bool &&next) const { sum = sum || next; }
};
struct First { // the first value that is not the default one
    template <class T> void operator()(T &sum, T &&next) const {
        if (sum == T{})
            sum = std::move(next);
    }
};
struct Keep { // the value of the first member
    template <class T> void operator()(T &, T &&) const {}
};

template <class T>
concept Record = requires {
    T::fields([](auto, auto) {});
};

// The wire form of fields. Members of one class, so that each form may contain any other one.
struct FieldWire {
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) static void put(Writer &out, const T &value) {
        out.put(value);
    }
    static void put(Writer &out, const std::string &value) { out.put(std::string_view(value)); }
    template <class T> static void put(Writer &out, const std::optional<T> &value) {
        out.put(value.has_value());
        if (value)
            put(out, *value);
    }
    template <class K, class T> static void put(Writer &out, const std::map<K, T> &values) {
        out.put(static_cast<int64_t>(values.size()));
        for (const auto &[key, value] : values) {
            put(out, key);
            put(out, value);
        }
    }
    template <Record T> static void put(Writer &out, const T &record) {
        T::fields([&](auto member, auto) { put(out, record.*member); });
    }

    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) static void get(Reader &in, T &value) {
        value = in.get<T>();
    }
    static void get(Reader &in, std::string &value) { value = in.get_string(); }
    template <class T> static void get(Reader &in, std::optional<T> &value) {
        value.reset();
        if (in.get<bool>())
            get(in, value.emplace());
    }
    template <class K, class T> static void get(Reader &in, std::map<K, T> &values) {
        for (auto left = in.get<int64_t>(); left > 0; --left) {
            K key;
            get(in, key);
            get(in, values[std::move(key)]);
        }
    }
    template <Record T> static void get(Reader &in, T &record) {
        T::fields([&](auto member, auto) { get(in, record.*member); });
    }
};

template <Record R> Bytes to_bytes(const R &record) {
    Writer out;
    FieldWire::put(out, record);
    return out.take();
}
template <Record R> R from_bytes(const Bytes &bytes) {
    Reader in(bytes);
    R record;
    FieldWire::get(in, record);
    return record;
}

template <Record R> void combine(R &sum, R &&next) {
    R::fields([&](auto member, auto rule) { rule(sum.*member, std::move(next.*member)); });
}

template <Record R> void combine_bytes(Bytes &content, Bytes &&following) {
    R sum = from_bytes<R>(content);
    combine(sum, from_bytes<R>(following));
    content = to_bytes(sum);
}

// The record that combines those of all members. Collective over the members.
template <Record R> R agree_on(Transport &transport, const Step &step, const R &mine) {
    return from_bytes<R>(tree_step(transport, step, to_bytes(mine), combine_bytes<R>));
}

// The same; in addition, `start` becomes the sum of `count` of all members before this one, in ascending order.
// The rule of `start` is Keep, and its value is 0 on all members.
template <auto count, auto start, Record R>
R agree_and_number(Transport &transport, const Step &step, const R &mine) {
    const auto advance = [](const Bytes &answer, const Bytes &before) {
        R record = from_bytes<R>(answer);
        record.*start += from_bytes<R>(before).*count;
        return to_bytes(record);
    };
    return from_bytes<R>(tree_step(transport, step, to_bytes(mine), combine_bytes<R>, advance));
}

} // namespace dri::transport
