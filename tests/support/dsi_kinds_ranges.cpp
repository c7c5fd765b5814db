// Cases of domain maps about ranges, orders and iteration.
#include "support/dsi_kinds.hpp"

#include <algorithm>
#include <sstream>

namespace dri::test {

namespace {

// "1..9 by 2 align 3", both ends included.
DRI_Range parse_range(const std::string &text) {
    std::istringstream in(text);
    int64_t lo = 0, hi = 0, stride = 1, align = 0;
    char dot;
    std::string word;
    in >> lo >> dot >> dot >> hi;
    bool is_aligned = false;
    while (in >> word)
        if (word == "by") {
            in >> stride;
        } else {
            in >> align;
            is_aligned = true;
        }
    DRI_Range range;
    expect_success(DRI_range(lo, hi + 1, stride, is_aligned ? align : stride > 0 ? lo : hi, &range), "DRI_range");
    return range;
}

DRI_Range range_of_sequence(const Numbers &sequence) {
    const auto n = static_cast<int64_t>(sequence.size());
    if (n == 0)
        return {0, 1, 0};
    return {sequence[0], n > 1 ? sequence[1] - sequence[0] : 1, n};
}

void check_pair(const Json &pair, const Json &dense_wanted, bool error) {
    const Json &whole_json = pair["whole"], &sub_json = pair["sub"];
    const Ranges whole = whole_json.is_array() ? read_ranges(whole_json) : Ranges{read_range(whole_json)};
    const Ranges sub = sub_json.is_array() ? read_ranges(sub_json) : Ranges{read_range(sub_json)};
    const Json wanted = error || sub_json.is_array() ? dense_wanted : Json::array({dense_wanted});
    for (size_t d = 0; d < whole.size(); ++d) {
        DRI_Range dense, back;
        const int code = DRI_densify(sub[d], whole[d], &dense);
        EXPECT_EQ(code, error ? DRI_ERR_ARG : DRI_SUCCESS) << pair;
        if (code != DRI_SUCCESS)
            continue;
        EXPECT_EQ(sequence_of(dense), wanted[d].get<Numbers>()) << pair;
        expect_success(DRI_undensify(dense, whole[d], &back), "DRI_undensify");
        EXPECT_EQ(sequence_of(back), sequence_of(sub[d])) << pair;
    }
}

void check_answers(const Ranges &ranges, const Json &probes, const Json &wanted) {
    Group self;
    const int own = world().rank;
    expect_success(DRI_group_create(1, &own, self.out()), "DRI_group_create");
    const Map map = make_map(std::vector<MapDim>(ranges.size()), self);
    const Domain domain = make_domain(map, ranges);
    Ranges dims(ranges.size());
    int ndims = 0;
    int64_t size = -1;
    expect_success(DRI_domain_get_ranges(domain, &ndims, dims.data()), "DRI_domain_get_ranges");
    EXPECT_EQ(static_cast<size_t>(ndims), ranges.size());
    expect_success(DRI_domain_get_size(domain, &size), "DRI_domain_get_size");
    EXPECT_EQ(size, wanted["num_indices"].get<int64_t>());
    const Indices first = sequence_of(dims[0]);
    if (wanted.contains("dim")) {
        EXPECT_EQ(first, wanted["dim"].get<Numbers>());
        EXPECT_EQ(dims[0].stride, wanted["stride"].get<int64_t>());
        const auto low = std::min_element(first.begin(), first.end()),
                   high = std::max_element(first.begin(), first.end());
        EXPECT_EQ(wanted["low"].is_null(), first.empty());
        if (!first.empty()) {
            EXPECT_EQ(*low, wanted["low"].get<int64_t>());
            EXPECT_EQ(*high, wanted["high"].get<int64_t>());
        }
    } else {
        for (size_t d = 0; d < dims.size(); ++d)
            EXPECT_EQ(sequence_of(dims[d]), wanted["dims"][d].get<Numbers>());
    }
    for (size_t i = 0; i < probes.size(); ++i) {
        const Numbers index = probes[i].is_array() ? probes[i].get<Numbers>() : Numbers{probes[i].get<int64_t>()};
        int64_t order = -2;
        expect_success(DRI_domain_order(domain, index.data(), &order), "DRI_domain_order");
        EXPECT_EQ(order, wanted["index_order"][i].get<int64_t>()) << probes[i];
        EXPECT_EQ(order >= 0, wanted["member"][i].get<bool>()) << probes[i];
    }
}

} // namespace

DRI_Range read_range(const Json &range) {
    if (range.is_string())
        return parse_range(range.get<std::string>());
    if (range.is_array())
        return {range[0], 1, std::max<int64_t>(range[1].get<int64_t>() - range[0].get<int64_t>() + 1, 0)};
    const DRI_Range counted = range_of_sequence(range["seq"].get<Numbers>());
    if (range.contains("text")) { // the same sequence, in the words of a test
        EXPECT_EQ(sequence_of(parse_range(range["text"].get<std::string>())), sequence_of(counted)) << range;
    }
    return counted;
}

Ranges read_ranges(const Json &ranges) {
    Ranges all;
    for (const Json &range : ranges)
        all.push_back(read_range(range));
    return all;
}

std::vector<Indices> members_of(DRI_Domain domain) {
    int ndims = 0;
    int64_t size = 0;
    expect_success(DRI_domain_get_ranges(domain, &ndims, nullptr), "DRI_domain_get_ranges");
    expect_success(DRI_domain_get_size(domain, &size), "DRI_domain_get_size");
    std::vector<Indices> all;
    for (int64_t order = 0; order < size; ++order) {
        Indices index(static_cast<size_t>(ndims));
        expect_success(DRI_domain_index(domain, order, index.data()), "DRI_domain_index");
        all.push_back(std::move(index));
    }
    return all;
}

std::string check_dsi_densify(const Json &c) {
    const Json &input = c["input"], &expect = c["expect"];
    if (!input.contains("pairs")) {
        check_pair(input, expect["dense"], false);
        return "";
    }
    for (size_t i = 0; i < input["pairs"].size(); ++i)
        check_pair(input["pairs"][i], expect.contains("dense") ? expect["dense"][i] : Json(),
                   expect.contains("error") && expect["error"][i].get<bool>());
    return "";
}

// Every part of every whole, or the chunks of every leader.
std::string check_dsi_property(const Json &c) {
    const Json &input = c["input"];
    if (input.contains("maps"))
        return check_dsi_leaders(c);
    int pairs = 0;
    for (const int64_t sign : input["signs"].get<Numbers>())
        for (int64_t stride = input["abs_stride"][0]; stride <= input["abs_stride"][1]; ++stride)
            for (int64_t n = input["len"][0]; n <= input["len"][1]; ++n) {
                const int64_t low = input["low"], step = sign * stride;
                const DRI_Range whole{sign > 0 ? low : low + (n - 1) * stride, step, n};
                const Indices all = sequence_of(whole);
                for (int64_t first = 0; first < n; ++first)
                    for (int64_t last = first; last < n; ++last)
                        for (const int64_t way : {1, -1, 2, -2}) {
                            const DRI_Range sub{all[static_cast<size_t>(way > 0 ? first : last)], way * step,
                                                (last - first) / std::abs(way) + 1};
                            ++pairs;
                            DRI_Range dense;
                            expect_success(DRI_densify(sub, whole, &dense), "DRI_densify");
                            for (int64_t k = 0; k < sub.size; ++k) {
                                const int64_t member = sub.first + k * sub.stride,
                                              at = dense.first + k * dense.stride;
                                int64_t order = -1;
                                expect_success(DRI_range_order(whole, member, &order), "DRI_range_order");
                                EXPECT_EQ(at, order);
                                EXPECT_EQ(all.at(static_cast<size_t>(at)), member);
                            }
                        }
            }
    EXPECT_GE(pairs, c["expect"]["pairs"].get<int>());
    return "";
}

std::string check_dsi_queries(const Json &c) {
    const Json &input = c["input"], &expect = c["expect"];
    if (input.contains("domain")) {
        check_answers(read_ranges(input["domain"]), input["probe"], expect);
        return "";
    }
    for (size_t i = 0; i < input["domains"].size(); ++i)
        check_answers({read_range(input["domains"][i])}, input["probe"], expect["answers"][i]);
    return "";
}

// By any sequence of dense indices per dimension: DRI_domain_index of each of their tuples.
std::string check_dsi_follower(const Json &c) {
    const Ranges whole = read_ranges(c["input"]["whole"]);
    const auto follow = c["input"]["follow"].get<std::vector<Numbers>>();
    Group group;
    expect_success(DRI_group_create_world(group.out()), "DRI_group_create_world");
    std::vector<MapDim> rules;
    for (const DRI_Range &range : whole)
        rules.push_back(block_dim(-50, range.first + range.size + 50));
    const Domain domain = make_domain(make_map(rules, group), whole);
    std::vector<int64_t> orders{0};
    for (size_t d = 0; d < whole.size(); ++d) {
        std::vector<int64_t> longer;
        for (const int64_t head : orders)
            for (const int64_t dense : follow[d])
                longer.push_back(head * whole[d].size + dense);
        orders = std::move(longer);
    }
    Json yields = Json::array();
    for (const int64_t order : orders) {
        Indices index(whole.size());
        expect_success(DRI_domain_index(domain, order, index.data()), "DRI_domain_index");
        yields.push_back(index);
    }
    EXPECT_EQ(yields, c["expect"]["yields"]);
    return "";
}

std::string check_dsi_serial(const Json &c) {
    Group group;
    expect_success(DRI_group_create_world(group.out()), "DRI_group_create_world");
    for (size_t i = 0; i < c["input"]["domains"].size(); ++i) {
        const Ranges ranges = read_ranges(c["input"]["domains"][i]);
        std::vector<MapDim> rules(ranges.size(), cyclic_dim(0));
        const Domain domain = make_domain(make_map(rules, group), ranges);
        Json yields = Json::array();
        for (const Indices &index : members_of(domain))
            yields.push_back(ranges.size() == 1 ? Json(index[0]) : Json(index));
        EXPECT_EQ(yields, c["expect"]["yields"][i]);
    }
    return "";
}

} // namespace dri::test
