// What the extension's files share: failures as exceptions, numbers from Python, and the interpreter's lock.
#pragma once

#include <dri/dri.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dri_python {

namespace py = pybind11;

// A failure of the library, which becomes the exception of its code.
struct Failure {
    int code;
    std::string message;
};

// A call that returned `code`; throws Failure with the library's message, or what a function of the user's has
// thrown in it.
void check(int code);
// The same for a call whose argument is an index: out of range becomes an IndexError.
void check_index(int code);
[[noreturn]] void fail(int code, const std::string &message);
// Codes of dri/codes.h end before this one, which stands for the exception of an index out of range.
constexpr int out_of_range = DRI_ERR_DUPLICATE + 1;

// A function of the user's that the library calls: its exception becomes a code, and is thrown again behind the
// call.
int fail_with_thrown(py::error_already_set &thrown);
// Such an exception, and its code. It belongs to the call that called the function.
struct Thrown {
    py::object exception; // null: none
    int code = DRI_SUCCESS;
};
// What waits to be thrown again, which then waits no longer.
Thrown take_thrown();
// Has it wait again, for check() of the call's code. Of no exception nothing happens.
void give_back(Thrown thrown);

// Lets other threads run while a call may wait. pybind11's own guard looks up the thread's state each time.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() { PyEval_RestoreThread(state_); }
    Unlocked(const Unlocked &) = delete;
    Unlocked &operator=(const Unlocked &) = delete;

private:
    PyThreadState *state_;
};

// Takes the interpreter's lock in functions that the library calls, from any thread, with the lock or without.
class Locked {
public:
    Locked() : state_(PyGILState_Ensure()) {}
    ~Locked() { PyGILState_Release(state_); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;

private:
    PyGILState_STATE state_;
};

int64_t number(py::handle value);
std::vector<int64_t> numbers(py::handle sequence);
int small_number(int64_t number); // fails if it exceeds 32 bits
std::vector<int> small_numbers(py::handle sequence);

template <typename Number> py::tuple tuple_of(const Number *values, int n) {
    py::tuple made(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i)
        made[static_cast<size_t>(i)] = py::int_(values[i]);
    return made;
}

void bind_errors(py::module_ &module);
void bind_environment(py::module_ &module);
void bind_groups(py::module_ &module);
void bind_distributions(py::module_ &module);
void bind_layouts(py::module_ &module);
void bind_ends(py::module_ &module);
void bind_frames(py::module_ &module);
void bind_memory(py::module_ &module);
void bind_movers(py::module_ &module);
void bind_reports(py::module_ &module);
void bind_dap(py::module_ &module);
void bind_maps(py::module_ &module);
void bind_user_maps(py::module_ &module);
void bind_domains(py::module_ &module);
void bind_arrays(py::module_ &module);
void bind_section_indices(py::module_ &module);
void bind_expression_arrays(py::module_ &module);
void bind_loops(py::module_ &module);
void bind_graphs(py::module_ &module);

} // namespace dri_python
