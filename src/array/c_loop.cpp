// The calls of loop.h that make and execute loops.
#include "array/call_check.hpp"
#include "array/elementwise.hpp"
#include "array/recent_loops.hpp"
#include "outer/any_array.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>

namespace dri::array {

namespace {

std::shared_ptr<LoopObject> loop_of(const GivenOperands &given) {
    const bool is_complete = given.nreads <= 0 || given.reads;
    if (is_complete && !compares_calls())
        if (auto found = RecentLoops::all().find(given))
            return found;
    const Statement statement(given.target, given.nreads, given.reads);
    auto made = std::make_shared<LoopObject>(statement);
    RecentLoops::all().insert(given, statement, made);
    return made;
}

// Makes a loop and runs it. It rests afterwards, unless it has timed out and the caller wants its handle.
template <class Run> void do_once(const GivenOperands &given, DRI_Loop *unfinished, Run &&run) {
    if (unfinished)
        *unfinished = {};
    outer::require_library();
    const auto loop = loop_of(given);
    struct Rest {
        LoopObject *loop;
        ~Rest() {
            if (loop)
                loop->rest();
        }
    } rest{loop.get()};
    try {
        run(*loop);
    } catch (const outer::AlreadyReported &failed) {
        if (failed.code == DRI_ERR_TIMEOUT && unfinished) {
            *unfinished = LoopObjects::insert(loop);
            rest.loop = nullptr;
        }
        throw;
    }
}

} // namespace

} // namespace dri::array

extern "C" {

int DRI_loop_create(const DRI_Operand *target, int nreads, const DRI_Operand reads[], DRI_Loop *loop) {
    return dri::outer::run("DRI_loop_create", [&] {
        DRI_Loop &made = dri::outer::null_handle(loop, "loop");
        made = dri::array::LoopObjects::insert(dri::array::loop_of({target, nreads, reads}));
    });
}

int DRI_loop_run(DRI_Loop loop, DRI_Kernel kernel, void *context) {
    return dri::outer::run("DRI_loop_run", [&] { dri::array::LoopObjects::get(loop)->run(kernel, context); });
}

int DRI_loop_reduce(DRI_Loop loop, DRI_Kernel kernel, void *context, DRI_Type type, int count, DRI_Op op,
                    void *result) {
    return dri::outer::run("DRI_loop_reduce", [&] {
        dri::array::LoopObjects::get(loop)->reduce(kernel, context, type, count, op, result);
    });
}

int DRI_loop_do(const DRI_Operand *target, int nreads, const DRI_Operand reads[], DRI_Kernel kernel, void *context,
                DRI_Loop *unfinished) {
    return dri::outer::run("DRI_loop_do", [&] {
        dri::array::do_once({target, nreads, reads}, unfinished, [&](auto &loop) { loop.run(kernel, context); });
    });
}

int DRI_loop_do_reduce(int nreads, const DRI_Operand reads[], DRI_Kernel kernel, void *context, DRI_Type type,
                       int count, DRI_Op op, void *result, DRI_Loop *unfinished) {
    return dri::outer::run("DRI_loop_do_reduce", [&] {
        dri::array::do_once({nullptr, nreads, reads}, unfinished,
                            [&](auto &loop) { loop.reduce(kernel, context, type, count, op, result); });
    });
}

int DRI_loop_set_context(DRI_Loop loop, void *context) {
    return dri::outer::run("DRI_loop_set_context",
                           [&] { dri::array::LoopObjects::get(loop)->set_context(context); });
}

int DRI_loop_kernel(DRI_Op op, DRI_Type type, DRI_Kernel *kernel, void **context, DRI_Type *result) {
    return dri::outer::run("DRI_loop_kernel", [&] {
        dri::outer::require_library();
        dri::outer::require_pointer(kernel, "kernel");
        dri::outer::require_pointer(context, "context");
        const dri::array::Operation found = dri::array::operation_of(op, type);
        *kernel = dri::array::run_operation;
        *context = const_cast<void *>(static_cast<const void *>(found.rows));
        if (result)
            *result = found.result;
    });
}

int DRI_loop_explain(DRI_Loop loop, char *text, size_t n) {
    return dri::outer::run("DRI_loop_explain", [&] {
        const auto found = dri::array::LoopObjects::get(loop);
        dri::outer::give_text(found->plan().explain(), text, n);
    });
}

int DRI_loop_destroy(DRI_Loop *loop) {
    return dri::outer::run("DRI_loop_destroy", [&] {
        dri::outer::require_pointer(loop, "loop");
        dri::outer::require_library();
        const auto gone = dri::array::LoopObjects::table().take(*loop);
        *loop = {};
        gone->rest();
    });
}
}
