// Cases of domain maps about owners, boxes, chunks and maps as values.
#include "support/dsi_kinds.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

namespace dri::test {

namespace {

Group first_processes(int n) {
    const std::vector<int> list = ranks(n);
    Group group;
    expect_success(DRI_group_create(n, list.data(), group.out()), "DRI_group_create");
    return group;
}

// "block({1..8}) on [0,1,2]", "cyclic(4) on [0,1,2]".
Map parse_map(const std::string &text) {
    const size_t open = text.find('('), on = text.find(" on [");
    const std::string kind = text.substr(0, open);
    std::string numbers = text.substr(open, on - open), list = text.substr(on + 5);
    for (std::string *words : {&numbers, &list})
        std::replace_if(
            words->begin(), words->end(), [](char letter) { return !std::isdigit(letter); }, ' ');
    std::vector<int> group_ranks;
    std::istringstream of_list(list), of_numbers(numbers);
    for (int rank; of_list >> rank;)
        group_ranks.push_back(rank);
    int64_t a = 0, b = 0;
    of_numbers >> a >> b;
    Group group;
    expect_success(DRI_group_create(static_cast<int>(group_ranks.size()), group_ranks.data(), group.out()),
                   "DRI_group_create");
    return make_map({kind == "block" ? block_dim(a, b + 1) : cyclic_dim(a)}, group);
}

// The dense indices of all chunks of a process, chunk by chunk.
std::vector<std::vector<Indices>> chunks_of(DRI_Domain domain, int rank, int tasks, size_t ndims) {
    int64_t n = -1;
    expect_success(DRI_domain_num_chunks(domain, rank, tasks, &n), "DRI_domain_num_chunks");
    std::vector<std::vector<Indices>> chunks;
    for (int64_t i = 0; i < n; ++i) {
        Ranges dense(ndims);
        int task = -1;
        expect_success(DRI_domain_get_chunk(domain, rank, tasks, i, dense.data(), &task), "DRI_domain_get_chunk");
        EXPECT_GE(task, 0);
        EXPECT_LT(task, tasks);
        chunks.push_back(tuples_of(dense));
        EXPECT_FALSE(chunks.back().empty());
    }
    return chunks;
}

Indices member(const Ranges &whole, const Indices &dense) {
    Indices index;
    for (size_t d = 0; d < whole.size(); ++d)
        index.push_back(whole[d].first + dense[d] * whole[d].stride);
    return index;
}

// One map of the names in a property, over n processes.
Map named_map(const std::string &name, const Ranges &ranges, int n) {
    std::vector<MapDim> rules;
    for (const DRI_Range &range : ranges)
        rules.push_back(name == "block"    ? block_dim(range.first, range.first + range.size)
                        : name == "cyclic" ? cyclic_dim(range.first)
                                           : cyclic_dim(range.first, 2));
    return make_map(rules, first_processes(n));
}

void check_leader(DRI_Domain domain, const Ranges &ranges, int n, int tasks) {
    std::set<Indices> seen;
    for (int rank = 0; rank < n; ++rank)
        for (const auto &chunk : chunks_of(domain, rank, tasks, ranges.size()))
            for (const Indices &dense : chunk) {
                EXPECT_TRUE(seen.insert(dense).second) << "in two chunks";
                int owner = -1;
                expect_success(DRI_domain_owner(domain, member(ranges, dense).data(), &owner), "DRI_domain_owner");
                EXPECT_EQ(owner, rank);
            }
    EXPECT_EQ(seen.size(), tuples_of(ranges).size());
}

// Owners in the nesting of the case, row-major.
void compare_owners(const Json &wanted, DRI_Domain domain, const Ranges &ranges) {
    Numbers flat;
    const std::function<void(const Json &)> flatten = [&](const Json &part) {
        if (!part.is_array())
            flat.push_back(part);
        else
            for (const Json &inner : part)
                flatten(inner);
    };
    flatten(wanted);
    size_t i = 0;
    for (const Indices &index : tuples_of(ranges)) {
        int rank = -1;
        expect_success(DRI_domain_owner(domain, index.data(), &rank), "DRI_domain_owner");
        EXPECT_EQ(rank, flat.at(i++));
    }
    EXPECT_EQ(i, flat.size());
}

} // namespace

int locales_of(const Json &input) {
    if (input["locales"].is_number())
        return input["locales"];
    int n = 1;
    for (const Json &along : input["locales"])
        n *= along.get<int>();
    return n;
}

Map read_map(const Json &input) {
    const std::string kind = input["map"];
    const size_t ndims = (kind == "block" ? input["bounding_box"] : input["start"]).size();
    std::vector<MapDim> rules;
    for (size_t d = 0; d < ndims; ++d) {
        const int nparts =
            input["locales"].is_array() && input["locales"].size() == ndims ? input["locales"][d].get<int>() : 0;
        if (kind == "block")
            rules.push_back(
                block_dim(input["bounding_box"][d][0], input["bounding_box"][d][1].get<int64_t>() + 1, nparts));
        else
            rules.push_back(
                cyclic_dim(input["start"][d], kind == "cyclic" ? 1 : input["block"][d].get<int64_t>(), nparts));
    }
    return make_map(rules, first_processes(locales_of(input)));
}

std::string check_dsi_owner(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(locales_of(input)); reason && !reason->empty())
        return *reason;
    const Ranges ranges = read_ranges(input["domain"]);
    const Map map = read_map(input);
    const Domain domain = make_domain(map, ranges);
    compare_owners(c["expect"]["owner"], domain, ranges);
    // The boxes of all processes say the same.
    for (int rank = 0; rank < locales_of(input); ++rank)
        for (const Ranges &box : boxes_of(domain, rank))
            for (const Indices &index : tuples_of(box)) {
                int owner = -1;
                expect_success(DRI_map_owner(map, index.data(), &owner), "DRI_map_owner");
                EXPECT_EQ(owner, rank);
            }
    return "";
}

