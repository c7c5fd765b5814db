// The calls of domain.h about what a process has: boxes, places and chunks.
#include "domain/chunks.hpp"
#include "domain/objects.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// A domain and one of its processes.
struct Asked {
    std::shared_ptr<const Space> space;
    const Holding *holding;

    Asked(DRI_Domain domain, int rank)
        : space(get_space(domain)), holding(&space->holding(space->map().checked_position(rank))) {}
};

void require_below(int64_t i, int64_t n, const char *name, const char *of) {
    if (i < 0 || i >= n)
        fail(DRI_ERR_ARG, "{} is {}, but the process has {} {}", name, i, n, of);
}

void require_tasks(int tasks) {
    if (tasks < 1)
        fail(DRI_ERR_ARG, "tasks is {}, but must be at least 1", tasks);
}

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_domain_num_boxes(DRI_Domain domain, int rank, int64_t *n) {
    return dri::outer::run("DRI_domain_num_boxes", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(n, "n");
        *n = asked.holding->num_boxes();
    });
}

int DRI_domain_get_box(DRI_Domain domain, int rank, int64_t i, DRI_Range box[]) {
    return dri::outer::run("DRI_domain_get_box", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(box, "box");
        dri::domain::require_below(i, asked.holding->num_boxes(), "i", "boxes");
        const auto found = dri::domain::undensify(asked.holding->box(i), asked.space->ranges());
        std::copy(found.begin(), found.end(), box);
    });
}

int DRI_domain_local_index(DRI_Domain domain, int rank, const int64_t index[], int64_t *offset) {
    return dri::outer::run("DRI_domain_local_index", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(index, "index");
        dri::outer::require_pointer(offset, "offset");
        const int64_t place = asked.holding->place_of(asked.space->checked_dense(index));
        if (place < 0) {
            dri::fail(DRI_ERR_ARG, "process {} does not hold {}, which belongs to process {}", rank,
                      dri::domain::text_of_index({index, asked.space->ndims()}),
                      asked.space->map().owner_rank(index));
        }
        *offset = place;
    });
}

int DRI_domain_global_index(DRI_Domain domain, int rank, int64_t offset, int64_t index[]) {
    return dri::outer::run("DRI_domain_global_index", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(index, "index");
        dri::domain::require_below(offset, asked.holding->held(), "offset", "elements in its local array");
        const auto dense = asked.holding->at(offset);
        if (!dense)
            dri::fail(DRI_ERR_ARG, "the place {} is beyond the domain {}", offset, asked.space->text());
        asked.space->get_index(*dense, index);
    });
}

int DRI_domain_get_count(DRI_Domain domain, int rank, int64_t *owned, int64_t *held) {
    return dri::outer::run("DRI_domain_get_count", [&] {
        const dri::domain::Asked asked(domain, rank);
        if (owned)
            *owned = asked.holding->owned();
        if (held)
            *held = asked.holding->held();
    });
}

int DRI_domain_num_chunks(DRI_Domain domain, int rank, int tasks, int64_t *n) {
    return dri::outer::run("DRI_domain_num_chunks", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(n, "n");
        dri::domain::require_tasks(tasks);
        *n = num_chunks(*asked.holding, tasks);
    });
}

int DRI_domain_get_chunk(DRI_Domain domain, int rank, int tasks, int64_t i, DRI_Range dense[], int *task) {
    return dri::outer::run("DRI_domain_get_chunk", [&] {
        const dri::domain::Asked asked(domain, rank);
        dri::outer::require_pointer(dense, "dense");
        dri::domain::require_tasks(tasks);
        dri::domain::require_below(i, num_chunks(*asked.holding, tasks), "i", "chunks");
        const dri::domain::DenseChunk chunk = chunk_of(*asked.holding, tasks, i);
        std::copy(chunk.dense.begin(), chunk.dense.end(), dense);
        if (task)
            *task = chunk.task;
    });
}
}
