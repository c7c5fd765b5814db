// Conformance cases of the protocol on distributions: export, import, and what moves.
#include "support/dap_cases.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace dri::test {

namespace {

// The dictionaries of a dimension, one for each coordinate along it.
std::vector<Json> line_of(const Json &per_rank, size_t d) {
    std::vector<Json> line(per_rank[0]["dim_data"][d]["proc_grid_size"].get<size_t>());
    for (const Json &process : per_rank)
        line[process["dim_data"][d]["proc_grid_rank"].get<size_t>()] = process["dim_data"][d];
    return line;
}

struct Widths {
    int64_t left, right;
};

// Padding of a dictionary towards its neighbours, and at the ends of the array.
Widths towards_neighbours(const Json &dim) {
    const auto padding = dim.value("padding", Numbers{0, 0});
    const bool is_first = dim["proc_grid_rank"] == 0,
               is_last = dim["proc_grid_rank"] == dim["proc_grid_size"].get<int>() - 1;
    return {is_first ? 0 : padding[0], is_last ? 0 : padding[1]};
}

int64_t boundary_at(const Json &dim, size_t side) { return dim.value("padding", Numbers{0, 0})[side]; }

// The distribution that a user would make for a case, and what a distribution cannot say.
struct MadeForCase {
    Dist dist;
    std::vector<std::array<int64_t, 2>> boundary;
    std::vector<int> periodic;

    int describe(int rank, void *buffer, DRI_Dap *dap) const {
        const auto *const pairs = reinterpret_cast<const int64_t(*)[2]>(boundary.data());
        return DRI_dap_export(dist, rank, DRI_ROW_MAJOR, buffer, pairs, periodic.data(), dap);
    }
};

Rule rule_for(const std::vector<Json> &line, const Json &own, Numbers &numbers) {
    const std::string type = own["dist_type"];
    Rule rule;
    rule.nparts = static_cast<int>(line.size());
    if (type == "c") {
        rule.kind = DRI_BLOCK_CYCLIC;
        rule.block = own.value("block_size", 1);
        return rule;
    }
    if (type == "u") {
        numbers = own["indices"].get<Numbers>();
        rule.kind = DRI_INDICES;
        rule.indices = numbers.data();
        rule.nindices = static_cast<int64_t>(numbers.size());
        return rule;
    }
    for (const Json &dim : line)
        numbers.push_back(static_cast<int64_t>(walk_owned(dim).size()));
    rule.kind = DRI_SIZES;
    rule.sizes = numbers.data();
    rule.left = rule.right = line.size() > 1 ? towards_neighbours(line[1]).left : 0;
    return rule;
}

Part exact_for(const Json &dims) {
    std::vector<DRI_Part_tuple> tuples;
    for (const Json &dim : dims) {
        const Numbers owned = walk_owned(dim);
        const Widths widths = towards_neighbours(dim);
        tuples.push_back({widths.left, owned.front(), owned.back() + 1, widths.right});
    }
    return make_exact(tuples);
}

bool has_one_width(const std::vector<Json> &line) {
    return std::all_of(line.begin() + (line.size() > 1), line.end(), [&](const Json &dim) {
        return towards_neighbours(dim).left == towards_neighbours(line[line.size() > 1]).left;
    });
}

MadeForCase make_for(const Json &per_rank, const Json &own, const Numbers &shape) {
    MadeForCase made;
    std::vector<Rule> rules;
    std::list<Numbers> numbers;
    bool is_exact = false;
    for (size_t d = 0; d < shape.size(); ++d) {
        const std::vector<Json> line = line_of(per_rank, d);
        rules.push_back(rule_for(line, own[d], numbers.emplace_back()));
        made.boundary.push_back({boundary_at(line.front(), 0), boundary_at(line.back(), 1)});
        made.periodic.push_back(own[d].value("periodic", false));
        is_exact = is_exact || !has_one_width(line);
    }
    const Part part = is_exact ? exact_for(own) : make_part(rules);
    made.dist = make_dist(make_gdo(shape, DRI_INT64), part, make_group(ranks(static_cast<int>(per_rank.size()))));
    return made;
}

void expect_described(const DRI_Dap &dap, const Json &dims, const std::string &what) {
    Json found = Json::array(), expected = Json::array();
    for (int d = 0; d < dap.ndims; ++d)
        found.push_back(written(dap.dim_data[d]));
    for (const Json &dim : dims) {
        expected.push_back(without_defaults(dim));
        expected.back().erase("one_to_one"); // a note of the producer, which a distribution does not have
    }
    EXPECT_EQ(found, expected) << what;
}

// Objects of an import, and the endpoint on the array.
struct ImportedArray {
    Dist dist;
    Layout layout;
    void *origin = nullptr;

