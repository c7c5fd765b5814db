// Brings sends and receives together by name.
#pragma once

#include "graph/faults.hpp"
#include "graph/operation_names.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

namespace dri::graph {

// One side of an operation between two processes. Does not own the tag.
struct OperationEnd {
    int src = -1, dest = -1;
    std::string_view tag;
    bool is_send = false;
    int rank = -1, pid = -1; // pid -1: parts play no role
    int shape = -1;          // any number that is equal for equal shapes; -1: not known
};

// An operation with its first send and its first receive, by their places in the order of adding.
struct MatchedEnds {
    PairName name;
    int32_t send = -1, recv = -1; // -1: there is none
    int send_pid = -1, recv_pid = -1;
    int shape = -1; // of the send, or of the receive
};

struct MatchingFound {
    std::vector<std::string_view> tags;  // in rising order; names have their places
    std::vector<MatchedEnds> operations; // sorted by name; without those from a process to itself
    std::vector<int32_t> of_end;         // the operation of each end, or -1
    std::vector<GraphFault> faults;      // self, duplicate, missing, mismatch
};

// Takes ends in any order. Tags become numbers first: each is looked up once for each end, and each different one
// is sorted once.
class EndMatcher {
public:
    // text_of_shape: for messages. most: how many ends there will be.
    explicit EndMatcher(std::function<std::string(int)> text_of_shape, size_t most = 0)
        : text_of_shape_(std::move(text_of_shape)) {
        ends_.reserve(most);
    }
    void add(const OperationEnd &end);
    // O(n log n) for n ends. Called once.
    MatchingFound match();

private:
    // at: its place in the order of adding.
    struct Kept {
        PairName name;
        int32_t at = -1;
        int shape = -1, rank = -1, pid = -1;
        bool is_send = false;

        friend bool operator<(const Kept &a, const Kept &b) {
            return a.name != b.name ? a.name < b.name : a.at < b.at;
        }
    };

    void sort();
    OperationName full_name(const PairName &name) const;
    MatchedEnds match_one(std::span<const Kept> own);
    const Kept *first(bool send, std::span<const Kept> own);

    std::function<std::string(int)> text_of_shape_;
    std::unordered_map<std::string_view, int> numbers_; // of the tags, in the order of adding
    std::vector<Kept> ends_;
    MatchingFound found_;
};

} // namespace dri::graph
