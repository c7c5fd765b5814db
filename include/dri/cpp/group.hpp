// Groups: ordered sets of processes.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/dist.h>
#include <dri/group.h>

#include <bit>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace dri {
inline namespace v1 {

// An ordered set of processes, by their ranks in the world. A value: copies share one handle.
class Group {
public:
    Group(std::initializer_list<int> ranks) : Group(std::span<const int>(ranks.begin(), ranks.size())) {}
    explicit Group(std::span<const int> ranks) {
        DRI_Group group;
        detail::check(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), &group));
        *this = adopt(group);
    }

    // The processes lo to hi - 1.
    static Group ranks(int lo, int hi) {
        std::vector<int> list(static_cast<std::size_t>(hi > lo ? hi - lo : 0));
        std::iota(list.begin(), list.end(), lo);
        return Group(std::span<const int>(list));
    }

    // Takes over a handle of the C interface.
    static Group adopt(DRI_Group handle) {
        detail::check(DRI_group_get_size(handle, nullptr, nullptr));
        Group group{Nothing{}};
        group.kept_ = detail::Shared<DRI_Group, DRI_group_destroy>(handle);
        return group;
    }

    DRI_Group handle() const noexcept { return kept_.get(); }

    int size() const {
        int processes = 0;
        detail::check(DRI_group_get_size(handle(), &processes, nullptr));
        return processes;
    }

    // The position of the calling process, or -1 if it is not in the group.
    int position() const {
        int found = -1;
        detail::check(DRI_group_get_size(handle(), nullptr, &found));
        return found;
    }

    // The ranks of its processes in the world, in their order.
    std::vector<int> ranks() const {
        std::vector<int> list(static_cast<std::size_t>(size()));
        detail::check(DRI_group_get_ranks(handle(), list.data()));
        return list;
    }

    // Agrees on an outcome: throws on all processes what the first process brings that brings a failure.
    // Collective over the group; synchronising. See DRI_group_gather.
    void agree(int code = DRI_SUCCESS) const {
        detail::check(DRI_group_gather(handle(), code, nullptr, 0, nullptr, nullptr, 0));
    }

    // One value of each process, in the group's order. For set-up and small data. Collective over the group;
    // synchronising. See DRI_group_gather.
    template <class T> std::vector<T> gather(const T &mine) const {
        std::vector<T> all;
        for (const std::vector<T> &values : gather(std::span<const T>(&mine, 1))) {
            if (values.size() != 1)
                detail::fail(DRI_ERR_MISMATCH, "Group::gather(): one process brings one value, another one " +
                                                   std::to_string(values.size()));
            all.push_back(values.front());
        }
        return all;
    }

    // Any number of values of each process. Processes may bring different numbers.
    template <class T> std::vector<std::vector<std::remove_const_t<T>>> gather(std::span<T> mine) const {
        using Value = std::remove_const_t<T>;
        static_assert(std::is_trivially_copyable_v<Value>,
                      "dri: what is gathered is copied byte for byte, so its type must be trivially copyable");
        const auto bytes = static_cast<std::int64_t>(mine.size_bytes());
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(size()));
        const auto of_one = static_cast<std::int64_t>(sizeof bytes);
        detail::check(DRI_group_gather(handle(), DRI_SUCCESS, &bytes, of_one, nullptr, sizes.data(),
                                       of_one * static_cast<std::int64_t>(sizes.size())));
        std::vector<std::byte> room(
            static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
        detail::check(DRI_group_gather(handle(), DRI_SUCCESS, mine.data(), bytes, nullptr, room.data(),
                                       static_cast<std::int64_t>(room.size())));
        std::vector<std::vector<Value>> all;
        const std::byte *next = room.data();
        for (const std::int64_t size : sizes) {
            std::vector<Value> &values = all.emplace_back();
            for (const std::byte *const end = next + size; next + sizeof(Value) <= end; next += sizeof(Value)) {
                alignas(Value) std::array<std::byte, sizeof(Value)> bytes_of_one;
                std::memcpy(bytes_of_one.data(), next, sizeof(Value));
                values.push_back(std::bit_cast<Value>(bytes_of_one));
            }
        }
        return all;
    }

private:
    template <class, std::size_t> friend class Dist;
    struct Nothing {};
    explicit Group(Nothing) {}

    detail::Shared<DRI_Group, DRI_group_destroy> kept_;
};

// The group of all processes of the world, in their order.
inline Group world() {
    DRI_Group group;
    detail::check(DRI_group_create_world(&group));
    return Group::adopt(group);
}

} // namespace v1
} // namespace dri
