// The handle of an endpoint, with one owner.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/xfer.h>

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// Endpoints whose destructor could not destroy them yet: a source whose last frame waits for the sink of its own
// process. They are destroyed after the next endpoint of their transfer. Never freed, as static objects may be
// destroyed later.
struct LeftEndpoints {
    std::mutex mutex;
    std::vector<DRI_Xfer> handles;

    static LeftEndpoints &all() {
        static auto &one = *new LeftEndpoints();
        return one;
    }
    void add(DRI_Xfer handle) {
        const std::lock_guard lock(mutex);
        handles.push_back(handle);
    }
    // Those of that transfer, which are the caller's now. Others that no longer exist are left out for good.
    std::vector<DRI_Xfer> take(const char *name) {
        const std::lock_guard lock(mutex);
        std::vector<DRI_Xfer> taken, others;
        DRI_Xfer_description description;
        for (const DRI_Xfer handle : handles)
            if (DRI_xfer_get_description(handle, &description, nullptr, nullptr) == DRI_SUCCESS)
                (std::strcmp(description.name, name) == 0 ? taken : others).push_back(handle);
        handles.swap(others);
        return taken;
    }
    bool any() {
        const std::lock_guard lock(mutex);
        return !handles.empty();
    }
};

// The end of an endpoint. It throws, and then has destroyed nothing, unless it is to be quiet.
inline int destroy_endpoint(DRI_Xfer handle) {
    DRI_Xfer_description description{};
    const bool others = LeftEndpoints::all().any();
    if (others)
        DRI_xfer_get_description(handle, &description, nullptr, nullptr);
    const int code = DRI_xfer_destroy(&handle);
    if (code == DRI_SUCCESS && others)
        for (DRI_Xfer left : LeftEndpoints::all().take(description.name))
            if (DRI_xfer_destroy(&left) == DRI_ERR_STATE)
                LeftEndpoints::all().add(left);
    return code;
}

class XferHandle {
public:
    constexpr XferHandle() = default;
    explicit XferHandle(DRI_Xfer handle) noexcept : handle_(handle) {}
    XferHandle(XferHandle &&other) noexcept : handle_(std::exchange(other.handle_, DRI_Xfer{})) {}
    XferHandle &operator=(XferHandle &&other) noexcept {
        if (this != &other) {
            destroy_quietly();
            handle_ = std::exchange(other.handle_, DRI_Xfer{});
        }
        return *this;
    }
    ~XferHandle() { destroy_quietly(); }

    DRI_Xfer get() const noexcept { return handle_; }
    DRI_Xfer *out() noexcept { return &handle_; }
    void give_up() noexcept { handle_ = DRI_Xfer{}; } // it is another one's from now on

    void destroy() {
        check(destroy_endpoint(handle_));
        handle_ = DRI_Xfer{};
    }

    void abandon() {
        if (handle_.id != 0)
            check(DRI_xfer_abandon(&handle_)); // sets it to null
    }

private:
    void destroy_quietly() noexcept {
        if (handle_.id == 0 || !library_runs())
            return;
        try {
            if (destroy_endpoint(handle_) == DRI_ERR_STATE)
                LeftEndpoints::all().add(handle_);
        } catch (...) { // no memory for a list: the endpoint lasts until the library ends
        }
    }

    DRI_Xfer handle_{};
};

} // namespace detail

} // namespace v1
} // namespace dri
