// Loops: statements over arrays, whose kernel is a function of Python on numpy's views of a box.
#include "ends.hpp"
#include "fused.hpp"
#include "ranges.hpp"
#include "unfinished.hpp"

#include <dri/loop.h>

#include <array>

namespace dri_python {

namespace {

using LoopHandle = Owned<DRI_Loop, DRI_loop_destroy>;

// A read or the target, and the dtype of its elements.
struct Operand {
    DRI_Operand raw{};
    py::dtype dtype;
    py::object keeps; // the array, or plain memory
};

// reach: None, or (left, right) with one number per dimension.
Operand array_operand(const py::object &array, const py::tuple &slice, const py::object &reach,
                      const py::dtype &dtype) {
    Operand made{.dtype = dtype, .keeps = array};
    made.raw.array = array.cast<const Array &>().get();
    for (size_t d = 0; d < slice.size(); ++d)
        made.raw.slice[d] = range_of(slice[d]);
    if (!reach.is_none()) {
        const auto ends = reach.cast<py::tuple>();
        const std::vector<int64_t> left = numbers(ends[0]), right = numbers(ends[1]);
        std::copy(left.begin(), left.end(), made.raw.left);
        std::copy(right.begin(), right.end(), made.raw.right);
    }
    return made;
}

// Memory that is equal on all processes, in a loop of as many dimensions.
Operand memory_operand(const py::array &memory) {
    Operand made{.dtype = memory.dtype(), .keeps = memory};
    made.raw.data = memory.data();
    for (py::ssize_t d = 0; d < memory.ndim(); ++d) {
        made.raw.slice[d] = {0, 1, memory.shape(d)};
        made.raw.steps[d] = memory.shape(d) == 1 ? 0 : memory.strides(d);
    }
    return made;
}

// A kernel in Python: kernel(target, read, ...) on arrays of numpy's. Of a reduction the target has its results.
struct PythonKernel {
    py::object function;
    std::vector<const Operand *> operands; // the target first; nullptr for a reduction
    py::dtype result;                      // of a reduction
    int64_t count = 0;
    bool keeps_boxes = false; // the function changes nothing of the arrays that it gets but elements

    // The arrays of a box that came before. They refer to addresses, and are used for the same ones alone.
    struct Box {
        std::vector<int64_t> at; // sizes, steps and addresses
        py::tuple arrays;
    };
    std::array<Box, 8> boxes;
    size_t next_box = 0;
    std::vector<int64_t> here;

    // Making arrays may run other code of Python, in which another thread comes here: nothing of `boxes` or `here`
    // is referred to across it.
    py::tuple arrays_at(int ndims, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
        if (keeps_boxes) {
            here.assign(sizes, sizes + ndims);
            for (size_t i = 0; i < operands.size(); ++i) {
                here.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(data[i])));
                for (int d = 0; operands[i] && d < ndims; ++d)
                    here.push_back(steps[i][d]);
            }
            for (const Box &one : boxes)
                if (one.at == here)
                    return one.arrays;
        }
        std::vector<int64_t> at = here;
        py::tuple made(operands.size());
        for (size_t i = 0; i < operands.size(); ++i)
            made[i] = operands[i] ? box_of(*operands[i], ndims, sizes, data[i], steps[i])
                                  : py::array(result, {count}, {result.itemsize()}, data[i], py::none());
        if (keeps_boxes)
            boxes[next_box++ % boxes.size()] = {std::move(at), made};
        return made;
    }

    // The box of an operand, with as much around it as the operand reaches.
    static py::array box_of(const Operand &operand, int ndims, const int64_t sizes[], void *data,
                            const int64_t steps[]) {
        std::array<py::ssize_t, DRI_MAX_DIMS> shape{}, strides{};
        auto *first = static_cast<char *>(data);
        int own = 0; // an operand's dimensions align at the right
        while (own < DRI_MAX_DIMS && operand.raw.slice[own].stride != 0)
            ++own;
        for (int d = 0; d < ndims; ++d) {
            const int mine = d - (ndims - own);
            const int64_t left = mine < 0 ? 0 : operand.raw.left[mine],
                          right = mine < 0 ? 0 : operand.raw.right[mine];
            const auto at = static_cast<size_t>(d);
            shape[at] = left + sizes[d] + right;
            strides[at] = steps[d];
            first -= left * steps[d];
        }
        return py::array(operand.dtype, py::array::ShapeContainer(shape.begin(), shape.begin() + ndims),
                         py::array::StridesContainer(strides.begin(), strides.begin() + ndims), first, py::none());
    }

    int run(int ndims, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
        const Locked locked;
        try {
            const py::tuple arguments = arrays_at(ndims, sizes, data, steps);
            const auto result_of_call =
                py::reinterpret_steal<py::object>(PyObject_CallObject(function.ptr(), arguments.ptr()));
            if (!result_of_call)
                throw py::error_already_set();
            return DRI_SUCCESS;
        } catch (py::error_already_set &thrown) {
            return fail_with_thrown(thrown);
        } catch (const std::exception &error) {
            return DRI_fail(DRI_ERR_INTERNAL, error.what());
        }
    }

    static int call(void *context, int ndims, const int64_t sizes[], void *const data[],
                    const int64_t *const steps[]) {
        return static_cast<PythonKernel *>(context)->run(ndims, sizes, data, steps);
    }
};

