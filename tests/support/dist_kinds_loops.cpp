// Cases of distributed arrays about statements and moves, and what all kinds use.
#include "support/dist_kinds.hpp"

#include <algorithm>

namespace dri::test {

namespace {

// Adds a plain constant to the end: sum of weights times reads.
int add_weighted(void *context, int ndims, const int64_t sizes[], void *const data[],
                 const int64_t *const steps[]) {
    const auto &weights = *static_cast<const Values *>(context);
    Numbers at(static_cast<size_t>(ndims), 0);
    for (;;) {
        const auto place = [&](size_t k) {
            auto *p = static_cast<char *>(data[k]);
            for (size_t d = 0; d < at.size(); ++d)
                p += at[d] * steps[k][d];
            return reinterpret_cast<double *>(p);
        };
        double sum = 0;
        for (size_t k = 0; k < weights.size(); ++k)
            sum += weights[k] * *place(k + 1);
        *place(0) = sum;
        int d = ndims - 1;
        for (; d >= 0 && ++at[static_cast<size_t>(d)] == sizes[d]; --d)
            at[static_cast<size_t>(d)] = 0;
        if (d < 0)
            return DRI_SUCCESS;
    }
}

double last_index(const Indices &index) { return static_cast<double>(10 * index[0] + index[1]); }

// Numbers of a case as nested lists, in row-major order.
void append_numbers(const Json &from, Values &to) {
    if (!from.is_array()) {
        to.push_back(from.get<double>());
        return;
    }
    for (const Json &one : from)
        append_numbers(one, to);
}

// "1:8,0:6" of a title such as "a[1:8,0:6] = b[0:7,0:6]".
Ranges slice_in(const std::string &title, size_t which) {
    size_t at = 0;
    for (size_t i = 0; i <= which; ++i)
        at = title.find('[', at) + 1;
    Ranges ranges;
    std::string text = title.substr(at, title.find(']', at) - at) + ",";
    while (!text.empty()) {
        const size_t comma = text.find(',');
        int64_t numbers[3]{0, 0, 1};
        size_t n = 0;
        std::string one = text.substr(0, comma) + ":";
        for (size_t colon = one.find(':'); colon != std::string::npos; colon = one.find(':')) {
            numbers[n++] = std::stoll(one.substr(0, colon));
            one.erase(0, colon + 1);
        }
        ranges.push_back({numbers[0], numbers[2], (numbers[1] - numbers[0] + numbers[2] - 1) / numbers[2]});
        text.erase(0, comma + 1);
    }
    return ranges;
}

} // namespace

Group first_processes(int n) {
    const std::vector<int> list = ranks(n);
    Group group;
    expect_success(DRI_group_create(n, list.data(), group.out()), "DRI_group_create");
    return group;
}

std::string for_teams(const Json &teams, const std::function<void(DRI_Group, int)> &f) {
    bool ran = false;
    for (const Json &n : teams) {
        ran = ran || n <= world().size;
        if (n <= world().size && world().rank < n)
            f(first_processes(n), n);
    }
    return ran ? "" : needs_processes(teams[0]);
}

Array rows_array(const Numbers &shape, const std::vector<Numbers> &owned, DRI_Group group) {
    Numbers sizes;
    for (const Numbers &rows : owned)
        sizes.push_back(rows[1] - rows[0]);
    DRI_Part_dim dims[DRI_MAX_DIMS]{};
    dims[0].kind = DRI_SIZES;
    dims[0].nparts = static_cast<int>(sizes.size());
    dims[0].sizes = sizes.data();
    const int ndims = static_cast<int>(shape.size());
    Gdo gdo;
    Part part;
    Dist dist;
    Map map;
    Ranges ranges;
    for (const int64_t size : shape)
        ranges.push_back({0, 1, size});
    expect_success(DRI_gdo_create(ndims, DRI_DOUBLE, shape.data(), gdo.out()), "DRI_gdo_create");
    expect_success(DRI_part_create_rule(ndims, dims, part.out()), "DRI_part_create_rule");
    expect_success(DRI_dist_create(gdo, part, group, dist.out()), "DRI_dist_create");
    expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
    return make_array(make_domain(map, ranges));
}

Array shape_array(const Numbers &shape, DRI_Group group) {
    Array array;
    expect_success(
        DRI_array_create_shape(static_cast<int>(shape.size()), shape.data(), DRI_DOUBLE, group, array.out()),
        "DRI_array_create_shape");
    return array;
}

std::vector<DRI_View> parts_of(DRI_Array array) {
    int nparts = 0;
    std::vector<DRI_View> parts(3);
    expect_success(DRI_array_get_parts(array, &nparts, parts.data()), "DRI_array_get_parts");
    parts.resize(static_cast<size_t>(nparts));
    return parts;
}

void fill_flat(DRI_Array array, const Numbers &shape, const std::function<double(int64_t)> &value) {
    const auto parts = parts_of(array);
    const DRI_View &own = parts[parts.size() / 2];
    for (const Indices &index : tuples_of(Ranges(own.range, own.range + own.ndims))) {
        int64_t flat = 0, at = 0;
        for (size_t d = 0; d < shape.size(); ++d) {
            flat = flat * shape[d] + index[d];
            at += (index[d] - own.range[d].first) / own.range[d].stride * own.step[d];
        }
        static_cast<double *>(own.data)[at] = value(flat);
    }
}

Values all_of(DRI_Array array, const Numbers &shape) {
    int64_t n = 1;
    for (const int64_t size : shape)
        n *= size;
    Values all(static_cast<size_t>(n));
    expect_success(DRI_array_gather(array, nullptr, -1, all.data()), "DRI_array_gather");
    return all;
}

Values elements_of(const DRI_View &view) {
    Values all;
    Ranges places;
    for (int64_t d = 0; d < view.ndims; ++d)
        places.push_back({0, 1, view.range[d].size});
    for (const Indices &index : tuples_of(places)) {
        int64_t at = 0;
        for (size_t d = 0; d < index.size(); ++d)
            at += index[d] * view.step[d];
        all.push_back(static_cast<double *>(view.data)[at]);
    }
    return all;
}

DRI_Box box_of(const Json &offsets, const Json &sizes) {
    DRI_Box box{};
    for (size_t d = 0; d < offsets.size(); ++d) {
        box.offset[d] = offsets[d];
        box.size[d] = sizes[d];
    }
    return box;
}

Ranges ranges_of_slice(const Json &offsets, const Json &sizes, const Json &strides) {
    Ranges ranges;
    for (size_t d = 0; d < offsets.size(); ++d)
        ranges.push_back({offsets[d], strides[d], sizes[d]});
    return ranges;
}

DRI_Operand operand_of(DRI_Array array, const Ranges &slice) {
    DRI_Operand operand{};
    operand.array = array;
    std::copy(slice.begin(), slice.end(), operand.slice);
    return operand;
}

void weighted_sum(const DRI_Operand &target, const std::vector<DRI_Operand> &reads, const Values &weights) {
    Loop loop;
    expect_success(DRI_loop_create(&target, static_cast<int>(reads.size()), reads.data(), loop.out()),
                   "DRI_loop_create");
    Values context = weights;
    expect_success(DRI_loop_run(loop, add_weighted, &context), "DRI_loop_run");
}

// a[3:13] = 2*a[0:10]+a[1:11]+a[2:12]+1*a[3:13]
std::string check_dist_chain(const Json &c) {
    const auto start = c["input"]["a"].get<Values>();
    const Numbers shape{static_cast<int64_t>(start.size())};
    return for_teams(c["input"]["teams"], [&](DRI_Group group, int n) {
        const Array a = shape_array(shape, group);
        fill_flat(a, shape, [&](int64_t i) { return start[static_cast<size_t>(i)]; });
        const auto shifted = [&](int64_t first) { return operand_of(a, {{first, 1, 10}}); };
        weighted_sum(shifted(3), {shifted(0), shifted(1), shifted(2), shifted(3)}, {2, 1, 1, 1});
        EXPECT_EQ(all_of(a, shape), c["expect"]["a"].get<Values>()) << n << " processes";
    });
}

std::string check_dist_ewbin(const Json &c) {
    const Json &input = c["input"];
    const auto x = input["x"].get<Values>();
    const Numbers shape{static_cast<int64_t>(x.size())};
    const Ranges all{{0, 1, shape[0]}};
    if (input.contains("scalar"))
        return for_teams(input["teams"], [&](DRI_Group group, int n) {
            const Array a = shape_array(shape, group), sum = shape_array(shape, group),
                        one = shape_array({}, group);
            fill_flat(a, shape, [&](int64_t i) { return x[static_cast<size_t>(i)]; });
            *static_cast<double *>(parts_of(one)[0].data) = input["scalar"];
            weighted_sum(operand_of(sum, all), {operand_of(a, all), operand_of(one, {})}, {1, 1});
            EXPECT_EQ(all_of(sum, shape), c["expect"]["sum"].get<Values>()) << n << " processes";
            Array held;
            expect_success(DRI_array_ewbin(DRI_OP_ADD, a, one, nullptr, nullptr, held.out()), "DRI_array_ewbin");
            EXPECT_EQ(elements_of(parts_of(held)[1]), elements_of(parts_of(sum)[1]));
        });
    const auto owned = input["x_owned"].get<std::vector<Numbers>>();
    const int n = static_cast<int>(owned.size());
    if (const auto reason = left_out(n))
        return *reason;
    const auto y = input["y"].get<Values>();
    const Group group = first_processes(n);
    const Array a = rows_array(shape, owned, group);
    const Array b = rows_array(shape, input["y_owned"].get<std::vector<Numbers>>(), group);
    const Array sum = shape_array(shape, group);
    fill_flat(a, shape, [&](int64_t i) { return x[static_cast<size_t>(i)]; });
    fill_flat(b, shape, [&](int64_t i) { return y[static_cast<size_t>(i)]; });
    weighted_sum(operand_of(sum, all), {operand_of(a, all), operand_of(b, all)}, {1, 1});
    EXPECT_EQ(all_of(sum, shape), c["expect"]["sum"].get<Values>());
    Array left, right, held; // as generated code does it
    expect_success(DRI_array_repartition(a, nullptr, left.out()), "DRI_array_repartition");
    expect_success(DRI_array_repartition(b, nullptr, right.out()), "DRI_array_repartition");
    expect_success(DRI_array_ewbin(DRI_OP_ADD, left, right, nullptr, nullptr, held.out()), "DRI_array_ewbin");
    Values found;
    for (const DRI_View &part : parts_of(held))
        for (const double one : elements_of(part))
            found.push_back(one);
    EXPECT_EQ(found, elements_of(parts_of(sum)[1]));
    return "";
}

std::string check_dist_stencil(const Json &c) {
    const int64_t n = c["input"]["n"], radius = c["input"]["radius"];
    const Numbers shape{n, n};
    Values wanted;
    append_numbers(c["expect"]["B"], wanted);
    return for_teams(c["input"]["teams"], [&](DRI_Group group, int processes) {
        const Array a = shape_array(shape, group), b = shape_array(shape, group);
        fill_flat(a, shape, [](int64_t i) { return static_cast<double>(i); });
        const auto inside = [&](DRI_Array of, int64_t down, int64_t along) {
            return operand_of(of, {{radius + down, 1, n - 2 * radius}, {radius + along, 1, n - 2 * radius}});
        };
        std::vector<DRI_Operand> reads{inside(a, 0, 0)};
        for (int64_t k = 1; k <= radius; ++k)
            for (const int64_t by : {-k, k}) {
                reads.push_back(inside(a, by, 0));
                reads.push_back(inside(a, 0, by));
            }
        weighted_sum(inside(b, 0, 0), reads, Values(reads.size(), 1));
        EXPECT_EQ(all_of(b, shape), wanted) << processes << " processes";
    });
}

std::string check_dist_insert(const Json &c) {
    const Numbers shape{16, 16};
    const Ranges to = slice_in(c["title"], 0), from = slice_in(c["title"], 1);
    return for_teams(c["input"]["teams"], [&](DRI_Group group, int n) {
        for (const bool by_loop : {false, true}) {
            const Array a = shape_array(shape, group), b = shape_array(shape, group);
            fill_flat(a, shape, [](int64_t) { return 1; });
            fill_flat(b, shape, [&](int64_t i) { return last_index({i / 16, i % 16}); });
            if (by_loop)
                weighted_sum(operand_of(a, to), {operand_of(b, from)}, {1});
            else
                expect_success(DRI_assign(a, to.data(), b, from.data(), nullptr), "DRI_assign");
            const Values all = all_of(a, shape);
            for (size_t row = 0; row < 16; ++row) {
                const Values one(all.begin() + static_cast<std::ptrdiff_t>(row * 16),
                                 all.begin() + static_cast<std::ptrdiff_t>(row * 16 + 16));
                double sum = 0;
                for (const double x : one)
                    sum += x;
                EXPECT_EQ(sum, c["expect"]["row_sums"][row].get<double>()) << n << " processes, row " << row;
                const Json &rows = c["expect"]["rows"];
                if (rows.contains(std::to_string(row))) {
                    EXPECT_EQ(one, rows[std::to_string(row)].get<Values>());
                }
            }
        }
    });
}

namespace {

void check_moved(const Json &c, DRI_Array moved) {
    for (const Json &row : c["expect"]["rows"]) {
        if (row["member"] != world().rank)
            continue;
        const auto shape = row["shape"].get<Numbers>();
        Numbers loffs(shape.size());
        expect_success(DRI_array_get_loffs(moved, loffs.data()), "DRI_array_get_loffs");
        EXPECT_EQ(loffs, row["loffs"].get<Numbers>());
        EXPECT_EQ(elements_of(parts_of(moved)[1]), row["buffer"].get<Values>());
    }
}

// By flat index, in the default partition or in these rows.
Array array_to_move(const Json &input, int n) {
    const auto shape = input["shape"].get<Numbers>();
    std::vector<Numbers> owned;
    if (input.contains("source_rows"))
        for (const Json &rows : input["source_rows"]) {
            const int64_t begin = owned.empty() ? 0 : owned.back()[1];
            owned.push_back({begin, begin + rows.get<int64_t>()});
        }
    const Group group = first_processes(n);
    Array array = owned.empty() ? shape_array(shape, group) : rows_array(shape, owned, group);
    fill_flat(array, shape, [](int64_t i) { return static_cast<double>(i); });
    return array;
}

} // namespace

std::string check_dist_reshape(const Json &c) {
    const int n = c["input"]["nprocs"];
    if (const auto reason = left_out(n))
        return *reason;
    const Array array = array_to_move(c["input"], n);
    const auto shape = c["input"]["new_shape"].get<Numbers>();
    for (int round = 0; round < 2; ++round) {
        Array moved;
        expect_success(DRI_array_reshape(array, static_cast<int>(shape.size()), shape.data(), moved.out()),
                       "DRI_array_reshape");
        check_moved(c, moved);
    }
    return "";
}

std::string check_dist_permute(const Json &c) {
    const int n = c["input"]["nprocs"];
    if (const auto reason = left_out(n))
        return *reason;
    const Array array = array_to_move(c["input"], n);
    const auto order = c["input"]["axes"].get<std::vector<int>>();
    for (int round = 0; round < 2; ++round) {
        Array moved;
        expect_success(DRI_array_permute(array, order.data(), moved.out()), "DRI_array_permute");
        check_moved(c, moved);
    }
    return "";
}

std::string check_dist_locals(const Json &c) {
    const auto shape = c["input"]["shape"].get<Numbers>();
    const Json &teams = c["input"]["teams"];
    return for_teams(teams, [&](DRI_Group group, int n) {
        const Array array = shape_array(shape, group);
        fill_flat(array, shape, [](int64_t) { return 1; });
        *static_cast<double *>(parts_of(array)[1].data) = 0;
        double sum = -1;
        expect_success(DRI_array_reduce(array, nullptr, DRI_OP_SUM, &sum), "DRI_array_reduce");
        const auto i = static_cast<size_t>(std::find(teams.begin(), teams.end(), Json(n)) - teams.begin());
        EXPECT_EQ(sum, c["expect"]["sum"][i].get<double>()) << n << " processes";
    });
}

std::string check_dist_gather(const Json &c) {
    const auto shape = c["input"]["shape"].get<Numbers>();
    const Array array = shape_array(shape, make_world());
    fill_flat(array, shape, [](int64_t i) { return static_cast<double>(i); });
    double sum = 0;
    for (const double one : all_of(array, shape))
        sum += one;
    EXPECT_EQ(sum, c["expect"]["sum"].get<double>());
    Values wanted;
    append_numbers(c["expect"]["slice"], wanted);
    const Ranges slice{{4, 2, 4},
                       {1, 3, static_cast<int64_t>(wanted.size()) / 4}}; // [4:12:2, 1:11:3], as the title says
    DRI_Range cut[]{slice[0], slice[1]};
    cut[1].size = std::min<int64_t>(cut[1].size, 4);
    const int root = world().size - 1;
    Values found(wanted.size(), -1);
    expect_success(DRI_array_gather(array, cut, root, found.data()), "DRI_array_gather");
    EXPECT_EQ(found, world().rank == root ? wanted : Values(wanted.size(), -1));
    double slice_sum = 0;
    expect_success(DRI_array_reduce(array, cut, DRI_OP_SUM, &slice_sum), "DRI_array_reduce");
    EXPECT_EQ(slice_sum, c["expect"]["slice_sum"].get<double>());
    return "";
}

} // namespace dri::test
