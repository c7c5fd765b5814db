// What one process holds of a domain, by dense indices, and where it lies in the local array.
#pragma once

#include "domain/axis_runs.hpp"
#include "domain/ranges.hpp"

#include <optional>
#include <vector>

namespace dri::domain {

// Overlap along one dimension, in members of the domain.
struct Rim {
    int64_t left = 0, right = 0;
    DRI_Edge left_edge = DRI_TRUNCATE, right_edge = DRI_TRUNCATE;
};

// A local array is row-major over places along each dimension, with the rims around them. If what the process owns
// is no product of lists, its boxes lie one after the other instead, each row-major, and there are no rims.
class Holding {
public:
    // axes: what is owned along each dimension; sizes: of the domain. Rims need an axis of one stretch. A process
    // that owns nothing has no rims.
    static Holding product(std::vector<AxisRuns> axes, std::vector<Rim> rims, const Dims &sizes);
    static Holding list(std::vector<Ranges> boxes, const Dims &sizes);

    bool is_product() const { return !axes_.empty(); }
    // Of a product.
    const std::vector<AxisRuns> &axes() const { return axes_; }
    const std::vector<Rim> &rims() const { return rims_; }
    // Elements of the local array along each dimension.
    const Dims &extents() const { return extents_; }

    int64_t owned() const { return owned_; }
    int64_t held() const { return held_; }
    int64_t num_boxes() const { return num_boxes_; }
    // Dense indices. Their strides may be negative if the boxes are a user's.
    Ranges box(int64_t i) const;
    // The steps of a box's elements along each dimension.
    Dims steps(int64_t i) const;

    // The place of a dense index that the process owns, or -1.
    int64_t own_place(const Dims &dense) const;
    // How far apart two such places are, whose indices differ by a distance along one dimension.
    int64_t step_of(const Dims &first, size_t d, int64_t distance) const;
    // The place of a dense index that it owns or has a copy of.
    int64_t place_of(const Dims &dense) const;
    // The dense index at a place, or nothing for a place beyond the domain that holds no member.
    std::optional<Dims> at(int64_t place) const;

private:
    struct BoxAt {
        Ranges dense;
        int64_t first;     // place of its first element
        int64_t low, high; // of its elements in the order of the domain
    };

    int64_t box_place(const BoxAt &box, const Dims &dense) const;
    int64_t copy_place(size_t d, int64_t dense) const;
    Dims place_steps() const;

    Dims sizes_;
    std::vector<AxisRuns> axes_;
    std::vector<Rim> rims_;
    Dims extents_;
    std::vector<BoxAt> boxes_;
    std::vector<std::pair<int64_t, size_t>> by_low_; // boxes by `low`, with the largest `high` so far
    std::vector<int64_t> reach_;
    int64_t owned_ = 0, held_ = 0, num_boxes_ = 0;
};

} // namespace dri::domain
