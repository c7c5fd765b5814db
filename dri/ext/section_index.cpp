// What a[...] has been asked for before, by the slices and numbers of the index.
#include "common.hpp"

#include <unordered_map>

namespace dri_python {

namespace {

// Objects that belong to indices. An index of anything but slices and numbers has none.
class Indexed {
public:
    // None: there is none.
    py::object find(const py::object &index) const {
        std::string key;
        if (!put_index(key, index.ptr()))
            return py::none();
        const auto found = kept_.find(key);
        return found == kept_.end() ? py::object(py::none()) : found->second;
    }
    void add(const py::object &index, const py::object &object) {
        std::string key;
        if (!put_index(key, index.ptr()))
            return;
        if (kept_.size() >= most)
            kept_.clear();
        kept_[key] = object;
    }

private:
    static constexpr size_t most = 1024;

    static bool put_number(std::string &key, PyObject *number) {
        if (number == Py_None) {
            key.push_back('n');
            return true;
        }
        if (!PyLong_CheckExact(number))
            return false;
        int overflows = 0;
        const long long value = PyLong_AsLongLongAndOverflow(number, &overflows);
        if (overflows)
            return false;
        key.push_back('i');
        key.append(reinterpret_cast<const char *>(&value), sizeof value);
        return true;
    }
    static bool put_entry(std::string &key, PyObject *entry) {
        if (!PySlice_Check(entry)) {
            key.push_back(entry == Py_Ellipsis ? 'e' : 'x');
            return entry == Py_Ellipsis || (entry != Py_None && put_number(key, entry));
        }
        const auto *const slice = reinterpret_cast<PySliceObject *>(entry);
        key.push_back('s');
        return put_number(key, slice->start) && put_number(key, slice->stop) && put_number(key, slice->step);
    }
    static bool put_index(std::string &key, PyObject *index) {
        if (!PyTuple_CheckExact(index))
            return put_entry(key, index);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i)
            if (!put_entry(key, PyTuple_GET_ITEM(index, i)))
                return false;
        return true;
    }

    std::unordered_map<std::string, py::object> kept_;
};

} // namespace

void bind_section_indices(py::module_ &module) {
    py::class_<Indexed>(module, "Indexed").def(py::init<>()).def("find", &Indexed::find).def("add", &Indexed::add);
}

} // namespace dri_python
