// Deals copies among threads when the lists are made, and runs them without further decisions.
#include "exec/team_copies.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "kernel/bind.hpp"
#include "plan/slices.hpp"

#include <algorithm>

namespace dri::exec {

namespace {

int64_t bytes_of(const std::vector<plan::StridedCopy> &copies) {
    int64_t bytes = 0;
    for (const plan::StridedCopy &copy : copies)
        bytes = checked_add(bytes, plan::copy_bytes(copy));
    return bytes;
}

int64_t slices_of(const std::vector<plan::StridedCopy> &copies, const Team &team) {
    return team.slices_of(bytes_of(copies));
}

// Removes slices without copies, so that no thread is woken for them. They arise if a copy is too small to cut.
template <class Copy> void drop_empty(std::vector<std::vector<Copy>> &lists) {
    std::erase_if(lists, [](const auto &list) { return list.empty(); });
    if (lists.empty())
        lists.emplace_back();
}

std::vector<std::vector<plan::TiledCopy>> deal_tiles(const std::vector<plan::StridedCopy> &copies,
                                                     int64_t slices) {
    std::vector<plan::TiledCopy> tiled;
    for (const plan::StridedCopy &copy : copies) {
        auto tiles = plan::tile(plan::canonical(copy));
        if (!tiles)
            fail(DRI_ERR_INTERNAL, "a copy from another process has no long pieces: {}", plan::to_text(copy));
        tiled.push_back(std::move(*tiles));
    }
    auto lists = plan::deal(tiled, slices);
    drop_empty(lists);
    return lists;
}

// Scratch memory of one slice that is enough for all slices.
int64_t longest_scratch(const std::vector<std::vector<plan::TiledCopy>> &lists) {
    int64_t bytes = 0;
    for (const auto &list : lists)
        for (const plan::TiledCopy &copy : list)
            bytes = std::max(bytes, copy.scratch_bytes);
    return round_up(bytes, cache_line_bytes);
}

template <class F> void run_slices(const std::shared_ptr<Workers> &workers, int64_t slices, const F &f) {
    if (slices == 1)
        f(0);
    else
        workers->run(slices, f);
}

} // namespace

TeamCopies::TeamCopies(const std::vector<plan::StridedCopy> &copies, const Team &team,
                       const std::function<kernel::BoundCopy(const plan::StridedCopy &)> &bind)
    : workers_(team.workers) {
    auto lists = plan::deal(copies, slices_of(copies, team));
    drop_empty(lists);
    for (const auto &list : lists) {
        auto &bound = slices_.emplace_back();
        for (const plan::StridedCopy &copy : list)
            bound.push_back(bind(copy));
    }
}

void TeamCopies::run(const std::byte *src, std::byte *dst) const {
    run_slices(workers_, std::ssize(slices_), [&](int64_t i) {
        for (const kernel::BoundCopy &copy : slices_[static_cast<size_t>(i)])
            copy(src, dst);
    });
}

std::string TeamCopies::text(int64_t src_distance, int64_t dst_distance) const {
    std::string text;
    for (size_t i = 0; i < slices_.size(); ++i)
        for (const kernel::BoundCopy &c : slices_[i]) {
            text += slices_.size() == 1 ? "    " : fmt::format("    thread {}: ", i);
            plan::StridedCopy copy = c.copy;
            copy.src_offset += src_distance;
            copy.dst_offset += dst_distance;
            text += fmt::format("{} [{}{}]\n", plan::to_text(copy), c.kernel->name, c.origin);
        }
    return text;
}

// Copies are cut so that their tiles end at cache lines of the destination. The scratch memory is reported before
// the destination's address is known, so it is computed without the cut. The cut is used only if it needs no more
// than that.
TeamRemoteCopies::TeamRemoteCopies(const std::vector<plan::StridedCopy> &copies, const Team &team, kernel::Isa isa,
                                   int64_t written_bytes, const std::byte *first_dst)
    : workers_(team.workers) {
    const int64_t slices = slices_of(copies, team);
    auto lists = deal_tiles(copies, slices);
    scratch_bytes_ = longest_scratch(lists);
    const auto past_line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(first_dst) % cache_line_bytes);
    std::vector<plan::StridedCopy> parts;
    for (const plan::StridedCopy &copy : copies)
        for (const plan::StridedCopy &part : plan::cut_at_line(plan::canonical(copy), past_line))
            parts.push_back(part);
    if (auto cut = deal_tiles(parts, slices); cut.size() == lists.size() && longest_scratch(cut) <= scratch_bytes_)
        lists = std::move(cut);
    for (const auto &list : lists) {
        auto &bound = slices_.emplace_back();
        for (const plan::TiledCopy &copy : list)
            bound.emplace_back(copy, isa, written_bytes);
    }
}

int64_t remote_scratch_bytes(const std::vector<plan::StridedCopy> &copies, int64_t threads, int64_t min_bytes) {
    const auto lists = deal_tiles(copies, slices_for(bytes_of(copies), threads, min_bytes));
    return longest_scratch(lists) * std::ssize(lists);
}

// Each slice uses its own part of the scratch memory.
void TeamRemoteCopies::run(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const {
    run_slices(workers_, std::ssize(slices_), [&](int64_t i) {
        for (const RemoteCopy &copy : slices_[static_cast<size_t>(i)])
            copy(pid, src, dst, scratch + i * scratch_bytes_);
    });
}

} // namespace dri::exec
