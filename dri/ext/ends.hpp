// One endpoint of this process. Python owns the object; nothing but destroy() and the end of the library ends the
// endpoint, because garbage collection must not tell other processes anything.
#pragma once

#include "handles.hpp"

#include <chrono>
#include <limits>

namespace dri_python {

constexpr double for_ever = std::numeric_limits<double>::infinity();

// A guard of calls that call no function of Python's.
struct HearsSignals {
    static constexpr bool holds_signals = false;
};

// Repeats a call that timed out after its slice, until `seconds` have passed. Between slices Python sees signals.
// Guard: made for each slice. thrown: receives what a function has thrown, in this call or when it timed out
// before.
template <typename Guard, typename Call> int wait_in_slices(double seconds, Thrown &thrown, Call call) {
    using Clock = std::chrono::steady_clock;
    constexpr double rounding = 0.002;
    const Clock::time_point start = Clock::now();
    for (;;) {
        int code = DRI_SUCCESS;
        {
            [[maybe_unused]] const Guard guard;
            if (Guard::holds_signals && PyErr_CheckSignals() != 0) // one that came before
                throw py::error_already_set();
            const Unlocked unlocked;
            code = call();
        }
        if (Thrown now = take_thrown(); now.exception)
            thrown = std::move(now);
        if (code != DRI_ERR_TIMEOUT || (thrown.exception && thrown.code == code))
            return code;
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        if (std::chrono::duration<double>(Clock::now() - start).count() + rounding >= seconds)
            return code;
    }
}

template <typename Call> int wait_in_slices(double seconds, Call call) {
    Thrown thrown;
    const int code = wait_in_slices<HearsSignals>(seconds, thrown, call);
    give_back(std::move(thrown));
    return code;
}

template <typename Call> int unlocked(Call call) {
    const Unlocked others_run;
    return call();
}

class End {
public:
    // layout: as in make_layout. buffers: addresses, or 0 where the library provides one. strips: -1, or a
    // dimension.
    End(const std::string &name, int role, const Distribution &dist, const py::tuple &layout,
        const py::list &buffers, int strips);
    ~End();
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    DRI_Xfer handle() const { return xfer_; }
    double seconds() const { return seconds_; }
    bool is_sink() const { return is_sink_; }
    uintptr_t last_buffer() const { return last_buffer_; } // of rebind(); 0 before

    void set_attribute(int attribute, int64_t value);
    void set_scale(double scale) { check(DRI_xfer_set_scale(xfer_, scale)); }
    void set_timeout(double seconds, int64_t slice_ms);
    void destroy();
    void abandon(); // waits for nobody
    void rebase(const py::tuple &offset);
    void rebind(const py::array &memory);
    void refer_to(const py::array &memory); // the buffer, and the view of it

    py::list addresses() const;
    // A capsule that keeps the library's buffers as long as it lives.
    py::capsule keep() const;
    void set_views(const py::list &views);
    void forget_views();
    // The view of the buffer to work on.
    py::object current();
    py::object view_at(const void *address);

    // Frames of a sink are counted from 0. The caller holds those from released() to extracted() - 1.
    int64_t extracted() const { return extracted_; }
    int64_t released() const { return released_; }
    // Around a call that releases the oldest frame and takes the next one, which may be interrupted and repeated.
    void begin_next();
    void end_next(int code);
    void count_extracted() { ++extracted_; }
    void count_released() { ++released_; }

private:
    DRI_Xfer xfer_{};
    bool is_sink_;
    uintptr_t last_buffer_ = 0;
    double seconds_ = for_ever;
    std::vector<const void *> addresses_;
    std::vector<py::object> views_;
    size_t last_ = 0; // where the view was that was asked for last
    int64_t extracted_ = 0, released_ = 0;
    bool is_pending_ = false, has_released_ = false;
};

} // namespace dri_python
