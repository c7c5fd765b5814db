// Descriptions of parts as bytes.
#include "graph/part_texts.hpp"

namespace dri::graph {

namespace {

void put_end(Writer &out, const DescribedEnd &end) {
    put(out, end.operation);
    out.put(std::string_view(end.name)).put(end.has_shape);
    put(out, end.shape);
}

DescribedEnd get_end(Reader &in) {
    DescribedEnd end;
    end.operation = get_operation(in);
    end.name = in.get_string();
    end.has_shape = in.get<bool>();
    end.shape = get_shape(in);
    return end;
}

template <class List, class Put> void put_each(Writer &out, const List &list, const Put &put_one) {
    out.put(static_cast<int64_t>(list.size()));
    for (const auto &one : list)
        put_one(one);
}

template <class List, class Get> void get_each(Reader &in, List &list, const Get &get_one) {
    for (auto n = in.get<int64_t>(); n > 0; --n)
        list.push_back(get_one());
}

} // namespace

void put(Writer &out, const DescribedParts &described) {
    out.put(described.rank);
    put_each(out, described.parts, [&](const DescribedPart &part) {
        out.put(part.pid).put_all(part.needed);
        for (const auto *ends : {&part.recvs, &part.sends})
            put_each(out, *ends, [&](const DescribedEnd &end) { put_end(out, end); });
        for (const auto *names : {&part.reads, &part.outputs})
            put_each(out, *names, [&](const std::string &name) { out.put(std::string_view(name)); });
    });
}

DescribedParts get_parts(Reader &in) {
    DescribedParts described;
    described.rank = in.get<int>();
    get_each(in, described.parts, [&] {
        DescribedPart part;
        part.pid = in.get<int>();
        part.needed = in.get_all<std::vector<int>>();
        for (auto *ends : {&part.recvs, &part.sends})
            get_each(in, *ends, [&] { return get_end(in); });
        for (auto *names : {&part.reads, &part.outputs})
            get_each(in, *names, [&] { return in.get_string(); });
        return part;
    });
    return described;
}

} // namespace dri::graph
