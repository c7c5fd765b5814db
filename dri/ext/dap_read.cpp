// Reads and writes the dictionaries of the protocol.
#include "dap.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace dri_python {

namespace {

// Of Python or of numpy.
bool is_truth(py::handle value) {
    const std::string_view name = Py_TYPE(value.ptr())->tp_name;
    return PyBool_Check(value.ptr()) || name == "numpy.bool_" || name == "numpy.bool";
}

bool is_integer(py::handle value) { return PyIndex_Check(value.ptr()) && !is_truth(value); }

// Empty for what is no text, or none that UTF-8 has.
std::string text_of(py::handle value) {
    Py_ssize_t size = 0;
    const char *const text = PyUnicode_Check(value.ptr()) ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
    if (!text) {
        PyErr_Clear();
        return {};
    }
    return {text, static_cast<size_t>(size)};
}

bool take(py::handle value, int64_t &number) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    int overflow = 0;
    if (index)
        number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (!index || PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return overflow == 0;
}

template <typename Field> bool take_number(py::handle value, Field &field) {
    int64_t number = 0;
    if (!is_integer(value) || !take(value, number) || number != static_cast<Field>(number))
        return false;
    field = static_cast<Field>(number);
    return true;
}

bool take_flag(py::handle value, int32_t &flag) {
    return is_truth(value) ? (flag = PyObject_IsTrue(value.ptr()), true) : take_number(value, flag);
}

bool take_pair(py::handle value, int64_t (&pair)[2]) {
    if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value) || py::len(value) != 2)
        return false;
    const auto both = py::reinterpret_borrow<py::sequence>(value);
    return take_number(py::object(both[0]), pair[0]) && take_number(py::object(both[1]), pair[1]);
}

bool take_list(py::handle value, DRI_Dap_dim &dim, std::vector<py::object> &keeps) {
    if (!PyObject_CheckBuffer(value.ptr()))
        return false;
    const py::array any = py::array::ensure(value);
    if (!any || any.ndim() != 1 || !std::strchr("iu", any.dtype().kind())) {
        PyErr_Clear();
        return false;
    }
    if (any.dtype().kind() == 'u' && any.itemsize() == 8 && any.size() > 0 &&
        any.attr("max")().cast<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
        return false;
    const auto list = py::array_t<int64_t, py::array::c_style | py::array::forcecast>::ensure(any);
    dim.indices = list.data();
    dim.nindices = list.size();
    keeps.push_back(list);
    return true;
}

} // namespace

void read_dim(const py::dict &from, DRI_Dap_dim &dim, std::vector<py::object> &keeps) {
    if (from.empty())
        return;
    dim.dist_type = 0; // the key is missing, if others are there
    for (const auto &[key, value] : from) {
        const std::string name = text_of(key);
        const auto note = [&dim](DRI_Dap_key flag, bool is_readable) {
            dim.keys |= static_cast<uint32_t>(flag);
            dim.unreadable |= is_readable ? 0 : static_cast<uint32_t>(flag);
        };
        if (name == "dist_type") {
            const std::string word = text_of(value);
            dim.dist_type = word.size() == 1 ? word[0] : '?';
        } else if (name == "size")
            note(DRI_DAP_SIZE, take_number(value, dim.size));
        else if (name == "proc_grid_size")
            note(DRI_DAP_GRID_SIZE, take_number(value, dim.proc_grid_size));
        else if (name == "proc_grid_rank")
            note(DRI_DAP_GRID_RANK, take_number(value, dim.proc_grid_rank));
        else if (name == "start")
            note(DRI_DAP_START, take_number(value, dim.start));
        else if (name == "stop")
            note(DRI_DAP_STOP, take_number(value, dim.stop));
        else if (name == "padding")
            note(DRI_DAP_PADDING, take_pair(value, dim.padding));
        else if (name == "periodic")
            note(DRI_DAP_PERIODIC, take_flag(value, dim.periodic));
        else if (name == "block_size")
            note(DRI_DAP_BLOCK_SIZE, take_number(value, dim.block_size));
        else if (name == "indices")
            note(DRI_DAP_INDICES, take_list(value, dim, keeps));
        else if (name == "one_to_one")
            note(DRI_DAP_ONE_TO_ONE, take_flag(value, dim.one_to_one));
    }
    if (dim.dist_type == 0 && dim.keys == 0)
        dim.dist_type = '?'; // a dictionary of unknown keys is not the empty one
}

Description read_description(const std::string &version, const py::object &buffer, const py::sequence &dim_data) {
    Description made;
    DRI_Dap &dap = made.dap;
    std::snprintf(dap.version, sizeof dap.version, "%s", version.c_str());
    dap.ndims = static_cast<int32_t>(dim_data.size());
    if (!buffer.is_none()) {
        const py::array array = buffer;
        dap.buffer = const_cast<void *>(array.data());
        dap.itemsize = static_cast<size_t>(array.itemsize());
        dap.readonly = !array.writeable();
        for (int d = 0; d < std::min<int>(static_cast<int>(array.ndim()), DRI_MAX_DIMS); ++d) {
            dap.shape[d] = array.shape(d);
            dap.strides[d] = array.strides(d);
        }
        made.keeps.push_back(array);
    }
    for (int d = 0; d < std::min<int>(dap.ndims, DRI_MAX_DIMS); ++d)
        read_dim(py::dict(py::object(dim_data[static_cast<size_t>(d)])), dap.dim_data[d], made.keeps);
    return made;
}

py::dict written(const DRI_Dap_dim &dim) {
    py::dict made;
    if (dim.dist_type == 0)
        return made;
    const auto has = [&dim](DRI_Dap_key key) { return (dim.keys & static_cast<uint32_t>(key)) != 0; };
    made["dist_type"] = py::str(std::string(1, static_cast<char>(dim.dist_type)));
    if (has(DRI_DAP_SIZE))
        made["size"] = dim.size;
    if (has(DRI_DAP_GRID_SIZE))
        made["proc_grid_size"] = dim.proc_grid_size;
    if (has(DRI_DAP_GRID_RANK))
        made["proc_grid_rank"] = dim.proc_grid_rank;
    if (has(DRI_DAP_START))
        made["start"] = dim.start;
    if (has(DRI_DAP_STOP))
        made["stop"] = dim.stop;
    if (has(DRI_DAP_PADDING))
        made["padding"] = py::make_tuple(dim.padding[0], dim.padding[1]);
    if (has(DRI_DAP_PERIODIC))
        made["periodic"] = py::bool_(dim.periodic != 0);
    if (has(DRI_DAP_BLOCK_SIZE))
        made["block_size"] = dim.block_size;
    if (has(DRI_DAP_INDICES))
        made["indices"] = py::array_t<int64_t>(dim.nindices, dim.indices);
    if (has(DRI_DAP_ONE_TO_ONE))
        made["one_to_one"] = py::bool_(dim.one_to_one != 0);
    return made;
}

} // namespace dri_python
