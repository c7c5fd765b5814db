// Endpoints: declared, committed together, destroyed.
#include "memory.hpp"

namespace dri_python {

namespace {

// The array whose strips the distribution's first one is.
Gdo whole_of(const Distribution &dist) {
    Gdo box, whole;
    check(DRI_dist_get_gdo(dist.get(), box.put()));
    int ndims = 0;
    int64_t sizes[DRI_MAX_DIMS];
    check(DRI_gdo_get_sizes(box.get(), &ndims, sizes));
    check(DRI_gdo_get_offset(box.get(), nullptr, sizes));
    DRI_Type type;
    check(DRI_gdo_get_type(box.get(), &type));
    const int code = DRI_gdo_create(ndims, type, sizes, whole.put());
    DRI_type_destroy(&type); // refused for the predefined types, which need it not
    check(code);
    return whole;
}

std::vector<DRI_Xfer> handles_of(const py::list &ends) {
    std::vector<DRI_Xfer> all;
    for (const py::handle end : ends)
        all.push_back(end.cast<const End &>().handle());
    return all;
}

void commit(const Group &scope, const py::list &ends) {
    const std::vector<DRI_Xfer> all = handles_of(ends);
    check(unlocked([&] { return DRI_commit_ends(scope.get(), static_cast<int>(all.size()), all.data()); }));
}

py::list query(const Group &scope, const py::list &ends) {
    const std::vector<DRI_Xfer> all = handles_of(ends);
    std::vector<DRI_Memory> memory(all.size());
    // Without endpoints of its own a process asks about none, while others name theirs.
    check(unlocked(
        [&] { return DRI_xfer_query(scope.get(), static_cast<int>(all.size()), all.data(), memory.data()); }));
    py::list made;
    for (const DRI_Memory &one : memory)
        made.append(py::make_tuple(one.workspace_bytes, one.message_bytes, one.copy_bytes, one.tile_bytes,
                                   one.buffer_bytes, one.least_bytes, one.plan_bytes));
    return made;
}

// A view of memory that the base keeps.
py::array view(uintptr_t address, const py::dtype &dtype, const py::tuple &shape, const py::tuple &strides,
               const py::object &base) {
    std::vector<py::ssize_t> extents, steps;
    for (const int64_t extent : numbers(shape))
        extents.push_back(extent);
    for (const int64_t step : numbers(strides))
        steps.push_back(step);
    return py::array(dtype, extents, steps, reinterpret_cast<const void *>(address), base);
}

} // namespace

End::End(const std::string &name, int role, const Distribution &dist, const py::tuple &layout,
         const py::list &buffers, int strips)
    : is_sink_(role == DRI_SINK) {
    const Layout lies = make_layout(layout, ndims_of(dist));
    std::vector<void *> given;
    bool is_any = false;
    for (const py::handle one : buffers) {
        given.push_back(reinterpret_cast<void *>(one.cast<uintptr_t>()));
        is_any = is_any || given.back();
    }
    const int n = static_cast<int>(given.size());
    void *const *const memory = is_any ? given.data() : nullptr;
    if (strips < 0)
        check(
            DRI_xfer_create(name.c_str(), static_cast<DRI_Role>(role), dist.get(), lies.get(), n, memory, &xfer_));
    else
        check(DRI_xfer_create_strips(name.c_str(), static_cast<DRI_Role>(role), whole_of(dist).get(), strips,
                                     dist.get(), lies.get(), n, memory, &xfer_));
}

End::~End() {
    if (last_buffer_ != 0)
        forget_rebound(*this);
}

void End::set_attribute(int attribute, int64_t value) {
    check(DRI_xfer_set_attr(xfer_, static_cast<DRI_Attr>(attribute), value));
}

void End::set_timeout(double seconds, int64_t slice_ms) {
    seconds_ = seconds;
    set_attribute(DRI_ATTR_TIMEOUT_MS, slice_ms);
}

void End::destroy() {
    check(unlocked([this] { return DRI_xfer_destroy(&xfer_); }));
}

void End::abandon() {
    check(unlocked([this] { return DRI_xfer_abandon(&xfer_); }));
}

void End::rebase(const py::tuple &offset) {
    const std::vector<int64_t> by = numbers(offset);
    check(DRI_xfer_rebase(xfer_, by.data()));
}

void End::rebind(const py::array &memory) {
    check(DRI_xfer_rebind(xfer_, const_cast<void *>(memory.data())));
    if (last_buffer_ == 0)
        note_rebound(*this);
    last_buffer_ = reinterpret_cast<uintptr_t>(memory.data());
    refer_to(memory);
}

void End::refer_to(const py::array &memory) {
    addresses_.assign(1, memory.data());
    views_.assign(1, memory);
}

py::list End::addresses() const {
    int n = 0;
    check(DRI_xfer_get_buffers(xfer_, &n, nullptr));
    std::vector<void *> all(static_cast<size_t>(n));
    check(DRI_xfer_get_buffers(xfer_, &n, all.data()));
    py::list made;
    for (const void *one : all)
        made.append(reinterpret_cast<uintptr_t>(one));
    return made;
}

py::capsule End::keep() const {
    DRI_Kept *kept = nullptr;
    check(DRI_xfer_keep_buffers(xfer_, &kept));
    return py::capsule(kept, [](void *memory) { DRI_kept_free(static_cast<DRI_Kept *>(memory)); });
}

void End::set_views(const py::list &views) {
    forget_views();
    for (const py::handle address : addresses())
        addresses_.push_back(reinterpret_cast<const void *>(address.cast<uintptr_t>()));
    for (const py::handle one : views)
        views_.push_back(py::reinterpret_borrow<py::object>(one));
}

void End::forget_views() {
    addresses_.clear();
    views_.clear();
    last_ = 0;
}

py::object End::current() {
    void *address = nullptr;
    check(DRI_xfer_get_buffer(xfer_, &address));
    return view_at(address);
}

// Buffers follow each other, so the next one is almost always the one behind the last.
py::object End::view_at(const void *address) {
    const size_t n = views_.size();
    for (size_t tried = 0; tried < n; ++tried) {
        const size_t i = last_ + 1 + tried < n ? last_ + 1 + tried : (last_ + 1 + tried) % n;
        if (addresses_[i] == address) {
            last_ = i;
            return views_[i];
        }
    }
    fail(DRI_ERR_INTERNAL, "the library returned a buffer that is not the endpoint's");
}

void End::begin_next() {
    if (is_pending_)
        return;
    has_released_ = released_ < extracted_;
    released_ += has_released_;
    is_pending_ = true;
}

void End::end_next(int code) {
    if (code == DRI_ERR_TIMEOUT)
        return;
    is_pending_ = false;
    if (code == DRI_SUCCESS)
        ++extracted_;
    else if (code != DRI_END_OF_STREAM)
        released_ -= has_released_;
}

void bind_ends(py::module_ &module) {
    py::class_<End>(module, "End")
        .def(py::init<const std::string &, int, const Distribution &, const py::tuple &, const py::list &, int>())
        .def("set_attribute", &End::set_attribute)
        .def("set_scale", &End::set_scale)
        .def("set_timeout", &End::set_timeout)
        .def("destroy", &End::destroy)
        .def("abandon", &End::abandon)
        .def("rebase", &End::rebase)
        .def("rebind", &End::rebind)
        .def("refer_to", &End::refer_to)
        .def("addresses", &End::addresses)
        .def("keep", &End::keep)
        .def("set_views", &End::set_views)
        .def("forget_views", &End::forget_views)
        .def("current", &End::current)
        .def_property_readonly("extracted", &End::extracted)
        .def_property_readonly("released", &End::released);
    module.def("commit", commit);
    module.def("query", query);
    module.def("view", view);
}

} // namespace dri_python
