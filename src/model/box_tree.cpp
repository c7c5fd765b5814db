// Building and searching a tree of boxes.
#include "model/box_tree.hpp"

#include "base/sort_by_key.hpp"

#include <limits>
#include <queue>
#include <utility>

namespace dri::model {

namespace {

using Range = BoxTree::Range;

void include(Range &hull, const Range &box) {
    for (size_t d = 0; d < hull.lo.size(); ++d) {
        hull.lo[d] = std::min(hull.lo[d], box.lo[d]);
        hull.hi[d] = std::max(hull.hi[d], box.hi[d]);
    }
}

// Rounded, because it only decides which boxes a node keeps as the largest.
double rough_volume(const Range &r) {
    double v = 1;
    for (size_t d = 0; d < r.lo.size(); ++d)
        v *= static_cast<double>(r.hi[d]) - static_cast<double>(r.lo[d]);
    return v;
}

bool holds(const Range &r, std::span<const int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d)
        if (index[d] < r.lo[d] || index[d] >= r.hi[d])
            return false;
    return true;
}

// How many boxes a node keeps itself. A node of no more boxes than that has no children.
constexpr size_t kept_lowest = 2, kept_largest = 4, kept_by_node = kept_lowest + kept_largest;

} // namespace

// Builds the tree from the root down. The boxes of a subtree are a range [begin, end) of each order.
struct BoxTree::Builder {
    BoxTree &tree;
    const std::vector<Range> &boxes;
    // The boxes sorted by their lower or upper bounds along a dimension. A range that is built into a subtree
    // holds the same boxes in all orders.
    struct Order {
        size_t dim;
        std::vector<int> boxes;
    };
    std::vector<Order> orders{};
    std::vector<std::vector<int64_t>> lo{}, hi{}; // per dimension: bounds by number of the box
    std::vector<double> volumes{};                // by number of the box
    std::vector<char> way{};                      // by number of the box: 0 if divide() puts it in front
    // Scratch of best_split(): lowest lo and highest hi of the boxes from here to the end of the range.
    std::vector<int64_t> first_lo{};
    std::vector<int64_t> last_hi{};
    std::vector<int> second{}; // scratch of divide()

    const Range &box(int i) const { return boxes[static_cast<size_t>(i)]; }

    // Sorts along each dimension by lower and by upper bounds. An order is left out if it equals that of the input
    // or the one before it.
    void sort(const std::vector<int> &all) {
        for (size_t d = 0; d < boxes[0].lo.size(); ++d) {
            for (const Range &b : boxes) {
                lo[d].push_back(b.lo[d]);
                hi[d].push_back(b.hi[d]);
            }
            for (const auto *key : {&lo[d], &hi[d]}) {
                std::vector<int> order = all;
                sort_by_key(order, [&](int i) { return (*key)[static_cast<size_t>(i)]; });
                if (orders.empty() || (order != all && order != orders.back().boxes))
                    orders.push_back({d, std::move(order)});
            }
        }
    }

    struct Split {
        size_t order = 0, count = 0; // one side is the first `count` boxes of an order
        double cost = std::numeric_limits<double>::infinity();
    };

    // The cost of a split is the expected fraction of the boxes of both sides that a search for an index examines.
    // Each side counts its number of boxes times the length of its hull along the dimension. Among equal
    // splits, the one nearest to the middle is taken.
    Split best_split(size_t begin, size_t end) {
        const size_t count = end - begin, min_count = std::max<size_t>(count / 4, 1);
        Split best;
        for (size_t o = 0; o < orders.size(); ++o) {
            const int *order = &orders[o].boxes[begin];
            const auto &from = lo[orders[o].dim], &to = hi[orders[o].dim];
            const auto length = [](int64_t a, int64_t b) {
                return static_cast<double>(b) - static_cast<double>(a);
            };
            int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
            const auto take = [&](size_t i) {
                first = std::min(first, from[static_cast<size_t>(order[i])]);
                last = std::max(last, to[static_cast<size_t>(order[i])]);
            };
            for (size_t i = count; i-- > 0;) {
                take(i);
                first_lo[i] = first;
                last_hi[i] = last;
            }
            const double all = length(first, last) * static_cast<double>(count);
            first = from[static_cast<size_t>(order[0])], last = to[static_cast<size_t>(order[0])];
            for (size_t n = 1; n <= count - min_count; ++n) {
                take(n - 1);
                if (n < min_count)
                    continue;
                const double cost = (length(first, last) * static_cast<double>(n) +
                                     length(first_lo[n], last_hi[n]) * static_cast<double>(count - n)) /
                                    all;
                const auto askew = [&](size_t m) { return 2 * m > count ? 2 * m - count : count - 2 * m; };
                if (cost < best.cost || (cost == best.cost && askew(n) < askew(best.count)))
                    best = {o, n, cost};
            }
        }
        return best;
    }

