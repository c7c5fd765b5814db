// Start and end of the library, and what belongs to no object.
#include "common.hpp"

#include <dri/dri_mpi.h>

namespace dri_python {

namespace {

py::str mpi_version() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return py::str(text.data(), static_cast<size_t>(length));
}

bool is_running() {
    int flag = 0;
    check(DRI_initialized(&flag));
    return flag != 0;
}

// How often the library has been started. Handles of an earlier start name nothing.
int starts = 0;

py::tuple version() {
    int numbers[3];
    check(DRI_version(&numbers[0], &numbers[1], &numbers[2]));
    return tuple_of(numbers, 3);
}

template <int (*query)(int *)> int number_of() {
    int value = 0;
    check(query(&value));
    return value;
}

template <typename Call> void collective(Call call) {
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = call();
    }
    check(code);
}

py::str dump_wisdom() {
    size_t needed = 0;
    check(DRI_wisdom_export(nullptr, 0, &needed));
    std::string text(needed, '\0');
    check(DRI_wisdom_export(text.data(), text.size(), &needed));
    return py::str(text.data(), needed - 1);
}

} // namespace

void bind_environment(py::module_ &module) {
    module.def("init_fcomm", [](int comm) {
        collective([=] { return DRI_init_fcomm(comm); });
        ++starts;
    });
    module.def("starts", [] { return starts; });
    module.def("finalize", [] { collective(DRI_finalize); });
    module.def("is_running", is_running);
    module.def("version", version);
    module.def("mpi_version", mpi_version);
    module.def("world_rank", number_of<DRI_world_rank>);
    module.def("world_size", number_of<DRI_world_size>);
    module.def("progress", [] { collective(DRI_progress); });
    module.def("dump_wisdom", dump_wisdom);
    module.def("load_wisdom", [](const std::string &text) { check(DRI_wisdom_import(text.c_str())); });
}

} // namespace dri_python
