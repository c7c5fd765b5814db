// Functions of Python as calls of graphs. A frame makes no array: views are made once for each address.
#include "graph.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace dri_python {

Operand::Operand(const py::tuple &described, bool is_written, py::object base)
    : dtype_(py::reinterpret_borrow<py::dtype>(described[0])), base_(std::move(base)), is_written_(is_written) {
    for (const int64_t extent : numbers(described[1]))
        extents_.push_back(extent);
    for (const int64_t stride : numbers(described[2]))
        strides_.push_back(stride);
}

PyObject *Operand::view_at(const void *address) {
    for (size_t i = 0; i < addresses_.size(); ++i)
        if (addresses_[i] == address)
            return views_[i].ptr();
    // The base keeps numpy from copying. The memory is the plan's.
    py::array view(dtype_, extents_, strides_, address, base_);
    if (!is_written_)
        py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    if (addresses_.size() < most_views) {
        addresses_.push_back(address);
        views_.push_back(std::move(view));
        return views_.back().ptr();
    }
    const size_t at = std::exchange(oldest_, (oldest_ + 1) % most_views);
    addresses_[at] = address;
    views_[at] = std::move(view);
    return views_[at].ptr();
}

DRI_Call &CallState::get() const {
    if (!call_)
        fail(DRI_ERR_STATE, "a call is valid inside its function alone");
    return *call_;
}

py::bytes CallState::data() const {
    const DRI_Frame &about = *get().about;
    return {reinterpret_cast<const char *>(about.data), static_cast<size_t>(about.bytes)};
}

py::str CallState::text() const {
    const DRI_Frame &about = *get().about;
    return {reinterpret_cast<const char *>(about.data), static_cast<size_t>(about.bytes)};
}

namespace {

[[noreturn]] void refuse_kind(const char *what, const char *wanted, const py::object &given) {
    throw py::type_error(std::string("the ") + what + " of a call is " + wanted + ", not " +
                         Py_TYPE(given.ptr())->tp_name);
}

} // namespace

void CallState::set_time_ns(const py::object &time_ns) {
    if (!PyIndex_Check(time_ns.ptr()))
        refuse_kind("time_ns", "an int", time_ns);
    const py::int_ number = py::reinterpret_steal<py::int_>(PyNumber_Index(time_ns.ptr()));
    if (!number)
        throw py::error_already_set();
    int overflow = 0;
    const long long given = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0)
        fail(DRI_ERR_ARG, "the time_ns of a call is from -2^63 to 2^63 - 1");
    get().about->time_ns = given;
}

void CallState::set_time(const py::object &seconds) {
    constexpr double most = 9e9; // seconds whose nanoseconds fit in 64 bits
    const double given = PyFloat_AsDouble(seconds.ptr());
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
        PyErr_Clear();
        refuse_kind("time", "a number of seconds", seconds);
    }
    if (PyErr_Occurred() != nullptr)
        throw py::error_already_set();
    if (!(std::abs(given) <= most))
        fail(DRI_ERR_ARG,
             "the time of a call is from -9e9 to 9e9 seconds, but " + std::to_string(given) + " was given");
    get().about->time_ns = static_cast<int64_t>(given * 1e9);
}

void CallState::set_data(const py::object &data) {
    if (!py::isinstance<py::bytes>(data))
        refuse_kind("data", "bytes", data);
    put("data", data.cast<std::string>());
}

void CallState::set_text(const py::object &text) {
    if (!py::isinstance<py::str>(text))
        refuse_kind("text", "a str", text);
    Py_ssize_t bytes = 0;
    const char *const given = PyUnicode_AsUTF8AndSize(text.ptr(), &bytes);
    if (given == nullptr) // it has a surrogate, which UTF-8 has not
        throw py::error_already_set();
    put("text", std::string(given, static_cast<size_t>(bytes)));
}

void CallState::put(const char *name, const std::string &data) {
    DRI_Frame &about = *get().about;
    if (data.size() > sizeof about.data)
        fail(DRI_ERR_ARG, std::string("the ") + name + " of a call has " + std::to_string(data.size()) +
                              " bytes, " + std::to_string(sizeof about.data) + " at most");
    about.bytes = static_cast<int32_t>(data.size());
    std::memcpy(about.data, data.data(), data.size());
}

