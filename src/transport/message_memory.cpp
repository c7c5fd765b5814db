// Gives out pages of huge pages that several messages share.
#include "transport/message_memory.hpp"

#include "base/checked.hpp"

#include <iterator>

namespace dri::transport {

namespace {

// The first page of `wanted` consecutive free pages; n if there are none.
template <size_t n> size_t free_pages(const std::bitset<n> &taken, size_t wanted) {
    size_t first = 0;
    for (size_t page = 0; page < n && page - first < wanted; ++page)
        if (taken[page])
            first = page + 1;
    return n - first < wanted ? n : first;
}

} // namespace

MessageMemory::Piece::~Piece() {
    if (block_)
        of_->give_back(*block_, page_, pages_);
}

void MessageMemory::Piece::swap(Piece &other) noexcept {
    std::swap(alone_, other.alone_);
    std::swap(of_, other.of_);
    std::swap(block_, other.block_);
    std::swap(page_, other.page_);
    std::swap(pages_, other.pages_);
}

std::byte *MessageMemory::Piece::data() const {
    return block_ ? block_->memory.data() + static_cast<int64_t>(page_) * page_bytes : alone_.data();
}

MessageMemory::Piece MessageMemory::take(int64_t bytes) {
    Piece piece;
    if (bytes > max_shared_bytes)
        piece.alone_ = AlignedBuffer(bytes, page_bytes);
    if (bytes == 0 || bytes > max_shared_bytes)
        return piece;
    const auto wanted = static_cast<size_t>(ceil_div(bytes, page_bytes));
    const std::lock_guard lock(mutex_);
    auto block = blocks_.begin();
    size_t first = num_pages;
    for (; block != blocks_.end(); ++block)
        if ((first = free_pages(block->taken, wanted)) < num_pages)
            break;
    if (block == blocks_.end()) {
        block = blocks_.emplace(blocks_.end());
        first = 0;
    }
    for (size_t page = first; page < first + wanted; ++page)
        block->taken.set(page);
    piece.of_ = shared_from_this();
    piece.block_ = &*block;
    piece.page_ = first;
    piece.pages_ = wanted;
    return piece;
}

// A block is freed with its last piece, so that a huge page is kept only while it is used.
void MessageMemory::give_back(Block &block, size_t page, size_t pages) noexcept {
    const std::lock_guard lock(mutex_);
    for (const size_t end = page + pages; page < end; ++page)
        block.taken.reset(page);
    if (block.taken.none())
        blocks_.remove_if([&](const Block &b) { return &b == &block; });
}

int64_t MessageMemory::num_blocks() const {
    const std::lock_guard lock(mutex_);
    return std::ssize(blocks_);
}

} // namespace dri::transport
