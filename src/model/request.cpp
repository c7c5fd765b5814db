// Requests: what all processes must agree on, the pieces that they bring, and the distribution made from them.
#include "model/request.hpp"

#include "model/grid.hpp"

#include <algorithm>

namespace dri::model {

namespace {

bool has_lists(const CutRule &rule) { return rule.kind == CutKind::indices; }

// How two lists differ: their first different entries, or their lengths.
std::string difference(const IndexList &a, const IndexList &b) {
    const int64_t common = std::min(length(a), length(b));
    // All lists of runs before the first different one are equal.
    const auto from = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    int64_t i = from == a.end() ? common : from->local;
    const auto rest_of_run = [&](const IndexList &list) {
        const Runs &r = list[list_at(list, i)];
        return r.size - (i - r.local) % r.size;
    };
    for (; i < common; i += std::min(rest_of_run(a), rest_of_run(b)))
        if (index_at(a, i) != index_at(b, i))
            return fmt::format("entry {} is {} in the first and {} in the second", i, index_at(a, i),
                               index_at(b, i));
    return fmt::format("they have {} and {} indices, equal over the shorter length", length(a), length(b));
}

// The partition without the pieces that processes bring.
Partition common_part(const Partition &partition) {
    Partition common = partition;
    for (CutRule &rule : common) {
        rule.lists.clear();
        if (rule.kind == CutKind::exact)
            rule.lo = rule.hi = rule.overlap.left = rule.overlap.right = 0;
    }
    return common;
}

Distribution assemble_boxes(const Request &request, std::span<const Bytes> pieces) {
    std::vector<Box> boxes;
    for (const Bytes &piece : pieces) {
        Reader in(piece);
        boxes.push_back(get_box(in));
    }
    // Checked here because Boxes does not know the rank of the process that the message names.
    for (size_t p = 0; p < boxes.size(); ++p)
        for (size_t d = 0; d < request.gdo.ndims(); ++d) {
            const BoxSide &s = boxes[p][d];
            const int64_t n = request.gdo.sizes[d];
            const int rank = request.group.rank(static_cast<int>(p));
            if (s.hi > n)
                fail(DRI_ERR_ARG,
                     "dimension {}: the tuple of process {} owns [{}, {}), which does not lie inside [0, {})", d,
                     rank, s.lo, s.hi, n);
            if (!fits_indices(s, request.partition[d].overlap, n))
                fail(DRI_ERR_OVERFLOW,
                     "dimension {}: the tuple of process {} with overlap of {} and {} around {} elements does not "
                     "fit into 64 bits",
                     d, rank, s.left, s.right, n);
        }
    return Distribution(request.gdo, common_part(request.partition), request.group, std::move(boxes));
}

} // namespace

bool brings_pieces(const Request &request) {
    return is_exact(request.partition) ||
           std::any_of(request.partition.begin(), request.partition.end(), has_lists);
}

// Processes compare digests instead of whole requests.
Digest common_digest(const Request &request) {
    Writer out;
    put(out, request.gdo);
    for (const CutRule &rule : common_part(request.partition))
        put(out, rule);
    put(out, request.group);
    return digest(out.take());
}

Bytes piece_of(const Request &request) {
    Writer out;
    if (is_exact(request.partition)) {
        Box box;
        for (const CutRule &r : request.partition)
            box.push_back({r.lo, r.hi, r.overlap.left, r.overlap.right});
        put(out, box);
    }
    for (const CutRule &rule : request.partition)
        if (has_lists(rule))
            put(out, rule.lists.front());
    return out.take();
}

std::string to_text(const Request &request) {
    std::string cuts;
    for (const CutRule &rule : request.partition)
        cuts += fmt::format("{}{}", cuts.empty() ? "" : ",", to_text(rule, rule.nparts));
    return fmt::format("{}{}{} over {}", to_text(request.gdo), cuts.empty() ? "" : " ", cuts,
                       to_text(request.group));
}

void check_request(const Request &request) {
    if (request.partition.size() != request.gdo.ndims())
        fail(DRI_ERR_ARG, "the partition has {} dimensions, but the GDO has {}", request.partition.size(),
             request.gdo.ndims());
    if (!is_exact(request.partition))
        choose_grid(request.partition, request.gdo.sizes, request.group.size());
}

Distribution assemble(const Request &request, std::span<const Bytes> pieces) {
    if (is_exact(request.partition))
        return assemble_boxes(request, pieces);
    Partition partition = common_part(request.partition);
    const Dims grid = choose_grid(partition, request.gdo.sizes, request.group.size());
    int64_t parts = 1;
    for (const int64_t n : grid)
        parts *= n;
    // Per dimension and part: the first position that gave its list, or -1.
    std::vector<std::vector<int>> givers(partition.size());
    for (size_t d = 0; d < partition.size(); ++d) {
        if (!has_lists(partition[d]))
            continue;
        partition[d].lists.resize(static_cast<size_t>(grid[d]));
        givers[d].assign(static_cast<size_t>(grid[d]), -1);
    }
    for (int p = 0; p < request.group.size(); ++p) {
        Reader in(pieces[static_cast<size_t>(p)]);
        // `rest / stride` is the coordinate of this position along each dimension.
        int64_t stride = parts, rest = p % parts;
        for (size_t d = 0; d < partition.size(); ++d) {
            stride /= grid[d];
            const auto c = static_cast<size_t>(rest / stride);
            rest %= stride;
            if (!has_lists(partition[d]))
                continue;
            IndexList list = get_index_list(in);
            for (const Runs &r : list)
                if (r.end() > request.gdo.sizes[d])
                    fail(DRI_ERR_ARG, "dimension {}: process {} requests index {}, but there are {} elements", d,
                         request.group.rank(p), r.end() - 1, request.gdo.sizes[d]);
            if (givers[d][c] < 0) {
                givers[d][c] = p;
                partition[d].lists[c] = std::move(list);
            } else if (!same_indices(partition[d].lists[c], list)) {
                fail(DRI_ERR_MISMATCH,
                     "dimension {}: processes {} and {} hold part {} and give different lists: {}", d,
                     request.group.rank(givers[d][c]), request.group.rank(p), c,
                     difference(partition[d].lists[c], list));
            }
        }
    }
    return Distribution(request.gdo, std::move(partition), request.group);
}

} // namespace dri::model
