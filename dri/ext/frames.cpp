// Frames: the calls of one endpoint, and those of all endpoints of a transfer by name.
#include "ends.hpp"

#include <algorithm>
#include <cstring>

namespace dri_python {

namespace {

py::object acquire(End &end) {
    void *address = nullptr;
    check(wait_in_slices(end.seconds(), [&] { return DRI_acquire(end.handle(), &address); }));
    return end.view_at(address);
}

// The buffer that the caller holds, else the next one.
py::object hold(End &end) {
    void *address = nullptr;
    check(wait_in_slices(end.seconds(), [&] { return DRI_next(end.handle(), &address); }));
    return end.view_at(address);
}

py::object try_acquire(End &end) {
    void *address = nullptr;
    int done = 0;
    check(unlocked([&] { return DRI_try_acquire(end.handle(), &address, &done); }));
    return done ? end.view_at(address) : py::none();
}

void insert(const End &end, const std::string &data, int64_t time_ns, bool is_stream) {
    DRI_Frame frame{};
    if (data.size() > sizeof frame.data)
        fail(DRI_ERR_ARG, "data has " + std::to_string(data.size()) + " bytes, " +
                              std::to_string(sizeof frame.data) + " at most");
    frame.time_ns = time_ns;
    frame.bytes = static_cast<int32_t>(data.size());
    std::memcpy(frame.data, data.data(), data.size());
    check(unlocked([&] { return DRI_insert(end.handle(), is_stream ? &frame : nullptr); }));
}

// The array, and what came with it: number, time, data, and the count of the frame at this sink.
py::tuple frame_of(End &end, const void *address, const DRI_Frame &frame) {
    py::tuple made = py::make_tuple(
        end.view_at(address), frame.number, frame.time_ns,
        py::bytes(reinterpret_cast<const char *>(frame.data), static_cast<size_t>(frame.bytes)), end.extracted());
    end.count_extracted();
    return made;
}

py::object extract(End &end) {
    void *address = nullptr;
    DRI_Frame frame;
    const int code = wait_in_slices(end.seconds(), [&] { return DRI_extract(end.handle(), &address, &frame); });
    if (code == DRI_END_OF_STREAM)
        return py::none();
    check(code);
    return frame_of(end, address, frame);
}

// None at the end of the stream, False while no frame is there.
py::object try_extract(End &end) {
    void *address = nullptr;
    DRI_Frame frame;
    int done = 0;
    const int code = unlocked([&] { return DRI_try_extract(end.handle(), &address, &frame, &done); });
    if (code == DRI_END_OF_STREAM)
        return py::none();
    check(code);
    return done ? py::object(frame_of(end, address, frame)) : py::bool_(false);
}

void release(End &end) {
    check(unlocked([&] { return DRI_release(end.handle()); }));
    end.count_released();
}

void close_stream(const End &end) {
    check(unlocked([&] { return DRI_xfer_close(end.handle()); }));
}

// The endpoints of a transfer on this process, which its calls move together.
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

    py::object run() {
        begin();
        return finish([this] { return DRI_do(name(), handle_); });
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
        return finish([this] { return DRI_wait(name(), handle_); });
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

    template <typename Call> py::object finish(Call call) {
        const int code = wait_in_slices(seconds_, call);
        end(code);
        check(code);
        return arrays();
    }

    std::string name_;
    std::vector<py::object> owners_;
    std::vector<End *> ends_;
    double seconds_ = for_ever;
    DRI_Xfer handle_{};
};

} // namespace

void bind_frames(py::module_ &module) {
    module.def("acquire", acquire);
    module.def("hold", hold);
    module.def("try_acquire", try_acquire);
    module.def("insert", insert);
    module.def("extract", extract);
    module.def("try_extract", try_extract);
    module.def("release", release);
    module.def("close_stream", close_stream);
    py::class_<Calls>(module, "Calls")
        .def(py::init<std::string, const py::list &, bool>())
        .def("run", &Calls::run)
        .def("start", &Calls::start)
        .def("test", &Calls::test)
        .def("wait", &Calls::wait)
        .def("arrays", &Calls::arrays);
}

} // namespace dri_python
