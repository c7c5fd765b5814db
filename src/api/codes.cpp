// The calls of codes.h: the names of codes, the last message, and the error handler.
#include "api/guard.hpp"

#include "base/error.hpp"
#include "base/printable.hpp"

extern "C" {

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
    case DRI_ERR_CYCLE: return "DRI_ERR_CYCLE";
    case DRI_ERR_DUPLICATE: return "DRI_ERR_DUPLICATE";
    default: return "unknown DRI code";
    }
}

const char *DRI_error_message(void) { return dri::api::last_error_message(); }

int DRI_set_error_handler(DRI_Error_handler fn, void *context) {
    dri::api::set_error_handler(fn, context);
    return DRI_SUCCESS;
}

int DRI_fail(int code, const char *message) {
    // The caller's message is kept in the message about the wrong call, because nothing else would report it.
    if (!message || !dri::is_failure(code))
        return dri::api::guard("DRI_fail", [&] {
            dri::api::require_pointer(message, "message");
            dri::fail(DRI_ERR_ARG, "code is {}, but must be a failure of DRI_Code; the message is: {}", code,
                      dri::printable_lines(message));
        });
    return dri::api::report_failure(code, message);
}
}
