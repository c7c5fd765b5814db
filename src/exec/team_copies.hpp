// Lists of copies, bound to kernels and dealt among the threads of a team when they are made.
#pragma once

#include "exec/remote_copy.hpp"
#include "exec/workers.hpp"
#include "kernel/kernel.hpp"

#include <functional>
#include <string>
#include <vector>

namespace dri {

class TeamCopies {
public:
    // bind: picks the kernel of a copy, or of a thread's share of it.
    TeamCopies(const std::vector<StridedCopy> &copies, const Team &team,
               const std::function<BoundCopy(const StridedCopy &)> &bind);
    bool empty() const { return slices_.front().empty(); }
    void run(const std::byte *src, std::byte *dst) const;
    // A line for each copy, with its kernel, and its thread where there are more than one.
    std::string text() const;

private:
    std::shared_ptr<Workers> workers_; // null: there is one share
    std::vector<std::vector<BoundCopy>> slices_;
};

// Scratch memory that TeamRemoteCopies of a team of so many threads has.
int64_t remote_scratch_bytes(const std::vector<StridedCopy> &copies, int64_t threads, int64_t min_bytes);

// The same from the memory of another process; nothing of no copies.
class TeamRemoteCopies {
public:
    TeamRemoteCopies() = default;
    // The copies can be tiled. written_bytes: what a frame writes by these copies and those like them.
    // first_dst: the end's first buffer; the tiles of others that lie otherwise in a line end inside of lines.
    TeamRemoteCopies(const std::vector<StridedCopy> &copies, const Team &team, Isa isa, int64_t written_bytes,
                     const std::byte *first_dst);
    int64_t scratch_bytes() const { return scratch_bytes_ * std::ssize(slices_); }
    // pid, src: as of RemoteCopy. scratch: of scratch_bytes().
    void run(int64_t pid, uint64_t src, std::byte *dst, std::byte *scratch) const;

private:
    std::shared_ptr<Workers> workers_;
    std::vector<std::vector<RemoteCopy>> slices_;
    int64_t scratch_bytes_ = 0; // of one share, enough for all
};

} // namespace dri
