// Lists of copies that are bound to kernels and dealt among the threads of a team when they are made.
#pragma once

#include "exec/remote_copy.hpp"
#include "exec/workers.hpp"
#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

#include <functional>
#include <string>
#include <vector>

namespace dri::exec {

class TeamCopies {
public:
    // bind: chooses the kernel of a copy, or of a thread's slice of it.
    TeamCopies(const std::vector<plan::StridedCopy> &copies, const Team &team,
               const std::function<kernel::BoundCopy(const plan::StridedCopy &)> &bind);
    bool empty() const { return slices_.front().empty(); }
    void run(const std::byte *src, std::byte *dst) const;
    // A line per copy, with its kernel and, if there are several threads, its thread. The distances are added to
    // the offsets.
    std::string text(int64_t src_distance = 0, int64_t dst_distance = 0) const;

private:
    std::shared_ptr<Workers> workers_; // null: there is one slice
    std::vector<std::vector<kernel::BoundCopy>> slices_;
};

// Scratch memory that TeamRemoteCopies needs for a team of `threads` threads.
int64_t remote_scratch_bytes(const std::vector<plan::StridedCopy> &copies, int64_t threads, int64_t min_bytes);

// The same, from memory of another process. Does nothing if made without copies.
class TeamRemoteCopies {
public:
    TeamRemoteCopies() = default;
    // All copies can be tiled. written_bytes: what a frame writes by these copies and by others of their kind.
    // first_dst: the endpoint's first buffer; tiles end at its cache lines. In a buffer at another offset to a
    // line, they end inside of lines.
    TeamRemoteCopies(const std::vector<plan::StridedCopy> &copies, const Team &team, kernel::Isa isa,
                     int64_t written_bytes, const std::byte *first_dst);
    int64_t scratch_bytes() const { return scratch_bytes_ * std::ssize(slices_); }
    // pid, src: as in RemoteCopy. scratch: scratch_bytes() bytes.
    void run(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const;

private:
    std::shared_ptr<Workers> workers_;
    std::vector<std::vector<RemoteCopy>> slices_;
    int64_t scratch_bytes_ = 0; // of one slice; the maximum of all
};

} // namespace dri::exec
