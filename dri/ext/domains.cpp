// Domains: ranges over a map, and what the processes have of them.
#include "ranges.hpp"

#include <dri/domain.h>

namespace dri_python {

namespace {

Domain make_domain(const Map &map, const py::tuple &ranges) {
    const std::vector<DRI_Range> all = ranges_of(ranges);
    int ndims = 0;
    check(DRI_map_get_ndims(map.get(), &ndims));
    if (static_cast<int>(all.size()) != ndims)
        fail(DRI_ERR_ARG, "the domain has " + std::to_string(all.size()) + " ranges, but its map has " +
                              std::to_string(ndims) + " dimensions");
    Domain domain;
    check(DRI_domain_create(map.get(), DRI_RECTANGULAR, all.data(), domain.put()));
    return domain;
}

size_t ndims_of(const Domain &domain) {
    int ndims = 0;
    check(DRI_domain_get_ranges(domain.get(), &ndims, nullptr));
    return static_cast<size_t>(ndims);
}

std::vector<int64_t> domain_index(const Domain &domain, const py::tuple &index) {
    std::vector<int64_t> at = numbers(index);
    if (at.size() != ndims_of(domain))
        fail(DRI_ERR_ARG, "the index has " + std::to_string(at.size()) + " numbers, but the domain has " +
                              std::to_string(ndims_of(domain)) + " dimensions");
    return at;
}

py::tuple ranges_in(const Domain &domain) {
    DRI_Range ranges[DRI_MAX_DIMS];
    check(DRI_domain_get_ranges(domain.get(), nullptr, ranges));
    return python_ranges(ranges, ndims_of(domain));
}

int64_t domain_size(const Domain &domain) {
    int64_t size = 0;
    check(DRI_domain_get_size(domain.get(), &size));
    return size;
}

int64_t domain_order(const Domain &domain, const py::tuple &index) {
    int64_t order = -1;
    check(DRI_domain_order(domain.get(), domain_index(domain, index).data(), &order));
    return order;
}

py::tuple member_at(const Domain &domain, int64_t order) {
    int64_t index[DRI_MAX_DIMS];
    check_index(DRI_domain_index(domain.get(), order, index));
    return tuple_of(index, static_cast<int>(ndims_of(domain)));
}

int domain_owner(const Domain &domain, const py::tuple &index) {
    int rank = 0;
    check_index(DRI_domain_owner(domain.get(), domain_index(domain, index).data(), &rank));
    return rank;
}

py::tuple domain_boxes(const Domain &domain, int rank) {
    int64_t n = 0;
    check(DRI_domain_num_boxes(domain.get(), rank, &n));
    py::tuple made(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        DRI_Range box[DRI_MAX_DIMS];
        check(DRI_domain_get_box(domain.get(), rank, i, box));
        made[static_cast<size_t>(i)] = python_ranges(box, ndims_of(domain));
    }
    return made;
}

int64_t local_place(const Domain &domain, int rank, const py::tuple &index) {
    int64_t offset = 0;
    check_index(DRI_domain_local_index(domain.get(), rank, domain_index(domain, index).data(), &offset));
    return offset;
}

py::tuple global_place(const Domain &domain, int rank, int64_t offset) {
    int64_t index[DRI_MAX_DIMS];
    check_index(DRI_domain_global_index(domain.get(), rank, offset, index));
    return tuple_of(index, static_cast<int>(ndims_of(domain)));
}

py::tuple domain_counts(const Domain &domain, int rank) {
    int64_t counts[2];
    check(DRI_domain_get_count(domain.get(), rank, &counts[0], &counts[1]));
    return tuple_of(counts, 2);
}

// Per chunk its dense ranges and its task.
py::list domain_chunks(const Domain &domain, int rank, int tasks) {
    int64_t n = 0;
    check(DRI_domain_num_chunks(domain.get(), rank, tasks, &n));
    py::list made;
    for (int64_t i = 0; i < n; ++i) {
        DRI_Range dense[DRI_MAX_DIMS];
        int task = 0;
        check(DRI_domain_get_chunk(domain.get(), rank, tasks, i, dense, &task));
        made.append(py::make_tuple(python_ranges(dense, ndims_of(domain)), task));
    }
    return made;
}

bool are_equal_domains(const Domain &a, const Domain &b) {
    int flag = 0;
    check(DRI_domain_equal(a.get(), b.get(), &flag));
    return flag != 0;
}

Domain domain_clone(const Domain &domain) {
    Domain made;
    check(DRI_domain_clone(domain.get(), made.put()));
    return made;
}

Distribution domain_dist(const Domain &domain, const py::tuple &element) {
    Type record;
    const DRI_Type type = type_of(element, record);
    Distribution dist;
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_domain_get_dist(domain.get(), type, dist.put());
    }
    check(code);
    return dist;
}

// map: None for the present one.
void set_domain(const Domain &domain, const py::object &map, const py::tuple &ranges) {
    const std::vector<DRI_Range> all = ranges_of(ranges);
    const DRI_Map other = map.is_none() ? DRI_Map{} : map.cast<const Map &>().get();
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_domain_set(domain.get(), other, all.data());
    }
    check(code);
}

} // namespace

void bind_domains(py::module_ &module) {
    py::class_<Domain>(module, "Domain")
        .def("ranges", ranges_in)
        .def("size", domain_size)
        .def("order", domain_order)
        .def("index", member_at)
        .def("owner", domain_owner)
        .def("boxes", domain_boxes)
        .def("local_index", local_place)
        .def("global_index", global_place)
        .def("counts", domain_counts)
        .def("chunks", domain_chunks)
        .def("equals", are_equal_domains)
        .def("clone", domain_clone)
        .def("dist", domain_dist)
        .def("set", set_domain)
        .def("check", [](const Domain &domain) { check(DRI_domain_check(domain.get())); })
        .def("text",
             [](const Domain &domain) {
                 return whole_text([&](char *text, size_t n) { return DRI_domain_text(domain.get(), text, n); });
             })
        .def("describe", [](const Domain &domain) {
            return whole_text([&](char *text, size_t n) { return DRI_domain_describe(domain.get(), text, n); });
        });
    module.def("make_domain", make_domain);
}

} // namespace dri_python
