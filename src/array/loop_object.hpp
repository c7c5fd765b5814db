// The objects behind handles of loops.
#pragma once

#include "array/loop_plan.hpp"
#include "array/small_frame.hpp"
#include "outer/objects.hpp"

namespace dri::array {

struct ReductionCall {
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    DRI_Type type{};
    int count = 0;
    DRI_Op op = DRI_OP_SUM;
};

// The arrays of a loop. Its plan has the run, so that another object of the same operands goes on with it.
class LoopObject {
public:
    LoopObject(const LoopObject &) = delete;
    LoopObject &operator=(const LoopObject &) = delete;
    ~LoopObject() = default;
    // Finds the plan of the statement, or makes it. Fails as DRI_loop_create.
    explicit LoopObject(const Statement &statement);

    void run(DRI_Kernel kernel, void *context);
    void reduce(DRI_Kernel kernel, void *context, DRI_Type type, int count, DRI_Op op, void *result);
    // The run that has timed out goes on with this context.
    void set_context(void *context);
    const LoopPlan &plan() const { return *plan_; }
    const std::shared_ptr<LoopPlan> &shared_plan() const { return plan_; }
    const std::shared_ptr<outer::AnyArray> &array(size_t operand) const { return operands_[operand].array; }

    // Lets go of plan and arrays, and takes them again. Returns whether an array has the storage that it had.
    void rest();
    bool bind(size_t operand, std::shared_ptr<outer::AnyArray> array);
    const std::vector<uint64_t> &storage_ids() const { return storages_.ids; }
    void bind(std::shared_ptr<LoopPlan> plan) { plan_ = std::move(plan); }

private:
    void make_ready();
    void reduce_boxes(ReductionRun &run);
    std::optional<int64_t> timeout_ms() const; // of the first array
    void compare(const char *call, const ReductionCall &reduced) const;

    std::vector<LoopPlan::Bound> operands_;
    Digest called_with_; // of the statement, with DRI_CHECK=1
    BoundStorages storages_;
    uint64_t turn_ = 0;              // of the plan's binding to them
    SharedFrame *frame_ = nullptr;   // of reductions, once there has been one
    std::shared_ptr<LoopPlan> plan_; // destroyed before the arrays
};

using LoopObjects = outer::Objects<DRI_Loop, LoopObject, HandleKind::loop>;

// Combines what each process of the frame's group has found, in the order of the group. found: count elements of
// the process, if it has any. code: why it cannot go on. Fails on all processes alike. Collective over the group.
void combine_over(SmallFrame &frame, const FrameCall &call, int code, DRI_Type type, int count, DRI_Op op,
                  const void *found, void *result);

} // namespace dri::array
