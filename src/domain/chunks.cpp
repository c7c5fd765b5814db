// Cuts boxes into pieces for tasks.
#include "domain/chunks.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// The dimension along which a box is cut.
size_t cut_dim(const Ranges &box, int tasks) {
    size_t longest = 0;
    for (size_t d = 0; d < box.size(); ++d) {
        if (box[d].size >= tasks)
            return d;
        if (box[d].size > box[longest].size)
            longest = d;
    }
    return longest;
}

int64_t pieces_of(const Ranges &box, int tasks) { return std::min<int64_t>(tasks, box[cut_dim(box, tasks)].size); }

// Piece i of n, whose sizes differ by one at most, larger ones first.
Ranges piece_of(Ranges box, size_t d, int64_t n, int64_t i) {
    const int64_t size = box[d].size / n, more = box[d].size % n;
    const int64_t from = i * size + std::min(i, more), count = size + (i < more);
    const int64_t first = math::member_at(box[d], from);
    box[d] = {first, count == 1 ? 1 : box[d].stride, count};
    return box;
}

} // namespace

int64_t num_chunks(const Holding &holding, int tasks) {
    if (holding.num_boxes() >= tasks)
        return holding.num_boxes();
    int64_t n = 0;
    for (int64_t i = 0; i < holding.num_boxes(); ++i)
        n += pieces_of(holding.box(i), tasks);
    return n;
}

DenseChunk chunk_of(const Holding &holding, int tasks, int64_t i) {
    const int64_t boxes = holding.num_boxes();
    if (boxes >= tasks) {
        // The first `more` tasks have one box more than the others.
        const int64_t each = boxes / tasks, more = boxes % tasks, by_first = more * (each + 1);
        const int64_t task = i < by_first ? i / (each + 1) : more + (i - by_first) / each;
        return {holding.box(i), static_cast<int>(task)};
    }
    for (int64_t b = 0;; ++b) {
        const Ranges box = holding.box(b);
        const int64_t n = pieces_of(box, tasks);
        if (i < n)
            return {piece_of(box, cut_dim(box, tasks), n, i), static_cast<int>(i)};
        i -= n;
    }
}

} // namespace dri::domain
