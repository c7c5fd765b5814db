// The module dri._dri.
#include "common.hpp"

PYBIND11_MODULE(_dri, module) {
    module.doc() = "The C interface of the library, as the package dri uses it. Programs import dri.";
    dri_python::bind_errors(module);
    dri_python::bind_environment(module);
    dri_python::bind_groups(module);
    dri_python::bind_distributions(module);
    dri_python::bind_layouts(module);
    dri_python::bind_ends(module);
    dri_python::bind_frames(module);
    dri_python::bind_memory(module);
    dri_python::bind_movers(module);
    dri_python::bind_reports(module);
    dri_python::bind_dap(module);
    dri_python::bind_maps(module);
    dri_python::bind_user_maps(module);
    dri_python::bind_domains(module);
    dri_python::bind_arrays(module);
    dri_python::bind_section_indices(module);
    dri_python::bind_expression_arrays(module);
    dri_python::bind_loops(module);
    dri_python::bind_graphs(module);
}