    // Moves the boxes whose way is 0 to the front of the range, in all orders. Each order stays sorted.
    void divide(size_t begin, size_t end) {
        for (auto &[dim, order] : orders) {
            second.clear();
            size_t first = begin;
            for (size_t i = begin; i < end; ++i) {
                if (way[static_cast<size_t>(order[i])])
                    second.push_back(order[i]);
                else
                    order[first++] = order[i];
            }
            std::copy(second.begin(), second.end(), order.begin() + static_cast<ptrdiff_t>(first));
        }
    }

    // Moves the boxes that the node keeps to the front: the lowest numbers first, then the largest of the rest.
    void choose_kept(size_t begin, size_t end) {
        std::vector<int> all(&orders[0].boxes[begin], &orders[0].boxes[begin] + (end - begin));
        const auto lowest = all.begin() + kept_lowest, largest = all.begin() + kept_by_node;
        std::nth_element(all.begin(), lowest, all.end());
        std::nth_element(lowest, largest, all.end(), [&](int a, int b) {
            const double x = volumes[static_cast<size_t>(a)], y = volumes[static_cast<size_t>(b)];
            return x != y ? x > y : a < b;
        });
        for (auto i = all.begin(); i != all.end(); ++i)
            way[static_cast<size_t>(*i)] = i >= largest;
        divide(begin, end);
    }

    // Appends the subtree of a range of boxes. The hull of a node is complete only when its children exist. A
    // single remaining box becomes an only child.
    void build(size_t begin, size_t end) {
        const size_t at = tree.nodes_.size(), own = std::min(end, begin + kept_by_node);
        if (own < end)
            choose_kept(begin, end);
        Node node;
        node.begin = begin;
        node.end = own;
        std::copy(&orders[0].boxes[begin], &orders[0].boxes[begin] + (own - begin), &tree.order_[begin]);
        std::sort(&tree.order_[begin], &tree.order_[begin] + (own - begin));
        node.lowest = tree.order_[begin];
        node.hull = box(node.lowest);
        for (size_t i = begin; i < own; ++i)
            include(node.hull, box(tree.order_[i]));
        tree.nodes_.push_back(node);
        if (end - own == 1) {
            build(own, end);
        } else if (own < end) {
            const Split split = best_split(own, end);
            for (size_t i = own; i < end; ++i)
                way[static_cast<size_t>(orders[split.order].boxes[i])] = i >= own + split.count;
            divide(own, end);
            build(own, own + split.count);
            build(own + split.count, end);
        }
        tree.nodes_[at].next = tree.nodes_.size();
        for (size_t child = at + 1; child < tree.nodes_.size(); child = tree.nodes_[child].next)
            include(tree.nodes_[at].hull, tree.nodes_[child].hull);
    }
};

BoxTree::BoxTree(const std::vector<Range> &boxes) {
    for (size_t i = 0; i < boxes.size(); ++i) {
        bool empty = false;
        for (size_t d = 0; d < boxes[i].lo.size(); ++d)
            empty = empty || boxes[i].lo[d] >= boxes[i].hi[d];
        if (!empty)
            order_.push_back(static_cast<int>(i));
    }
    if (order_.empty())
        return;
    Builder builder{*this, boxes};
    builder.lo.resize(boxes[0].lo.size());
    builder.hi.resize(boxes[0].lo.size());
    builder.sort(order_);
    for (const Range &box : boxes)
        builder.volumes.push_back(rough_volume(box));
    builder.way.resize(boxes.size());
    builder.first_lo.resize(order_.size());
    builder.last_hi.resize(order_.size());
    builder.build(0, order_.size());
    for (const int i : order_)
        boxes_.push_back(boxes[static_cast<size_t>(i)]);
}

// Best first: the open node with the lowest number comes next. The search ends when no open node can lower the
// answer.
std::optional<int> BoxTree::first(std::span<const int64_t> index, int64_t *visited) const {
    struct Open {
        int lowest;
        size_t node;
        // Reversed, so that the lowest is on top of the queue.
        bool operator<(const Open &other) const { return lowest > other.lowest; }
    };
    // One open node stays out of the queue, so that a search along one path allocates nothing.
    std::optional<Open> single;
    std::priority_queue<Open> others;
    const auto examine = [&](size_t node) {
        if (visited)
            ++*visited;
        if (!holds(nodes_[node].hull, index))
            return;
        const Open found{nodes_[node].lowest, node};
        if (single)
            others.push(found);
        else
            single = found;
    };
    const auto take_lowest = [&]() -> std::optional<Open> {
        if (others.empty() || (single && single->lowest <= others.top().lowest))
            return std::exchange(single, std::nullopt);
        const Open lowest = others.top();
        others.pop();
        return lowest;
    };
    if (!nodes_.empty())
        examine(0);
    std::optional<int> best;
    for (auto open = take_lowest(); open && (!best || open->lowest < *best); open = take_lowest()) {
        const Node &node = nodes_[open->node];
        for (size_t i = node.begin; i < node.end && (!best || order_[i] < *best); ++i)
            if (holds(boxes_[i], index))
                best = order_[i];
        for (size_t child = open->node + 1; child < node.next; child = nodes_[child].next)
            examine(child);
    }
    return best;
}

} // namespace dri::model
