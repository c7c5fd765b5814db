// Codes of the library as exceptions of Python.
#include "common.hpp"

#include <algorithm>
#include <utility>

namespace dri_python {

namespace {

// One class per code, set by dri/errors.py. The tuple is never freed: exceptions may still fly when modules are
// cleared.
PyObject *classes = nullptr;

void raise(const Failure &failure) {
    PyObject *found = classes ? PyTuple_GetItem(classes, failure.code) : PyExc_RuntimeError;
    if (found)
        PyErr_SetString(found, failure.message.c_str());
}

// What a function of the user's has thrown while the library called it. It is not freed: threads may end late.
struct LastThrown {
    PyObject *exception = nullptr;
    int code = DRI_SUCCESS;
};
thread_local LastThrown last_thrown;

// The call that has called the function has ended with this code, which may be another process's.
void throw_last(int code) {
    const py::object exception = py::reinterpret_steal<py::object>(std::exchange(last_thrown.exception, nullptr));
    if (!exception || code == DRI_SUCCESS)
        return;
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
    throw py::error_already_set();
}

} // namespace

int fail_with_thrown(py::error_already_set &thrown) {
    Py_XDECREF(last_thrown.exception);
    const py::object exception = thrown.value();
    last_thrown = {exception.inc_ref().ptr(), DRI_ERR_ARG};
    if (py::hasattr(exception, "code") && py::isinstance<py::int_>(exception.attr("code")))
        last_thrown.code = std::clamp(exception.attr("code").cast<int>(), DRI_ERR_ARG + 0, DRI_ERR_INTERNAL + 0);
    const std::string text = py::str(thrown.type().attr("__name__")).cast<std::string>() + ": " +
                             py::str(exception).cast<std::string>();
    return DRI_fail(last_thrown.code, text.c_str());
}

Thrown take_thrown() {
    return {py::reinterpret_steal<py::object>(std::exchange(last_thrown.exception, nullptr)), last_thrown.code};
}

void give_back(Thrown thrown) {
    if (!thrown.exception)
        return;
    Py_XDECREF(last_thrown.exception);
    last_thrown = {thrown.exception.release().ptr(), thrown.code};
}

void fail(int code, const std::string &message) { throw Failure{code, message}; }

void check(int code) {
    if (last_thrown.exception)
        throw_last(code);
    if (code != DRI_SUCCESS)
        fail(code, code == DRI_END_OF_STREAM ? "the source has ended the stream" : DRI_error_message());
}

void check_index(int code) {
    if (last_thrown.exception)
        throw_last(code);
    if (code == DRI_ERR_ARG)
        fail(out_of_range, DRI_error_message());
    check(code);
}

int64_t number(py::handle value) {
    const long long made = PyLong_AsLongLong(value.ptr());
    if (made == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError))
            throw py::error_already_set();
        PyErr_Clear();
        fail(DRI_ERR_OVERFLOW, "the number " + std::string(py::str(value)) + " exceeds 64 bits");
    }
    return made;
}

std::vector<int64_t> numbers(py::handle sequence) {
    std::vector<int64_t> made;
    for (const py::handle value : sequence)
        made.push_back(number(value));
    return made;
}

int small_number(int64_t number) {
    if (number != static_cast<int>(number))
        fail(DRI_ERR_ARG, "the number " + std::to_string(number) + " exceeds 32 bits");
    return static_cast<int>(number);
}

std::vector<int> small_numbers(py::handle sequence) {
    std::vector<int> made;
    for (const py::handle value : sequence)
        made.push_back(small_number(number(value)));
    return made;
}

void bind_errors(py::module_ &module) {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown)
                std::rethrow_exception(thrown);
        } catch (const Failure &failure) {
            raise(failure);
        }
    });
    module.def("set_classes", [](py::tuple all) {
        Py_XDECREF(classes);
        classes = all.release().ptr();
    });
    module.def("code_name", [](int code) { return py::str(DRI_error_string(code)); });
}

} // namespace dri_python
