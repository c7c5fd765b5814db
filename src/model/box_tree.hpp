// Search among many boxes of indices that may overlap: which boxes meet a range, and which is the first box that
// holds an index.
#pragma once

#include "base/fixed_vector.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace dri::model {

// A binary tree of hulls; a hull is the smallest box around a set of boxes. Each node keeps a few boxes itself:
// those with the lowest numbers, and the largest ones. The boxes below a node are therefore smaller and have
// higher numbers. They are split in two along one dimension, with between a quarter and three quarters of them on
// either side. The chosen split leaves the shortest hulls to search. Therefore boxes that lines across the array
// separate stay apart, whatever their order. Building costs O(d P log P) time and O(d P) memory for P boxes of d
// dimensions.
class BoxTree {
public:
    struct Range {
        Dims lo, hi; // half-open: [lo, hi)
    };
    explicit BoxTree(const std::vector<Range> &boxes); // empty boxes are never found

    // Calls f(number of the box) for each box that meets the range, until f returns false. Cost: O(log P +
    // results) if the boxes overlap little.
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

    // The lowest number of a box that holds the index, if any. visited grows by the number of nodes examined. The
    // search opens only nodes whose hull holds the index and whose lowest number is below the answer. That costs
    // O(log P) for three kinds of boxes:
    // - boxes that lines separate again and again, as in a grid or a bisection;
    // - equal boxes;
    // - boxes nested in one another.
    // Boxes that overlap arbitrarily in several dimensions have no better bound than P.
    std::optional<int> first(std::span<const int64_t> index, int64_t *visited = nullptr) const;

private:
    struct Node {
        Range hull;
        int lowest = 0; // lowest number of a box in the subtree
        // The node behind the subtree. The first child is the node behind this one, the second is the first
        // child's next.
        size_t next = 0;
        size_t begin = 0, end = 0; // its own boxes, in rising order of numbers
    };
    struct Builder;

    static bool meet(const Range &a, const Range &b) {
        for (size_t d = 0; d < a.lo.size(); ++d)
            if (a.hi[d] <= b.lo[d] || b.hi[d] <= a.lo[d])
                return false;
        return true;
    }

    std::vector<Node> nodes_; // each node stands before its subtree
    // Numbers of the boxes in the order of the nodes, and the boxes in the same order.
    std::vector<int> order_;
    std::vector<Range> boxes_;
};

} // namespace dri::model