    ImportedArray(const DRI_Dap &dap, DRI_Type type, DRI_Group group, DRI_Dap_view view) {
        expect_success(DRI_dap_import(&dap, type, group, view, dist.out(), layout.out(), &origin),
                       "DRI_dap_import");
    }
    Xfer endpoint(const char *name, DRI_Role role) const {
        Xfer made;
        expect_success(DRI_xfer_create(name, role, dist, layout, 1, &origin, made.out()), "DRI_xfer_create");
        return made;
    }
};

// An array of a case with canaries around it.
struct Guarded {
    static constexpr int64_t canary = -77;
    Numbers memory;

    explicit Guarded(const Numbers &values) : memory(values) {
        memory.insert(memory.begin(), 4, canary);
        memory.insert(memory.end(), 4, canary);
    }
    int64_t *data() { return memory.data() + 4; }
    Numbers values() const {
        EXPECT_EQ(std::count(memory.begin(), memory.begin() + 4, canary), 4);
        EXPECT_EQ(std::count(memory.end() - 4, memory.end(), canary), 4);
        return {memory.begin() + 4, memory.end() - 4};
    }
};

void expect_import_is_the_same(const DRI_Dap &dap, const MadeForCase &made, const Json &process, int n) {
    const ImportedArray imported(dap, DRI_INT64, make_group(ranks(n)), DRI_DAP_SINK);
    EXPECT_EQ(imported.origin, dap.buffer);
    MadeForCase again;
    again.boundary = made.boundary;
    again.periodic = made.periodic;
    again.dist = Dist();
    *again.dist.out() = imported.dist;
    DRI_Dap described;
    expect_success(again.describe(world().rank, dap.buffer, &described), "DRI_dap_export");
    *again.dist.out() = {};
    expect_described(described, process["dim_data"], "export of an import");
    DRI_dap_free(&described);
}

} // namespace

std::string check_dap_export(const Json &c) {
    const Json &per_rank = c["expect"]["per_rank"];
    const auto n = static_cast<int>(per_rank.size());
    if (const auto skip = left_out(n))
        return *skip;
    const Json &own = per_rank[static_cast<size_t>(world().rank)];
    const MadeForCase made = make_for(per_rank, own["dim_data"], c["input"]["global_shape"]);
    for (const Json &process : per_rank) {
        const auto shape = process["local_shape"].get<Numbers>();
        Numbers buffer(
            static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies{})));
        for_each_place(process["dim_data"], [&](size_t at, int64_t flat) { buffer[at] = flat; });
        EXPECT_EQ(buffer, flattened(process["buffer"])) << "the case itself";
        DRI_Dap dap;
        expect_success(made.describe(process["rank"], buffer.data(), &dap), "DRI_dap_export");
        EXPECT_EQ(std::string(dap.version), c["expect"]["version"].get<std::string>());
        EXPECT_EQ(Numbers(dap.shape, dap.shape + dap.ndims), shape);
        expect_described(dap, process["dim_data"], "rank " + process["rank"].dump());
        expect_success(DRI_dap_validate(&dap, nullptr), "DRI_dap_validate");
        if (process["rank"] == world().rank) {
            expect_success(DRI_dap_check(&dap, make_group(ranks(n)), nullptr), "DRI_dap_check");
            expect_import_is_the_same(dap, made, process, n);
        }
        expect_success(DRI_dap_free(&dap), "DRI_dap_free");
        EXPECT_EQ(dap.owner, nullptr);
    }
    return "";
}

std::string check_dap_owner_table(const Json &c) {
    const Json &input = c["input"];
    const auto shape = input["shape"].get<Numbers>(), grid = input["grid"].get<Numbers>();
    const auto n = static_cast<int>(std::accumulate(grid.begin(), grid.end(), int64_t{1}, std::multiplies{}));
    if (const auto skip = left_out(n))
        return *skip;
    Json dims = Json::array();
    int64_t rest = world().rank;
    for (size_t d = shape.size(); d-- > 0; rest /= grid[d]) {
        const int64_t r = rest % grid[d];
        Json dim{{"dist_type", input["dist"][d]},
                 {"size", shape[d]},
                 {"proc_grid_size", grid[d]},
                 {"proc_grid_rank", r},
                 {"start", r}};
        if (input["dist"][d] == "b") {
            dim["start"] = input["bounds"][d][static_cast<size_t>(r)];
            dim["stop"] = input["bounds"][d][static_cast<size_t>(r) + 1];
        }
        dims.insert(dims.begin(), dim);
    }
    const DapOfCase read = read_dims(dims);
    const ImportedArray imported(read.dap, DRI_INT64, make_group(ranks(n)), DRI_DAP_SINK);
    const Numbers owners = flattened(c["expect"]["owner"]);
    for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j) {
            const int64_t index[]{i, j};
            int rank = -1;
            expect_success(DRI_dist_owner(imported.dist, index, &rank), "DRI_dist_owner");
            EXPECT_EQ(rank, owners[static_cast<size_t>(i * shape[1] + j)]);
        }
    return "";
}

