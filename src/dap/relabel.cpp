// Numbers the labels of a source, and finds those of a sink among them.
#include "dap/agreement.hpp"
#include "dap/faults.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::dap {

namespace {

using Labels = std::span<const int64_t>;

void check_side(const DRI_Dap *dap, int dim, const int64_t *at, const char *what, const char *at_what) {
    if (!dap)
        return;
    if (const auto found = fault_of(*dap))
        throw Objection{DRI_ERR_ARG, *found};
    if (dim < 0 || dim >= dap->ndims)
        fail(DRI_ERR_ARG, "dim is {}, but {} has {} dimensions", dim, what, dap->ndims);
    const DRI_Dap_dim &d = dap->dim_data[dim];
    if (d.dist_type != 'u')
        fail(DRI_ERR_MISMATCH, "dimension {} of {} is not unstructured, so it has indices and no labels", dim,
             what);
    if (d.nindices > 0)
        outer::require_pointer(at, at_what);
}

Labels labels_of(const DRI_Dap *dap, int dim) {
    if (!dap)
        return {};
    return {dap->dim_data[dim].indices, static_cast<size_t>(dap->dim_data[dim].nindices)};
}

// All labels of the source, each once, in rising order.
std::vector<int64_t> sorted_labels(const Processes &processes, const Exchanged &all, int dim) {
    std::vector<int64_t> sorted;
    for (size_t q = 0; q < all.size(); ++q) {
        Reader in(all[q]);
        if (const auto other = in.get<int>(); other != dim)
            fail(DRI_ERR_MISMATCH, "dim is {} on process {}, but {} on process {}", other, processes.ranks[q], dim,
                 processes.ranks[static_cast<size_t>(processes.position)]);
        const auto labels = in.get_all<std::vector<int64_t>>();
        sorted.insert(sorted.end(), labels.begin(), labels.end());
    }
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
}

std::vector<int64_t> places_of(Labels labels, const std::vector<int64_t> &sorted) {
    std::vector<int64_t> places;
    for (const int64_t label : labels) {
        const auto found = std::lower_bound(sorted.begin(), sorted.end(), label);
        if (found == sorted.end() || *found != label)
            fail(DRI_ERR_MISMATCH, "the sink has label {}, but the source has not", label);
        places.push_back(found - sorted.begin());
    }
    return places;
}

} // namespace

} // namespace dri::dap

extern "C" {

int DRI_dap_relabel(DRI_Group scope, int dim, const DRI_Dap *source, const DRI_Dap *sink, int64_t *source_at,
                    int64_t *sink_at, int64_t *n) {
    return dri::outer::run("DRI_dap_relabel", [&] {
        const dri::dap::Processes processes = dri::dap::read_group(scope);
        const auto objection = dri::dap::objection_of([&] {
            dri::outer::require_pointer(n, "n");
            dri::dap::check_side(source, dim, source_at, "the source", "source_at");
            dri::dap::check_side(sink, dim, sink_at, "the sink", "sink_at");
        });
        dri::Writer mine;
        if (!objection)
            mine.put(dim).put_all(dri::dap::labels_of(source, dim));
        const auto all = dri::dap::exchange(processes, objection, mine.take(), -1);
        const std::vector<int64_t> sorted = dri::dap::sorted_labels(processes, all, dim);
        std::vector<int64_t> of_source, of_sink;
        const auto missing = dri::dap::objection_of([&] {
            of_source = dri::dap::places_of(dri::dap::labels_of(source, dim), sorted);
            of_sink = dri::dap::places_of(dri::dap::labels_of(sink, dim), sorted);
        });
        dri::dap::exchange(processes, missing, {}, 0);
        std::copy(of_source.begin(), of_source.end(), source_at);
        std::copy(of_sink.begin(), of_sink.end(), sink_at);
        *n = static_cast<int64_t>(sorted.size());
    });
}
}
