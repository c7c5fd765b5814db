#include "planner/messages.hpp"

#include <algorithm>

namespace dri {

namespace {

class Splitter {
public:
    Splitter(int peer, int64_t limit) : peer_(peer), limit_(limit) {}

    void add(const StridedCopy &copy) {
        const int64_t bytes = copy_bytes(copy);
        if (bytes == 0)
            return;
        if (bytes > limit_)
            return add_pieces(copy);
        if (messages_.empty() || messages_.back().bytes + bytes > limit_)
            messages_.push_back({peer_, 0, {}});
        messages_.back().bytes += bytes;
        messages_.back().copies.push_back(copy);
    }

    std::vector<Message> take() { return std::move(messages_); }

private:
    // Cuts the outermost loop, or the run where there is no loop, into stretches that fit.
    void add_pieces(const StridedCopy &copy) {
        if (copy.loops.empty()) {
            for (int64_t at = 0; at < copy.run_bytes; at += limit_) {
                StridedCopy piece = copy;
                piece.src_offset += at;
                piece.dst_offset += at;
                piece.run_bytes = std::min(limit_, copy.run_bytes - at);
                add(piece);
            }
            return;
        }
        const Loop outer = copy.loops[0];
        const int64_t stretch = std::max<int64_t>(limit_ / (copy_bytes(copy) / outer.count), 1);
        for (int64_t k = 0; k < outer.count; k += stretch) {
            StridedCopy piece = copy;
            piece.src_offset += k * outer.src_stride;
            piece.dst_offset += k * outer.dst_stride;
            piece.loops[0].count = std::min(stretch, outer.count - k);
            add(canonical(piece));
        }
    }

    int peer_;
    int64_t limit_;
    std::vector<Message> messages_;
};

// Calls f(copy, place in the message, the copy's loops as they lie in the message).
template <class F> Message map_copies(const Message &message, F f) {
    Message half{message.peer, message.bytes, {}};
    int64_t at = 0;
    for (const StridedCopy &copy : message.copies) {
        StridedCopy out = copy;
        int64_t step = copy.run_bytes;
        for (size_t i = copy.loops.size(); i-- > 0;) {
            f(out.loops[i], step);
            step *= copy.loops[i].count;
        }
        f(out, at);
        half.copies.push_back(canonical(out));
        at += step;
    }
    return half;
}

struct ToMessage {
    void operator()(Loop &loop, int64_t step) const { loop.dst_stride = step; }
    void operator()(StridedCopy &copy, int64_t at) const { copy.dst_offset = at; }
};

struct FromMessage {
    void operator()(Loop &loop, int64_t step) const { loop.src_stride = step; }
    void operator()(StridedCopy &copy, int64_t at) const { copy.src_offset = at; }
};

} // namespace

std::vector<Message> split_messages(const std::vector<StridedCopy> &copies, int peer, int64_t limit) {
    Splitter splitter(peer, limit);
    for (const StridedCopy &copy : copies)
        splitter.add(copy);
    return splitter.take();
}

Message pack_half(const Message &message) { return map_copies(message, ToMessage{}); }
Message unpack_half(const Message &message) { return map_copies(message, FromMessage{}); }

} // namespace dri