std::string check_dap_redistribute(const Json &c) {
    const Json &from = c["input"]["source"], &to = c["input"]["target"];
    const auto nfrom = static_cast<int>(from.size()), nto = static_cast<int>(to.size()), n = std::max(nfrom, nto);
    if (const auto skip = left_out(n))
        return *skip;
    const auto own = static_cast<size_t>(world().rank);
    const Group scope = make_group(ranks(n));
    Xfer source, sink;
    std::optional<Guarded> given, got;
    if (own < from.size()) {
        given.emplace(flattened(c["expect"]["source_buffers"][own]));
        DapOfCase read = read_dims(from[own]);
        read.dap.buffer = given->data();
        read.dap.readonly = 1;
        source = ImportedArray(read.dap, DRI_INT64, make_group(ranks(nfrom)), DRI_DAP_SOURCE)
                     .endpoint("rd", DRI_SOURCE);
    }
    if (own < to.size()) {
        got.emplace(Numbers(flattened(c["expect"]["target_buffers"][own]).size(), -1));
        DapOfCase read = read_dims(to[own]);
        read.dap.buffer = got->data();
        sink = ImportedArray(read.dap, DRI_INT64, make_group(ranks(nto)), DRI_DAP_SINK).endpoint("rd", DRI_SINK);
    }
    commit(scope);
    expect_success(DRI_do("rd", DRI_XFER_NULL), "DRI_do");
    if (given) {
        EXPECT_EQ(given->values(), flattened(c["expect"]["source_buffers"][own]));
    }
    if (got) {
        EXPECT_EQ(got->values(), flattened(c["expect"]["target_buffers"][own]));
    }
    return "";
}

