// Distributions: made from Python's values. queries.cpp asks them.
#include "queries.hpp"

namespace dri_python {

namespace {

// By the numbers that dri/elements.py gives to element types.
DRI_Type predefined(size_t which) {
    const DRI_Type all[] = {DRI_INT8,         DRI_INT16,         DRI_INT32,         DRI_INT64,         DRI_UINT8,
                            DRI_UINT16,       DRI_UINT32,        DRI_UINT64,        DRI_FLOAT,         DRI_DOUBLE,
                            DRI_COMPLEX_INT8, DRI_COMPLEX_INT16, DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};
    return all[which];
}

// The array of a rule, as long as the C structure points into it.
struct Values {
    std::vector<int64_t> numbers;
    std::vector<double> weights;
    std::vector<DRI_Run> runs;
};

void take_values(DRI_Part_dim &rule, const py::object &given, Values &values) {
    if (given.is_none())
        return;
    switch (rule.kind) {
    case DRI_WEIGHTS:
        for (const py::handle one : given)
            values.weights.push_back(one.cast<double>());
        rule.weights = values.weights.data();
        break;
    case DRI_RUNS:
        for (const py::handle one : given) {
            const std::vector<int64_t> run = numbers(one);
            values.runs.push_back({run.at(0), run.at(1), run.at(2), run.at(3)});
        }
        rule.runs = values.runs.data();
        rule.nruns = static_cast<int64_t>(values.runs.size());
        break;
    case DRI_INDICES: {
        const auto list = given.cast<py::array_t<int64_t, py::array::c_style>>();
        values.numbers.assign(list.data(), list.data() + list.size());
        rule.indices = values.numbers.data();
        rule.nindices = static_cast<int64_t>(values.numbers.size());
        break;
    }
    default: values.numbers = numbers(given); rule.sizes = values.numbers.data();
    }
}

// kind, parts, remainder, block, values, min, max, multiple, left, right, left edge, right edge, phase
DRI_Part_dim make_rule(const py::tuple &given, Values &values) {
    const auto at = [&](size_t i) { return number(given[i]); };
    DRI_Part_dim rule{};
    rule.kind = static_cast<DRI_Part_kind>(at(0));
    rule.nparts = small_number(at(1));
    rule.remainder = static_cast<DRI_Remainder>(at(2));
    rule.block = at(3);
    take_values(rule, given[4], values);
    rule.min = at(5);
    rule.max = at(6);
    rule.multiple = at(7);
    rule.left = at(8);
    rule.right = at(9);
    rule.left_edge = static_cast<DRI_Edge>(at(10));
    rule.right_edge = static_cast<DRI_Edge>(at(11));
    rule.phase = at(12);
    return rule;
}

Partition by_rules(const py::tuple &rules) {
    std::vector<Values> values(rules.size());
    std::vector<DRI_Part_dim> dims;
    for (size_t d = 0; d < rules.size(); ++d)
        dims.push_back(make_rule(rules[d], values[d]));
    Partition part;
    check(DRI_part_create_rule(static_cast<int>(dims.size()), dims.data(), part.put()));
    return part;
}

// left overlap, first, end, right overlap, left edge, right edge
Partition by_pieces(const py::tuple &pieces) {
    std::vector<DRI_Part_tuple> tuples;
    std::vector<DRI_Edge> left, right;
    for (const py::handle piece : pieces) {
        const std::vector<int64_t> at = numbers(piece);
        tuples.push_back({at[0], at[1], at[2], at[3]});
        left.push_back(static_cast<DRI_Edge>(at[4]));
        right.push_back(static_cast<DRI_Edge>(at[5]));
    }
    Partition plain, part;
    check(DRI_part_create(static_cast<int>(tuples.size()), tuples.data(), plain.put()));
    check(DRI_part_with_edges(plain.get(), left.data(), right.data(), part.put()));
    return part;
}

// Everything that can fail on one process alone.
struct Described {
    Gdo gdo;
    Partition part;
};

Described describe(const py::tuple &shape, const py::tuple &element, const py::object &box, bool is_exact,
                   const py::tuple &entries) {
    Type record;
    const DRI_Type type = type_of(element, record);
    const std::vector<int64_t> sizes = numbers(shape);
    Described made;
    check(DRI_gdo_create(static_cast<int>(sizes.size()), type, sizes.data(), made.gdo.put()));
    if (!box.is_none()) {
        const py::tuple pair = box;
        const std::vector<int64_t> offsets = numbers(pair[0]), lengths = numbers(pair[1]);
        Gdo sub;
        check(DRI_gdo_subset(made.gdo.get(), offsets.data(), lengths.data(), sub.put()));
        made.gdo = std::move(sub);
    }
    made.part = is_exact ? by_pieces(entries) : by_rules(entries);
    return made;
}

Distribution make_distribution(const Group &group, const Described &described) {
    Distribution dist;
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_dist_create(described.gdo.get(), described.part.get(), group.get(), dist.put());
    }
    check(code);
    return dist;
}

} // namespace

DRI_Type type_of(const py::tuple &element, Type &record) {
    if (const int64_t which = number(element[0]); which >= 0)
        return predefined(static_cast<size_t>(which));
    check(DRI_type_create(element[1].cast<size_t>(), element[2].cast<size_t>(), record.put()));
    return record.get();
}

void bind_distributions(py::module_ &module) {
    py::class_<Described>(module, "Described");
    module.def("describe", describe);
    py::class_<Distribution> dist(module, "Distribution");
    bind_part_queries(dist);
    bind_index_queries(dist);
    module.def("make_distribution", make_distribution);
}

} // namespace dri_python