std::string check_dsi_local(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(locales_of(input)); reason && !reason->empty())
        return *reason;
    const Domain domain = make_domain(read_map(input), read_ranges(input["domain"]));
    for (int rank = 0; rank < locales_of(input); ++rank) {
        Json local = Json::array();
        for (const Ranges &box : boxes_of(domain, rank))
            for (const Indices &index : tuples_of(box))
                local.push_back(box.size() == 1 ? Json(index[0]) : Json(index));
        EXPECT_EQ(local, c["expect"]["local"][static_cast<size_t>(rank)]);
    }
    return "";
}

std::string check_dsi_leader(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(locales_of(input)); reason && !reason->empty())
        return *reason;
    const Ranges ranges = read_ranges(input["domain"]);
    const Domain domain = make_domain(read_map(input), ranges);
    Json all = Json::array();
    for (int rank = 0; rank < locales_of(input); ++rank)
        for (const auto &chunk : chunks_of(domain, rank, input["tasks_per_locale"], ranges.size())) {
            Json dense = Json::array();
            for (const Indices &index : chunk)
                dense.push_back(index.size() == 1 ? Json(index[0]) : Json(index));
            all.push_back({{"locale", rank}, {"dense", dense}});
        }
    EXPECT_EQ(all, c["expect"]["chunks"]);
    return "";
}

std::string check_dsi_leaders(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(input["locales"].back()); reason && !reason->empty())
        return *reason;
    for (const Json &name : input["maps"])
        for (const Json &domain_json : input["domains"])
            for (const int n : input["locales"].get<std::vector<int>>()) {
                const Ranges ranges = read_ranges(domain_json);
                const Domain domain = make_domain(named_map(name, ranges, n), ranges);
                for (const int tasks : input["tasks_per_locale"].get<std::vector<int>>())
                    check_leader(domain, ranges, n, tasks);
            }
    return "";
}

std::string check_dsi_zip(const Json &c) {
    const Json &a = c["input"]["A"], &b = c["input"]["B"];
    const int n = std::max(locales_of(a), locales_of(b));
    if (const auto reason = left_out(n); reason && !reason->empty())
        return *reason;
    const Ranges ranges_a = read_ranges(a["domain"]), ranges_b = read_ranges(b["domain"]);
    const Domain leader = make_domain(read_map(a), ranges_a), follower = make_domain(read_map(b), ranges_b);
    Json pairs = Json::array(), per_chunk = Json::array();
    bool fits = true;
    for (int rank = 0; rank < locales_of(a); ++rank)
        for (const auto &chunk : chunks_of(leader, rank, 1, ranges_a.size())) {
            Json of_chunk = Json::array();
            for (const Indices &dense : chunk) {
                const Indices first = member(ranges_a, dense), second = member(ranges_b, dense);
                int64_t order = -1;
                expect_success(DRI_domain_order(follower, second.data(), &order), "DRI_domain_order");
                fits = fits && order >= 0;
                Json pair = Json::array();
                pair.push_back(first.size() == 1 ? Json(first[0]) : Json(first));
                pair.push_back(second.size() == 1 ? Json(second[0]) : Json(second));
                pairs.push_back(pair);
                of_chunk.push_back(pair);
            }
            per_chunk.push_back(of_chunk);
        }
    if (c["expect"].contains("error")) { // shapes that differ are found before the first step
        int64_t size_a = 0, size_b = 0;
        expect_success(DRI_domain_get_size(leader, &size_a), "DRI_domain_get_size");
        expect_success(DRI_domain_get_size(follower, &size_b), "DRI_domain_get_size");
        EXPECT_TRUE(size_a != size_b || !fits);
        return "";
    }
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(pairs, c["expect"]["pairs"]);
    EXPECT_EQ(per_chunk, c["expect"]["per_chunk"]);
    return "";
}

