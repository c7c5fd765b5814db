// Distribution: makes one from a partition or from its wire form, and combines the answers of its dimensions.
#include "model/distribution.hpp"

#include "base/checked.hpp"
#include "model/grid.hpp"

#include <algorithm>
#include <utility>

namespace dri::model {

// Lists of indices may be long: the cuts take them over.
Distribution::Distribution(Gdo gdo, Partition partition, Group group, KeepLists keep)
    : gdo_(std::move(gdo)), partition_(std::move(partition)), group_(std::move(group)) {
    if (partition_.size() != gdo_.ndims())
        fail(DRI_ERR_ARG, "the partition has {} dimensions, but the GDO has {}", partition_.size(), gdo_.ndims());
    grid_ = choose_grid(partition_, gdo_.sizes, group_.size());
    for (size_t d = 0; d < ndims(); ++d) {
        std::vector<IndexList> lists = std::exchange(partition_[d].lists, {});
        CutRule rule = partition_[d];
        rule.lists = std::move(lists);
        cuts_.emplace_back(std::move(rule), gdo_.sizes[d], grid_[d], d, keep);
        parts_ *= grid_[d];
    }
    replicas_ = group_.size() / parts_;
    check_bytes();
    wire_ = describe();
    id_ = digest(wire_);
}

Partition Distribution::whole_partition() const {
    Partition whole = partition_;
    for (size_t d = 0; d < cuts_.size(); ++d)
        if (const IndexedParts *parts = cuts_[d].indexed())
            for (int64_t c = 0; c < parts->size(); ++c)
                whole[d].lists.push_back(parts->part(c).list());
    return whole;
}

Distribution::Distribution(Gdo gdo, Partition partition, Group group, std::vector<Box> boxes)
    : gdo_(std::move(gdo)), partition_(std::move(partition)), group_(std::move(group)), parts_(group_.size()) {
    std::vector<Overlap> edges;
    for (const CutRule &rule : partition_)
        edges.push_back({0, 0, rule.overlap.left_edge, rule.overlap.right_edge});
    boxes_ = std::make_shared<const Boxes>(std::move(boxes), gdo_.sizes, std::move(edges));
    check_bytes();
    wire_ = describe();
    id_ = digest(wire_);
}

// The upper bound max_held() of each cut is quick. All parts are examined only if that bound does not fit.
void Distribution::check_bytes() const {
    const auto fit = [&](const Dims &extents) {
        if (std::find(extents.begin(), extents.end(), 0) != extents.end())
            return true;
        int64_t bytes = gdo_.type.pitch();
        return std::all_of(extents.begin(), extents.end(),
                           [&](int64_t n) { return !__builtin_mul_overflow(bytes, n, &bytes); });
    };
    constexpr const char *words = "the bytes of the {} elements that {} holds do not fit into 64 bits";
    if (!is_grid()) {
        for (int p = 0; p < group_.size(); ++p)
            if (const Dims held = extents(p); !fit(held))
                fail(DRI_ERR_OVERFLOW, words, to_text(held), fmt::format("process {}", group_.rank(p)));
        return;
    }
    // Coordinates are independent of each other, so some part is the largest along all dimensions.
    Dims max_held, largest;
    for (const Cut &cut : cuts_)
        max_held.push_back(cut.max_held());
    if (fit(max_held))
        return;
    for (const Cut &cut : cuts_)
        largest.push_back(cut.largest_extent());
    if (!fit(largest))
        fail(DRI_ERR_OVERFLOW, words, to_text(largest), "the largest part");
}

// Distributions count as equal if these bytes are equal.
Bytes Distribution::describe() const {
    size_t bytes = 0; // of lists; without any the writer grows by itself
    for (const Cut &cut : cuts_)
        for (int64_t c = 0; cut.indexed() && c < cut.indexed()->size(); ++c)
            bytes += static_cast<size_t>(cut.indexed()->part(c).wire_bytes());
    constexpr size_t all_else = 1024;
    Writer out(bytes > 0 ? bytes + all_else : 0);
    put(out, gdo_);
    out.put(static_cast<int64_t>(partition_.size()));
    for (size_t d = 0; d < partition_.size(); ++d)
        put(out, partition_[d], d < cuts_.size() ? cuts_[d].indexed() : nullptr);
    put(out, group_);
    if (boxes_)
        for (const Box &box : boxes_->all())
            put(out, box);
    return out.take();
}

const Bytes &Distribution::wire() const {
    if (!wire_.empty())
        return wire_;
    std::call_once(made_wire_->once, [this] { made_wire_->bytes = describe(); });
    return made_wire_->bytes;
}

// The wire form contains only what the distribution was made from. Cuts and trees are computed again, which gives
// the same result on every process.
Distribution Distribution::from_wire(std::span<const std::byte> wire, int most) {
    Reader in(wire);
    Gdo gdo = get_gdo(in);
    Partition partition;
    const auto n = in.get<int64_t>();
    for (int64_t d = 0; d < n; ++d) { // each rule has bytes, so the loop ends
        partition.push_back(get_cut_rule(in));
        check_rule(partition.back(), static_cast<size_t>(d));
    }
    Group group = get_group(in, most);
    std::vector<Box> boxes;
    for (int p = 0; is_exact(partition) && p < group.size(); ++p)
        boxes.push_back(get_box(in));
    const bool exact = is_exact(partition);
    for (const CutRule &rule : partition)
        if ((rule.kind == CutKind::exact) != exact)
            fail(DRI_ERR_INTERNAL, "a partition has exact pieces along some dimensions only");
    for (const Box &box : boxes)
        if (box.size() != gdo.ndims() || partition.size() != gdo.ndims())
            fail(DRI_ERR_INTERNAL, "a piece has {} dimensions, but the GDO has {}", box.size(), gdo.ndims());
    Distribution made =
        exact ? Distribution(std::move(gdo), std::move(partition), std::move(group), std::move(boxes))
              : Distribution(std::move(gdo), std::move(partition), std::move(group), KeepLists::as_indices);
    // A value has one form. Other bytes are damaged, even if they can be read.
    if (!std::equal(wire.begin(), wire.end(), made.wire_.begin(), made.wire_.end()))
        fail(DRI_ERR_INTERNAL, "the bytes are not those of {}", to_text(made));
    made.wire_ = Bytes();
    return made;
}

int64_t Distribution::kept_bytes() const {
    int64_t bytes = 0;
    for (const Cut &cut : cuts_)
        bytes += cut.indexed() ? cut.indexed()->kept_bytes() : 0;
    return bytes;
}

// Parts are numbered in row-major order: the last coordinate counts fastest.
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

PartAxis Distribution::axis(int position, size_t dim) const {
    if (!is_grid())
        return boxes_->axis(position, dim);
    return cuts_[dim].axis(coords_of_part(part_of_position(position))[dim]);
}

std::vector<PartAxis> Distribution::axes(int position) const {
    std::vector<PartAxis> out;
    for (size_t d = 0; d < ndims(); ++d)
        out.push_back(axis(position, d));
    return out;
}

AxisView Distribution::axis_view(int position, size_t dim) const {
    if (!is_grid())
        return boxes_->axis_view(position, dim);
    return cuts_[dim].axis_view(coords_of_part(part_of_position(position))[dim]);
}

Dims Distribution::extents(int position) const {
    Dims out;
    for (size_t d = 0; d < ndims(); ++d)
        out.push_back(axis_view(position, d).extent());
    return out;
}

// Parts are numbered in row-major order, so the first owner along each dimension gives the first part.
std::optional<int64_t> Distribution::owner_part(std::span<const int64_t> index) const {
    if (!is_grid())
        return boxes_->first_owner(index);
    Dims coords;
    for (size_t d = 0; d < ndims(); ++d) {
        const auto c = cuts_[d].owner(index[d]);
        if (!c)
            return std::nullopt;
        coords.push_back(*c);
    }
    return part_of_coords(coords);
}

// Parts of a grid are found dimension by dimension; each replica of such a part owns the element.
std::vector<int> Distribution::owners(std::span<const int64_t> index) const {
    Dims end;
    for (const int64_t i : index)
        end.push_back(i + 1);
    if (!is_grid())
        return boxes_->owners(index, {end.begin(), end.size()});
    std::vector<int64_t> parts{0};
    for (size_t d = 0; d < ndims(); ++d) {
        std::vector<int64_t> finer;
        for (const int64_t part : parts)
            for (const int64_t c : cuts_[d].owners(index[d], end[d]))
                finer.push_back(part * grid_[d] + c);
        parts = std::move(finer);
    }
    std::vector<int> out;
    for (int64_t k = 0; k < replicas_; ++k)
        for (const int64_t part : parts)
            out.push_back(position_of_part(part, k));
    return out;
}

bool same_parts(const Distribution &a, const Distribution &b) {
    if (a.id() == b.id())
        return true;
    if (a.gdo() != b.gdo() || !(a.group() == b.group()))
        return false;
    // In equal grids, each part along a dimension is compared once instead of once per position.
    if (a.is_grid() && b.is_grid() && a.grid() == b.grid()) {
        for (size_t d = 0; d < a.ndims(); ++d)
            for (int64_t c = 0; c < a.grid()[d]; ++c)
                if (!a.cut(d).axis_view(c).same(b.cut(d).axis_view(c)))
                    return false;
        return true;
    }
    for (int p = 0; p < a.group().size(); ++p)
        for (size_t d = 0; d < a.ndims(); ++d)
            if (!a.axis_view(p, d).same(b.axis_view(p, d)))
                return false;
    return true;
}

namespace {

// Each box has its own widths, so the text gives their range.
std::string pieces_text(const Boxes &boxes, size_t dim) {
    Overlap min = boxes.overlap(0, dim), max = min;
    for (int p = 1; p < static_cast<int>(boxes.all().size()); ++p) {
        const Overlap o = boxes.overlap(p, dim);
        min.left = std::min(min.left, o.left);
        min.right = std::min(min.right, o.right);
        max.left = std::max(max.left, o.left);
        max.right = std::max(max.right, o.right);
    }
    return fmt::format("exact{}", to_text(min, max));
}

} // namespace

std::string to_text(const Distribution &dist) {
    std::string cuts;
    for (size_t d = 0; d < dist.ndims(); ++d)
        cuts += fmt::format("{}{}", d ? "," : "",
                            dist.is_grid() ? to_text(dist.partition()[d], dist.grid()[d])
                                           : pieces_text(dist.boxes(), d));
    return fmt::format("{}{}{} over {}", to_text(dist.gdo()), cuts.empty() ? "" : " ", cuts,
                       to_text(dist.group()));
}

} // namespace dri::model
