// Runs the library's kernels on pieces of rows, and tells numpy what they have raised.
#include "fused.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>

namespace dri_python {

Fused::Fused(const py::tuple &program) : program_(program), reads_(program[1].cast<size_t>()) {
    element_bytes_ = program[3].cast<bool>() ? 8 : 4;
    for (const py::handle one : program[2]) {
        double value = one.cast<double>();
        if (!is_double()) {
            const auto narrow = static_cast<float>(value);
            std::memcpy(&value, &narrow, sizeof narrow);
        }
        constants_.push_back(value);
    }
    steps_ = read_steps(program[0]);
    passes_ = read_steps(program[4]);
}

Fused::Steps Fused::read_steps(const py::handle &given) const {
    Steps made;
    for (const py::handle one : given) {
        const auto step = py::reinterpret_borrow<py::tuple>(one);
        Step &next = made.emplace_back();
        if (py::isinstance<py::int_>(step[0])) {
            check(DRI_loop_kernel(static_cast<DRI_Op>(step[0].cast<int>()), is_double() ? DRI_DOUBLE : DRI_FLOAT,
                                  &next.kernel, &next.context, nullptr));
            next.arguments = {step[1].cast<int>(), step[2].cast<int>()};
            continue;
        }
        for (const py::handle place : step[0])
            next.arguments.push_back(place.cast<int>());
        for (const py::handle factor : step[1])
            next.sum.factors[next.sum.terms++] = factor.cast<double>();
        next.sum.scale = step[2].cast<double>();
        next.sum.more = step[3].cast<double>();
    }
    find_buffers(made);
    return made;
}

// A result has a buffer until its last use. No step writes where it reads: compilers vectorise such loops.
void Fused::find_buffers(Steps &steps) const {
    std::array<size_t, most_buffers> free_from{}; // the step from which on each is free
    for (size_t k = 0; k + 1 < steps.size(); ++k) {
        size_t last = k;
        for (size_t later = k + 1; later < steps.size(); ++later)
            for (const int one : steps[later].arguments)
                if (one == static_cast<int>(reads_ + k))
                    last = later;
        const auto found = std::find_if(free_from.begin(), free_from.end(), [k](size_t at) { return at <= k; });
        if (found == free_from.end())
            throw py::value_error("the expression needs too many buffers");
        *found = last + 1;
        steps[k].buffer = static_cast<int>(found - free_from.begin());
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
    const bool is_packed = std::all_of(rows.steps.begin(), rows.steps.begin() + static_cast<int64_t>(reads_) + 1,
                                       [this](const auto &steps) { return steps[1] == element_bytes_; });
    const Steps &steps = is_packed ? passes_ : steps_;
    for (int64_t row = 0; row < count; row += height)
        for (int64_t from = 0; from < n; from += width)
            if (const int code = run_block(
                    steps, rows, {{row, from}, {std::min(height, count - row), std::min(width, n - from)}});
                code != DRI_SUCCESS)
                return code;
    return DRI_SUCCESS;
}

int Fused::run_block(const Steps &steps, const Rows &rows, const Block &block) const {
    alignas(64) char buffers[most_buffers][block_bytes];
    const std::array<int64_t, 2> packed{block.sizes[1] * element_bytes_, element_bytes_}, constant{};
    for (const Step &step : steps) {
        std::array<char *, most_terms + 1> data;
        std::array<const std::array<int64_t, 2> *, most_terms + 1> bytes;
        const auto put_operand = [&](size_t place, size_t i) {
            data[place] = rows.at[i] + block.from[0] * rows.steps[i][0] + block.from[1] * rows.steps[i][1];
            bytes[place] = &rows.steps[i];
        };
        const auto put_buffer = [&](size_t place, int buffer) {
            data[place] = buffers[buffer];
            bytes[place] = &packed;
        };
        if (step.buffer < 0)
            put_operand(0, 0);
        else
            put_buffer(0, step.buffer);
        for (size_t place = 1; place <= step.arguments.size(); ++place) {
            const int one = step.arguments[place - 1];
            const auto i = static_cast<size_t>(one) + 1;
            if (one < 0) {
                data[place] =
                    const_cast<char *>(reinterpret_cast<const char *>(&constants_[static_cast<size_t>(-1 - one)]));
                bytes[place] = &constant;
            } else if (i <= reads_) {
                put_operand(place, i);
            } else {
                put_buffer(place, steps[i - 1 - reads_].buffer);
            }
        }
        if (const int code = run_step(step, block, data.data(), bytes.data()); code != DRI_SUCCESS)
            return code;
    }
    return DRI_SUCCESS;
}

int Fused::run_step(const Step &step, const Block &block, char *const data[],
                    const std::array<int64_t, 2> *const steps[]) const {
    if (step.kernel) {
        const std::array<void *, 3> at{data[0], data[1], data[2]};
        const std::array<const int64_t *, 3> bytes{steps[0]->data(), steps[1]->data(), steps[2]->data()};
        return step.kernel(step.context, 2, block.sizes.data(), at.data(), bytes.data());
    }
    std::array<const void *, most_terms> x;
    for (int64_t row = 0; row < block.sizes[0]; ++row) {
        for (size_t k = 0; k < step.sum.terms; ++k)
            x[k] = data[k + 1] + row * (*steps[k + 1])[0];
        compute_sum(step.sum, is_double(), data[0] + row * (*steps[0])[0], x.data(), block.sizes[1]);
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
