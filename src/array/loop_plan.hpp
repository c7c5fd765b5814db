// Plans of loops: what a process computes, where each operand lies for it, and what is fetched before.
#pragma once

#include "array/kept_plan.hpp"
#include "array/one_thread.hpp"
#include "array/statement.hpp"
#include "array/window.hpp"
#include "base/published.hpp"
#include "outer/any_array.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

namespace dri::array {

// Where an operand lies, for positions: of the loop's position 0, and bytes from one position to the next.
struct OperandPlace {
    std::byte *data = nullptr; // nullptr: plain memory
    int64_t offset = 0;        // of data, from the start of the storage or of its window
    int64_t steps[DRI_MAX_DIMS]{};
    int64_t left[DRI_MAX_DIMS]{}, right[DRI_MAX_DIMS]{}; // positions around each that are read
};

// The processes of a loop, and what holds for all of its exchanges.
struct LoopScope {
    int position = 0;
    bool serves_others = false;
    std::vector<int> ranks;
    std::optional<int64_t> timeout_ms;
};

// Of a run: what must be equal when it goes on.
struct LoopCall {
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    const void *results = nullptr; // of a reduction
};

struct ReductionRun;

// A run, as long as it is under way, and the thread that is in a call.
struct LoopRun {
    OneThread user;
    Published<bool> is_started = false; // after a timeout: the core is done
    bool is_active = false;             // a kernel may run other loops
    LoopCall call;
    int kernel_code = 0;
    // Of arrays, while it is started: it keeps all that is not the caller's. Its arrays have ended.
    std::vector<std::shared_ptr<const void>> memory;
    Published<bool> keeps_memory = false, is_abandoned = false;
    bool lacks_memory = false; // for the temporary: this process takes part, and computes nothing
    // Of loops without a target, once there has been a reduction. It ends with the arrays.
    std::shared_ptr<ReductionRun> reduction;
    Published<bool> is_combining = false; // after a timeout: its boxes are done

    bool goes_on() const { return (is_started && !is_abandoned) || is_combining; } // after a timeout
};

class LoopPlan final : public KeptPlan {
public:
    // Collective over the statement's processes.
    explicit LoopPlan(const Statement &statement);

    // What a handle of a loop has of each operand: its plain memory, or its array with all elements, which the
    // first read of several has.
    struct Bound {
        const void *data = nullptr;
        std::shared_ptr<outer::AnyArray> array;
    };
    using Operands = std::span<const Bound>;
    // Takes these storages, whose forms are those of the statement. Fails with DRI_ERR_STATE if a run with others
    // has timed out. If those have ended, it waits for what the run still needs. Otherwise local.
    // turn: of the caller, 0 at first: as long as it is the plan's, nothing is compared.
    void bind(const BoundStorages &to, uint64_t &turn);
    void let_go(uint64_t storage) noexcept override;
    bool uses(uint64_t storage) const override;
    bool is_bound_to(const BoundStorages &to) const {
        const std::lock_guard lock(binding_.mutex);
        return binding_.ids == to.ids;
    }
    bool is_under_way() const override;
    bool outlives_arrays() const override { return run_.keeps_memory.read() || run_.is_combining.read(); }
    void finish() noexcept override;
    bool serves_others() const override { return scope_.serves_others; }
    // Executes the loop. Fails as DRI_loop_run.
    void run(DRI_Kernel kernel, void *context, Operands operands);
    // Calls the kernel for all boxes, with data[0] at `partial`, which is cleared before and combined after each
    // call by these functions. Returns the kernel's code.
    struct Partial {
        void *data;
        void (*clear)(void *context);
        void (*combine)(void *context);
        void *context;
    };
    int run_partial(DRI_Kernel kernel, void *context, Operands operands, const Partial &partial);

    LoopRun &state() { return run_; }
    bool has_target() const { return has_target_; }
    int ndims() const { return ndims_; }
    int64_t volume() const { return volume_; }
    const LoopScope &scope() const { return scope_; }
    std::string explain() const;

private:
    void plan_windows(const Statement &statement);
    void plan_boxes(const Statement &statement);
    void plan_flat(const Statement &statement);
    OperandPlace owned_place(const StatementOperand &operand) const;
    OperandPlace window_place(const StatementOperand &operand, const ReadWindow &window) const;
    void find_addresses(const BoundStorages &to);
    bool place_result(Operands operands, bool runs);
    int call(DRI_Kernel kernel, void *context, Operands operands, const DRI_Box &box, bool is_core,
             const Partial *partial);
    void require_same_call(const LoopCall &call) const;
    void end_abandoned_run(std::optional<int64_t> timeout_ms);
    int run_boxes(DRI_Kernel kernel, void *context, Operands operands, const Partial *partial);
    void store_result();

    int ndims_;
    int64_t volume_;
    bool has_target_, is_flat_;
    LoopScope scope_;
    std::vector<std::unique_ptr<ReadWindow>> windows_;
    std::vector<size_t> served_by_;         // per window an operand
    std::vector<int> window_of_;            // per operand, -1: none
    std::vector<OperandPlace> core_, edge_; // per operand
    // What this process computes: all of it; what needs nothing of others, in tiles; what lies beside it.
    struct Boxes {
        DRI_Box target{}, core{};
        std::vector<DRI_Box> tiles, edges;
    } boxes_;
    // Where the result is computed if it must not be written while operands are read, and where it belongs.
    struct Temporary {
        bool is_planned = false;    // by the statement, wherever its arrays lie
        bool serves_arrays = false; // those that are bound
        int64_t bytes = 0;          // 0: the result is computed where it belongs
        AlignedBuffer memory;       // once there is a run
        OperandPlace result;
    } temporary_;
    // Arrays of the plan may end while another thread binds it to others.
    struct Binding {
        mutable std::mutex mutex;
        std::vector<uint64_t> ids;    // of its storages; empty: it is to be bound
        Published<uint64_t> turn = 0; // differs for each binding of any plan; 0: it is to be bound
        bool has(uint64_t storage) const { return std::find(ids.begin(), ids.end(), storage) != ids.end(); }
    } binding_;
    int64_t pitch_ = 0; // of the target
    bool fetches_ = false;
    LoopRun run_;
};

} // namespace dri::array
