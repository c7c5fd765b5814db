// What a process tells about its graph, as bytes.
#include "graph/told.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

void put_port(Writer &out, const ToldPort &port) {
    out.put(std::string_view(port.name));
    put(out, port.whole);
    out.put(port.converts).put(port.first_rank);
    put(out, port.group);
    out.put_all(port.ranks).put(port.needs).put(port.begins);
}

ToldPort get_port(Reader &in) {
    ToldPort port;
    port.name = in.get_string();
    port.whole = get_shape(in);
    port.converts = in.get<bool>();
    port.first_rank = in.get<int>();
    port.group = get_digest(in);
    port.ranks = in.get_all<std::vector<int>>();
    port.needs = in.get<int>();
    port.begins = in.get<bool>();
    return port;
}

// Reads a list's length and reserves its memory.
template <class T> int64_t get_length(Reader &in, std::vector<T> &list) {
    const auto n = in.get<int64_t>();
    list.reserve(std::min(static_cast<size_t>(n), in.left())); // each has some bytes
    return n;
}

} // namespace

void put(Writer &out, const ToldGraph &told) {
    out.put(told.rank).put(static_cast<int64_t>(told.shapes.size()));
    for (const NodeShape &shape : told.shapes)
        put(out, shape);
    out.put(static_cast<int64_t>(told.sends.size()));
    for (const ToldSend &send : told.sends) {
        out.put(send.dest).put(std::string_view(send.tag));
        out.put(send.shape).put(send.data).put(send.needs).put(send.begins);
    }
    out.put(static_cast<int64_t>(told.recvs.size()));
    for (const ToldRecv &recv : told.recvs)
        out.put(recv.src).put(std::string_view(recv.tag)).put(recv.shape);
    for (const auto *ports : {&told.sources, &told.sinks}) {
        out.put(static_cast<int64_t>(ports->size()));
        for (const ToldPort &port : *ports)
            put_port(out, port);
    }
    out.put_all(told.unions.first).put_all(told.unions.all);
}

ToldGraph get_told(Reader &in) {
    ToldGraph told;
    told.rank = in.get<int>();
    for (auto left = in.get<int64_t>(); left > 0; --left)
        told.shapes.push_back(get_shape(in));
    for (auto left = get_length(in, told.sends); left > 0; --left) {
        ToldSend &send = told.sends.emplace_back();
        send.dest = in.get<int>();
        send.tag = in.get_string();
        send.shape = in.get<int>();
        send.data = in.get<int>();
        send.needs = in.get<int>();
        send.begins = in.get<bool>();
    }
    for (auto left = get_length(in, told.recvs); left > 0; --left) {
        ToldRecv &recv = told.recvs.emplace_back();
        recv.src = in.get<int>();
        recv.tag = in.get_string();
        recv.shape = in.get<int>();
    }
    for (auto *ports : {&told.sources, &told.sinks})
        for (auto left = in.get<int64_t>(); left > 0; --left)
            ports->push_back(get_port(in));
    told.unions.first = in.get_all<std::vector<int>>();
    told.unions.all = in.get_all<std::vector<int>>();
    return told;
}

} // namespace dri::graph
