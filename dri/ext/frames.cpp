// Frames: the calls of one endpoint, and those of all endpoints of a transfer by name.
#include "calls.hpp"

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

// Releases the oldest frame that the caller holds, if there is one, and extracts the next.
py::object next(End &end, bool releases) {
    if (releases) {
        check(DRI_release(end.handle())); // does not wait
        end.count_released();
    }
    return extract(end);
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

} // namespace

void bind_frames(py::module_ &module) {
    module.def("acquire", acquire);
    module.def("hold", hold);
    module.def("try_acquire", try_acquire);
    module.def("insert", insert);
    module.def("extract", extract);
    module.def("next", next);
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
