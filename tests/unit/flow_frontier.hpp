// The states of a walk that are still to be visited, and how each state was reached.
#pragma once

#include "flow_model.hpp"
#include "flow_step.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace dri::flow::test {

// A set of fingerprints in one array. 0 marks a free entry.
class Seen {
public:
    // Returns whether it is new.
    bool insert(Fingerprint key) {
        if (2 * size_ >= table_.size()) {
            const auto before = std::exchange(table_, std::vector<Fingerprint>(4 * table_.size()));
            size_ = 0;
            for (const Fingerprint old : before)
                if (old != 0)
                    insert(old);
        }
        const size_t mask = table_.size() - 1;
        size_t i = key >> 8 & mask;
        while (table_[i] != 0 && table_[i] != key)
            i = (i + 1) & mask;
        const bool is_new = table_[i] == 0;
        table_[i] = key;
        size_ += is_new;
        return is_new;
    }

private:
    std::vector<Fingerprint> table_ = std::vector<Fingerprint>(1024);
    size_t size_ = 0;
};

enum class Order { depth_first, breadth_first };

// Depth first needs little memory. Breadth first finds the shortest way to each state, and remembers it.
class Frontier {
public:
    Frontier(const Job &job, Order order) : job_(job), explains_(order == Order::breadth_first) {}

    // Adds the first state.
    void begin(State first) {
        for (size_t p = 0; p < first.processes.size(); ++p)
            first.prints[p] = fingerprint_of(job_, first.processes[p]);
        add(first, {});
    }
    // Adds a state unless it is known. The step that leads to it has changed one process and the traffic.
    void add(State &state, const Step &step) {
        const size_t p = at(step.process);
        state.prints[p] = fingerprint_of(job_, state.processes[p]);
        if (!seen_.insert(fingerprint_of(model_, state)))
            return;
        open_.push_back({std::move(spare_), reached_.size()});
        open_.back().state = state;
        if (explains_)
            reached_.push_back({visited_, step});
    }

    bool empty() const { return open_.empty(); }
    State pop() {
        Open open = std::move(explains_ ? open_.front() : open_.back());
        explains_ ? open_.pop_front() : open_.pop_back();
        visited_ = open.number;
        return std::move(open.state);
    }
    // Takes the state back, for its memory.
    void recycle(State state) { spare_ = std::move(state); }

    // Breadth first: the steps to the popped state, each with a semicolon behind it.
    std::string way() const {
        std::string steps;
        for (size_t i = visited_; i > 0; i = reached_[i].from)
            steps = text_of(reached_[i].step) + "; " + steps;
        return steps;
    }

private:
    const Job &job_;
    Model model_{job_};
    bool explains_;
    // A state to be visited, and breadth first its number among all states.
    struct Open {
        State state;
        size_t number;
    };
    struct Reached {
        size_t from;
        Step step;
    };
    std::deque<Open> open_;
    std::vector<Reached> reached_;
    size_t visited_ = 0; // the number of the popped state
    State spare_;        // its memory is used again
    Seen seen_;
};

} // namespace dri::flow::test
