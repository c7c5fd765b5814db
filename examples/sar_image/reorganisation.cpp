#include "reorganisation.hpp"

#include "process.hpp"

namespace sar {

Reorganisation::Reorganisation(const char *name, std::int64_t rows, std::int64_t columns, Side source, Side sink,
                               cfloat *source_data)
    : name_(name) {
    DRI_Gdo array;
    const std::int64_t sizes[] = {rows, columns};
    check(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &array));
    source_ = declare(name, DRI_SOURCE, array, source, source_data);
    sink_ = declare(name, DRI_SINK, array, sink, nullptr);
    check(DRI_gdo_destroy(&array));
}

Reorganisation::~Reorganisation() {
    for (Endpoint *endpoint : {&source_, &sink_})
        if (endpoint->transfer.id != 0)
            DRI_xfer_destroy(&endpoint->transfer);
}

Reorganisation::Endpoint Reorganisation::declare(const char *name, DRI_Role role, DRI_Gdo array, Side side,
                                                 cfloat *data) {
    const int cut = side.lines == Lines::rows ? 0 : 1;
    const int first_rank = 0;
    Endpoint endpoint;

    DRI_Group group;
    check(side.where == Where::all_processes ? DRI_group_create_world(&group)
                                             : DRI_group_create(1, &first_rank, &group));
    int position = 0;
    check(DRI_group_get_size(group, nullptr, &position));
    if (position >= 0) {
        DRI_Part partition;
        DRI_Dist distribution;
        check(DRI_part_create_blocks(2, cut, &partition));
        check(DRI_dist_create(array, partition, group, &distribution));

        int rank = 0;
        DRI_Part_tuple part[2];
        check(DRI_world_rank(&rank));
        check(DRI_dist_get_part(distribution, rank, part));
        endpoint.lines.begin = part[cut].left_x;
        endpoint.lines.end = part[cut].right_x;
        endpoint.lines.length = part[1 - cut].right_x - part[1 - cut].left_x;

        void *buffer = data;
        const DRI_Layout layout = cut == 0 ? DRI_ROW_MAJOR : DRI_COL_MAJOR;
        check(DRI_xfer_create(name, role, distribution, layout, 1, &buffer, &endpoint.transfer));
        check(DRI_dist_destroy(&distribution));
        check(DRI_part_destroy(&partition));
    }
    check(DRI_group_destroy(&group));
    return endpoint;
}

LocalLines Reorganisation::lines_of(const Endpoint &endpoint) {
    LocalLines lines = endpoint.lines;
    void *buffer = nullptr;
    if (endpoint.transfer.id != 0)
        check(DRI_xfer_get_buffer(endpoint.transfer, &buffer));
    lines.data = static_cast<cfloat *>(buffer);
    return lines;
}

LocalLines Reorganisation::run() {
    if (source_.transfer.id != 0 || sink_.transfer.id != 0)
        check(DRI_do(name_, DRI_XFER_NULL));
    return lines_of(sink_);
}

void commit_reorganisations() {
    DRI_Group everyone;
    check(DRI_group_create_world(&everyone));
    check(DRI_commit(everyone));
    check(DRI_group_destroy(&everyone));
}

} // namespace sar
