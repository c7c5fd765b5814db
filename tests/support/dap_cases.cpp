// Dictionaries of cases as descriptions, and the walk over all indices that is their oracle.
#include "support/dap_cases.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace dri::test {

namespace {

const std::map<std::string, uint32_t> key_bits{
    {"size", DRI_DAP_SIZE},
    {"proc_grid_size", DRI_DAP_GRID_SIZE},
    {"proc_grid_rank", DRI_DAP_GRID_RANK},
    {"start", DRI_DAP_START},
    {"stop", DRI_DAP_STOP},
    {"padding", DRI_DAP_PADDING},
    {"periodic", DRI_DAP_PERIODIC},
    {"block_size", DRI_DAP_BLOCK_SIZE},
    {"indices", DRI_DAP_INDICES},
    {"one_to_one", DRI_DAP_ONE_TO_ONE},
};

bool are_integers(const Json &list) {
    return list.is_array() &&
           std::all_of(list.begin(), list.end(), [](const Json &x) { return x.is_number_integer(); });
}

// Whether C can hold the value.
bool store(const std::string &key, const Json &value, DRI_Dap_dim &dim, std::list<Numbers> &lists) {
    const bool is_flag = key == "periodic" || key == "one_to_one";
    if (is_flag && value.is_boolean()) {
        (key == "periodic" ? dim.periodic : dim.one_to_one) = value.get<bool>();
        return true;
    }
    if (key == "padding" && are_integers(value) && value.size() == 2) {
        dim.padding[0] = value[0];
        dim.padding[1] = value[1];
        return true;
    }
    if (key == "indices" && are_integers(value)) {
        const Numbers &kept = lists.emplace_back(value.get<Numbers>());
        dim.indices = kept.data();
        dim.nindices = static_cast<int64_t>(kept.size());
        return true;
    }
    if (is_flag || key == "padding" || key == "indices" || !value.is_number_integer())
        return false;
    if (key == "proc_grid_size")
        dim.proc_grid_size = value;
    else if (key == "proc_grid_rank")
        dim.proc_grid_rank = value;
    else
        (key == "size"    ? dim.size
         : key == "start" ? dim.start
         : key == "stop"  ? dim.stop
                          : dim.block_size) = value;
    return true;
}

DRI_Dap_dim read_dim(const Json &dictionary, std::list<Numbers> &lists) {
    DRI_Dap_dim dim{};
    for (const auto &[key, value] : dictionary.items()) {
        if (key == "dist_type") {
            const std::string type = value.is_string() ? value.get<std::string>() : "";
            dim.dist_type = type.size() == 1 ? type[0] : '?';
        } else if (key_bits.contains(key)) {
            (store(key, value, dim, lists) ? dim.keys : dim.unreadable) |= key_bits.at(key);
        }
    }
    return dim;
}

} // namespace

DapOfCase read_dims(const Json &dims, const Numbers &extents_of_empty) {
    static int64_t somewhere;
    DapOfCase read;
    read.dap.buffer = &somewhere;
    read.dap.itemsize = sizeof(int64_t);
    read.dap.ndims = static_cast<int32_t>(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
        read.dap.dim_data[d] = read_dim(dims[d], read.lists);
        read.dap.shape[d] =
            dims[d].empty() ? extents_of_empty.at(d) : static_cast<int64_t>(walk_held(dims[d]).size());
    }
    int64_t stride = sizeof(int64_t);
    for (size_t d = dims.size(); d-- > 0; stride *= read.dap.shape[d])
        read.dap.strides[d] = stride;
    return read;
}

std::vector<DRI_Dap> all_of(const std::list<DapOfCase> &read) {
    std::vector<DRI_Dap> all;
    for (const DapOfCase &one : read)
        all.push_back(one.dap);
    return all;
}

Json written(const DRI_Dap_dim &dim) {
    Json out{{"dist_type", std::string(1, static_cast<char>(dim.dist_type))}};
    const std::map<std::string, Json> values{
        {"size", dim.size},
        {"proc_grid_size", dim.proc_grid_size},
        {"proc_grid_rank", dim.proc_grid_rank},
        {"start", dim.start},
        {"stop", dim.stop},
        {"padding", Json::array({dim.padding[0], dim.padding[1]})},
        {"periodic", dim.periodic != 0},
        {"block_size", dim.block_size},
        {"indices", Numbers(dim.indices, dim.indices + dim.nindices)},
        {"one_to_one", dim.one_to_one != 0},
    };
    for (const auto &[key, bit] : key_bits)
        if (dim.keys & bit)
            out[key] = values.at(key);
    return without_defaults(out);
}

void note_only_elsewhere(const Json &c) {
    if (world().rank == 0)
        std::printf("%s is not about C\n", c["id"].get<std::string>().c_str());
}

Json without_defaults(Json dictionary) {
    const Json defaults{{"padding", {0, 0}}, {"periodic", false}, {"block_size", 1}, {"one_to_one", false}};
    for (const auto &[key, value] : defaults.items())
        if (dictionary.contains(key) && dictionary[key] == value)
            dictionary.erase(key);
    return dictionary;
}

Numbers walk_held(const Json &dim) {
    const std::string type = dim.value("dist_type", "");
    if (type == "u")
        return are_integers(dim.value("indices", Json::array())) ? dim.value("indices", Numbers{}) : Numbers{};
    Numbers held;
    if (type == "b") {
        for (int64_t i = dim.value("start", int64_t{0}); i < dim.value("stop", int64_t{0}); ++i)
            held.push_back(i);
        return held;
    }
    const int64_t block = dim.value("block_size", int64_t{1}), grid = dim.value("proc_grid_size", int64_t{1});
    for (int64_t i = 0; block > 0 && grid > 0 && i < dim.value("size", int64_t{0}); ++i)
        if (i / block % grid == dim.value("proc_grid_rank", int64_t{0}))
            held.push_back(i);
    return held;
}

Numbers walk_owned(const Json &dim) {
    Numbers held = walk_held(dim);
    if (dim.value("dist_type", "") != "b" || !dim.contains("padding"))
        return held;
    const Numbers padding = dim["padding"];
    const int64_t rank = dim["proc_grid_rank"], grid = dim["proc_grid_size"];
    if (rank < grid - 1)
        held.erase(held.end() - padding[1], held.end());
    if (rank > 0)
        held.erase(held.begin(), held.begin() + padding[0]);
    return held;
}

Numbers flattened(const Json &nested) {
    if (!nested.is_array())
        return {nested.get<int64_t>()};
    Numbers flat;
    for (const Json &inner : nested)
        for (const int64_t x : flattened(inner))
            flat.push_back(x);
    return flat;
}

void for_each_place(const Json &dims, const std::function<void(size_t at, int64_t flat)> &f) {
    std::vector<Numbers> held;
    size_t places = 1;
    for (const Json &dim : dims) {
        held.push_back(walk_held(dim));
        places *= held.back().size();
    }
    for (size_t at = 0; at < places; ++at) {
        int64_t flat = 0, stride = 1;
        size_t rest = at;
        for (size_t d = dims.size(); d-- > 0;) {
            flat += held[d][rest % held[d].size()] * stride;
            rest /= held[d].size();
            stride *= dims[d]["size"].get<int64_t>();
        }
        f(at, flat);
    }
}

} // namespace dri::test
