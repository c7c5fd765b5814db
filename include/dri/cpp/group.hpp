// Groups: ordered sets of processes.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/dist.h>

#include <initializer_list>
#include <numeric>
#include <span>
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

private:
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