void CallState::end() {
    get();
    has_ended_ = true;
}

PythonCall::PythonCall(py::object function, const py::list &arguments, const py::tuple &keywords,
                       const py::list &outputs, const py::list &inputs, const py::object &base,
                       std::shared_ptr<Raised> raised)
    : function_(std::move(function)), state_(py::cast(CallState())), raised_(std::move(raised)) {
    if (!keywords.empty())
        keywords_ = keywords;
    for (const py::handle one : outputs)
        outputs_.emplace_back(py::reinterpret_borrow<py::tuple>(one), true, base);
    for (const py::handle one : inputs)
        inputs_.emplace_back(py::reinterpret_borrow<py::tuple>(one), false, base);
    for (const py::handle one : arguments) {
        if (one.is_none()) {
            arguments_.push_back({From::call, 0, {}});
        } else if (py::isinstance<py::tuple>(one)) {
            arguments_.push_back({From::constant, 0, py::reinterpret_borrow<py::tuple>(one)[0]});
        } else {
            const int64_t at = number(one);
            arguments_.push_back(at >= 0 ? Argument{From::input, static_cast<size_t>(at), {}}
                                         : Argument{From::output, static_cast<size_t>(-1 - at), {}});
        }
    }
    values_.resize(arguments_.size() + 1);
}

void PythonCall::invoke(DRI_Call *call) {
    PyObject **const values = values_.data() + 1; // the place before is Python's to use
    for (size_t i = 0; i < arguments_.size(); ++i) {
        const Argument &one = arguments_[i];
        switch (one.from) {
        case From::input: values[i] = inputs_[one.at].view_at(call->in[one.at]); break;
        case From::output: values[i] = outputs_[one.at].view_at(call->out[one.at]); break;
        case From::call: values[i] = state_.ptr(); break;
        case From::constant: values[i] = one.value.ptr(); break;
        }
    }
    const size_t named = keywords_ ? static_cast<size_t>(PyTuple_GET_SIZE(keywords_.ptr())) : 0;
    PyObject *const result =
        PyObject_Vectorcall(function_.ptr(), values, (arguments_.size() - named) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                            keywords_ ? keywords_.ptr() : nullptr);
    if (!result)
        throw py::error_already_set();
    Py_DECREF(result);
}

// The exception waits for the end of the run, which raises it. The library gets its text.
int PythonCall::keep_error(py::error_already_set &error) {
    std::string text = "an exception";
    int code = DRI_ERR_ARG;
    if (const py::object own = py::getattr(error.value(), "code", py::none()); PyLong_Check(own.ptr())) {
        const long given = PyLong_AsLong(own.ptr());
        if (given > DRI_SUCCESS && given <= DRI_ERR_DUPLICATE && given != DRI_END_OF_STREAM)
            code = static_cast<int>(given);
        PyErr_Clear();
    }
    if (const PyObject *const kind = error.type().ptr())
        text = reinterpret_cast<const PyTypeObject *>(kind)->tp_name;
    const py::object described = py::reinterpret_steal<py::object>(PyObject_Str(error.value().ptr()));
    // A text may have surrogates, which UTF-8 has not.
    const py::object bytes = py::reinterpret_steal<py::object>(
        described ? PyUnicode_AsEncodedString(described.ptr(), "utf-8", "backslashreplace") : nullptr);
    if (bytes)
        text += std::string(": ") + PyBytes_AS_STRING(bytes.ptr());
    else
        PyErr_Clear();
    raised_->error = std::make_unique<py::error_already_set>(std::move(error));
    return DRI_fail(code, text.c_str());
}

int PythonCall::run(void *context, DRI_Call *call) noexcept {
    const Locked locked;
    auto &self = *static_cast<PythonCall *>(context);
    auto &state = *py::cast<CallState *>(self.state_);
    try {
        state.begin(call);
        ++self.raised_->calls;
        self.invoke(call);
        return state.finish() ? DRI_END_OF_STREAM : DRI_SUCCESS;
    } catch (py::error_already_set &error) {
        state.finish();
        return self.keep_error(error);
    } catch (const std::exception &error) {
        state.finish();
        return DRI_fail(DRI_ERR_INTERNAL, error.what());
    }
}

} // namespace dri_python