std::string check_dsi_standalone(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(input["locales"]); reason && !reason->empty())
        return *reason;
    const Ranges ranges = read_ranges(input["domain"]);
    for (const Json &name : input["maps"]) {
        const Domain domain = make_domain(named_map(name, ranges, input["locales"]), ranges);
        for (const int tasks : {1, 2, 5})
            check_leader(domain, ranges, input["locales"], tasks);
    }
    return "";
}

std::string check_dsi_equality(const Json &c) {
    if (const auto reason = left_out(3); reason && !reason->empty())
        return *reason;
    for (size_t i = 0; i < c["input"]["pairs"].size(); ++i) {
        const std::string a = c["input"]["pairs"][i][0], b = c["input"]["pairs"][i][1];
        const Map first = parse_map(a == "x" ? "block({1..8}) on [0,1,2]" : a);
        Map second;
        if (b == "clone(x)")
            expect_success(DRI_map_clone(first, second.out()), "DRI_map_clone");
        else
            second = parse_map(b);
        int flag = -1;
        expect_success(DRI_map_equal(first, second, &flag), "DRI_map_equal");
        EXPECT_EQ(flag, c["expect"]["equal"][i].get<bool>()) << a << " and " << b;
    }
    return "";
}

std::string check_dsi_clone(const Json &) {
    const Group all = make_world();
    Map map = make_map({block_dim(0, 10)}, all), other;
    Domain domain = make_domain(map, {{0, 1, 10}}), twin;
    expect_success(DRI_map_clone(map, other.out()), "DRI_map_clone");
    expect_success(DRI_domain_clone(domain, twin.out()), "DRI_domain_clone");
    int before = -1, after = -1;
    const int64_t index = 7;
    expect_success(DRI_map_owner(map, &index, &before), "DRI_map_owner");
    map = Map();
    domain = Domain();
    expect_success(DRI_map_owner(other, &index, &after), "DRI_map_owner");
    EXPECT_EQ(after, before);
    expect_success(DRI_domain_owner(twin, &index, &after), "DRI_domain_owner");
    EXPECT_EQ(after, before);
    return "";
}

std::string check_dsi_display(const Json &c) {
    if (const auto reason = left_out(locales_of(c["input"])); reason && !reason->empty())
        return *reason;
    std::array<char, 1024> text;
    expect_success(DRI_map_describe(read_map(c["input"]), text.data(), text.size()), "DRI_map_describe");
    for (const Json &word : c["expect"]["contains"])
        EXPECT_NE(std::string(text.data()).find(word.get<std::string>()), std::string::npos) << text.data();
    return "";
}

std::string check_dsi_constructor(const Json &c) {
    const size_t rank = c["input"]["rank"].get<size_t>();
    std::string skipped;
    for (size_t i = 0; i < c["input"]["nprocs"].size(); ++i) {
        const int n = c["input"]["nprocs"][i];
        if (const auto reason = left_out(n); reason && !reason->empty()) {
            skipped = *reason;
            continue;
        }
        const Map map = make_map(std::vector<MapDim>(rank, block_dim(0, 100)), first_processes(n));
        std::vector<int> grid(rank);
        expect_success(DRI_map_get_grid(map, grid.data()), "DRI_map_get_grid");
        EXPECT_EQ(grid, c["expect"]["grids"][i].get<std::vector<int>>());
    }
    return skipped;
}

std::string check_dsi_unsupported(const Json &c) {
    const std::map<std::string, DRI_Domain_kind> kinds{
        {"associative", DRI_ASSOCIATIVE}, {"opaque", DRI_OPAQUE}, {"sparse", DRI_SPARSE}};
    const Map map = make_map({block_dim(0, 10)}, make_world());
    const DRI_Range range{0, 1, 10};
    for (const Json &kind : c["input"]["kinds"]) {
        DRI_Domain domain{1};
        EXPECT_EQ(DRI_domain_create(map, kinds.at(kind), &range, &domain), DRI_ERR_UNSUPPORTED);
        EXPECT_EQ(domain.id, 0u);
        EXPECT_NE(std::string(DRI_error_message()).find(kind.get<std::string>()), std::string::npos);
    }
    return "";
}

// A handle that is destroyed leaves its slot to the next one.
std::string check_dsi_links(const Json &c) {
    const int order[] = {1, 0};
    std::set<uint64_t> slots;
    for (int i = 0; i < c["input"]["n"].get<int>(); ++i) {
        DRI_Layout layout;
        expect_success(DRI_layout_create_packed(2, order, &layout), "DRI_layout_create_packed");
        slots.insert(layout.id & 0xffffffff);
        expect_success(DRI_layout_destroy(&layout), "DRI_layout_destroy");
    }
    EXPECT_EQ(slots.size() - 1, c["expect"]["live"].get<size_t>());
    return "";
}

} // namespace dri::test
