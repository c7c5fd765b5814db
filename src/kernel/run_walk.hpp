// Walks the runs of many pieces in the order of their addresses. After construction it allocates nothing.
#pragma once

#include "plan/piece.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace dri::kernel {

class RunWalk {
public:
    // The pieces must share no bytes, and must stay valid as long as the walk.
    explicit RunWalk(const std::vector<plan::Piece> &&) = delete;
    explicit RunWalk(const std::vector<plan::Piece> &pieces) : pieces_(pieces) {
        for (auto *list : {&firsts_, &lasts_, &heap_})
            list->reserve(pieces.size());
        first_counters_.reserve(pieces.size());
        size_t loops = 0;
        for (size_t i = 0; i < pieces.size(); ++i) {
            first_counters_.push_back(std::exchange(loops, loops + pieces[i].loops.size()));
            firsts_.push_back({pieces[i].first, i});
            lasts_.push_back({-last_of(pieces[i]), i});
        }
        std::sort(firsts_.begin(), firsts_.end());
        std::sort(lasts_.begin(), lasts_.end());
        counters_.resize(loops);
    }

    // What a walk holds for a piece.
    static int64_t bytes_for(const plan::Piece &piece) {
        return int64_t{sizeof(size_t) + 3 * sizeof(Next)} + std::ssize(piece.loops) * int64_t{sizeof(int64_t)};
    }

    // Call f(piece, offset) for every run, starting from the lowest or from the highest. Cost per run: one step of
    // a heap of the pieces that have runs both before and after it.
    template <class F> void rising(const F &f) { walk<1>(firsts_, f); }
    template <class F> void falling(const F &f) { walk<-1>(lasts_, f); }

private:
    struct Next {
        int64_t at = 0; // offset of the piece's next run; negated when falling
        size_t piece = 0;
        friend auto operator<=>(const Next &, const Next &) = default;
    };
    static int64_t last_of(const plan::Piece &piece) {
        return piece.first + plan::hull_bytes(piece) - piece.run_bytes;
    }

    // A piece enters the heap when its first run is next, so that the heap stays as small as possible.
    template <int sign, class F> void walk(const std::vector<Next> &begins, const F &f) {
        std::fill(counters_.begin(), counters_.end(), int64_t{0});
        heap_.clear();
        for (size_t begun = 0; begun < begins.size() || !heap_.empty();) {
            if (begun < begins.size() && (heap_.empty() || begins[begun] < heap_.front())) {
                heap_.push_back(begins[begun++]);
                std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
                continue;
            }
            f(heap_.front().piece, sign * heap_.front().at);
            if (advance<sign>(heap_.front())) {
                sink_front();
            } else {
                std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
                heap_.pop_back();
            }
        }
    }

    template <int sign> bool advance(Next &next) {
        const auto &loops = pieces_[next.piece].loops;
        int64_t *const counters = counters_.data() + first_counters_[next.piece];
        for (size_t i = loops.size(); i-- > 0;) {
            next.at += loops[i].stride; // falling: goes down, because `at` is negated
            if (++counters[i] < loops[i].count)
                return true;
            next.at -= loops[i].count * loops[i].stride;
            counters[i] = 0;
        }
        return false;
    }

    // Restores the heap after its front has grown.
    void sink_front() {
        const Next moved = heap_.front();
        size_t hole = 0;
        for (size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
            if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child])
                ++child;
            if (moved <= heap_[child])
                break;
            heap_[hole] = heap_[child];
            hole = child;
        }
        heap_[hole] = moved;
    }

    const std::vector<plan::Piece> &pieces_;
    std::vector<int64_t> counters_;      // of all pieces' loops
    std::vector<size_t> first_counters_; // of a piece
    std::vector<Next> firsts_, lasts_, heap_;
};

} // namespace dri::kernel
