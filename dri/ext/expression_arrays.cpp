// Finds the arrays of an expression, each time that it is evaluated.
#include "common.hpp"

#include <utility>

namespace dri_python {

namespace {

// An attribute by an interned name.
py::object attribute(PyObject *of, PyObject *name) {
    PyObject *const found = PyObject_GetAttr(of, name);
    if (!found)
        throw py::error_already_set();
    return py::reinterpret_steal<py::object>(found);
}

class ExpressionArrays {
public:
    // The classes of nodes, slices, arrays and arrays of numpy's; stale: makes the exception for an array that has
    // been written to since its node was made.
    ExpressionArrays(const py::object &node, const py::object &section, const py::object &array,
                     const py::object &memory, const py::object &stale)
        : node_(node), section_(section), array_(array), memory_(memory), stale_(stale) {}

    // Which of the bases each array of a node has, in their order; new ones are appended. None: the node has
    // memory of numpy's.
    py::object pattern(const py::object &node, py::list bases) const {
        std::vector<long> places;
        if (Py_TYPE(node.ptr()) != type(node_)) {
            add(Py_TYPE(node.ptr()) == type(section_) ? attribute(node.ptr(), base_.ptr()) : node, bases, places);
        } else if (!collect(node.ptr(), bases, places)) {
            return py::none();
        }
        py::tuple made(places.size());
        for (size_t i = 0; i < places.size(); ++i)
            made[i] = py::int_(places[i]);
        return made;
    }

private:
    static PyTypeObject *type(const py::object &of) { return reinterpret_cast<PyTypeObject *>(of.ptr()); }

    static void add(const py::object &base, py::list &bases, std::vector<long> &places) {
        const Py_ssize_t n = PyList_GET_SIZE(bases.ptr());
        Py_ssize_t at = 0;
        while (at < n && PyList_GET_ITEM(bases.ptr(), at) != base.ptr())
            ++at;
        if (at == n)
            bases.append(base);
        places.push_back(static_cast<long>(at));
    }

    // A node whose inputs are looked at.
    struct Open {
        py::object inputs;
        long long born;
        Py_ssize_t next = 0;
    };

    Open open(PyObject *node) const {
        return {attribute(node, inputs_.ptr()), PyLong_AsLongLong(attribute(node, born_.ptr()).ptr())};
    }

    // Without recursion: expressions may be deep.
    bool collect(PyObject *node, py::list &bases, std::vector<long> &places) const {
        std::vector<Open> nodes;
        nodes.push_back(open(node));
        while (!nodes.empty()) {
            Open &now = nodes.back();
            if (now.next == PyTuple_GET_SIZE(now.inputs.ptr())) {
                nodes.pop_back();
                continue;
            }
            PyObject *const one = PyTuple_GET_ITEM(now.inputs.ptr(), now.next++);
            PyTypeObject *const kind = Py_TYPE(one);
            if (kind == type(node_)) {
                nodes.push_back(open(one));
                continue;
            }
            if (kind == type(memory_))
                return false;
            if (kind != type(section_) && !PyType_IsSubtype(kind, type(array_)))
                continue;
            const py::object base =
                kind == type(section_) ? attribute(one, base_.ptr()) : py::reinterpret_borrow<py::object>(one);
            if (PyLong_AsLongLong(attribute(base.ptr(), version_.ptr()).ptr()) > now.born)
                throw_stale();
            add(base, bases, places);
        }
        return true;
    }

    [[noreturn]] void throw_stale() const {
        const py::object made = stale_();
        PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.ptr())), made.ptr());
        throw py::error_already_set();
    }

    static py::str interned(const char *name) {
        return py::reinterpret_steal<py::str>(PyUnicode_InternFromString(name));
    }

    py::object node_, section_, array_, memory_, stale_;
    py::str inputs_ = interned("inputs"), born_ = interned("born"), base_ = interned("_base"),
            version_ = interned("version");
};

} // namespace

void bind_expression_arrays(py::module_ &module) {
    py::class_<ExpressionArrays>(module, "ExpressionArrays")
        .def(py::init<const py::object &, const py::object &, const py::object &, const py::object &,
                      const py::object &>())
        .def("pattern", &ExpressionArrays::pattern);
}

} // namespace dri_python
