// Makes the objects for endpoints that work on described arrays.
#include "dap/agreement.hpp"
#include "dap/faults.hpp"
#include "dap/strides.hpp"
#include "dap/update.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::dap {

namespace {

void check_arguments(const DRI_Dap &mine, DRI_Type type, DRI_Dap_view view) {
    if (view != DRI_DAP_SOURCE && view != DRI_DAP_SINK && view != DRI_DAP_UPDATE)
        fail(DRI_ERR_ARG, "view is {}, but must be DRI_DAP_SOURCE, DRI_DAP_SINK or DRI_DAP_UPDATE", int{view});
    if (mine.readonly && view != DRI_DAP_SOURCE)
        fail(DRI_ERR_ARG, "the buffer is read-only, so data cannot arrive there");
    size_t pitch = 0;
    outer::require(DRI_type_get_pitch(type, &pitch));
    if (pitch != mine.itemsize)
        fail(DRI_ERR_ARG, "itemsize is {}, but the elements of the type are {} bytes apart", mine.itemsize, pitch);
    require_strides(mine);
}

// Distributions that differ in their type would be found by DRI_dist_create only where the sizes fit into 64 bits.
void require_like_items(const std::vector<Member> &members) {
    for (const Member &m : members)
        if (m.itemsize != members[0].itemsize)
            fail(DRI_ERR_MISMATCH, "itemsize is {} on process {}, but {} on process {}", m.itemsize, m.name,
                 members[0].itemsize, members[0].name);
}

void require_indices(const std::vector<Member> &members) {
    for (const Member &m : members)
        for (size_t d = 0; d < static_cast<size_t>(m.ndims); ++d)
            if (const Dimension &x = m.dims[d]; x.nindices > 0 && (m.least[d] < 0 || m.most[d] >= x.size))
                fail(DRI_ERR_MISMATCH,
                     "dimension {}: process {} has index {}, but size is {}; DRI_dap_relabel numbers labels anew",
                     d, m.name, m.least[d] < 0 ? m.least[d] : m.most[d], x.size);
}

// How the padding of one dimension can be said by a rule. Widths count at the borders between processes.
struct Padding {
    std::vector<int64_t> owned; // of each process along the dimension
    int64_t width = 0;
    bool is_uniform = true;
};

Padding padding_of(const std::vector<Member> &members, size_t d) {
    Padding found;
    found.owned.resize(static_cast<size_t>(members[0].dims[d].grid));
    for (const Member &m : members) {
        const Dimension &x = m.dims[d];
        found.owned[static_cast<size_t>(x.rank)] = x.owned();
        if (!x.is_first())
            found.width = x.left();
    }
    for (const Member &m : members)
        if (const Dimension &x = m.dims[d]; !x.is_first() && x.left() != found.width)
            found.is_uniform = false;
    return found;
}

// The partition under construction, and how far its part starts inside the buffer.
struct Imported {
    std::vector<DRI_Part_dim> rules;
    std::vector<DRI_Part_tuple> pieces; // in place of the rules, if there are any
    std::vector<DRI_Run> runs;          // one for each dimension, kept for its rule
    std::vector<int64_t> extents, skipped;
};

DRI_Part_dim rule_of_list(const DRI_Dap_dim &dim, const Dimension &x) {
    DRI_Part_dim rule{};
    rule.kind = DRI_INDICES;
    rule.nparts = x.grid;
    rule.indices = dim.indices;
    rule.nindices = x.nindices;
    return rule;
}

DRI_Part_dim cyclic_rule(const Dimension &x) {
    DRI_Part_dim rule{};
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.nparts = x.grid;
    rule.block = x.block;
    return rule;
}

DRI_Part_dim rule_of_runs(const Dimension &x, DRI_Run &run) {
    DRI_Part_dim rule{};
    run = {x.start, x.held(), 1, 0};
    rule.kind = DRI_RUNS;
    rule.nparts = x.grid;
    rule.runs = &run;
    rule.nruns = x.held() > 0;
    return rule;
}

DRI_Part_dim rule_of_sizes(const Padding &padding, int64_t width) {
    DRI_Part_dim rule{};
    if (padding.owned.size() == 1)
        return rule;
    rule.kind = DRI_SIZES;
    rule.nparts = static_cast<int>(padding.owned.size());
    rule.sizes = padding.owned.data();
    rule.left = rule.right = width;
    return rule;
}

void import_rules(const DRI_Dap &mine, const Member &own, DRI_Dap_view view, const std::vector<Padding> &paddings,
                  Imported &made) {
    for (size_t d = 0; d < paddings.size(); ++d) {
        const Dimension &x = own.dims[d];
        const Padding &padding = paddings[d];
        if (x.type == 'u') {
            made.rules.push_back(rule_of_list(mine.dim_data[d], x));
        } else if (x.type == 'c') {
            made.rules.push_back(cyclic_rule(x));
        } else if (padding.is_uniform) {
            made.rules.push_back(rule_of_sizes(padding, padding.width));
        } else if (view == DRI_DAP_SINK) {
            made.rules.push_back(rule_of_runs(x, made.runs[d]));
        } else {
            made.rules.push_back(rule_of_sizes(padding, 0));
            made.extents[d] = x.owned();
            made.skipped[d] = x.left();
        }
    }
}

void import_dist(const Processes &processes, const std::vector<Member> &members, const DRI_Dap &mine,
                 DRI_Type type, DRI_Dap_view view, Imported &made, outer::OwnedDist &dist) {
    const Member &own = members[static_cast<size_t>(processes.position)];
    const auto ndims = static_cast<size_t>(own.ndims);
    std::vector<Padding> paddings;
    std::vector<int64_t> sizes;
    bool is_all_blocks = true, is_uniform = true;
    for (size_t d = 0; d < ndims; ++d) {
        const Dimension &x = own.dims[d];
        sizes.push_back(x.size);
        paddings.push_back(padding_of(members, d));
        is_all_blocks = is_all_blocks && x.type == 'b';
        is_uniform = is_uniform && paddings[d].is_uniform;
    }
    outer::OwnedGdo gdo;
    outer::OwnedPart part;
    outer::require(DRI_gdo_create(own.ndims, type, sizes.data(), gdo.out()));
    if (is_all_blocks && !is_uniform) {
        for (size_t d = 0; d < ndims; ++d) {
            const Dimension &x = own.dims[d];
            made.pieces.push_back({x.left(), x.first_owned(), x.end_of_owned(), x.right()});
        }
        outer::require(DRI_part_create(own.ndims, made.pieces.data(), part.out()));
    } else {
        import_rules(mine, own, view, paddings, made);
        outer::require(DRI_part_create_rule(own.ndims, made.rules.data(), part.out()));
    }
    outer::require(DRI_dist_create(gdo.get(), part.get(), processes.group, dist.out()));
}

void *origin_of(const DRI_Dap &mine, const std::vector<int64_t> &skipped) {
    auto *origin = static_cast<std::byte *>(mine.buffer);
    for (size_t d = 0; d < skipped.size() && origin; ++d)
        origin += skipped[d] * mine.strides[d];
    return origin;
}

} // namespace

} // namespace dri::dap

