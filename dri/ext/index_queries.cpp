// The owners of elements, and where these lie: for one element a row, for many an array of rows.
#include "queries.hpp"

namespace dri_python {

namespace {

using Rows = py::array_t<int64_t, py::array::c_style>;

template <typename Result> py::array_t<Result> result_of(const Rows &rows, py::ssize_t width) {
    return py::array_t<Result>({rows.shape(0), width});
}

py::array_t<int> owners(const Distribution &dist, const Rows &rows) {
    auto made = result_of<int>(rows, 1);
    for (py::ssize_t i = 0; i < rows.shape(0); ++i)
        check_index(DRI_dist_owner(dist.get(), rows.data() + i * rows.shape(1), made.mutable_data(i, 0)));
    return made;
}

py::list replicas(const Distribution &dist, const Rows &rows) {
    py::list made;
    std::vector<int> ranks;
    for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
        const int64_t *index = rows.data() + i * rows.shape(1);
        int n = 0;
        check_index(DRI_dist_replicas(dist.get(), index, &n, nullptr));
        ranks.resize(static_cast<size_t>(n));
        check(DRI_dist_replicas(dist.get(), index, &n, ranks.data()));
        made.append(tuple_of(ranks.data(), n));
    }
    return made;
}

template <int (*map)(DRI_Dist, int, const int64_t[], int64_t[])>
py::array_t<int64_t> mapped(const Distribution &dist, int rank, const Rows &rows) {
    auto made = result_of<int64_t>(rows, rows.shape(1));
    int64_t none = 0;
    for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
        int64_t *to = rows.shape(1) ? made.mutable_data(i, 0) : &none;
        check_index(map(dist.get(), rank, rows.data() + i * rows.shape(1), to));
    }
    return made;
}

} // namespace

void bind_index_queries(DistributionClass &dist) {
    dist.def("owners", owners)
        .def("replicas", replicas)
        .def("local_indices", mapped<DRI_dist_local_index>)
        .def("global_indices", mapped<DRI_dist_global_index>);
}

} // namespace dri_python
