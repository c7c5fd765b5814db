// What this process holds of one side of a case, and the contents of its buffers, for programs that make their own
// calls. The contents are those of the oracle.
#pragma once

#include "support/case_objects.hpp"

#include <memory>
#include <string>
#include <vector>

namespace dri::test {

class CasePart {
public:
    CasePart() = default; // holds nothing
    // Holds nothing if this process is not in the side's group.
    CasePart(const TransferCase &c, DRI_Role role);
    explicit operator bool() const { return data_ != nullptr; }

    // Of a process in the group. Collective over the group.
    CaseEndpoint make() const; // not declared yet
    CaseEndpoint declare(const std::string &name, void *const *buffers = nullptr) const;
    // The endpoint of a transfer in strips of dimension dim, of which this part is the first one.
    CaseEndpoint declare_strips(const std::string &name, int dim) const;

    void fill(void *buffer, int64_t frame) const;           // as a source
    int64_t wrong(const void *buffer, int64_t frame) const; // as a sink: number of wrong elements
    int64_t elements() const { return std::ssize(held_.elements); }
    int64_t owned() const { return owned_; }                             // elements outside the overlap
    int64_t pitch() const { return transfer().type_of(spec()).pitch(); } // bytes of an element
    const TransferCase &transfer() const { return data_->transfer(); }

private:
    DRI_Role role() const { return is_source_ ? DRI_SOURCE : DRI_SINK; }
    const SideSpec &spec() const { return is_source_ ? transfer().source : transfer().sink; }
    const planner::Side &side() const { return is_source_ ? data_->source() : data_->sink(); }

    std::shared_ptr<const CaseData> data_;
    bool is_source_ = false;
    int position_ = 0;
    CaseData::Held held_;
    int64_t owned_ = 0;
};

// A line for the processes of this job.
TransferCase case_of(const std::string &line);

} // namespace dri::test
