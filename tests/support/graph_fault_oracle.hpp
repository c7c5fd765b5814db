// Sends and receives of all processes, and an oracle that lists what is wrong with them. It shares nothing with
// the library.
#pragma once

#include "support/graphs.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dri::test {

// One send or receive of an operation.
struct OperationEnd {
    EndsName name;
    bool is_send = false;
    size_t elements = 1;
    std::vector<size_t> of{}; // send: the receives of its process that its data depend on
    bool is_root = true;      // whether it is an output itself

    int rank() const { return is_send ? std::get<0>(name) : std::get<1>(name); }
};
using OperationEnds = std::vector<OperationEnd>;

struct WantedFault {
    DRI_Fault_kind kind;
    EndsName name;
    int rank;

    DRI_Code code() const;
    // The words that the message must have, in this order.
    std::vector<std::string> words() const;
};

class FaultOracle {
public:
    // What no root reaches does not exist.
    explicit FaultOracle(const OperationEnds &ends);

    // All faults, by kind, then by operation.
    std::vector<WantedFault> faults() const;

    const std::set<EndsName> &names() const { return names_; }
    std::set<EndsName> needs_of(const EndsName &name) const;
    // Of graphs without faults: how many operations must be complete one after the other before this one.
    int batch_of(const EndsName &name) const;

private:
    // Whether the operation needs itself.
    bool is_in_cycle(const EndsName &name) const;

    std::map<EndsName, std::vector<size_t>> sends_, recvs_; // their lengths
    std::map<EndsName, std::set<EndsName>> needs_;
    std::set<EndsName> names_;
};

} // namespace dri::test
