// Turns failures into codes and messages that name the call and the process.
#include "outer/calls.hpp"

#include <dri/env.h>

#include <algorithm>

namespace dri::outer {

namespace {

// " on process 2", or nothing if the library does not run.
std::string where() {
    int runs = 0, rank = 0;
    if (DRI_initialized(&runs) != DRI_SUCCESS || !runs || DRI_world_rank(&rank) != DRI_SUCCESS)
        return "";
    return fmt::format(" on process {}", rank);
}

} // namespace

int report(const char *call) noexcept {
    int code = DRI_ERR_MEMORY;
    try {
        try {
            throw;
        } catch (const AlreadyReported &failed) {
            return failed.code;
        } catch (...) {
            const Error error = current_error();
            code = error.code();
            return DRI_fail(code, fmt::format("{}{}: {}", call, where(), error.what()).c_str());
        }
    } catch (...) {
        return DRI_fail(code, ""); // no memory for the message
    }
}

void require_library() {
    int runs = 0;
    require(DRI_initialized(&runs));
    if (!runs)
        fail(DRI_ERR_STATE,
             "the library is not running: this call must come after DRI_init and before DRI_finalize");
}

void require_pointer(const void *pointer, const char *name) {
    if (!pointer)
        fail(DRI_ERR_ARG, "{} is NULL", name);
}

void give_text(const std::string &made, char *text, size_t n) {
    require_pointer(text, "text");
    if (n == 0)
        fail(DRI_ERR_ARG, "n is 0, but the text ends with a NUL byte");
    const size_t length = std::min(made.size(), n - 1);
    std::copy_n(made.begin(), length, text);
    text[length] = '\0';
}

} // namespace dri::outer
