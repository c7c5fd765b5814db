// What endpoints have done: numbers, peers, times, and the plan in words.
#include "ends.hpp"

namespace dri_python {

namespace {

py::tuple spread(const DRI_Spread &of) { return py::make_tuple(of.p50, of.p99, of.max); }

py::tuple info(const End &end) {
    DRI_Xfer_info of;
    check(DRI_xfer_get_info(end.handle(), &of));
    return py::make_tuple(of.frames, of.bytes_self, of.bytes_message, of.messages, of.peers, of.buffer_bytes,
                          of.workspace_bytes, of.commit_seconds, of.last_seconds, of.total_seconds,
                          of.bytes_direct, of.threads, spread(of.frame_seconds), spread(of.wait_seconds),
                          spread(of.copy_seconds), of.dropped, of.plan_bytes);
}

// Fills an array whose elements are the C structure, and returns how many entries there are.
template <typename Entry, int (*get)(DRI_Xfer, int, Entry[], int *)>
int entries(const End &end, const py::array &into) {
    if (into.itemsize() != static_cast<py::ssize_t>(sizeof(Entry)))
        fail(DRI_ERR_INTERNAL, "the elements of the array are not those of the library");
    int n = 0;
    check(get(end.handle(), static_cast<int>(into.size()), static_cast<Entry *>(const_cast<void *>(into.data())),
              &n));
    return n;
}

py::str explain(const End &end) {
    std::string text(4096, '\0');
    for (;;) {
        check(DRI_xfer_explain(end.handle(), text.data(), text.size()));
        const size_t length = text.find('\0');
        if (length + 1 < text.size())
            return py::str(text.data(), length);
        text.assign(text.size() * 4, '\0');
    }
}

// How many strips there are, and which one is in hand.
py::tuple strips(const End &end) {
    int64_t n = 0, strip = 0;
    check(DRI_xfer_get_strips(end.handle(), &n, &strip, nullptr, nullptr));
    return py::make_tuple(n, strip);
}

Distribution strip(const End &end, int64_t which) {
    Distribution dist;
    check(DRI_xfer_get_strip(end.handle(), which, dist.put()));
    return dist;
}

} // namespace

void bind_reports(py::module_ &module) {
    module.def("info", info);
    module.def("peers", entries<DRI_Peer, DRI_xfer_get_peers>);
    module.def("times", entries<DRI_Frame_times, DRI_xfer_get_times>);
    module.def("explain", explain);
    module.def("strips", strips);
    module.def("strip", strip);
}

} // namespace dri_python
