// Runs of loops that have not ended.
#pragma once

#include "ends.hpp"

#include <dri/loop.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace dri_python {

// The operands of a loop as C has them, the target first; none is all zero.
using RawOperands = std::vector<DRI_Operand>;

// Runs that have timed out, or were interrupted. The same call goes on with one, though its kernel is another
// object: the same function, on the same operands. The library refuses others.
class UnfinishedRuns {
public:
    // Calls call(), which has the context, until it has ended, or the time has.
    template <class Call>
    static void go_on(DRI_Loop loop, const RawOperands &raw, const py::object &function, void *context,
                      double seconds, Call &&call) {
        const bool is_known = !all().empty() && has(raw, function);
        if (is_known)
            check(DRI_loop_set_context(loop, context));
        int code = DRI_ERR_TIMEOUT;
        try {
            code = wait_in_slices(seconds, call);
        } catch (const py::error_already_set &) { // Ctrl-C
            if (!is_known)
                insert(raw, function);
            throw;
        }
        if (code == DRI_ERR_TIMEOUT && !is_known)
            insert(raw, function);
        else if (code != DRI_ERR_TIMEOUT && is_known)
            erase(raw, function);
        check(code);
    }

private:
    static constexpr size_t most = 64;
    struct Run {
        RawOperands raw;
        py::object function;
    };
    static std::vector<Run> &all() {
        static auto *const runs = new std::vector<Run>; // never destroyed: Python may have ended by then
        return *runs;
    }
    // Memory of numpy's may lie elsewhere.
    static bool is_same(DRI_Operand a, DRI_Operand b) {
        a.data = b.data = nullptr;
        return std::memcmp(&a, &b, sizeof a) == 0;
    }
    // Comparing runs code of Python, in which other threads may come here.
    static std::vector<Run> alike(const RawOperands &raw) {
        std::vector<Run> found;
        for (const Run &one : all())
            if (std::equal(raw.begin(), raw.end(), one.raw.begin(), one.raw.end(), is_same))
                found.push_back(one);
        return found;
    }
    static bool has(const RawOperands &raw, const py::object &function) {
        for (const Run &one : alike(raw))
            if (one.function.equal(function))
                return true;
        return false;
    }
    static void insert(const RawOperands &raw, const py::object &function) {
        if (all().size() == most) // the arrays of the oldest one may have ended
            all().erase(all().begin());
        all().push_back({raw, function});
    }
    // A loop has one run at a time.
    static void erase(const RawOperands &raw, const py::object &function) {
        for (const Run &one : alike(raw))
            if (one.function.equal(function))
                std::erase_if(all(), [&](const Run &kept) { return kept.function.is(one.function) &&
                    std::equal(raw.begin(), raw.end(), kept.raw.begin(), kept.raw.end(), is_same); });
    }
};

} // namespace dri_python
