// Graphs and plans as Python holds them: the functions of their calls, and the arrays that they name.
#pragma once

#include "ends.hpp"

#include <dri/graph_run.h>

#include <memory>

namespace dri_python {

using GraphHandle = Owned<DRI_Graph, DRI_graph_destroy>;
using PlanHandle = Owned<DRI_Plan, DRI_plan_destroy>;

// An array that a call reads or writes: how it lies, and a view of each of its addresses. The plan has few, but
// the user may give an input any number; then the oldest view is dropped.
class Operand {
public:
    // base: keeps the memory of a plan that broke.
    Operand(const py::tuple &described, bool is_written, py::object base);

    // The view, made once for each address. A reference of the operand's.
    PyObject *view_at(const void *address);

private:
    py::dtype dtype_;
    py::object base_;
    std::vector<py::ssize_t> extents_, strides_;
    bool is_written_;
    static constexpr size_t most_views = 1024; // at least the frames in flight
    std::vector<const void *> addresses_;
    std::vector<py::object> views_;
    size_t oldest_ = 0; // when all places are taken
};

// What a function of a graph learns about its frame. Valid inside the function alone.
class CallState {
public:
    int64_t frame() const { return get().frame; }
    int64_t time_ns() const { return get().about->time_ns; }
    void set_time_ns(const py::object &time_ns);
    double time() const { return static_cast<double>(time_ns()) / 1e9; }
    void set_time(const py::object &seconds);
    py::bytes data() const;
    py::str text() const;
    void set_data(const py::object &data);
    void set_text(const py::object &text);
    void end();

    void begin(DRI_Call *call) { call_ = call, has_ended_ = false; }
    bool finish() { return call_ = nullptr, has_ended_; } // whether it has ended the stream

private:
    DRI_Call &get() const;
    void put(const char *name, const std::string &data);

    DRI_Call *call_ = nullptr;
    bool has_ended_ = false;
};

// The exception of a function, from its call to the end of the run, and how many functions have run.
struct Raised {
    std::unique_ptr<py::error_already_set> error;
    int64_t calls = 0;
};

// A function of Python's as a call of a graph.
class PythonCall {
public:
    // arguments: a number i >= 0 is input i, -1 - i is output i, None is the call itself, and anything else in a
    // tuple of one is passed as it is. The last ones go by the names of keywords.
    PythonCall(py::object function, const py::list &arguments, const py::tuple &keywords, const py::list &outputs,
               const py::list &inputs, const py::object &base, std::shared_ptr<Raised> raised);

    static int run(void *context, DRI_Call *call) noexcept;

private:
    enum class From { input, output, call, constant };
    struct Argument {
        From from;
        size_t at; // of an operand
        py::object value;
    };

    void invoke(DRI_Call *call);
    int keep_error(py::error_already_set &error);

    py::object function_, state_, keywords_;
    std::vector<Argument> arguments_;
    std::vector<Operand> outputs_, inputs_;
    std::vector<PyObject *> values_; // of the arguments, in a call
    std::shared_ptr<Raised> raised_;
};

// What arrays of functions lie in. They outlive a plan that broke, in tracebacks: the graph keeps its memory.
struct CallMemory {
    GraphHandle graph;
    std::vector<py::object> arrays;
    py::dict inputs;
};

// What the graph and its plan need until both are gone.
struct Kept {
    std::vector<std::unique_ptr<PythonCall>> calls;
    std::shared_ptr<CallMemory> memory = std::make_shared<CallMemory>();
    std::shared_ptr<Raised> raised = std::make_shared<Raised>();
};

class Plan {
public:
    Plan(PlanHandle plan, std::shared_ptr<Kept> kept) : kept_(std::move(kept)), plan_(std::move(plan)) {}

    DRI_Plan handle() const { return plan_.get(); }
    void commit(int frames, bool is_stream, double seconds, int64_t slice_ms, bool progress_thread);
    void set_input(const std::string &name, const py::array &data);
    // One frame. Returns the code of DRI_plan_run; one that is no success goes to end_run().
    int run_once();
    // Goes on after a wait that ended for a look at signals, and raises what has failed.
    void end_run(int code);
    void stream(int64_t most);
    uintptr_t output(const std::string &name) const;
    void destroy();

private:
    int run_frame();
    void raise_failure(int code);
    template <typename Call, typename Progress>
    int repeat(int code, Call call, double wait, int64_t known, Progress progress) const;
    int64_t frames_done() const;

    std::shared_ptr<Kept> kept_; // outlives the plan, whose calls are in it
    PlanHandle plan_;
    int frames_ = 1;
    int64_t calls_before_ = 0;              // of functions, before the frame that runs
    double seconds_ = for_ever, slice_ = 0; // of a wait
};

// (src, dest, tag, name) of an operation.
py::tuple described(const DRI_Operation &operation);
// A GDO of (shape, element).
Gdo make_gdo(const py::tuple &shape, const py::tuple &element);

void bind_graph_plans(py::module_ &module);

} // namespace dri_python
