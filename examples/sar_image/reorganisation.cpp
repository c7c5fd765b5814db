#include "reorganisation.hpp"

namespace sar {

namespace {

dri::Dist<cfloat, 2> distribute(const dri::Gdo<cfloat, 2> &array, Side side) {
    return {array, dri::cut_dim<2>(side.lines == Lines::rows ? 0 : 1),
            side.where == Where::all_processes ? dri::world() : dri::Group{0}};
}

dri::Options contiguous(Lines lines) { return {.layout = lines == Lines::rows ? dri::row_major : dri::col_major}; }

dri::Source<cfloat, 2> make_source(const char *name, const dri::Dist<cfloat, 2> &dist, Side side, cfloat *data) {
    if (data == nullptr || !dist)
        return {name, dist, contiguous(side.lines)};
    return {name, dist, contiguous(side.lines), std::span(data, static_cast<std::size_t>(dist.held()))};
}

} // namespace

Reorganisation::Reorganisation(const char *name, std::int64_t rows, std::int64_t columns, Side source, Side sink,
                               cfloat *source_data)
    : name_(name), source_side_(source), sink_side_(sink) {
    const dri::Gdo<cfloat, 2> array(rows, columns);
    source_ = make_source(name, distribute(array, source), source, source_data);
    sink_ = dri::Sink(name, distribute(array, sink), contiguous(sink.lines));
}

LocalLines Reorganisation::lines_of(const dri::End<cfloat, 2> &endpoint, Side side) {
    if (!endpoint)
        return {};
    const std::size_t cut = side.lines == Lines::rows ? 0 : 1;
    const auto part = endpoint.dist().tuples();
    return {.begin = part[cut].left_x,
            .end = part[cut].right_x,
            .length = endpoint.extent(1 - static_cast<int>(cut)),
            .data = endpoint.buffer().data()};
}

LocalLines Reorganisation::run() {
    if (source_ || sink_)
        dri::run(name_);
    return lines_of(sink_, sink_side_);
}

} // namespace sar