std::string check_dap_halo(const Json &c) {
    const Json &dims = c["input"]["dim_data_per_rank"];
    const auto n = static_cast<int>(dims.size());
    if (const auto skip = left_out(n))
        return *skip;
    const auto own = static_cast<size_t>(world().rank);
    Guarded array(flattened(c["input"]["before"][own]));
    DapOfCase read = read_dims(dims[own]);
    read.dap.buffer = array.data();
    const ImportedArray imported(read.dap, DRI_INT64, make_group(ranks(n)), DRI_DAP_UPDATE);
    EXPECT_EQ(imported.origin, array.data());
    const Xfer source = imported.endpoint("halo", DRI_SOURCE), sink = imported.endpoint("halo", DRI_SINK);
    for (const DRI_Xfer end : {source.get(), sink.get()})
        expect_success(DRI_xfer_set_attr(end, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
    commit(make_group(ranks(n)));
    expect_success(DRI_do("halo", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(array.values(), flattened(c["expect"]["after"][own]));
    return "";
}

namespace {

void expect_round_trip(const Json &array, const Json *local_shapes, DRI_Type type, size_t itemsize) {
    const auto shape = array["shape"].get<Numbers>(), grid = array["grid"].get<Numbers>();
    const auto n = static_cast<int>(std::accumulate(grid.begin(), grid.end(), int64_t{1}, std::multiplies{}));
    std::vector<Rule> rules;
    for (size_t d = 0; d < shape.size(); ++d) {
        const bool is_cyclic = array.contains("dist") && array["dist"][d] == "c";
        rules.push_back({.kind = is_cyclic ? DRI_BLOCK_CYCLIC : DRI_BLOCK, .nparts = static_cast<int>(grid[d])});
        if (is_cyclic)
            rules.back().block = 1;
        else
            rules.back().remainder = DRI_CEIL;
    }
    const Group group = make_group(ranks(n));
    const Dist dist = make_dist(make_gdo(shape, type), make_part(rules), group);
    int64_t held = 0;
    expect_success(DRI_dist_get_count(dist, world().rank, nullptr, &held), "DRI_dist_get_count");
    std::vector<std::byte> buffer(static_cast<size_t>(held) * itemsize);
    DRI_Dap dap, again;
    expect_success(DRI_dap_export(dist, world().rank, DRI_ROW_MAJOR, buffer.data(), nullptr, nullptr, &dap),
                   "DRI_dap_export");
    EXPECT_EQ(dap.itemsize, itemsize);
    if (local_shapes) {
        EXPECT_EQ(Numbers(dap.shape, dap.shape + dap.ndims),
                  (*local_shapes)[static_cast<size_t>(world().rank)].get<Numbers>());
    }
    const ImportedArray imported(dap, type, group, DRI_DAP_SOURCE);
    EXPECT_EQ(imported.origin, buffer.data());
    int is_equal = 0;
    expect_success(DRI_dist_equal(dist, imported.dist, &is_equal), "DRI_dist_equal");
    EXPECT_EQ(is_equal, 1);
    expect_success(
        DRI_dap_export(imported.dist, world().rank, imported.layout, imported.origin, nullptr, nullptr, &again),
        "DRI_dap_export");
    for (int d = 0; d < dap.ndims; ++d)
        EXPECT_EQ(written(dap.dim_data[d]), written(again.dim_data[d]));
    EXPECT_EQ(Numbers(dap.strides, dap.strides + dap.ndims), Numbers(again.strides, again.strides + again.ndims));
    *static_cast<std::byte *>(again.buffer) = std::byte{99};
    EXPECT_EQ(buffer[0], std::byte{99});
    DRI_dap_free(&dap);
    DRI_dap_free(&again);
}

} // namespace

std::string check_dap_round_trip(const Json &c) {
    const Json &input = c["input"], &expected = c["expect"];
    if (!input.contains("arrays") && !input.contains("types")) {
        note_only_elsewhere(c);
        return "";
    }
    std::string skipped;
    const auto run = [&](const Json &array, const Json *shapes, DRI_Type type, size_t itemsize) {
        const auto grid = array["grid"].get<Numbers>();
        const auto n = static_cast<int>(std::accumulate(grid.begin(), grid.end(), int64_t{1}, std::multiplies{}));
        if (const auto skip = left_out(n))
            skipped += *skip;
        else
            expect_round_trip(array, shapes, type, itemsize);
    };
    for (size_t i = 0; input.contains("arrays") && i < input["arrays"].size(); ++i)
        run(input["arrays"][i], &expected["local_shapes"][i], DRI_INT64, sizeof(int64_t));
    const std::map<std::string, std::pair<DRI_Type, size_t>> types{{"uint8", {DRI_UINT8, 1}},
                                                                   {"complex128", {DRI_COMPLEX_DOUBLE, 16}},
                                                                   {"float64", {DRI_DOUBLE, 8}},
                                                                   {"int32", {DRI_INT32, 4}}};
    for (const Json &type : input.value("types", Json::array()))
        run(input, nullptr, types.at(type).first, types.at(type).second);
    return skipped;
}

std::string check_dap_buffer(const Json &c) {
    const Json &arrays = c["input"]["arrays"];
    const Group alone = make_group({world().rank});
    for (size_t i = 0; i < arrays.size(); ++i) {
        const auto shape = c["expect"]["shape"][i].get<Numbers>(),
                   strides = c["expect"]["strides"][i].get<Numbers>();
        const auto itemsize = c["expect"]["itemsize"][i].get<int64_t>();
        const DRI_Type type = arrays[i]["type"] == "float64" ? DRI_DOUBLE : DRI_COMPLEX_FLOAT;
        const Dist dist = make_dist(make_gdo(shape, type), make_part(std::vector<Rule>(shape.size())), alone);
        Layout strided;
        Numbers steps;
        for (const int64_t stride : strides)
            steps.push_back(stride / itemsize);
        expect_success(DRI_layout_create(static_cast<int>(steps.size()), steps.data(), strided.out()),
                       "DRI_layout_create");
        const std::string order = arrays[i].value("order", "");
        const DRI_Layout layout = order == "C" ? DRI_ROW_MAJOR : order == "F" ? DRI_COL_MAJOR : strided.get();
        std::vector<double> memory(64);
        DRI_Dap dap;
        expect_success(DRI_dap_export(dist, world().rank, layout, memory.data(), nullptr, nullptr, &dap),
                       "DRI_dap_export");
        EXPECT_EQ(Numbers(dap.shape, dap.shape + dap.ndims), shape);
        EXPECT_EQ(Numbers(dap.strides, dap.strides + dap.ndims), strides);
        EXPECT_EQ(static_cast<int64_t>(dap.itemsize), itemsize);
        EXPECT_EQ(dap.readonly, 0);
        const ImportedArray imported(dap, type, alone, DRI_DAP_SINK);
        Numbers again(shape.size());
        expect_success(DRI_layout_get_strides(imported.layout, imported.dist, world().rank, again.data()),
                       "DRI_layout_get_strides");
        EXPECT_EQ(again, steps);
        DRI_dap_free(&dap);
    }
    return "";
}

} // namespace dri::test
