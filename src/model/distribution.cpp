#include "model/distribution.hpp"

#include "base/checked.hpp"
#include "model/grid.hpp"

namespace dri {

Distribution::Distribution(Gdo gdo, Partition partition, Group group)
    : gdo_(std::move(gdo)), partition_(std::move(partition)), group_(std::move(group)) {
    if (partition_.size() != gdo_.ndims())
        fail(DRI_ERR_ARG, "the partition has {} dimensions, the GDO {}", partition_.size(), gdo_.ndims());
    grid_ = choose_grid(partition_, gdo_.sizes, group_.size());
    for (size_t d = 0; d < ndims(); ++d) {
        cuts_.emplace_back(partition_[d], gdo_.sizes[d], grid_[d], d);
        parts_ *= grid_[d];
    }
    replicas_ = group_.size() / parts_;

    Writer out;
    put(out, gdo_);
    out.put(static_cast<int64_t>(partition_.size()));
    for (const CutRule &rule : partition_)
        put(out, rule);
    put(out, group_);
    wire_ = out.take();
    id_ = digest(wire_);
}

Distribution Distribution::from_wire(std::span<const std::byte> wire) {
    Reader in(wire);
    Gdo gdo = get_gdo(in);
    Partition partition;
    const auto n = in.get<int64_t>();
    for (int64_t d = 0; d < n; ++d)
        partition.push_back(get_cut_rule(in));
    Group group = get_group(in);
    return Distribution(std::move(gdo), std::move(partition), std::move(group));
}

Dims Distribution::coords_of_part(int64_t part) const {
    Dims coords(ndims(), 0);
    for (size_t d = ndims(); d-- > 0;) {
        coords[d] = part % grid_[d];
        part /= grid_[d];
    }
    return coords;
}

int64_t Distribution::part_of_coords(const Dims &coords) const {
    int64_t part = 0;
    for (size_t d = 0; d < ndims(); ++d)
        part = part * grid_[d] + coords[d];
    return part;
}

std::vector<PartAxis> Distribution::axes(int position) const {
    const Dims coords = coords_of_part(part_of_position(position));
    std::vector<PartAxis> out;
    for (size_t d = 0; d < ndims(); ++d)
        out.push_back(cuts_[d].axis(coords[d]));
    return out;
}

Dims Distribution::extents(int position) const {
    Dims out;
    for (const PartAxis &axis : axes(position))
        out.push_back(axis.extent);
    return out;
}

int64_t Distribution::owner_part(std::span<const int64_t> index) const {
    Dims coords;
    for (size_t d = 0; d < ndims(); ++d)
        coords.push_back(cuts_[d].owner(index[d]));
    return part_of_coords(coords);
}

bool same_places(const Distribution &a, const Distribution &b) {
    if (a.id() == b.id())
        return true;
    if (a.gdo() != b.gdo() || a.grid() != b.grid() || !(a.group() == b.group()))
        return false;
    for (size_t d = 0; d < a.ndims(); ++d)
        for (int64_t c = 0; c < a.grid()[d]; ++c)
            if (!(a.cut(d).axis(c) == b.cut(d).axis(c)))
                return false;
    return true;
}

std::string to_text(const Distribution &dist) {
    std::string cuts;
    for (size_t d = 0; d < dist.ndims(); ++d)
        cuts += fmt::format("{}{}", d ? "," : "", to_text(dist.partition()[d], dist.grid()[d]));
    return fmt::format("{}{}{} over {}", to_text(dist.gdo()), cuts.empty() ? "" : " ", cuts,
                       to_text(dist.group()));
}

} // namespace dri