extern "C" {

int DRI_dap_import(const DRI_Dap *mine, DRI_Type type, DRI_Group group, DRI_Dap_view view, DRI_Dist *dist,
                   DRI_Layout *layout, void **origin) {
    return dri::outer::run("DRI_dap_import", [&] {
        if (dist)
            *dist = {};
        if (layout)
            *layout = {};
        if (origin)
            *origin = nullptr;
        const dri::dap::Processes processes = dri::dap::read_group(group);
        const auto members = dri::dap::agree(
            processes, mine, view,
            [&](const DRI_Dap &checked) {
                dri::outer::require_pointer(dist, "dist");
                dri::outer::require_pointer(layout, "layout");
                dri::outer::require_pointer(origin, "origin");
                dri::dap::check_arguments(checked, type, view);
            },
            nullptr);
        dri::dap::require_like_items(members);
        dri::outer::OwnedDist made_dist;
        dri::outer::OwnedLayout made_layout;
        dri::dap::Imported made;
        made.extents.assign(mine->shape, mine->shape + mine->ndims);
        made.skipped.resize(made.extents.size());
        made.runs.resize(made.extents.size());
        if (view == DRI_DAP_UPDATE) {
            dri::dap::make_update(processes, members, type, made_dist);
        } else {
            dri::dap::require_indices(members);
            dri::dap::import_dist(processes, members, *mine, type, view, made, made_dist);
        }
        dri::dap::make_layout(*mine, made.extents, made_layout);
        *dist = made_dist.release();
        *layout = made_layout.release();
        *origin = dri::dap::origin_of(*mine, made.skipped);
    });
}
}
