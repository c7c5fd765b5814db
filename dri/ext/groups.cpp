// Groups, and what their processes agree on.
#include "handles.hpp"

#include <dri/dri_mpi.h>

namespace dri_python {

py::tuple ranks_of(DRI_Group group) {
    int n = 0;
    check(DRI_group_get_size(group, &n, nullptr));
    std::vector<int> ranks(static_cast<size_t>(n));
    check(DRI_group_get_ranks(group, ranks.data()));
    return tuple_of(ranks.data(), n);
}

namespace {

py::tuple ranks_of_comm(int fortran) {
    Group group;
    check(DRI_group_from_comm(MPI_Comm_f2c(fortran), group.put()));
    return ranks_of(group.get());
}

Group make_group(const py::tuple &ranks) {
    const std::vector<int> all = small_numbers(ranks);
    Group group;
    check(DRI_group_create(static_cast<int>(all.size()), all.data(), group.put()));
    return group;
}

// What each process brings, in the group's order. All bring as many bytes.
py::list gather(const Group &group, const std::string &mine) {
    int n = 0;
    check(DRI_group_get_size(group.get(), &n, nullptr));
    std::string all(mine.size() * static_cast<size_t>(n), '\0');
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_group_gather(group.get(), DRI_SUCCESS, mine.data(), static_cast<int64_t>(mine.size()), nullptr,
                                all.data(), static_cast<int64_t>(all.size()));
    }
    check(code);
    py::list made;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i)
        made.append(py::bytes(all.data() + i * mine.size(), mine.size()));
    return made;
}

// Whether every process of the group brings `good`.
bool all_good(const Group &group, bool good) {
    char mine = good ? 1 : 0;
    int n = 0;
    check(DRI_group_get_size(group.get(), &n, nullptr));
    std::vector<char> all(static_cast<size_t>(n));
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_group_gather(group.get(), DRI_SUCCESS, &mine, 1, nullptr, all.data(), n);
    }
    check(code);
    for (const char one : all)
        good = good && one != 0;
    return good;
}

} // namespace

void bind_groups(py::module_ &module) {
    py::class_<Group>(module, "Group");
    module.def("make_group", make_group);
    module.def("ranks_of_comm", ranks_of_comm);
    module.def("gather", gather);
    module.def("all_good", all_good);
}

} // namespace dri_python
