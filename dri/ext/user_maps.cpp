// Maps of the user's own, which are objects of Python.
#include "ranges.hpp"

#include <dri/array.h>
#include <dri/map.h>

#include <algorithm>
#include <memory>

namespace dri_python {

namespace {

struct UserMap {
    py::object map;
    size_t ndims;
};

const UserMap &of(void *ctx) { return *static_cast<const UserMap *>(ctx); }

template <typename Call> int guarded_python(Call call) {
    const Locked locked;
    try {
        call();
        return DRI_SUCCESS;
    } catch (py::error_already_set &thrown) {
        return fail_with_thrown(thrown);
    } catch (const Failure &failure) {
        return DRI_fail(failure.code, failure.message.c_str());
    } catch (const std::exception &error) {
        return DRI_fail(DRI_ERR_ARG, error.what());
    }
}

// A number in one dimension, a tuple in more.
py::object python_index(const int64_t index[], size_t ndims) {
    if (ndims == 1)
        return py::int_(index[0]);
    return tuple_of(index, static_cast<int>(ndims));
}

int user_owner(void *ctx, const int64_t index[], int *position) {
    return guarded_python([&] {
        const py::object &map = of(ctx).map;
        const py::object at = python_index(index, of(ctx).ndims), found = map.attr("owner")(at);
        const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(found.ptr()));
        if (!whole) {
            PyErr_Clear();
            const std::string text = "the map '" +
                                     py::str(py::type::of(map).attr("__name__")).cast<std::string>() +
                                     "' says that " + py::str(at).cast<std::string>() + " belongs to " +
                                     py::repr(found).cast<std::string>() + ", but a position is an integer";
            PyErr_SetString(PyExc_TypeError, text.c_str());
            throw py::error_already_set();
        }
        *position = small_number(number(whole));
    });
}

int user_local(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    return guarded_python([&] {
        const size_t ndims = of(ctx).ndims;
        const py::list found(of(ctx).map.attr("local")(position, python_ranges(whole, ndims)));
        *n = static_cast<int64_t>(found.size());
        const auto written = std::min(found.size(), static_cast<size_t>(most));
        for (size_t i = 0; i < written; ++i) {
            const py::handle box = found[i];
            const std::vector<DRI_Range> ranges =
                PyRange_Check(box.ptr()) ? std::vector{range_of(box)} : ranges_of(box);
            if (ranges.size() != ndims)
                throw py::value_error("local() gives boxes of " + std::to_string(ranges.size()) +
                                      " dimensions, but the domain has " + std::to_string(ndims));
            std::copy_n(ranges.data(), ndims, boxes + i * ndims);
        }
    });
}

// What a map is asked about, as long as its function runs.
class Asked {
public:
    explicit Asked(const DRI_Assignment &assignment) : assignment_(&assignment) {}

    void end() { assignment_ = nullptr; }
    py::tuple to() const { return members(here().dst, here().to); }
    py::tuple from() const { return members(here().src, here().from); }
    bool asks_dst() const { return here().role == DRI_SINK; }
    bool hand_over() const {
        const DRI_Assignment &assignment = here();
        int done = 0;
        int code = DRI_SUCCESS;
        {
            const Unlocked unlocked;
            code = DRI_assign_hand_over(&assignment, &done);
        }
        check(code);
        return done != 0;
    }

private:
    const DRI_Assignment &here() const {
        if (!assignment_)
            fail(DRI_ERR_STATE, "the assignment is over: its map has answered");
        return *assignment_;
    }
    static py::tuple members(DRI_Array array, const DRI_Range ranges[]) {
        Domain domain;
        check(DRI_array_get_domain(array, domain.put()));
        int ndims = 0;
        DRI_Range all[DRI_MAX_DIMS];
        check(DRI_domain_get_ranges(domain.get(), &ndims, all));
        return python_ranges(ranges, static_cast<size_t>(ndims));
    }

    const DRI_Assignment *assignment_;
};

int ask(void *ctx, const char *step, const DRI_Assignment &assignment, int *done) {
    return guarded_python([&] {
        const auto asked = std::make_shared<Asked>(assignment);
        struct End {
            Asked &asked;
            ~End() { asked.end(); }
        } const end{*asked};
        const py::object answer = of(ctx).map.attr("ask")(step, py::cast(asked));
        *done = answer.cast<bool>() ? 1 : 0;
    });
}

int user_known(void *ctx, const DRI_Assignment *assignment, int *done) {
    return ask(ctx, "known", *assignment, done);
}
int user_any(void *ctx, const DRI_Assignment *assignment, int *done) { return ask(ctx, "any", *assignment, done); }

int are_equal_objects(void *a, void *b, int *flag) {
    return guarded_python([&] { *flag = of(a).map.equal(of(b).map) ? 1 : 0; });
}

// At the end of the interpreter objects are left alone.
void drop(void *ctx) {
    if (!Py_IsInitialized())
        return;
    const Locked locked;
    delete static_cast<UserMap *>(ctx);
}

// functions: which of local, known and any the map has.
Map make_user_map(size_t ndims, const py::object &map, const std::string &name, const py::set &functions,
                  const Group &group) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = name.c_str();
    ops.owner = user_owner;
    ops.local = functions.contains("local") ? user_local : nullptr;
    ops.known = functions.contains("known") ? user_known : nullptr;
    ops.any = functions.contains("any") ? user_any : nullptr;
    ops.equal = are_equal_objects;
    ops.destroy = drop;
    auto own = std::make_unique<UserMap>(UserMap{map, ndims});
    Map made;
    check(DRI_map_create_user(static_cast<int>(ndims), &ops, own.get(), group.get(), made.put()));
    static_cast<void>(own.release()); // it goes with the last map that has it
    return made;
}

} // namespace

void bind_user_maps(py::module_ &module) {
    py::class_<Asked, std::shared_ptr<Asked>>(module, "Asked")
        .def("to", &Asked::to)
        .def("from_", &Asked::from)
        .def("asks_dst", &Asked::asks_dst)
        .def("hand_over", &Asked::hand_over);
    module.def("make_user_map", make_user_map);
}

} // namespace dri_python
