// What a call that does not wait has found, and the names of transfers.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/stream.h>

#include <cstring>
#include <string>
#include <string_view>

namespace dri {
inline namespace v1 {

// What a call has found that does not wait. It is no truth value: all three are different.
enum class Status {
    pending, // not yet: call again
    done,    // the frame is complete
    ended    // the stream has ended: no frame follows
};

namespace detail {

inline Status status_of(int code, int done) {
    if (!check_stream(code))
        return Status::ended;
    return done != 0 ? Status::done : Status::pending;
}

// The name of a transfer for a call. It allocates nothing, and copies only what may have no NUL byte at its end.
class Name {
public:
    Name(const char *name) : name_(name) {}
    Name(const std::string &name) : name_(name.c_str()) {}
    Name(std::string_view name) : name_(copy_) {
        if (name.size() > DRI_MAX_NAME)
            fail(DRI_ERR_ARG, "the name of a transfer has " + std::to_string(name.size()) +
                                  " bytes, but may have at most " + std::to_string(int{DRI_MAX_NAME}));
        if (!name.empty())
            std::memcpy(copy_, name.data(), name.size());
        copy_[name.size()] = '\0';
    }
    Name(const Name &) = delete;
    Name &operator=(const Name &) = delete;
    const char *get() const { return name_; }

private:
    const char *name_;
    char copy_[DRI_MAX_NAME + 1];
};

} // namespace detail

} // namespace v1
} // namespace dri
