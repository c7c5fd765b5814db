// Statements: the operands of a loop, resolved to storages, dense indices and positions.
#pragma once

#include "array/boxes.hpp"
#include "outer/any_array.hpp"

#include <dri/loop.h>

#include <string>
#include <vector>

namespace dri::array {

// One operand. Of an array: per dimension of its storage the range, and the dimension of the loop whose positions
// count along it, or -1. Of plain memory: per dimension of the loop a step in bytes.
struct StatementOperand {
    std::shared_ptr<outer::AnyArray> array; // nullptr: plain memory
    std::shared_ptr<const outer::Storage> storage;
    int ndims = 0; // of the operand as the user sees it
    int64_t sizes[DRI_MAX_DIMS]{};
    DRI_Range ranges[DRI_MAX_DIMS]{};
    int loop_dim[DRI_MAX_DIMS]{};
    int64_t left[DRI_MAX_DIMS]{}, right[DRI_MAX_DIMS]{}; // per dimension of the storage, in positions
    int64_t steps[DRI_MAX_DIMS]{};
    const void *data = nullptr;
    bool is_whole = false; // all elements of the storage, in their order, without reach
};

// The storages of a loop's operands, with nullptr for plain memory, and their ids.
struct BoundStorages {
    std::vector<std::shared_ptr<const outer::Storage>> storages;
    std::vector<uint64_t> ids;
};

class Statement {
public:
    // target: NULL for a loop without one. Fails as DRI_loop_create, on all processes alike.
    Statement(const DRI_Operand *target, int nreads, const DRI_Operand reads[]);

    int ndims() const { return ndims_; }
    const int64_t *shape() const { return shape_; }
    int64_t volume() const;
    bool has_target() const { return has_target_; }
    // All operands; the first one is the target if there is one, otherwise an empty one.
    const std::vector<StatementOperand> &operands() const { return operands_; }
    const StatementOperand &leader() const { return operands_[leader_]; }
    size_t leader_index() const { return leader_; }
    // Elements are where they are: operands over one domain, whole, that may have many boxes.
    bool is_flat() const { return flat_; }

    // The positions that a process computes.
    DRI_Box target_of_process(int position) const;
    // The dense indices that an operand is read at for these positions.
    DRI_Box reads_at(const StatementOperand &operand, const DRI_Box &target) const;
    // Those of the positions whose reads the calling process all owns.
    DRI_Box core_of(const DRI_Box &target) const;
    // Whether the result must not be written while operands are read.
    bool needs_temporary() const;

    // Whether a plan is kept for other arrays of equal form: it has little workspace, because nothing is fetched,
    // all arrays are small, or cut along dimension 0 alone. Then halos are few rows.
    bool shares_plans() const;
    // Equal for equal statements: on arrays of equal form, of which the same ones are equal, if they share plans,
    // otherwise on the same arrays.
    Bytes key() const;
    // Of all operands.
    BoundStorages storages() const;
    // Equal on all processes that execute the same statement.
    Digest digest_for_all() const;

private:
    void add(const DRI_Operand *given, size_t i);
    void find_shape();
    void place(StatementOperand &operand, size_t i, bool leads);
    void check_boxes();

    int ndims_ = 0;
    int64_t shape_[DRI_MAX_DIMS]{};
    bool has_target_ = false, flat_ = false;
    size_t leader_ = 0;
    std::vector<StatementOperand> operands_;
};

// "the target", "read 2".
std::string operand_name(size_t i);

} // namespace dri::array
