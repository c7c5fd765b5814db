// Compares lists of copies except for where they start.
#include "plan/copy_list.hpp"

#include <algorithm>

namespace dri::plan {

namespace {

// Whether both do the same, except that all offsets of b are those of a plus the distances.
bool is_moved(const StridedCopy &a, const StridedCopy &b, int64_t src_distance, int64_t dst_distance) {
    return a.run_bytes == b.run_bytes && b.src_offset - a.src_offset == src_distance &&
           b.dst_offset - a.dst_offset == dst_distance && a.loops == b.loops && a.conversion == b.conversion &&
           a.tables == b.tables;
}

} // namespace

bool CopyList::share(const CopyList &other) {
    if (empty() || size() != other.size())
        return false;
    const Form &mine = form(), &theirs = other.form();
    const int64_t src = mine[0].src_offset - theirs[0].src_offset, dst = mine[0].dst_offset - theirs[0].dst_offset;
    for (size_t i = 0; i < mine.size() && form_ != other.form_; ++i)
        if (!is_moved(theirs[i], mine[i], src, dst))
            return false;
    form_ = other.form_;
    src_distance_ += src;
    dst_distance_ += dst;
    return true;
}

size_t CopyList::form_hash() const {
    uint64_t hash = 0;
    const auto add = [&](int64_t value) {
        hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29;
    };
    for (const StridedCopy &copy : form()) {
        add(copy.run_bytes);
        add(copy.src_offset - form()[0].src_offset);
        add(copy.dst_offset - form()[0].dst_offset);
        for (const Loop &l : copy.loops)
            for (const int64_t value : {l.count, l.src_stride, l.dst_stride})
                add(value);
        for (const Table &table : copy.tables) {
            add(static_cast<int64_t>(table.entries.size()));
            add(table.entries.front().src_offset);
            add(table.entries.front().dst_offset);
        }
    }
    return hash;
}

void CopyForms::share(CopyList &list) {
    if (list.empty())
        return;
    const size_t hash = list.form_hash();
    const auto [first, last] = known_.equal_range(hash);
    if (std::none_of(first, last, [&](const auto &known) { return list.share(known.second); }))
        known_.emplace(hash, list);
}

} // namespace dri::plan
