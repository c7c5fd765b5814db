// Search among many boxes of indices that may overlap: which of them meet a range, and the first that holds an
// index.
#pragma once

#include "base/fixed_vector.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace dri {

// A binary tree of hulls. Each node keeps a few boxes, the lowest and the largest, so that those below are smaller
// and come later; the rest is split along the dimension and at the place, between a quarter and three quarters of
// them, that leave the shortest hulls to look into. So boxes that lines across the array part stay apart,
// whatever their order. Built in O(d P log P), in O(d P) memory.
class BoxTree {
public:
    struct Range {
        Dims lo, hi; // half-open
    };
    explicit BoxTree(const std::vector<Range> &boxes); // empty boxes are never found

    // Calls f(number of the box) for each that meets the range, until f returns false. O(log P + results) where
    // the boxes overlap little.
    template <class F> void each(const Range &range, F f) const {
        for (size_t at = 0; at < nodes_.size();) {
            const Node &node = nodes_[at];
            if (!meet(node.hull, range)) {
                at = node.next;
                continue;
            }
            for (size_t i = node.begin; i < node.end; ++i)
                if (meet(boxes_[i], range) && !f(order_[i]))
                    return;
            ++at;
        }
    }

    // The lowest number of a box that holds the index, if any. Looks into the nodes whose hull holds the index and
    // whose lowest box comes before the answer, and no others: O(log P) for boxes that lines part again and again,
    // as those of a grid or of a bisection, that are equal, or that lie one in the other. No better bound than P
    // holds for boxes that overlap any which way in several dimensions. visited grows by the nodes looked at.
    std::optional<int> first(std::span<const int64_t> index, int64_t *visited = nullptr) const;

private:
    struct Node {
        Range hull;
        int lowest = 0;            // number of a box below
        size_t next = 0;           // behind its subtree; its children are the node behind it and that one's next
        size_t begin = 0, end = 0; // its own boxes, in rising order of numbers
    };
    struct Builder;

    static bool meet(const Range &a, const Range &b) {
        for (size_t d = 0; d < a.lo.size(); ++d)
            if (a.hi[d] <= b.lo[d] || b.hi[d] <= a.lo[d])
                return false;
        return true;
    }

    std::vector<Node> nodes_; // each before its subtree
    std::vector<int> order_;  // numbers of the boxes as the nodes have them, and the boxes
    std::vector<Range> boxes_;
};

} // namespace dri
