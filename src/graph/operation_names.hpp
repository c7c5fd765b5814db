// The names of operations in rising order, each tag once.
#pragma once

#include "graph/operation.hpp"

#include <string>
#include <vector>

namespace dri::graph {

// The name of a send and its receive. tag: its place among the sorted tags, so that numbers compare as names do.
struct PairName {
    int src = -1, dest = -1, tag = -1;

    friend auto operator<=>(const PairName &, const PairName &) = default;
};

// Transfers come first. Of an operation between two processes it keeps 12 bytes, and each tag once.
class OperationNames {
public:
    OperationNames() = default;
    // All in rising order.
    OperationNames(std::vector<std::string> transfers, std::vector<std::string> tags, std::vector<PairName> pairs)
        : transfers_(std::move(transfers)), tags_(std::move(tags)), pairs_(std::move(pairs)) {}

    int64_t count() const { return static_cast<int64_t>(transfers_.size() + pairs_.size()); }
    int64_t transfers() const { return static_cast<int64_t>(transfers_.size()); }
    OperationName at(int64_t at) const { return {src(at), dest(at), tag(at)}; }
    int src(int64_t at) const { return is_transfer(at) ? -1 : pair(at).src; }
    int dest(int64_t at) const { return is_transfer(at) ? -1 : pair(at).dest; }
    const std::string &tag(int64_t at) const {
        return is_transfer(at) ? transfers_[static_cast<size_t>(at)] : tags_[static_cast<size_t>(pair(at).tag)];
    }
    bool is_transfer(int64_t at) const { return at < transfers(); }
    // The place of an operation, or -1.
    int64_t find(const OperationName &name) const;
    int64_t find_transfer(const std::string &name) const;

private:
    const PairName &pair(int64_t at) const { return pairs_[static_cast<size_t>(at - transfers())]; }

    std::vector<std::string> transfers_, tags_;
    std::vector<PairName> pairs_;
};

} // namespace dri::graph
