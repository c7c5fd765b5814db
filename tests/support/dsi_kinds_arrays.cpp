// Cases of domain maps about arrays and assignments.
#include "support/arrays.hpp"
#include "support/dsi_kinds.hpp"

#include <array>
#include <map>

namespace dri::test {

namespace {

Group group_of_first(int n) {
    const std::vector<int> list = ranks(n);
    Group group;
    expect_success(DRI_group_create(n, list.data(), group.out()), "DRI_group_create");
    return group;
}

// A block map over the bounding box of these ranges.
Domain block_domain(const Ranges &ranges, int n) {
    std::vector<MapDim> rules;
    for (const DRI_Range &r : ranges)
        rules.push_back(block_dim(r.first, r.first + r.size));
    return make_domain(make_map(rules, group_of_first(n)), ranges);
}

// Numbers of a case, at 1-based indices.
double number_at(const Json &numbers, const Indices &index) {
    const Json *at = &numbers;
    for (const int64_t i : index)
        at = &(*at)[static_cast<size_t>(i - 1)];
    return at->get<double>();
}

Ranges shape_of(const Json &numbers) {
    Ranges ranges;
    for (const Json *at = &numbers; at->is_array(); at = &(*at)[0])
        ranges.push_back({1, 1, static_cast<int64_t>(at->size())});
    return ranges;
}

// The two arrays of an assignment, whose result the case has.
void check_bulk_case(const Json &c, int bulk, int n) {
    const Json &input = c["input"], &wanted = c["expect"]["A"];
    const bool same = !input.contains("B");
    const Domain to = block_domain(shape_of(wanted), n);
    const Array a = make_array(to);
    fill(a, to, [&](const Indices &i) { return input["A"].is_array() ? number_at(input["A"], i) : 0.0; });
    expect_success(DRI_array_set_attr(a, DRI_ARRAY_BULK, bulk), "DRI_array_set_attr");
    const Ranges left = read_ranges(input["my_dom"]), right = read_ranges(input["other_dom"]);
    Domain from;
    Array b;
    if (!same) {
        from = make_domain(make_map(std::vector<MapDim>(shape_of(input["B"]).size(), cyclic_dim(1)), make_world()),
                           shape_of(input["B"]));
        b = make_array(from);
        fill(b, from, [&](const Indices &i) { return number_at(input["B"], i); });
    }
    DRI_Assigned info;
    expect_success(DRI_assign(a, left.data(), same ? a.get() : b.get(), right.data(), &info), "DRI_assign");
    if (is_own(to, Indices(shape_of(wanted).size(), 1)) && !bulk) {
        EXPECT_EQ(info.path, DRI_ASSIGN_ELEMENT);
    }
    EXPECT_EQ(difference(a, to, [&](const Indices &i) { return number_at(wanted, i); }), "");
}

// A user's map of even and odd indices, with known and any as a row says.
struct Decider {
    int known = -1, any = -1; // -1: not there; 0: declines; 1: does it
    bool hands_over = false;
};

int even_odd(void *, const int64_t index[], int *position) {
    *position = static_cast<int>(((index[0] % 2) + 2) % 2);
    return DRI_SUCCESS;
}

// Does the assignment by one of its own.
int decide(int what, const DRI_Assignment *assignment, int *done) {
    if (what == 1) {
        const int code = DRI_assign(assignment->dst, assignment->to, assignment->src, assignment->from, nullptr);
        if (code != DRI_SUCCESS)
            return code;
    }
    *done = what;
    return DRI_SUCCESS;
}
int decide_known(void *ctx, const DRI_Assignment *assignment, int *done) {
    return decide(static_cast<const Decider *>(ctx)->known, assignment, done);
}
int decide_any(void *ctx, const DRI_Assignment *assignment, int *done) {
    if (static_cast<const Decider *>(ctx)->hands_over)
        return DRI_assign_hand_over(assignment, done);
    return decide(static_cast<const Decider *>(ctx)->any, assignment, done);
}

Map user_map(Decider &decider, int n) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = "even_odd";
    ops.owner = even_odd;
    ops.known = decider.known >= 0 ? decide_known : nullptr;
    ops.any = decider.any >= 0 || decider.hands_over ? decide_any : nullptr;
    Map map;
    expect_success(DRI_map_create_user(1, &ops, &decider, group_of_first(n), map.out()), "DRI_map_create_user");
    return map;
}

void copy_double(const void *from, void *to, void *) {
    *static_cast<double *>(to) = *static_cast<const double *>(from);
}

int wanted_bit(const Json &name) { return name == "known" ? DRI_ASSIGN_KNOWN : DRI_ASSIGN_ANY; }

void check_row(const Json &row) {
    const auto of = [&](const char *name) { return row[name].is_null() ? -1 : row[name].get<bool>() ? 1 : 0; };
    Decider decider{of("known"), of("any"), false};
    const Ranges all{{1, 1, 9}};
    const Domain to = make_domain(user_map(decider, 2), all), from = block_domain(all, 2);
    const Array dst = make_array(to),
                src = make_array(from, row["same_type"].get<bool>() ? DRI_DOUBLE : DRI_INT32);
    if (row["same_type"].get<bool>())
        fill(src, from, [](const Indices &i) { return static_cast<double>(i[0] * 10); });
    expect_success(DRI_array_set_attr(dst, DRI_ARRAY_BULK, row["use_bulk"].get<bool>()), "DRI_array_set_attr");
    if (!row["plain_data"].get<bool>())
        expect_success(DRI_array_set_copy(dst, copy_double, nullptr), "DRI_array_set_copy");
    DRI_Assigned info;
    expect_success(DRI_assign(dst, nullptr, src, nullptr, &info), "DRI_assign");
    if (world().rank >= 2)
        return;
    int tried = 0;
    for (const Json &name : row["tried"])
        tried |= wanted_bit(name);
    EXPECT_EQ(info.tried, tried) << row;
    EXPECT_EQ(info.path, row["path"] == "element" ? DRI_ASSIGN_ELEMENT : wanted_bit(row["path"])) << row;
    const bool same = row["same_type"].get<bool>();
    EXPECT_EQ(difference(dst, to, [&](const Indices &i) { return same ? static_cast<double>(i[0] * 10) : 0.0; }),
              "")
        << row;
}

} // namespace

