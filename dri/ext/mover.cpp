// A plan of dri.redistribute that is ready to run again: one call compares the arrays, agrees, and moves.
#include "accord.hpp"

#include <optional>

namespace dri_python {

namespace {

// What a plan requires of an array.
class Form {
public:
    // is_fixed: the array's address, too.
    Form(const py::array &array, bool is_fixed)
        : dtype_(array.dtype()), shape_(array.shape(), array.shape() + array.ndim()),
          strides_(array.strides(), array.strides() + array.ndim()), flags_(array.flags() & compared),
          address_(is_fixed ? array.data() : nullptr) {
        for (size_t d = 0; d < shape_.size(); ++d)
            bytes_ += (shape_[d] - 1) * strides_[d];
        if (array.size() == 0)
            bytes_ = 0;
    }

    bool fits(py::handle given) const {
        if (!py::isinstance<py::array>(given))
            return false;
        const auto array = py::reinterpret_borrow<py::array>(given);
        return py::detail::array_proxy(array.ptr())->descr == dtype_.ptr() &&
               std::equal(shape_.begin(), shape_.end(), array.shape(), array.shape() + array.ndim()) &&
               std::equal(strides_.begin(), strides_.end(), array.strides()) &&
               (array.flags() & compared) == flags_ && (!address_ || address_ == array.data());
    }

    // Whether two arrays of these forms have bytes between the same addresses.
    static bool are_apart(const Form &a, const void *at, const Form &b, const void *bt) {
        const auto *const x = static_cast<const char *>(at), *const y = static_cast<const char *>(bt);
        return a.bytes_ == 0 || b.bytes_ == 0 || x + a.bytes_ <= y || y + b.bytes_ <= x;
    }

private:
    static constexpr int compared =
        py::detail::npy_api::NPY_ARRAY_WRITEABLE_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;

    py::dtype dtype_;
    std::vector<py::ssize_t> shape_, strides_;
    int flags_;
    const void *address_;
    py::ssize_t bytes_ = dtype_.itemsize(); // from the first to the last
};

class Mover {
public:
    // source, sink: endpoints, or None. They have x and y in their hands. accord: None on a process that is alone.
    Mover(int64_t number, const py::object &calls, const py::object &source, const py::object &sink,
          const py::object &accord, const py::object &x, const py::object &y, bool is_in_place)
        : owners_{calls, source, sink, accord}, number_(number), calls_(calls.cast<Calls &>()),
          source_(part(source)), sink_(part(sink)), accord_(accord.is_none() ? nullptr : &accord.cast<Accord &>()),
          is_in_place_(is_in_place) {
        if (source_)
            x_.emplace(x.cast<py::array>(), is_in_place);
        if (sink_)
            y_.emplace(y.cast<py::array>(), is_in_place);
    }

    // None: other arrays, or another accord by now; nothing is done. False: a process has given up the accord.
    // True: they are moved. Else what the processes gave, which is no agreement. next: this process's number for a
    // new plan.
    py::object run(const py::object &x, const py::object &y, int64_t next) {
        has_agreed_ = accord_ == nullptr;
        if (!fit(x, y) || (accord_ && !accord_->is_open()))
            return py::none();
        if (accord_) {
            try {
                accord_->exchange(number_, next);
            } catch (const Failure &failure) {
                if (failure.code != DRI_ERR_STATE)
                    throw;
                return py::bool_(false);
            }
            has_agreed_ = true;
            if (!accord_->is(number_))
                return accord_->pairs();
        }
        take(source_, x);
        take(sink_, y);
        calls_.move();
        for (End *one : {source_, sink_})
            if (one)
                one->forget_views();
        return py::bool_(true);
    }

    // Whether a call that has thrown had agreed with the other processes before.
    bool has_agreed() const { return has_agreed_; }

private:
    static End *part(const py::object &end) { return end.is_none() ? nullptr : &end.cast<End &>(); }

    bool fit(const py::object &x, const py::object &y) const {
        if ((source_ && !x_->fits(x)) || (sink_ && !y_->fits(y)))
            return false;
        return is_in_place_ || !source_ || !sink_ ||
               Form::are_apart(*x_, py::reinterpret_borrow<py::array>(x).data(), *y_,
                               py::reinterpret_borrow<py::array>(y).data());
    }

    void take(End *end, const py::object &memory) const {
        if (!end)
            return;
        const auto array = py::reinterpret_borrow<py::array>(memory);
        if (is_in_place_)
            end->refer_to(array);
        else
            end->rebind(array);
    }

    std::vector<py::object> owners_;
    int64_t number_;
    Calls &calls_;
    End *source_, *sink_;
    Accord *accord_;
    bool is_in_place_, has_agreed_ = false;
    std::optional<Form> x_, y_;
};

} // namespace

void bind_movers(py::module_ &module) {
    py::class_<Accord>(module, "Accord")
        .def(py::init<const std::string &, const py::object &, const py::object &>())
        .def("exchange",
             [](Accord &accord, int64_t number, int64_t next) {
                 accord.exchange(number, next);
                 return accord.pairs();
             })
        .def("close", &Accord::close)
        .def("leave", &Accord::leave);
    py::class_<Mover>(module, "Mover")
        .def(py::init<int64_t, const py::object &, const py::object &, const py::object &, const py::object &,
                      const py::object &, const py::object &, bool>())
        .def("run", &Mover::run)
        .def_property_readonly("has_agreed", &Mover::has_agreed);
}

} // namespace dri_python
