// Codes of the library as exceptions of Python.
#include "common.hpp"

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

} // namespace

void fail(int code, const std::string &message) { throw Failure{code, message}; }

void check(int code) {
    if (code != DRI_SUCCESS)
        fail(code, code == DRI_END_OF_STREAM ? "the source has ended the stream" : DRI_error_message());
}

void check_index(int code) {
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
