// Gives out cache lines of huge pages that several messages share.
#include "transport/message_memory.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <iterator>

namespace dri::transport {

// The first of `wanted` consecutive free lines; num_lines if there are none.
size_t MessageMemory::find_free(const Block &block, size_t wanted) {
    constexpr size_t lines_of_page = page_bytes / cache_line_bytes;
    const size_t step = wanted < lines_of_page ? 1 : lines_of_page;
    if (wanted > num_lines - block.num_taken)
        return num_lines;
    const auto next_start = [&](size_t line) { return (line + step - 1) / step * step; };
    size_t first = next_start(block.first_free);
    while (first + wanted <= num_lines) {
        size_t line = first;
        while (line < first + wanted && !block.taken[line])
            ++line;
        if (line == first + wanted)
            return first;
        first = next_start(line + 1);
    }
    return num_lines;
}

MessageMemory::Piece::~Piece() {
    if (block_)
        of_->give_back(*block_, line_, lines_);
}

void MessageMemory::Piece::swap(Piece &other) noexcept {
    std::swap(alone_, other.alone_);
    std::swap(of_, other.of_);
    std::swap(block_, other.block_);
    std::swap(line_, other.line_);
    std::swap(lines_, other.lines_);
}

std::byte *MessageMemory::Piece::data() const {
    return block_ ? block_->memory.data() + static_cast<int64_t>(line_) * cache_line_bytes : alone_.data();
}

MessageMemory::Piece MessageMemory::take(int64_t bytes) {
    Piece piece;
    if (bytes > max_shared_bytes)
        piece.alone_ = AlignedBuffer(bytes, page_bytes);
    if (bytes == 0 || bytes > max_shared_bytes)
        return piece;
    const auto wanted = static_cast<size_t>(ceil_div(bytes, cache_line_bytes));
    const std::lock_guard lock(mutex_);
    auto block = blocks_.begin();
    size_t first = num_lines;
    for (; block != blocks_.end(); ++block)
        if ((first = find_free(*block, wanted)) < num_lines)
            break;
    if (block == blocks_.end()) {
        block = blocks_.emplace(blocks_.end());
        first = 0;
    }
    for (size_t line = first; line < first + wanted; ++line)
        block->taken.set(line);
    block->num_taken += wanted;
    if (first == block->first_free)
        block->first_free += wanted;
    piece.of_ = shared_from_this();
    piece.block_ = &*block;
    piece.line_ = first;
    piece.lines_ = wanted;
    return piece;
}

// A block is freed with its last piece, so that a huge page is kept only while it is used.
void MessageMemory::give_back(Block &block, size_t line, size_t lines) noexcept {
    const std::lock_guard lock(mutex_);
    block.num_taken -= lines;
    block.first_free = std::min(block.first_free, line);
    for (const size_t end = line + lines; line < end; ++line)
        block.taken.reset(line);
    if (block.num_taken == 0)
        blocks_.remove_if([&](const Block &b) { return &b == &block; });
}

int64_t MessageMemory::num_blocks() const {
    const std::lock_guard lock(mutex_);
    return std::ssize(blocks_);
}

} // namespace dri::transport
