// Distributions: GDO + partition + group. They say which process holds which elements, without communication.
#pragma once

#include "model/boxes.hpp"
#include "model/cut.hpp"
#include "model/gdo.hpp"
#include "model/group.hpp"

#include <limits>
#include <memory>
#include <mutex>
#include <optional>

namespace dri::model {

class Distribution {
public:
    // Chooses what the partition leaves open. Lists of indices must be complete, one per part; no dimension is
    // exact. Fails with DRI_ERR_CONSTRAINT or DRI_ERR_ARG, and with DRI_ERR_OVERFLOW if the bytes that a part
    // holds do not fit into 64 bits.
    Distribution(Gdo gdo, Partition partition, Group group, KeepLists keep = KeepLists::as_runs);
    // Makes an exact distribution from the boxes of all group positions. Fails with DRI_ERR_ARG or
    // DRI_ERR_OVERFLOW.
    Distribution(Gdo gdo, Partition partition, Group group, std::vector<Box> boxes);

    const Gdo &gdo() const { return gdo_; }
    const Group &group() const { return group_; }
    size_t ndims() const { return gdo_.ndims(); }
    // Without the lists of kind indices, which the cuts hold: they may be long.
    const Partition &partition() const { return partition_; }
    Partition whole_partition() const; // a copy with the lists

    // A distribution is either a grid of cuts, or boxes that need not form a grid.
    bool is_grid() const { return !boxes_; }
    const Cut &cut(size_t dim) const { return cuts_[dim]; } // only of a grid
    const Boxes &boxes() const { return *boxes_; }          // only if there is no grid

    // grid() is only for grids. Boxes are parts in the order of the group, one replica of each.
    const Dims &grid() const { return grid_; }
    int64_t parts() const { return parts_; }
    int64_t replicas() const { return replicas_; }

    // A part is named by its number in row-major order, or by its coordinates in the grid.
    Dims coords_of_part(int64_t part) const;
    int64_t part_of_coords(const Dims &coords) const;
    int64_t part_of_position(int position) const { return position % parts_; }
    int position_of_part(int64_t part, int64_t replica) const { return static_cast<int>(part + replica * parts_); }

    // What a group position holds along each dimension. axis_view() answers single questions; the distribution
    // must outlive it.
    std::vector<PartAxis> axes(int position) const;
    PartAxis axis(int position, size_t dim) const;
    AxisView axis_view(int position, size_t dim) const;
    Dims extents(int position) const;

    // The first part that owns an element, and all positions that own it, in rising order. The index lies inside
    // the GDO.
    std::optional<int64_t> owner_part(std::span<const int64_t> index) const;
    std::vector<int> owners(std::span<const int64_t> index) const;

    // Bytes that planning has left behind for later plans: the sorted lists of indices.
    int64_t kept_bytes() const;

    // The whole distribution as bytes: equal bytes mean equal distributions. id() is the digest of the bytes.
    const Bytes &wire() const;
    const Digest &id() const { return id_; }
    // The distribution of these bytes, which may be damaged. Fails if they are none, or if the group has more than
    // `most` processes. Lists without a pattern are kept as indices, and the bytes not at all.
    static Distribution from_wire(std::span<const std::byte> wire, int most = std::numeric_limits<int>::max());

    // Runs a check whose result depends on the distribution alone. Only the first call runs it. Later calls repeat
    // the failure if the check failed.
    template <class F> void check_once(F check) const {
        std::call_once(checked_->once, [&] {
            try {
                check();
            } catch (const Error &error) {
                checked_->error = error;
            }
        });
        if (checked_->error)
            throw Error(*checked_->error);
    }

    // Keeps what a caller derives from the distribution, as long as the distribution. make() returns a shared
    // pointer. Only the first call runs it; all calls return the same address.
    template <class F> const void *keep(F make) const {
        std::call_once(kept_->once, [&] { kept_->value = make(); });
        return kept_->value.get();
    }

private:
    Bytes describe() const;
    void check_bytes() const;

    Gdo gdo_;
    Partition partition_;
    Group group_;
    std::vector<Cut> cuts_;
    std::shared_ptr<const Boxes> boxes_;
    Dims grid_;
    int64_t parts_ = 1, replicas_ = 1;
    Bytes wire_; // empty if it is only made when it is asked for
    Digest id_;
    struct MadeWire {
        std::once_flag once;
        Bytes bytes;
    };
    std::shared_ptr<MadeWire> made_wire_ = std::make_shared<MadeWire>();
    struct Checked {
        std::once_flag once;
        std::optional<Error> error;
    };
    std::shared_ptr<Checked> checked_ = std::make_shared<Checked>();
    struct Kept {
        std::once_flag once;
        std::shared_ptr<const void> value;
    };
    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

// Whether both distributions store each element of the same GDO at the same local indices of the same processes,
// and the same elements are owned, however they are described. Cost: one comparison per part along each dimension,
// or per position and dimension. Lists of indices are compared run by run.
bool same_parts(const Distribution &a, const Distribution &b);

// "complex float [97,64] block(4),* over 0-3"
std::string to_text(const Distribution &dist);

} // namespace dri::model
