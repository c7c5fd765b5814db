#include "model/request.hpp"

#include "model/grid.hpp"

#include <algorithm>

namespace dri {

namespace {

bool has_lists(const CutRule &rule) { return rule.kind == CutKind::indices; }

// How two lists differ: the first place where they do, or their lengths.
std::string difference(const IndexList &a, const IndexList &b) {
    const int64_t common = std::min(length(a), length(b));
    for (int64_t i = 0; i < common; ++i)
        if (index_at(a, i) != index_at(b, i))
            return fmt::format("at place {} the indices {} and {}", i, index_at(a, i), index_at(b, i));
    return fmt::format("{} and {} indices, equal as far as both go", length(a), length(b));
}

// Without the pieces.
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
    for (size_t p = 0; p < boxes.size(); ++p) // named by the process, which the model of boxes does not know
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
        fail(DRI_ERR_ARG, "the partition has {} dimensions, the GDO {}", request.partition.size(),
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
    // Who gave the list of each part first.
    std::vector<std::vector<int>> givers(partition.size());
    for (size_t d = 0; d < partition.size(); ++d) {
        if (!has_lists(partition[d]))
            continue;
        partition[d].lists.resize(static_cast<size_t>(grid[d]));
        givers[d].assign(static_cast<size_t>(grid[d]), -1);
    }
    for (int p = 0; p < request.group.size(); ++p) {
        Reader in(pieces[static_cast<size_t>(p)]);
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
                    fail(DRI_ERR_ARG, "dimension {}: process {} asks for index {}, but there are {} elements", d,
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

} // namespace dri
