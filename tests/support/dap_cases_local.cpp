// Conformance cases of the protocol's calls that need no library.
#include "support/dap_cases.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstring>

namespace dri::test {

namespace {

void expect_fault(int code, const DRI_Dap_fault &fault, const Json &expected) {
    const std::string rule = expected["rule"].is_string() ? expected["rule"].get<std::string>() : "";
    EXPECT_EQ(code == DRI_SUCCESS, expected["valid"].get<bool>()) << fault.message;
    EXPECT_EQ(std::string(fault.name), rule) << fault.message;
    EXPECT_EQ(fault.rule == DRI_DAP_VALID, rule.empty());
    if (code != DRI_SUCCESS) {
        EXPECT_NE(std::strstr(DRI_error_message(), fault.message), nullptr) << DRI_error_message();
    }
}

// A DRI_Dap has no other keys, one number of dimensions, a version that is text, and memory if it has a buffer.
bool is_only_a_dictionary(const Json &input) {
    return input.contains("extra_keys") || input["buffer_shape"].size() != input["dim_data"].size() ||
           (input.contains("missing_keys") && input["missing_keys"] != Json::array({"buffer"})) ||
           !input["version"].is_string() || input["buffer"] != "array";
}

void expect_one(Json input, const Json &expected) {
    DapOfCase read = read_dims(input["dim_data"], input["buffer_shape"].get<Numbers>());
    const auto shape = input["buffer_shape"].get<Numbers>();
    std::copy(shape.begin(), shape.end(), read.dap.shape);
    const std::string version = input["version"];
    std::memcpy(read.dap.version, version.data(), std::min(version.size(), sizeof read.dap.version));
    if (input.contains("missing_keys"))
        read.dap.itemsize = 0;
    DRI_Dap_fault fault;
    const int code = DRI_dap_validate(&read.dap, &fault);
    expect_fault(code, fault, expected);
}

void expect_equal_maps(const DRI_Dap_dim &dim, const Numbers &indices, const Numbers &places) {
    for (size_t i = 0; i < indices.size(); ++i) {
        int64_t place = -1, index = -1;
        expect_success(DRI_dap_local_index(&dim, indices[i], &place), "DRI_dap_local_index");
        expect_success(DRI_dap_global_index(&dim, places[i], &index), "DRI_dap_global_index");
        EXPECT_EQ(place, places[i]);
        EXPECT_EQ(index, indices[i]);
    }
}

// The indices that a process owns, by the calls: all places, without the padding towards neighbours.
Numbers owned_by_calls(const DRI_Dap_dim &dim) {
    int64_t n = -1;
    expect_success(DRI_dap_owned(&dim, &n), "DRI_dap_owned");
    const int64_t first = dim.dist_type == 'b' && dim.proc_grid_rank > 0 ? dim.padding[0] : 0;
    Numbers owned(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        expect_success(DRI_dap_global_index(&dim, first + i, &owned[static_cast<size_t>(i)]),
                       "DRI_dap_global_index");
    return owned;
}

Json cyclic(int64_t size, int64_t grid, int64_t rank, int64_t block) {
    return {{"dist_type", "c"},       {"size", size},          {"proc_grid_size", grid},
            {"proc_grid_rank", rank}, {"start", rank * block}, {"block_size", block}};
}

} // namespace

std::string check_dap_validate(const Json &c) {
    const Json &input = c["input"], &expected = c["expect"];
    if (is_only_a_dictionary(input)) {
        note_only_elsewhere(c);
        return "";
    }
    if (!expected["valid"].is_array()) {
        expect_one(input, expected);
        return "";
    }
    for (size_t i = 0; i < expected["valid"].size(); ++i) {
        Json one = input;
        // Any other value than an array stands for what is no buffer of integers.
        if (input["indices_as"][i] == "list")
            one["dim_data"][0]["indices"] = "list";
        expect_one(one, {{"valid", expected["valid"][i]}, {"rule", expected["rule"][i]}});
    }
    return "";
}

std::string check_dap_group(const Json &c) {
    const Json &dims = c["input"]["dim_data_per_rank"];
    std::list<DapOfCase> read;
    for (const Json &own : dims)
        read.push_back(read_dims(own, Numbers(own.size(), 3)));
    const std::vector<DRI_Dap> all = all_of(read);
    const auto n = static_cast<int>(all.size());
    DRI_Dap_fault fault;
    const int code = DRI_dap_check_all(n, all.data(), &fault);
    expect_fault(code, fault, c["expect"]);
    if (n > world().size)
        return needs_processes(n);
    if (world().rank >= n)
        return "";
    const Group group = make_group(ranks(n));
    DRI_Dap_fault found;
    const int checked = DRI_dap_check(&all[static_cast<size_t>(world().rank)], group, &found);
    expect_fault(checked, found, c["expect"]);
    EXPECT_EQ(checked, code);
    EXPECT_EQ(std::string(found.message), fault.message);
    EXPECT_EQ(found.process, fault.process);
    return "";
}

std::string check_dap_owned(const Json &c) {
    const DapOfCase read = read_dims(Json::array({c["input"]["dim_dict"]}));
    const Numbers owned = owned_by_calls(read.dap.dim_data[0]);
    EXPECT_EQ(static_cast<int64_t>(owned.size()), c["expect"]["owned"].get<int64_t>());
    EXPECT_EQ(owned, c["expect"]["owned_indices"].get<Numbers>());
    return "";
}

std::string check_dap_owned_sum(const Json &c) {
    const Json &dims = c["input"]["dims"];
    for (size_t i = 0; i < dims.size(); ++i) {
        Numbers owned;
        int64_t sum = 0;
        for (const Json &dim : dims[i]) {
            owned.push_back(
                static_cast<int64_t>(owned_by_calls(read_dims(Json::array({dim})).dap.dim_data[0]).size()));
            sum += owned.back();
        }
        EXPECT_EQ(owned, c["expect"]["owned"][i].get<Numbers>());
        EXPECT_EQ(sum, c["expect"]["sum"][i].get<int64_t>());
    }
    return "";
}

std::string check_dap_map(const Json &c) {
    const Json &expected = c["expect"];
    const DapOfCase read = read_dims(Json::array({c["input"]["dim_dict"]}));
    const DRI_Dap_dim &dim = read.dap.dim_data[0];
    expect_equal_maps(dim, c["input"]["global_indices"], expected["local_indices"]);
    EXPECT_EQ(expected["global_from_local"], c["input"]["global_indices"]);
    int64_t unused;
    for (const int64_t index : expected["local_from_global_errors"].get<Numbers>())
        EXPECT_EQ(DRI_dap_local_index(&dim, index, &unused), DRI_ERR_ARG) << index;
    for (const int64_t place : expected["global_from_local_errors"].get<Numbers>())
        EXPECT_EQ(DRI_dap_global_index(&dim, place, &unused), DRI_ERR_ARG) << place;
    return "";
}

std::string check_dap_cyclic_slice(const Json &c) {
    const int64_t size = c["input"]["size"], grid = c["input"]["grid"];
    for (int64_t r = 0; r < grid; ++r)
        EXPECT_EQ(owned_by_calls(read_dims(Json::array({cyclic(size, grid, r, 1)})).dap.dim_data[0]),
                  c["expect"]["owned"][static_cast<size_t>(r)].get<Numbers>());
    return "";
}

std::string check_dap_equivalence(const Json &c) {
    const int64_t size = c["input"]["size"], grid = c["input"]["grid"], block = c["input"]["block_size"];
    const auto bounds = c["expect"]["block_bounds"].get<Numbers>();
    for (int64_t r = 0; r < grid; ++r) {
        const auto at = static_cast<size_t>(r);
        const Numbers owned =
            owned_by_calls(read_dims(Json::array({cyclic(size, grid, r, block)})).dap.dim_data[0]);
        EXPECT_EQ(owned, c["expect"]["cyclic"][at].get<Numbers>());
        const Json even{{"dist_type", "b"},    {"size", size},        {"proc_grid_size", grid},
                        {"proc_grid_rank", r}, {"start", bounds[at]}, {"stop", bounds[at + 1]}};
        EXPECT_EQ(owned, owned_by_calls(read_dims(Json::array({even})).dap.dim_data[0]));
    }
    return "";
}

std::string check_dap_alias(const Json &c) {
    DapOfCase read = read_dims(c["input"]["dim_data"], c["input"]["buffer_shape"].get<Numbers>());
    expect_success(DRI_dap_write_out(&read.dap), "DRI_dap_write_out");
    Json shape = Json::array(), dims = Json::array();
    for (int d = 0; d < read.dap.ndims; ++d) {
        dims.push_back(written(read.dap.dim_data[d]));
        shape.push_back(read.dap.dim_data[d].size);
    }
    EXPECT_EQ(dims, c["expect"]["normalised"]);
    if (c["expect"].contains("global_shape")) {
        EXPECT_EQ(shape, c["expect"]["global_shape"]);
    }
    return "";
}

} // namespace dri::test