class Loop {
public:
    // target: None for a reduction.
    Loop(const py::object &target, const py::list &reads) {
        owners_.push_back(target);
        kernel_.operands.push_back(target.is_none() ? nullptr : &target.cast<const Operand &>());
        raw_.push_back(target.is_none() ? DRI_Operand{} : kernel_.operands[0]->raw);
        for (const py::handle one : reads) {
            owners_.push_back(py::reinterpret_borrow<py::object>(one));
            kernel_.operands.push_back(&one.cast<const Operand &>());
            raw_.push_back(kernel_.operands.back()->raw);
        }
        const DRI_Operand *const to = target.is_none() ? nullptr : raw_.data();
        check(unlocked(
            [&] { return DRI_loop_create(to, static_cast<int>(raw_.size()) - 1, raw_.data() + 1, made_.put()); }));
    }

    void run(const py::object &function, double seconds) {
        kernel_.function = function;
        UnfinishedRuns::go_on(made_.get(), raw_, kernel_.function, &kernel_, seconds,
                              [&] { return DRI_loop_run(made_.get(), PythonKernel::call, &kernel_); });
    }

    // The results, on all processes.
    py::array reduce(const py::object &function, const py::tuple &element, const py::dtype &dtype, int count,
                     int op, double seconds) {
        kernel_.function = function;
        kernel_.result = dtype;
        kernel_.count = count;
        Type record;
        const DRI_Type type = type_of(element, record);
        py::array results(dtype, std::vector<py::ssize_t>{count});
        void *const to = results.mutable_data();
        UnfinishedRuns::go_on(made_.get(), raw_, kernel_.function, &kernel_, seconds, [&] {
            return DRI_loop_reduce(made_.get(), PythonKernel::call, &kernel_, type, count, static_cast<DRI_Op>(op),
                                   to);
        });
        return results;
    }

    py::str explain() const {
        return whole_text([&](char *text, size_t n) { return DRI_loop_explain(made_.get(), text, n); });
    }

private:
    std::vector<py::object> owners_;
    PythonKernel kernel_;
    RawOperands raw_;
    LoopHandle made_;
};

// A statement whose operands are known, except their arrays. Several threads may run it, on arrays of their own.
class Statement {
public:
    // operands: of Operand, the target first, None for a reduction. places: which of the arrays of a run each has.
    // function: a kernel in Python, or a Fused.
    Statement(const py::list &operands, const py::list &places, const py::object &function) : function_(function) {
        for (size_t i = 0; i < operands.size(); ++i) {
            const bool is_none = operands[i].is_none();
            operands_.push_back(is_none ? Operand{} : operands[i].cast<const Operand &>());
            operands_.back().keeps = py::none();
            places_.push_back(places[i].cast<size_t>());
            raw_.push_back(operands_.back().raw);
        }
        for (size_t i = 0; i < operands.size(); ++i)
            kernel_.operands.push_back(operands[i].is_none() ? nullptr : &operands_[i]);
        kernel_.function = function;
        kernel_.keeps_boxes = true;
        if (py::isinstance<Fused>(function))
            fused_ = &function.cast<Fused &>();
    }
    Statement(const Statement &) = delete;

    void run(const py::list &arrays, double seconds) {
        const RawOperands raw = with(arrays);
        const LoopHandle loop = made(raw);
        if (fused_) // holding signals would take a third of a short statement
            UnfinishedRuns::go_on<HearsSignals>(loop.get(), raw, kernel_.function, fused_, seconds,
                                                [&] { return DRI_loop_run(loop.get(), Fused::call, fused_); });
        else
            UnfinishedRuns::go_on(loop.get(), raw, kernel_.function, &kernel_, seconds,
                                  [&] { return DRI_loop_run(loop.get(), PythonKernel::call, &kernel_); });
    }

    // The result, on all processes.
    py::array reduce(const py::list &arrays, const py::tuple &element, const py::dtype &dtype, int op,
                     double seconds) {
        const RawOperands raw = with(arrays);
        const LoopHandle loop = made(raw);
        kernel_.result = dtype;
        kernel_.count = 1;
        Type record;
        const DRI_Type type = type_of(element, record);
        py::array results(dtype, std::vector<py::ssize_t>{1});
        void *const to = results.mutable_data();
        UnfinishedRuns::go_on(loop.get(), raw, kernel_.function, &kernel_, seconds, [&] {
            return DRI_loop_reduce(loop.get(), PythonKernel::call, &kernel_, type, 1, static_cast<DRI_Op>(op), to);
        });
        return results;
    }

private:
    RawOperands with(const py::list &arrays) const {
        RawOperands raw = raw_; // another thread may be in this statement with its arrays
        for (size_t i = 0; i < raw.size(); ++i)
            if (kernel_.operands[i])
                raw[i].array = arrays[places_[i]].cast<const Array &>().get();
        return raw;
    }
    LoopHandle made(const RawOperands &raw) const {
        LoopHandle loop;
        const DRI_Operand *const target = kernel_.operands[0] ? raw.data() : nullptr;
        check(unlocked([&] {
            return DRI_loop_create(target, static_cast<int>(raw.size()) - 1, raw.data() + 1, loop.put());
        }));
        return loop;
    }

    std::vector<Operand> operands_;
    std::vector<size_t> places_;
    RawOperands raw_;
    py::object function_;
    PythonKernel kernel_;
    Fused *fused_ = nullptr;
};

} // namespace

void bind_loops(py::module_ &module) {
    bind_fused(module);
    py::class_<Operand>(module, "Operand");
    module.def("array_operand", array_operand);
    module.def("memory_operand", memory_operand);
    py::class_<Loop>(module, "Loop")
        .def(py::init<const py::object &, const py::list &>())
        .def("run", &Loop::run)
        .def("reduce", &Loop::reduce)
        .def("explain", &Loop::explain);
    py::class_<Statement>(module, "Statement")
        .def(py::init<const py::list &, const py::list &, const py::object &>())
        .def("run", &Statement::run)
        .def("reduce", &Statement::reduce);
}

} // namespace dri_python
