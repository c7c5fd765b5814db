// The protocol's checks and maps, and its way from and to distributions.
#include "dap.hpp"

#include <algorithm>

namespace dri_python {

namespace {

// None, or: rule, its number, dimension, key, value, message, process, other process.
py::object fault_of(int code, const DRI_Dap_fault &fault) {
    if (fault.rule == DRI_DAP_VALID) {
        check(code);
        return py::none();
    }
    return py::make_tuple(fault.name, static_cast<int>(fault.rule), fault.dim, fault.key, fault.value,
                          fault.message, fault.process, fault.other);
}

py::object fault(const std::string &version, const py::object &buffer, const py::sequence &dim_data) {
    const Description read = read_description(version, buffer, dim_data);
    DRI_Dap_fault found{};
    const int code = DRI_dap_validate(&read.dap, &found);
    return fault_of(code, found);
}

// A dimension that is kept for a call.
struct Dim {
    explicit Dim(const py::dict &from) { read_dim(from, dim, keeps); }
    DRI_Dap_dim dim{};
    std::vector<py::object> keeps;
};

py::object dim_fault(const py::dict &from, int number, int64_t extent) {
    const Dim read(from);
    DRI_Dap_fault found{};
    const int code = DRI_dap_validate_dim(&read.dim, number, extent, &found);
    return fault_of(code, found);
}

// all: a sequence of dim_data. Empty dimensions have no buffer here, so the caller has written them out.
py::object all_fault(const py::sequence &all) {
    std::vector<Description> reads;
    std::vector<DRI_Dap> daps;
    for (const py::handle one : all) {
        reads.push_back(read_description("", py::none(), py::reinterpret_borrow<py::sequence>(one)));
        daps.push_back(reads.back().dap);
    }
    DRI_Dap_fault found{};
    const int code = DRI_dap_check_all(static_cast<int>(daps.size()), daps.data(), &found);
    return fault_of(code, found);
}

py::object group_fault(const std::string &version, const py::object &buffer, const py::sequence &dim_data,
                       const Group &group) {
    const Description read = read_description(version, buffer, dim_data);
    DRI_Dap_fault found{};
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_dap_check(&read.dap, group.get(), &found);
    }
    return fault_of(code, found);
}

py::tuple written_out(const py::object &buffer, const py::sequence &dim_data) {
    Description read = read_description("", buffer, dim_data);
    check(DRI_dap_write_out(&read.dap));
    py::tuple made(static_cast<size_t>(read.dap.ndims));
    for (size_t d = 0; d < made.size(); ++d)
        made[d] = written(read.dap.dim_data[d]);
    return made;
}

int64_t owned(const py::dict &from) {
    const Dim read(from);
    int64_t n = 0;
    check(DRI_dap_owned(&read.dim, &n));
    return n;
}

py::array_t<int64_t> owned_indices(const py::dict &from) {
    const Dim read(from);
    const DRI_Dap_dim &dim = read.dim;
    int64_t n = 0;
    check(DRI_dap_owned(&dim, &n));
    const bool is_padded = dim.dist_type == 'b' && dim.proc_grid_rank != 0 && (dim.keys & DRI_DAP_PADDING);
    const int64_t first = is_padded ? dim.padding[0] : 0;
    py::array_t<int64_t> made(n);
    for (int64_t i = 0; i < n; ++i)
        check(DRI_dap_global_index(&dim, first + i, made.mutable_data(i)));
    return made;
}

template <int (*map)(const DRI_Dap_dim *, int64_t, int64_t *)>
int64_t mapped(const py::dict &from, int64_t index) {
    const Dim read(from);
    int64_t n = 0, found = 0;
    check(DRI_dap_owned(&read.dim, &n)); // a fault of the dimension is no index out of range
    check_index(map(&read.dim, index, &found));
    return found;
}

py::tuple exported(const Distribution &dist, int rank, const py::tuple &layout, const py::object &boundary,
                   const py::object &periodic) {
    const int ndims = ndims_of(dist);
    int64_t widths[DRI_MAX_DIMS][2] = {};
    std::vector<int> circles;
    if (!boundary.is_none())
        for (int d = 0; d < ndims; ++d) {
            const std::vector<int64_t> pair = numbers(py::sequence(boundary)[static_cast<size_t>(d)]);
            widths[d][0] = pair.at(0);
            widths[d][1] = pair.at(1);
        }
    if (!periodic.is_none())
        circles = small_numbers(periodic);
    const Layout lies = make_layout(layout, ndims);
    DRI_Dap dap;
    check(DRI_dap_export(dist.get(), rank, lies.get(), nullptr, boundary.is_none() ? nullptr : widths,
                         periodic.is_none() ? nullptr : circles.data(), &dap));
    py::tuple made(static_cast<size_t>(ndims));
    for (size_t d = 0; d < made.size(); ++d)
        made[d] = written(dap.dim_data[d]);
    DRI_dap_free(&dap);
    return made;
}

// The distribution, and the address that goes with it.
py::tuple imported(const std::string &version, const py::object &buffer, const py::sequence &dim_data,
                   const py::tuple &element, const Group &group, int view) {
    const Description read = read_description(version, buffer, dim_data);
    Type record;
    const DRI_Type type = type_of(element, record);
    Distribution dist;
    Layout layout;
    void *origin = nullptr;
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_dap_import(&read.dap, type, group.get(), static_cast<DRI_Dap_view>(view), dist.put(),
                              layout.put(), &origin);
    }
    check(code);
    return py::make_tuple(py::cast(std::move(dist)), reinterpret_cast<uintptr_t>(origin));
}

// A side of a relabelling: None, or (buffer, dim_data).
struct Side {
    explicit Side(const py::object &given) {
        if (given.is_none())
            return;
        const py::sequence both = given;
        read = read_description("", both[0], py::sequence(py::object(both[1])));
        dap = &read.dap;
    }
    py::array_t<int64_t> positions(int dim) const {
        const bool has_list = dap && dim >= 0 && dim < std::min<int>(dap->ndims, DRI_MAX_DIMS);
        return py::array_t<int64_t>(has_list ? dap->dim_data[dim].nindices : 0);
    }
    Description read;
    const DRI_Dap *dap = nullptr;
};

// The number of labels, and the positions of both sides.
py::tuple relabelled(const Group &group, int dim, const py::object &source, const py::object &target) {
    const Side from(source), to(target);
    py::array_t<int64_t> of_source = from.positions(dim), of_target = to.positions(dim);
    int64_t *const source_at = of_source.mutable_data(), *const target_at = of_target.mutable_data();
    int64_t n = 0;
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_dap_relabel(group.get(), dim, from.dap, to.dap, source_at, target_at, &n);
    }
    check(code);
    return py::make_tuple(n, of_source, of_target);
}

} // namespace

void bind_dap(py::module_ &module) {
    module.attr("dap_version") = DRI_DAP_VERSION;
    module.def("dap_fault", fault);
    module.def("dap_dim_fault", dim_fault);
    module.def("dap_all_fault", all_fault);
    module.def("dap_group_fault", group_fault);
    module.def("dap_written_out", written_out);
    module.def("dap_owned", owned);
    module.def("dap_owned_indices", owned_indices);
    module.def("dap_local_index", mapped<DRI_dap_local_index>);
    module.def("dap_global_index", mapped<DRI_dap_global_index>);
    module.def("dap_export", exported);
    module.def("dap_import", imported);
    module.def("dap_relabel", relabelled);
}

} // namespace dri_python