std::string check_dsi_bulk(const Json &c) {
    if (!c["expect"].contains("error")) {
        check_bulk_case(c, 1, world().size);
        check_bulk_case(c, 0, world().size);
        return "";
    }
    const Json &input = c["input"];
    const Domain to = block_domain(read_ranges(input["dest_domain"]), world().size),
                 from = block_domain(read_ranges(input["src_domain"]), world().size);
    const Array dst = make_array(to), src = make_array(from);
    fill(dst, to, [](const Indices &) { return 7.0; });
    Ranges left = read_ranges(input["my_dom"]);
    const Ranges right = read_ranges(input["other_dom"]);
    left.resize(read_ranges(input["dest_domain"]).size(),
                DRI_Range{}); // of the wrong number: the rest is no range
    EXPECT_NE(DRI_assign(dst, left.data(), src, right.data(), nullptr), DRI_SUCCESS);
    EXPECT_EQ(difference(dst, to, [](const Indices &) { return 7.0; }), "");
    return "";
}

std::string check_dsi_decision(const Json &c) {
    if (const auto reason = left_out(2); reason && !reason->empty())
        return *reason;
    for (const Json &row : c["expect"]["rows"])
        check_row(row);
    return "";
}

std::string check_dsi_recursion(const Json &c) {
    if (const auto reason = left_out(2); reason && !reason->empty())
        return *reason;
    Decider a{-1, -1, true}, b{-1, -1, true};
    const Ranges all{{1, 1, 9}};
    const Domain to = make_domain(user_map(a, 2), all), from = make_domain(user_map(b, 2), all);
    const Array dst = make_array(to), src = make_array(from);
    fill(src, from, [](const Indices &i) { return static_cast<double>(i[0]); });
    DRI_Assigned info;
    expect_success(DRI_assign(dst, nullptr, src, nullptr, &info), "DRI_assign");
    EXPECT_EQ(c["expect"]["path"], "element");
    if (world().rank < 2) {
        EXPECT_EQ(info.path, DRI_ASSIGN_ELEMENT);
    }
    EXPECT_EQ(difference(dst, to, [](const Indices &i) { return static_cast<double>(i[0]); }), "");
    return "";
}

std::string check_dsi_user_map(const Json &c) {
    if (const auto reason = left_out(2); reason && !reason->empty())
        return *reason;
    Decider decider;
    const Ranges all = read_ranges(c["input"]["domain"]);
    const Domain own = make_domain(user_map(decider, 2), all), blocks = block_domain(all, 2);
    const Array src = make_array(own), dst = make_array(blocks);
    fill(src, own, [](const Indices &i) { return static_cast<double>(i[0]); });
    expect_success(DRI_assign(dst, nullptr, src, nullptr, nullptr), "DRI_assign");
    EXPECT_EQ(difference(dst, blocks, [](const Indices &i) { return static_cast<double>(i[0]); }), "");
    for (const auto &[domain, wanted] :
         {std::pair(&own, c["expect"]["local"]), {&blocks, c["expect"]["copy_to_block"]}})
        for (int rank = 0; rank < 2; ++rank) {
            Numbers local;
            for (const Ranges &box : boxes_of(*domain, rank))
                for (const Indices &index : tuples_of(box))
                    local.push_back(index[0]);
            EXPECT_EQ(local, wanted[static_cast<size_t>(rank)].get<Numbers>());
        }
    return "";
}

