// Plans: commit, frames, and what they tell.
#include "graph.hpp"

#include <algorithm>

namespace dri_python {

namespace {

py::tuple names(const char *const *all, int n) {
    py::tuple made(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i)
        made[static_cast<size_t>(i)] = py::str(all[i]);
    return made;
}

py::tuple operations(const DRI_Operation *all, int n) {
    py::tuple made(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i)
        made[static_cast<size_t>(i)] = described(all[i]);
    return made;
}

template <typename Get> py::tuple all_operations(Get get) {
    int n = 0;
    check(get(0, nullptr, &n));
    std::vector<DRI_Operation> found(static_cast<size_t>(n));
    check(get(n, found.data(), &n));
    return operations(found.data(), n);
}

// (pid, needed, recvs, sends, inputs, part inputs, outputs) of each part.
py::list parts(const Plan &plan) {
    int n = 0;
    check(DRI_plan_num_parts(plan.handle(), &n));
    py::list made;
    for (int pid = 0; pid < n; ++pid) {
        const DRI_Graph_part *part = nullptr;
        check(DRI_plan_get_part(plan.handle(), pid, &part));
        made.append(
            py::make_tuple(part->pid, tuple_of(part->needed, part->nneeded), operations(part->recvs, part->nrecvs),
                           operations(part->sends, part->nsends), names(part->inputs, part->ninputs),
                           names(part->part_inputs, part->npart_inputs), names(part->outputs, part->noutputs)));
    }
    return made;
}

py::tuple batch(const Plan &plan, int number) {
    return all_operations([&](int most, DRI_Operation *found, int *n) {
        return DRI_plan_get_batch(plan.handle(), number, most, found, n);
    });
}

py::tuple needs(const Plan &plan, int src, int dest, const std::string &tag) {
    const DRI_Operation operation{src, dest, tag.c_str(), {}, nullptr};
    return all_operations([&](int most, DRI_Operation *found, int *n) {
        return DRI_plan_get_needs(plan.handle(), operation, most, found, n);
    });
}

int part_of(const Plan &plan, DRI_Node node) {
    int pid = -1;
    check(DRI_plan_part_of(plan.handle(), node, &pid));
    return pid;
}

py::object name_of(const Plan &plan, DRI_Node node) {
    const char *name = nullptr;
    check(DRI_plan_get_name(plan.handle(), node, &name));
    return name ? py::object(py::str(name)) : py::none();
}

py::str describe(const Plan &plan) {
    std::string text(4096, '\0');
    for (;;) {
        check(DRI_plan_describe(plan.handle(), text.data(), text.size()));
        const size_t end = text.find('\0');
        if (end + 1 < text.size())
            return py::str(text.data(), end);
        text.assign(4 * text.size(), '\0');
    }
}

py::tuple spread(const DRI_Spread &one) { return py::make_tuple(one.p50, one.p99, one.max); }

// frames, calls, waits, copies, their sums, what was waited for longest, and for how long.
py::tuple times(const Plan &plan, int pid) {
    DRI_Part_times found{};
    check(DRI_plan_get_times(plan.handle(), pid, &found));
    const py::object longest = found.longest.tag ? py::object(described(found.longest)) : py::none();
    return py::make_tuple(found.frames, spread(found.call_seconds), spread(found.wait_seconds),
                          spread(found.copy_seconds), found.total_call, found.total_wait, found.total_copy,
                          longest, found.longest_seconds);
}

// The same size twice: times that are drawn may change it in between, so the text is asked for until it fits.
py::str draw(const Plan &plan) {
    std::string text;
    size_t needed = 1 << 16;
    do {
        text.assign(needed, '\0');
        check(unlocked([&] { return DRI_plan_draw(plan.handle(), text.data(), text.size(), &needed); }));
    } while (needed > text.size()); // alike on all processes
    return py::str(text.data(), text.find('\0'));
}

constexpr double usual_slice = 0.25; // in seconds: after so long a wait looks for signals

// Calls with other threads of Python's running meanwhile, if there are any: the lock takes as long as a short
// frame. slice: of each wait, in seconds. A thread that begins meanwhile, as one that a function of the plan
// starts, may wait for the end of a slice. So a slice that is longer than usual is waited for without the lock.
template <typename Call> int called(double slice, Call call) {
    PyThreadState *const own = PyThreadState_Get();
    const bool is_alone = PyInterpreterState_ThreadHead(own->interp) == own && !PyThreadState_Next(own);
    return is_alone && slice <= usual_slice ? call() : unlocked(call);
}

// A plan as its runner holds it.
struct RunnerOf {
    Plan *plan;
    py::object owner;
};

// A frame may take less than what pybind11 does for a call, so this is a plain function of Python's.
PyObject *run_plan(PyObject *capsule, PyObject *) {
    auto *const of = static_cast<RunnerOf *>(PyCapsule_GetPointer(capsule, nullptr));
    const int code = of->plan->run_once();
    if (code == DRI_SUCCESS)
        Py_RETURN_NONE;
    return PyObject_CallMethod(of->owner.ptr(), "end_run", "i", code);
}

PyMethodDef run_frame_method{"run", run_plan, METH_NOARGS, "Run one frame. Collective over its partners."};

// A function that runs one frame. It keeps the plan.
py::object runner(const py::object &owner) {
    auto *const of = new RunnerOf{owner.cast<Plan *>(), owner};
    const py::capsule capsule(of, [](void *held) { delete static_cast<RunnerOf *>(held); });
    return py::reinterpret_steal<py::object>(PyCFunction_New(&run_frame_method, capsule.ptr()));
}

} // namespace

py::tuple described(const DRI_Operation &operation) {
    const py::object name = operation.name ? py::object(py::str(operation.name)) : py::none();
    return py::make_tuple(operation.src, operation.dest, py::str(operation.tag), name);
}

void Plan::commit(int frames, bool is_stream, double seconds, int64_t slice_ms, bool progress_thread) {
    DRI_Plan_options options{};
    options.frames = frames;
    options.stream = is_stream;
    options.timeout_ms = small_number(slice_ms);
    options.progress_thread = progress_thread;
    check(unlocked([&] { return DRI_plan_commit(handle(), &options); }));
    frames_ = frames;
    seconds_ = seconds;
    slice_ = static_cast<double>(slice_ms) / 1000;
}

void Plan::set_input(const std::string &name, const py::array &data) {
    check(DRI_plan_set_input(handle(), name.c_str(), data.data()));
    kept_->memory->inputs[py::str(name)] = data;
}

// As wait_in_slices, but `seconds` are those of one wait: a call may go through many. A wait is a new one if the
// progress is not what was known, or if the call took clearly longer than `wait`, after which it times out. code:
// of the first call.
template <typename Call, typename Progress>
int Plan::repeat(int code, Call call, double wait, int64_t known, Progress progress) const {
    using Clock = std::chrono::steady_clock;
    constexpr double rounding = 0.002, late = 0.01;
    double waited = 0, took = wait;
    while (code == DRI_ERR_TIMEOUT && !kept_->raised->error) {
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        const int64_t now = progress();
        const bool is_new = now != known || took > 1.1 * wait + late;
        waited = is_new ? std::min(took, slice_) : waited + took;
        known = now;
        if (waited + rounding >= seconds_)
            break;
        const Clock::time_point start = Clock::now();
        code = call();
        took = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return code;
}

// A plan without parts has done none.
int64_t Plan::frames_done() const {
    DRI_Part_times found{};
    return DRI_plan_get_times(handle(), 0, &found) == DRI_SUCCESS ? found.frames : 0;
}

// A function's own exception leaves the run as it was raised.
void Plan::raise_failure(int code) {
    if (kept_->raised->error) {
        py::error_already_set error = std::move(*kept_->raised->error);
        kept_->raised->error.reset();
        throw error;
    }
    check(code);
}

int Plan::run_once() {
    kept_->raised->error.reset();
    calls_before_ = kept_->raised->calls;
    return run_frame();
}

int Plan::run_frame() {
    return called(slice_, [this] { return DRI_plan_run(handle()); });
}

void Plan::end_run(int code) {
    raise_failure(repeat(
        code, [this] { return run_frame(); }, slice_, calls_before_, [this] { return kept_->raised->calls; }));
}

// Frames in flight are polled for a slice before the oldest is waited for.
void Plan::stream(int64_t most) {
    kept_->raised->error.reset();
    const int64_t first = frames_done();
    int64_t done = 0;
    const auto call = [&] {
        return unlocked([&] { return DRI_plan_stream(handle(), most < 0 ? most : most - done); });
    };
    const auto progress = [&] {
        done = frames_done() - first;
        return done + kept_->raised->calls;
    };
    const int64_t known = progress();
    raise_failure(repeat(call(), call, frames_ > 1 ? 2 * slice_ : slice_, known, progress));
}

uintptr_t Plan::output(const std::string &name) const {
    const void *data = nullptr;
    check(DRI_plan_get_output(handle(), name.c_str(), &data));
    return reinterpret_cast<uintptr_t>(data);
}

void Plan::destroy() {
    check(unlocked([this] { return DRI_plan_destroy(plan_.put()); }));
}

void bind_graph_plans(py::module_ &module) {
    module.attr("usual_slice") = usual_slice;
    py::class_<Plan>(module, "Plan")
        .def("commit", &Plan::commit)
        .def("set_input", &Plan::set_input)
        .def("runner", runner)
        .def("end_run", &Plan::end_run)
        .def("stream", &Plan::stream)
        .def("output", &Plan::output)
        .def("destroy", &Plan::destroy)
        .def("parts", parts)
        .def("batch", batch)
        .def("needs", needs)
        .def("part_of", part_of)
        .def("name_of", name_of)
        .def("describe", describe)
        .def("times", times)
        .def("draw", draw);
}

} // namespace dri_python
