// Goes through the batches in their order. A process knows the end of a frame behind what it computes from a call
// without inputs, and behind an operation that carries the end.
#include "graph/late_ends.hpp"

#include <algorithm>
#include <map>

namespace dri::graph {

namespace {

class EndSearch {
public:
    explicit EndSearch(const Operations &operations)
        : operations_(operations), carries_(static_cast<size_t>(operations.tasks().tasks), unknown) {
        for (int64_t batch = 0; batch < operations.batches(); ++batch) {
            for (const int64_t at : operations.in_batch(batch))
                note_begins(at, batch);
            for (const int64_t at : operations.in_batch(batch))
                carries_[at_of(at)] = carries(at, batch);
            for (const int64_t at : operations.in_batch(batch))
                hand_over(at, batch);
        }
    }

    LateEnd first() const {
        for (int64_t at = 0; at < operations_.count() && operations_.is_transfer(at); ++at) {
            LateEnd found{at};
            for (const int rank : operations_.ends(at).sources)
                if (knows(rank, operations_.batch(at)))
                    found.early = rank;
                else if (known_from_.contains(rank))
                    found.late = rank;
            if (found.early >= 0 && found.late >= 0)
                return found;
        }
        return {};
    }

private:
    enum : signed char { unknown = -1, no = 0, yes = 1 };

    static size_t at_of(int64_t task) { return static_cast<size_t>(task); }

    // Before it hands over what is in this batch and leaves behind all waits.
    bool knows(int rank, int64_t batch) const {
        const auto found = known_from_.find(rank);
        return found != known_from_.end() && found->second <= batch;
    }

    void note(int rank, int64_t batch) {
        const auto [known, is_new] = known_from_.try_emplace(rank, batch);
        known->second = std::min(known->second, batch);
    }

    void note_begins(int64_t at, int64_t batch) {
        if (operations_.is_transfer(at)) {
            for (const int rank : operations_.ends(at).sources)
                if (operations_.begins(at, rank))
                    note(rank, batch);
        } else if (operations_.begins(at, operations_.src(at))) {
            note(operations_.src(at), batch);
        }
    }

    signed char carries(int64_t at, int64_t batch) {
        if (operations_.is_transfer(at)) {
            const auto &sources = operations_.ends(at).sources;
            return std::all_of(sources.begin(), sources.end(), [&](int rank) { return knows(rank, batch); });
        }
        // It leaves as soon as it is computed, so of its own part it waits only for what it needs.
        return operations_.begins(at, operations_.src(at)) || knows(operations_.src(at), batch - 1) ||
               any_need_carries(at);
    }

    // Of unions it keeps the answer, so that all walks together are linear.
    bool any_need_carries(int64_t at) {
        std::vector<int64_t> path{at};
        while (!path.empty()) {
            const int64_t task = path.back();
            signed char answer = no;
            for (const int64_t need : operations_.tasks().of(task)) {
                if (carries_[at_of(need)] == unknown) { // a union
                    path.push_back(need);
                    answer = unknown;
                    break;
                }
                answer = std::max(answer, carries_[at_of(need)]);
            }
            if (answer == unknown)
                continue;
            carries_[at_of(task)] = answer;
            path.pop_back();
        }
        return carries_[at_of(at)] == yes;
    }

    void hand_over(int64_t at, int64_t batch) {
        if (carries_[at_of(at)] != yes)
            return;
        if (!operations_.is_transfer(at)) {
            note(operations_.dest(at), batch + 1);
            return;
        }
        for (const int rank : operations_.ends(at).sinks)
            note(rank, batch + 1);
    }

    const Operations &operations_;
    std::vector<signed char> carries_;  // per task: whether it carries the end of its frame
    std::map<int, int64_t> known_from_; // per process: the first batch
};

} // namespace

LateEnd find_late_end(const Operations &operations) { return EndSearch(operations).first(); }

void require_ends_in_time(const Operations &operations) {
    const LateEnd found = find_late_end(operations);
    if (found.transfer >= 0)
        fail(DRI_ERR_UNSUPPORTED,
             "process {} learns the end of the stream only behind the source of the transfer '{}', and process {} "
             "before it: let the call that fills the port read what the end comes with",
             found.late, operations.tag(found.transfer), found.early);
}

} // namespace dri::graph