std::string check_dsi_access(const Json &c) {
    const Json &input = c["input"];
    if (const auto reason = left_out(2); reason && !reason->empty())
        return *reason;
    const Domain domain = block_domain(read_ranges(input["bounding_box"]), 2);
    const Array array = make_array(domain);
    for (const auto &[key, value] : input["write"].items()) {
        const Indices index{std::stoll(key)};
        void *element = nullptr;
        if (is_own(domain, index)) {
            expect_success(DRI_array_at(array, index.data(), &element), "DRI_array_at");
            *static_cast<double *>(element) = value.get<double>();
            EXPECT_EQ(*static_cast<double *>(element), c["expect"]["read"][key == "3" ? 0 : 1].get<double>());
        } else {
            EXPECT_EQ(DRI_array_at(array, index.data(), &element), DRI_ERR_ARG);
            EXPECT_NE(std::string(DRI_error_message()).find("belongs to process"), std::string::npos);
        }
    }
    const int64_t outside = 9;
    void *element = nullptr;
    EXPECT_EQ(DRI_array_at(array, &outside, &element), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("is no member of"), std::string::npos);
    return "";
}

std::string check_dsi_accessors(const Json &) {
    const Ranges all{{1, 1, 10}};
    const Domain domain = block_domain(all, world().size);
    const Array array = make_array(domain, DRI_FLOAT);
    Domain back;
    Map map, first;
    Type type;
    int flag = 0;
    DRI_Type element;
    expect_success(DRI_array_get_domain(array, back.out()), "DRI_array_get_domain");
    expect_success(DRI_domain_equal(domain, back, &flag), "DRI_domain_equal");
    EXPECT_EQ(flag, 1);
    expect_success(DRI_domain_get_map(back, map.out()), "DRI_domain_get_map");
    expect_success(DRI_domain_get_map(domain, first.out()), "DRI_domain_get_map");
    expect_success(DRI_map_equal(map, first, &flag), "DRI_map_equal");
    EXPECT_EQ(flag, 1);
    expect_success(DRI_array_get_type(array, &element), "DRI_array_get_type");
    EXPECT_EQ(element.id, DRI_FLOAT.id);
    return "";
}

std::string check_dsi_set(const Json &c) {
    const Json &input = c["input"], &expect = c["expect"];
    const int n = input["locales"][0];
    if (const auto reason = left_out(n); reason && !reason->empty())
        return *reason;
    const Json box = input["bounding_box"][0];
    const Map map = make_map({block_dim(box[0], box[1].get<int64_t>() + 1)}, group_of_first(n));
    const Domain domain = make_domain(map, {read_range(input["from_domain"])});
    const Array array = make_array(domain);
    if (input.contains("values"))
        fill(array, domain, [&](const Indices &i) { return input["values"][std::to_string(i[0])].get<double>(); });
    const DRI_Range next = read_range(input["to_domain"]);
    expect_success(DRI_domain_set(domain, {}, &next), "DRI_domain_set");
    if (expect.contains("local_after")) {
        for (int rank = 0; rank < n; ++rank) {
            Numbers local;
            for (const Ranges &own : boxes_of(domain, rank))
                for (const Indices &index : tuples_of(own))
                    local.push_back(index[0]);
            EXPECT_EQ(local, expect["local_after"][static_cast<size_t>(rank)].get<Numbers>());
        }
        return "";
    }
    EXPECT_EQ(sequence_of(ranges_of(domain)[0]), expect["indices"].get<Numbers>());
    EXPECT_EQ(difference(array, domain,
                         [&](const Indices &i) {
                             return expect["values"][static_cast<size_t>(i[0] - next.first)].get<double>();
                         }),
              "");
    return "";
}

std::string check_dsi_halo(const Json &c) {
    if (const auto reason = left_out(4); reason && !reason->empty())
        return *reason;
    MapDim rule = block_dim(1, 11, 2);
    rule.left = rule.right = 1;
    const Ranges box = read_ranges(c["input"]["box"]);
    const Domain domain = make_domain(make_map({rule, rule}, group_of_first(4)), box);
    const Array array = make_array(domain);
    fill(array, domain, [](const Indices &i) { return static_cast<double>(10 * i[0] + i[1]); });
    for (int turn = 0; turn < 2; ++turn)
        expect_success(DRI_array_update_overlap(array), "DRI_array_update_overlap");
    if (world().rank >= 4)
        return "";
    const DRI_View *view = nullptr;
    expect_success(DRI_array_view(array, 0, &view), "DRI_array_view");
    for (int64_t i = -1; i <= view->range[0].size; ++i)
        for (int64_t j = -1; j <= view->range[1].size; ++j) {
            const int64_t row = view->range[0].first + i, column = view->range[1].first + j;
            const bool inside = row >= 1 && row <= 10 && column >= 1 && column <= 10;
            EXPECT_EQ(static_cast<const double *>(view->data)[i * view->step[0] + j * view->step[1]],
                      inside ? static_cast<double>(10 * row + column) : 0.0)
                << row << " " << column;
        }
    const Json &held = c["expect"]["local_with_fluff"][static_cast<size_t>(world().rank)];
    EXPECT_EQ(view->range[0].first - 1, held[0][0].get<int64_t>());
    EXPECT_EQ(view->range[1].first + view->range[1].size, held[1][1].get<int64_t>());
    return "";
}

} // namespace dri::test
