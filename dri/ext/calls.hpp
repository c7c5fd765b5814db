// The endpoints of a transfer on this process, which its calls move together.
#pragma once

#include "ends.hpp"

#include <algorithm>

namespace dri_python {

class Calls {
public:
    Calls(std::string name, const py::list &ends, bool is_in_place) : name_(std::move(name)) {
        for (const py::handle end : ends) {
            owners_.push_back(py::reinterpret_borrow<py::object>(end));
            ends_.push_back(&end.cast<End &>());
            seconds_ = std::min(seconds_, ends_.back()->seconds());
        }
        if (ends_.size() == 1 || (is_in_place && !ends_.empty()))
            handle_ = ends_.front()->handle();
    }

    // One frame, as DRI_do. The arrays of the sinks are left out.
    void move() {
        begin();
        finish([this] { return DRI_do(name(), handle_); });
    }

    py::object run() {
        move();
        return arrays();
    }

    void start() {
        begin();
        const int code = unlocked([this] { return DRI_start(name(), handle_); });
        if (code != DRI_SUCCESS)
            end(code);
        check(code);
    }

    bool test() {
        int done = 0;
        const int code = unlocked([&] { return DRI_test(name(), handle_, &done); });
        if (code != DRI_SUCCESS || done)
            end(code);
        check(code);
        return done != 0;
    }

    py::object wait() {
        finish([this] { return DRI_wait(name(), handle_); });
        return arrays();
    }

    // The arrays of the sinks: one, a tuple of several, or None.
    py::object arrays() const {
        py::list made;
        for (End *one : ends_)
            if (one->is_sink())
                made.append(one->current());
        if (made.empty())
            return py::none();
        return made.size() == 1 ? py::object(made[0]) : py::tuple(made);
    }

private:
    const char *name() const { return handle_.id ? nullptr : name_.c_str(); }

    void begin() {
        for (End *one : ends_)
            if (one->is_sink())
                one->begin_next();
    }

    void end(int code) {
        for (End *one : ends_)
            if (one->is_sink())
                one->end_next(code);
    }

    template <typename Call> void finish(Call call) {
        const int code = wait_in_slices(seconds_, call);
        end(code);
        check(code);
    }

    std::string name_;
    std::vector<py::object> owners_;
    std::vector<End *> ends_;
    double seconds_ = for_ever;
    DRI_Xfer handle_{};
};

} // namespace dri_python
