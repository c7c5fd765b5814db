// Turns failures into codes and messages, and calls the user's error handler.
#include "api/guard.hpp"

#include "api/forked.hpp"
#include "base/failures.hpp"
#include "base/printable.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <string>

namespace dri::api {

namespace {

// The message of this thread's last failure. Destructors of the program's static objects may fail after those of
// the thread; their message is never freed.
thread_local bool thread_has_ended = false;
struct OwnMessage {
    std::string text;
    OwnMessage() = default;
    OwnMessage(const OwnMessage &) = delete;
    OwnMessage &operator=(const OwnMessage &) = delete;
    ~OwnMessage() { thread_has_ended = true; }
};
thread_local OwnMessage own_message;
thread_local std::string *late_message = nullptr;

std::string &last_message() {
    if (!thread_has_ended)
        return own_message.text;
    if (!late_message)
        late_message = new std::string();
    return *late_message;
}

// Whether this thread runs the handler. A call that fails inside the handler does not call it again.
thread_local bool in_handler = false;

std::atomic<int> own_rank = no_rank;

std::mutex handler_mutex;
DRI_Error_handler handler = nullptr;
void *handler_context = nullptr;

// A failing call inside the handler changes the thread's message. The handler's argument must stay valid
// nevertheless, and afterwards the message must be that of the first failure.
void call_handler(DRI_Error_handler fn, void *context, int code) noexcept {
    std::string message;
    try {
        message = last_message();
    } catch (...) {
        message.swap(last_message()); // no memory for a copy
    }
    in_handler = true;
    fn(code, message.c_str(), context);
    in_handler = false;
    last_message().swap(message);
}

// Calls the user's handler for the failure whose message is recorded, and returns the code. The handler runs
// without the lock, so that it may call the library. The end of a stream is a result and no failure, so it does
// not reach the handler.
int tell_handler(int code) noexcept {
    ++thread_failures.count;
    // In a forked child, a thread of the parent may have held the lock for ever.
    if (in_handler || thread_failures.quiet > 0 || code == DRI_END_OF_STREAM || is_forked())
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

} // namespace

void set_rank(int rank) noexcept { own_rank.store(rank, std::memory_order_relaxed); }

const char *last_error_message() noexcept { return last_message().c_str(); }

void set_error_handler(DRI_Error_handler fn, void *context) {
    if (is_forked())
        return;
    const std::lock_guard lock(handler_mutex);
    handler = fn;
    handler_context = context;
}

// Must not fail itself: without memory for the error or its message, the code alone is reported.
int record_failure(const char *call) noexcept {
    int code = DRI_ERR_MEMORY;
    try {
        const Error error = current_error();
        code = error.code();
        std::string who;
        if (const int rank = own_rank.load(std::memory_order_relaxed); rank != no_rank && !is_forked())
            who = fmt::format(" on process {}", rank);
        last_message() = fmt::format("{}{}: {}", call, who, error.what());
    } catch (...) {
        last_message().clear(); // no memory for the message; the code is still returned
    }
    return tell_handler(code);
}

// The message is the user's. It may be the recorded one, so it is copied before that is replaced.
int report_failure(int code, const char *message) noexcept {
    try {
        last_message() = printable_lines(message);
    } catch (...) {
        last_message().clear();
    }
    return tell_handler(code);
}

void require_pointer(const void *pointer, const char *name) {
    if (!pointer)
        fail(DRI_ERR_ARG, "{} is NULL", name);
}

} // namespace dri::api
