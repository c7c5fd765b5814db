// Turns failures into codes and messages, and implements the calls of codes.h.
#include "api/guard.hpp"

#include "api/forked.hpp"
#include "api/state.hpp"

#include <mutex>
#include <new>
#include <string>

namespace dri::api {

namespace {

thread_local std::string last_message;
// Whether this thread runs the handler. A call that fails inside the handler does not call it again.
thread_local bool in_handler = false;

std::mutex handler_mutex;
DRI_Error_handler handler = nullptr;
void *handler_context = nullptr;

// A failing call inside the handler changes the thread's message. The handler's argument must stay valid
// nevertheless, and afterwards the message must be that of the first failure.
void call_handler(DRI_Error_handler fn, void *context, int code) noexcept {
    std::string message;
    try {
        message = last_message;
    } catch (...) {
        message.swap(last_message); // no memory for a copy
    }
    in_handler = true;
    fn(code, message.c_str(), context);
    in_handler = false;
    last_message.swap(message);
}

} // namespace

// Must not fail itself: without memory for the message, the code alone is reported. The handler runs without the
// lock, so that it may call the library. The end of a stream is a result and no failure, so it does not reach the
// handler.
int record_failure(const char *call) noexcept {
    int code = DRI_ERR_INTERNAL;
    try {
        const Error error = current_error();
        code = error.code();
        std::string who;
        if (session_runs())
            who = fmt::format(" on process {}", session()->rank());
        last_message = fmt::format("{}{}: {}", call, who, error.what());
    } catch (...) {
        last_message.clear(); // no memory for the message; the code is still returned
    }
    if (in_handler || code == DRI_END_OF_STREAM)
        return code;
    DRI_Error_handler fn;
    void *context;
    {
        const std::lock_guard lock(handler_mutex);
        fn = handler;
        context = handler_context;
    }
    if (fn)
        call_handler(fn, context, code);
    return code;
}

void renew_handler_lock() noexcept { renew(handler_mutex); }

void require_pointer(const void *pointer, const char *name) {
    if (!pointer)
        fail(DRI_ERR_ARG, "{} is NULL", name);
}

} // namespace dri::api

extern "C" {

const char *DRI_error_message(void) { return dri::api::last_message.c_str(); }

int DRI_set_error_handler(DRI_Error_handler fn, void *context) {
    const std::lock_guard lock(dri::api::handler_mutex);
    dri::api::handler = fn;
    dri::api::handler_context = context;
    return DRI_SUCCESS;
}

const char *DRI_error_string(int code) {
    switch (code) {
    case DRI_SUCCESS: return "DRI_SUCCESS";
    case DRI_ERR_ARG: return "DRI_ERR_ARG";
    case DRI_ERR_HANDLE: return "DRI_ERR_HANDLE";
    case DRI_ERR_STATE: return "DRI_ERR_STATE";
    case DRI_ERR_CONSTRAINT: return "DRI_ERR_CONSTRAINT";
    case DRI_ERR_OVERLAP: return "DRI_ERR_OVERLAP";
    case DRI_ERR_GAP: return "DRI_ERR_GAP";
    case DRI_ERR_MISMATCH: return "DRI_ERR_MISMATCH";
    case DRI_ERR_UNMATCHED: return "DRI_ERR_UNMATCHED";
    case DRI_ERR_OVERFLOW: return "DRI_ERR_OVERFLOW";
    case DRI_ERR_MEMORY: return "DRI_ERR_MEMORY";
    case DRI_ERR_LIMIT: return "DRI_ERR_LIMIT";
    case DRI_ERR_TIMEOUT: return "DRI_ERR_TIMEOUT";
    case DRI_ERR_PEER: return "DRI_ERR_PEER";
    case DRI_ERR_DEADLOCK: return "DRI_ERR_DEADLOCK";
    case DRI_ERR_TRANSPORT: return "DRI_ERR_TRANSPORT";
    case DRI_ERR_UNSUPPORTED: return "DRI_ERR_UNSUPPORTED";
    case DRI_ERR_INTERNAL: return "DRI_ERR_INTERNAL";
    case DRI_END_OF_STREAM: return "DRI_END_OF_STREAM";
    default: return "unknown DRI code";
    }
}
}
