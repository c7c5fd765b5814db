// Runs of loops that have not ended.
#pragma once

#include "ends.hpp"
#include "interrupts.hpp"

#include <dri/loop.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace dri_python {

// The operands of a loop as C has them, the target first; none is all zero.
using RawOperands = std::vector<DRI_Operand>;

// Runs that have timed out, or were interrupted. The same call goes on with one, though its kernel is another
// object: an equal function, on the same operands. The library refuses others.
class UnfinishedRuns {
public:
    // Calls call(), which has the context, until it has ended, or the time has. The library remembers contexts by
    // address, but this one may be another kernel's later. A run that has not ended has that of its function
    // instead. Guard: of each slice.
    template <class Guard = HeldInterrupts, class Call>
    static void go_on(DRI_Loop loop, const RawOperands &raw, const py::object &function, void *context,
                      double seconds, Call &&call) {
        py::object known = all().empty() ? py::object() : find(raw, function);
        Thrown thrown; // while the core was computed; it is raised when the run has ended
        if (known) {
            check(DRI_loop_set_context(loop, context));
            thrown = thrown_in(raw, known);
        }
        bool has_started = static_cast<bool>(known);
        const auto keep = [&] {
            if (known)
                erase(raw, known);
            else
                known = function;
            insert(raw, known, std::move(thrown));
            check(DRI_loop_set_context(loop, known.ptr()));
        };
        int code = DRI_ERR_TIMEOUT;
        try {
            code = wait_in_slices<Guard>(seconds, thrown, [&] {
                has_started = true;
                return call();
            });
        } catch (const py::error_already_set &) { // Ctrl-C
            if (has_started)
                keep();
            throw;
        }
        const bool is_of_the_function = thrown.exception && thrown.code == code;
        // A known run that is refused is still under way.
        if (!is_of_the_function && (code == DRI_ERR_TIMEOUT || (known && code == DRI_ERR_STATE))) {
            keep();
        } else {
            if (known)
                erase(raw, known);
            give_back(std::move(thrown));
        }
        check(code);
    }

private:
    static constexpr size_t most = 64;
    struct Run {
        RawOperands raw;
        py::object function;
        Thrown thrown{};
        // Memory of numpy's may lie elsewhere.
        bool is_of(const RawOperands &other) const {
            return std::equal(raw.begin(), raw.end(), other.begin(), other.end(),
                              [](DRI_Operand a, DRI_Operand b) {
                                  a.data = b.data = nullptr;
                                  return std::memcmp(&a, &b, sizeof a) == 0;
                              });
        }
    };
    static std::vector<Run> &all() {
        static auto *const runs = new std::vector<Run>; // never destroyed: Python may have ended by then
        return *runs;
    }
    // The function of the run that this call goes on with; none: it is another call. Comparing runs code of
    // Python, in which other threads may come here.
    static py::object find(const RawOperands &raw, const py::object &function) {
        std::vector<py::object> alike;
        for (const Run &one : all())
            if (one.is_of(raw))
                alike.push_back(one.function);
        for (py::object &one : alike)
            if (py::module_::import("dri._same").attr("is_same")(one, function).cast<bool>())
                return std::move(one);
        return {};
    }
    static void insert(const RawOperands &raw, const py::object &function, Thrown thrown) {
        if (all().size() == most) // the arrays of the oldest one may have ended
            all().erase(all().begin());
        all().push_back({raw, function, std::move(thrown)});
    }
    static Thrown thrown_in(const RawOperands &raw, const py::object &function) {
        for (Run &one : all())
            if (one.function.is(function) && one.is_of(raw))
                return std::move(one.thrown);
        return {};
    }
    static void erase(const RawOperands &raw, const py::object &function) {
        std::erase_if(all(), [&](const Run &one) { return one.function.is(function) && one.is_of(raw); });
    }
};

} // namespace dri_python
