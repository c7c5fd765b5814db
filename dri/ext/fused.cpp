// Runs the library's kernels on pieces of rows, and tells numpy what they have raised.
#include "fused.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>

namespace dri_python {

Fused::Fused(const py::tuple &program) : program_(program), reads_(program[1].cast<size_t>()) {
    const bool is_double = program[3].cast<bool>();
    element_bytes_ = is_double ? 8 : 4;
    for (const py::handle one : program[2]) {
        double value = one.cast<double>();
        if (!is_double) {
            const auto narrow = static_cast<float>(value);
            std::memcpy(&value, &narrow, sizeof narrow);
        }
        constants_.push_back(value);
    }
    for (const py::handle one : program[0]) {
        const auto step = py::reinterpret_borrow<py::tuple>(one);
        Step made;
        check(DRI_loop_kernel(static_cast<DRI_Op>(step[0].cast<int>()), is_double ? DRI_DOUBLE : DRI_FLOAT,
                              &made.kernel, &made.context, nullptr));
        made.arguments = {step[1].cast<int>(), step[2].cast<int>()};
        steps_.push_back(made);
    }
    find_buffers();
}

// A result has a buffer until its last use. No step writes where it reads: compilers vectorise such loops.
void Fused::find_buffers() {
    std::array<size_t, most_buffers> free_from{}; // the step from which on each is free
    for (size_t k = 0; k + 1 < steps_.size(); ++k) {
        size_t last = k;
        for (size_t later = k + 1; later < steps_.size(); ++later)
            for (const int one : steps_[later].arguments)
                if (one == static_cast<int>(reads_ + k))
                    last = later;
        const auto found = std::find_if(free_from.begin(), free_from.end(), [k](size_t at) { return at <= k; });
        if (found == free_from.end())
            throw py::value_error("the expression needs too many buffers");
        *found = last + 1;
        steps_[k].buffer = static_cast<int>(found - free_from.begin());
    }
}

int Fused::call(void *context, int ndims, const int64_t sizes[], void *const data[],
                const int64_t *const steps[]) {
    const auto &self = *static_cast<const Fused *>(context);
    Rows rows;
    std::feclearexcept(FE_ALL_EXCEPT);
    for (size_t i = 0; i <= self.reads_; ++i) {
        rows.at[i] = static_cast<char *>(data[i]);
        rows.steps[i] = {0, ndims > 0 ? steps[i][ndims - 1] : 0};
    }
    const int code = self.run(ndims, sizes, steps, rows);
    const int flags = std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    return code == DRI_SUCCESS && flags != 0 ? self.report(flags) : code;
}

// Rows that follow each other are one.
int Fused::run(int ndims, const int64_t sizes[], const int64_t *const steps[], Rows &rows) const {
    int d = ndims - 1;
    int64_t n = ndims > 0 ? sizes[d] : 1;
    const auto follow = [&](int outer) {
        for (size_t i = 0; i <= reads_; ++i)
            if (steps[i][outer] != n * rows.steps[i][1])
                return false;
        return true;
    };
    while (d > 0 && follow(d - 1))
        n *= sizes[--d];
    if (d <= 0)
        return run_rows(1, n, rows);
    --d;
    for (size_t i = 0; i <= reads_; ++i)
        rows.steps[i][0] = steps[i][d];
    std::array<int64_t, DRI_MAX_DIMS> index{};
    for (;;) {
        if (const int code = run_rows(sizes[d], n, rows); code != DRI_SUCCESS)
            return code;
        int outer = d - 1;
        for (; outer >= 0; --outer) {
            const bool ends = ++index[static_cast<size_t>(outer)] == sizes[outer];
            for (size_t i = 0; i <= reads_; ++i)
                rows.at[i] += ends ? -steps[i][outer] * (sizes[outer] - 1) : steps[i][outer];
            if (!ends)
                break;
            index[static_cast<size_t>(outer)] = 0;
        }
        if (outer < 0)
            return DRI_SUCCESS;
    }
}

int Fused::run_rows(int64_t count, int64_t n, const Rows &rows) const {
    const int64_t most = block_bytes / element_bytes_, width = std::min(n, most), height = most / width;
    for (int64_t row = 0; row < count; row += height)
        for (int64_t from = 0; from < n; from += width)
            if (const int code =
                    run_block({std::min(height, count - row), std::min(width, n - from)}, rows, {row, from});
                code != DRI_SUCCESS)
                return code;
    return DRI_SUCCESS;
}

int Fused::run_block(std::array<int64_t, 2> sizes, const Rows &rows, std::array<int64_t, 2> from) const {
    alignas(64) char buffers[most_buffers][block_bytes];
    const std::array<int64_t, 2> packed{sizes[1] * element_bytes_, element_bytes_}, constant{};
    for (const Step &step : steps_) {
        std::array<void *, 3> data;
        std::array<const int64_t *, 3> steps;
        const auto put_operand = [&](size_t place, size_t i) {
            data[place] = rows.at[i] + from[0] * rows.steps[i][0] + from[1] * rows.steps[i][1];
            steps[place] = rows.steps[i].data();
        };
        const auto put_buffer = [&](size_t place, int buffer) {
            data[place] = buffers[buffer];
            steps[place] = packed.data();
        };
        if (step.buffer < 0)
            put_operand(0, 0);
        else
            put_buffer(0, step.buffer);
        for (size_t place = 1; place < 3; ++place) {
            const int one = step.arguments[place - 1];
            const auto i = static_cast<size_t>(one) + 1;
            if (one < 0) {
                data[place] = const_cast<double *>(&constants_[static_cast<size_t>(-1 - one)]);
                steps[place] = constant.data();
            } else if (i <= reads_) {
                put_operand(place, i);
            } else {
                put_buffer(place, steps_[i - 1 - reads_].buffer);
            }
        }
        if (const int code = step.kernel(step.context, 2, sizes.data(), data.data(), steps.data());
            code != DRI_SUCCESS)
            return code;
    }
    return DRI_SUCCESS;
}

// numpy warns or raises as np.errstate says.
int Fused::report(int flags) const {
    const Locked locked;
    try {
        py::module_::import("dri._fused")
            .attr("report")((flags & FE_DIVBYZERO) != 0, (flags & FE_OVERFLOW) != 0, (flags & FE_UNDERFLOW) != 0,
                            (flags & FE_INVALID) != 0);
        return DRI_SUCCESS;
    } catch (py::error_already_set &thrown) {
        if (thrown.matches(PyExc_KeyboardInterrupt)) { // it is raised behind the run
            PyErr_SetInterrupt();
            return DRI_SUCCESS;
        }
        return fail_with_thrown(thrown);
    }
}

void bind_fused(py::module_ &module) {
    py::class_<Fused>(module, "Fused")
        .def(py::init<const py::tuple &>())
        .def_property_readonly("program", &Fused::program);
}

} // namespace dri_python
