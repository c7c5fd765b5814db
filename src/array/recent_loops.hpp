// Loops that were made last, by their operands as the caller gave them. The same statement again finds its plan
// without resolving operands, and without an allocation: the object of a loop whose handle is destroyed rests
// here, without plan and arrays, and is used again.
#pragma once

#include "array/loop_object.hpp"
#include "outer/any_array.hpp"

#include <array>
#include <mutex>

namespace dri::array {

// The operands of a loop as the C interface has them.
struct GivenOperands {
    const DRI_Operand *target; // NULL: none
    int nreads;
    const DRI_Operand *reads;

    size_t count() const { return static_cast<size_t>(nreads) + 1; }
    const DRI_Operand *operator[](size_t i) const { return i == 0 ? target : &reads[i - 1]; }
};

class RecentLoops {
public:
    static RecentLoops &all();

    // nullptr: these operands are unknown, an array of theirs has changed, or the plan is not kept any more. Fails
    // with DRI_ERR_HANDLE for an array that was destroyed.
    std::shared_ptr<LoopObject> find(const GivenOperands &given);
    void insert(const GivenOperands &given, const Statement &statement, const std::shared_ptr<LoopObject> &loop);

private:
    static constexpr size_t places = 256, ways = 4;

    struct Entry {
        size_t hash = 0;
        std::vector<DRI_Operand> given; // a target that is none is zero
        std::vector<int> dims;          // per operand, how many entries of its arrays count
        std::vector<DRI_Array> arrays;  // all of them, each once
        std::vector<std::pair<size_t, std::weak_ptr<outer::AnyArray>>> bases; // of operands that have one
        uint64_t ended = 0; // of handles of arrays, when all of `arrays` were there
        std::weak_ptr<LoopPlan> plan;
        std::shared_ptr<LoopObject> loop;
    };

    static size_t hash_of(const GivenOperands &given);
    static bool is_same(const Entry &entry, const GivenOperands &given);
    std::shared_ptr<LoopObject> bind(Entry &entry);

    std::mutex mutex_;
    std::array<Entry, places> entries_;
    size_t next_way_ = 0;
};

} // namespace dri::array
