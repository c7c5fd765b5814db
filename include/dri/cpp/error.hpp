// Errors: every call of this interface that fails throws an Error. Codes and messages are those of the C
// interface.
#pragma once

#include <dri/codes.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace dri {
inline namespace v1 {

// A failed call. Collective calls throw the same code on all processes.
class Error : public std::runtime_error {
public:
    Error(int code, const std::string &message) : std::runtime_error(message), code_(code) {}
    // One of DRI_Code.
    int code() const noexcept { return code_; }
    // Its name, such as "DRI_ERR_ARG".
    const char *name() const noexcept { return DRI_error_string(code_); }

private:
    int code_;
};

// A timeout has passed. Nothing is lost: the same call may be repeated and goes on where it was.
class Timeout : public Error {
public:
    explicit Timeout(const std::string &message) : Error(DRI_ERR_TIMEOUT, message) {}
};

namespace detail {

[[noreturn]] inline void raise(int code, const std::string &message) {
    if (code == DRI_ERR_TIMEOUT)
        throw Timeout(message);
    throw Error(code, message);
}

// Fails with a message of this interface. All failures that the library itself does not detect come from here.
[[noreturn]] inline void fail(int code, const std::string &message) {
    raise(DRI_fail(code, message.c_str()), message);
}

// What a function of the user's threw that the library has called on this thread, and the code that stood for it.
struct Thrown {
    std::exception_ptr what;
    int code = DRI_SUCCESS;
};

inline Thrown &last_thrown() noexcept {
    static thread_local Thrown kept;
    return kept;
}

// Runs a function of the user's for the library, which no exception may pass: it becomes a code and a message.
template <class Call> int guarded(const Call &call) noexcept {
    const auto keep = [](int code, const char *message) {
        last_thrown() = {std::current_exception(), code};
        return DRI_fail(code, message);
    };
    try {
        call();
        return DRI_SUCCESS;
    } catch (const Error &error) {
        return keep(error.code(), error.what());
    } catch (const std::bad_alloc &error) {
        return keep(DRI_ERR_MEMORY, error.what());
    } catch (const std::exception &error) {
        return keep(DRI_ERR_ARG, error.what());
    } catch (...) {
        return keep(DRI_ERR_ARG, "an exception that is no std::exception");
    }
}

// Throws what the user's function has thrown if that is why the call failed.
[[noreturn]] inline void raise_last(int code) {
    const Thrown thrown = std::exchange(last_thrown(), {});
    if (thrown.what && thrown.code == code)
        std::rethrow_exception(thrown.what);
    raise(code, DRI_error_message());
}

inline void check(int code) {
    if (code != DRI_SUCCESS) [[unlikely]]
        raise_last(code);
}

// For calls that may find the end of a stream, which is no failure. Returns false there.
inline bool check_stream(int code) {
    if (code == DRI_SUCCESS) [[likely]]
        return true;
    if (code != DRI_END_OF_STREAM)
        raise_last(code);
    return false;
}

// The user's handler, kept until it is replaced. It is never destroyed: static objects of the program may fail in
// their destructors after those of this header.
inline std::shared_ptr<void> &kept_handler() {
    static auto &handler = *new std::shared_ptr<void>();
    return handler;
}

} // namespace detail

// Fails as the calls of this interface do, for functions that a program builds on them: the handler of on_error()
// sees it, and an Error is thrown. code: a failure of DRI_Code.
[[noreturn]] inline void fail(int code, const std::string &message) { detail::fail(code, message); }

// Registers what is called for every failing call of the library, before the call throws or returns its code.
//
// fn: any callable that takes a code and a message, or nullptr for none. It is kept until it is replaced. It runs
// on the thread of the failing call, may call the library, and must return: an exception in it ends the program.
// Replace it while no other thread is in a call of the library.
//
// Local. May be called at any time.
inline void on_error(std::nullptr_t) {
    detail::check(DRI_set_error_handler(nullptr, nullptr));
    detail::kept_handler() = nullptr;
}

template <class Fn> void on_error(Fn &&fn) {
    using Handler = std::decay_t<Fn>;
    auto handler = std::make_shared<Handler>(std::forward<Fn>(fn));
    const auto call = [](int code, const char *message, void *context) noexcept {
        (*static_cast<Handler *>(context))(code, message);
    };
    detail::check(DRI_set_error_handler(call, handler.get()));
    detail::kept_handler() = std::move(handler);
}

} // namespace v1
} // namespace dri
