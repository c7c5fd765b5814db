// Descriptions of the Distributed Array Protocol: Python's dictionaries as the library's structures.
#pragma once

#include "handles.hpp"

#include <dri/dap.h>

namespace dri_python {

// A description, and what keeps its lists and its memory.
struct Description {
    DRI_Dap dap{};
    std::vector<py::object> keeps;
};

// Reads the dictionary of a dimension. What C cannot hold is marked as unreadable, and breaks a rule of its own.
void read_dim(const py::dict &from, DRI_Dap_dim &dim, std::vector<py::object> &keeps);
// version "" is the library's. The buffer is a numpy array, or None where there is none.
Description read_description(const std::string &version, const py::object &buffer, const py::sequence &dim_data);
py::dict written(const DRI_Dap_dim &dim);

} // namespace dri_python
