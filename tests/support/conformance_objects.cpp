#include "support/conformance.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace dri::test {

std::string needs_processes(int n) { return world().size < n ? "needs " + std::to_string(n) + " processes" : ""; }

std::optional<std::string> left_out(int n) {
    if (world().size < n)
        return needs_processes(n);
    if (world().rank >= n)
        return "";
    return std::nullopt;
}

std::vector<Piece> pieces_of(const Tuples &tuples) {
    std::vector<Piece> pieces;
    for (const auto &process : tuples) {
        Piece &piece = pieces.emplace_back();
        for (const Numbers &t : process)
            piece.push_back({t[0], t[1], t[2], t[3]});
    }
    return pieces;
}

DRI_Type type_named(const std::string &name) {
    const std::pair<const char *, DRI_Type> types[]{
        {"int8", DRI_INT8},          {"int16", DRI_INT16},          {"int32", DRI_INT32},
        {"int64", DRI_INT64},        {"uint8", DRI_UINT8},          {"uint16", DRI_UINT16},
        {"uint32", DRI_UINT32},      {"uint64", DRI_UINT64},        {"float", DRI_FLOAT},
        {"double", DRI_DOUBLE},      {"cfloat", DRI_COMPLEX_FLOAT}, {"cdouble", DRI_COMPLEX_DOUBLE},
        {"cint8", DRI_COMPLEX_INT8}, {"cint16", DRI_COMPLEX_INT16},
    };
    for (const auto &[known, type] : types)
        if (name == known)
            return type;
    throw std::runtime_error("unknown type " + name);
}

namespace {

// Whether the tuples form a grid with these numbers of parts per dimension. Fills in the sizes of the parts.
bool is_grid(const Tuples &tuples, const Numbers &sizes, const Numbers &grid, std::vector<Numbers> &parts) {
    const size_t ndims = sizes.size();
    parts.assign(ndims, {});
    for (size_t d = 0; d < ndims; ++d)
        parts[d].resize(static_cast<size_t>(grid[d]));
    for (size_t p = 0; p < tuples.size(); ++p) {
        auto rest = static_cast<int64_t>(p);
        for (size_t d = ndims; d-- > 0; rest /= grid[d])
            parts[d][static_cast<size_t>(rest % grid[d])] = tuples[p][d][2] - tuples[p][d][1];
    }
    // Parts must start where the tuples start and end where the object ends.
    for (size_t p = 0; p < tuples.size(); ++p) {
        auto rest = static_cast<int64_t>(p);
        for (size_t d = ndims; d-- > 0; rest /= grid[d]) {
            const auto c = static_cast<ptrdiff_t>(rest % grid[d]);
            const int64_t begin = std::accumulate(parts[d].begin(), parts[d].begin() + c, int64_t{0});
            const int64_t size = tuples[p][d][2] - tuples[p][d][1];
            if (tuples[p][d][1] != begin || parts[d][static_cast<size_t>(c)] != size || size < 0)
                return false;
        }
    }
    for (size_t d = 0; d < ndims; ++d)
        if (std::accumulate(parts[d].begin(), parts[d].end(), int64_t{0}) != sizes[d])
            return false;
    return true;
}

bool find_grid(const Tuples &tuples, const Numbers &sizes, Numbers &grid, int64_t left,
               std::vector<Numbers> &parts) {
    if (grid.size() == sizes.size())
        return left == 1 && is_grid(tuples, sizes, grid, parts);
    for (int64_t n = 1; n <= left; ++n) {
        if (left % n != 0)
            continue;
        grid.push_back(n);
        if (find_grid(tuples, sizes, grid, left / n, parts))
            return true;
        grid.pop_back();
    }
    return false;
}

std::vector<DRI_Part_tuple> tuples_of(DRI_Dist dist, int rank, size_t ndims) {
    std::vector<DRI_Part_tuple> tuples(ndims);
    expect_success(DRI_dist_get_part(dist, rank, tuples.data()), "DRI_dist_get_part");
    return tuples;
}

void expect_tuples(DRI_Dist dist, const Tuples &expected) {
    for (size_t p = 0; p < expected.size(); ++p) {
        const auto found = tuples_of(dist, static_cast<int>(p), expected[p].size());
        for (size_t d = 0; d < found.size(); ++d)
            EXPECT_EQ((Numbers{found[d].left_v, found[d].left_x, found[d].right_x, found[d].right_v}),
                      expected[p][d])
                << "process " << p << ", dimension " << d;
    }
}

} // namespace

std::optional<std::vector<Numbers>> grid_of(const Tuples &tuples, const Numbers &sizes) {
    Numbers grid;
    std::vector<Numbers> parts;
    if (find_grid(tuples, sizes, grid, static_cast<int64_t>(tuples.size()), parts))
        return parts;
    return std::nullopt;
}

bool has_overlap(const Tuples &tuples) {
    for (const auto &piece : tuples)
        for (const Numbers &t : piece)
            if (t[0] != 0 || t[3] != 0)
                return true;
    return false;
}

Part part_of_sizes(const std::vector<Numbers> &sizes) {
    std::vector<Rule> rules;
    for (const Numbers &s : sizes)
        rules.push_back({.kind = DRI_SIZES, .nparts = static_cast<int>(s.size()), .sizes = s.data()});
    return make_part(rules);
}

bool holds(const std::vector<int> &procs, int rank) {
    return std::find(procs.begin(), procs.end(), rank) != procs.end();
}

std::string check_gdo(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i], &expected = c["expect"]["rows"][i];
        const Numbers sizes = row["sizes"];
        const Gdo gdo = make_gdo(sizes, type_named(row["type"]));
        int ndims = -1;
        Numbers found(DRI_MAX_DIMS);
        int64_t elements = -1, bytes = -1;
        expect_success(DRI_gdo_get_sizes(gdo, &ndims, found.data()), "DRI_gdo_get_sizes");
        expect_success(DRI_gdo_get_count(gdo, &elements, &bytes), "DRI_gdo_get_count");
        EXPECT_EQ(ndims, row["ndims"].get<int>());
        found.resize(sizes.size());
        EXPECT_EQ(found, sizes);
        EXPECT_EQ(elements, expected["elements"].get<int64_t>());
        EXPECT_EQ(bytes, expected["bytes"].get<int64_t>());
    }
    return "";
}

std::string check_gdo_error(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i];
        const Numbers sizes = row["sizes"].is_null() ? Numbers{} : row["sizes"].get<Numbers>();
        DRI_Gdo gdo{77};
        const int code = DRI_gdo_create(row["ndims"], type_named(row.value("type", "float")),
                                        row["sizes"].is_null() ? nullptr : sizes.data(), &gdo);
        EXPECT_EQ(code != DRI_SUCCESS, c["expect"]["error"][i].get<bool>()) << row;
        EXPECT_EQ(gdo.id, 0u);
        EXPECT_STRNE(DRI_error_message(), "");
    }
    return "";
}

std::string check_gdo_large(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Gdo gdo = make_gdo(c["input"]["rows"][i].get<Numbers>(), DRI_COMPLEX_FLOAT);
        int64_t elements = -1, bytes = -1;
        expect_success(DRI_gdo_get_count(gdo, &elements, &bytes), "DRI_gdo_get_count");
        EXPECT_EQ(elements, c["expect"]["elements"][i].get<int64_t>());
        EXPECT_EQ(bytes, c["expect"]["bytes_cfloat"][i].get<int64_t>());
    }
    return "";
}

std::string check_part_query(const Json &c) {
    const Numbers sizes = c["input"]["sizes"];
    const Tuples tuples = c["input"]["tuples"];
    const auto n = static_cast<int>(tuples.size());
    if (const auto out = left_out(n))
        return *out;
    const Piece mine = pieces_of(tuples)[static_cast<size_t>(world().rank)];
    const Dist dist = make_dist(make_gdo(sizes), make_exact(mine), make_group(ranks(n)));
    expect_tuples(dist, c["expect"]["tuples"]);
    // The same pieces once more as sizes per dimension, if they form a grid.
    if (const auto grid = grid_of(tuples, sizes))
        expect_tuples(make_dist(make_gdo(sizes), part_of_sizes(*grid), make_group(ranks(n))),
                      c["expect"]["tuples"]);
    for (int p = 0; p < n; ++p) {
        const auto at = static_cast<size_t>(p);
        Numbers extents(sizes.size());
        int64_t owned = -1, held = -1;
        expect_success(DRI_dist_get_extents(dist, p, extents.data()), "DRI_dist_get_extents");
        expect_success(DRI_dist_get_count(dist, p, &owned, &held), "DRI_dist_get_count");
        EXPECT_EQ(extents, c["expect"]["extents"][at].get<Numbers>());
        EXPECT_EQ(owned, c["expect"]["owned"][at].get<int64_t>());
        EXPECT_EQ(held, c["expect"]["held"][at].get<int64_t>());
    }
    return "";
}

// Rows that need more processes than the world has are skipped.
std::string check_constraints(const Json &c) {
    int skipped = 0;
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i];
        const int parts = row["parts"];
        const int64_t n = row["n"], min = row["min"], max = row["max"];
        if (parts > world().size) {
            ++skipped;
            continue;
        }
        if (world().rank >= parts)
            continue;
        const Gdo gdo = make_gdo({n});
        const Part part = make_part({{.kind = DRI_BLOCK, .nparts = parts, .min = min, .max = max}});
        Dist dist;
        const int code = DRI_dist_create(gdo, part, make_group(ranks(parts)), dist.out());
        if (!c["expect"]["possible"][i].get<bool>()) {
            EXPECT_EQ(code, DRI_ERR_CONSTRAINT) << row;
            continue;
        }
        EXPECT_EQ(code, DRI_SUCCESS) << row << DRI_error_message();
        if (code != DRI_SUCCESS)
            continue;
        int64_t sum = 0;
        for (int p = 0; p < parts; ++p) {
            int64_t owned = -1;
            expect_success(DRI_dist_get_count(dist, p, &owned, nullptr), "DRI_dist_get_count");
            EXPECT_TRUE(owned == 0 || (owned >= min && owned <= max)) << row << ": part " << p << " has " << owned;
            sum += owned;
        }
        EXPECT_EQ(sum, n) << row;
    }
    return skipped ? std::to_string(skipped) + " of its rows need more processes" : "";
}

std::string check_default(const Json &c) {
    for (const Json &sizes_json : c["input"]["sizes"])
        for (const int procs : c["input"]["procs"]) {
            const Numbers sizes = sizes_json;
            if (procs > world().size || world().rank >= procs)
                continue;
            for (const DRI_Part_kind kind : {DRI_WHOLE, DRI_BLOCK}) {
                const std::vector<Rule> rules(sizes.size(), Rule{.kind = kind});
                const Dist dist = make_dist(make_gdo(sizes), make_part(rules), make_group(ranks(procs)));
                std::vector<int> grid(sizes.size());
                expect_success(DRI_dist_get_grid(dist, grid.data()), "DRI_dist_get_grid");
                const int parts = std::accumulate(grid.begin(), grid.end(), 1, std::multiplies());
                EXPECT_EQ(parts, kind == DRI_WHOLE ? 1 : procs);
                std::vector<int> owners(static_cast<size_t>(
                    std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies())));
                for (int p = 0; p < parts; ++p) {
                    const auto tuples = tuples_of(dist, p, sizes.size());
                    for (size_t e = 0; e < owners.size(); ++e) {
                        auto rest = static_cast<int64_t>(e);
                        bool inside = true;
                        for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
                            const int64_t i = rest % sizes[d];
                            inside = inside && i >= tuples[d].left_x && i < tuples[d].right_x;
                        }
                        owners[e] += inside;
                    }
                    for (size_t d = 0; d < sizes.size(); ++d) {
                        const int64_t width = tuples[d].right_x - tuples[d].left_x, share = sizes[d] / grid[d];
                        EXPECT_TRUE(width == share || width == share + 1) << "part " << p << ", dimension " << d;
                    }
                }
                for (int count : owners)
                    EXPECT_EQ(count, 1);
            }
        }
    return "";
}

std::string check_no_stride(const Json &) {
    static_assert(sizeof(DRI_Part_tuple) == 4 * sizeof(int64_t), "a tuple has four numbers and no stride");
    return "";
}

std::string check_independent(const Json &c) {
    const int procs = c["input"]["procs"];
    if (const auto out = left_out(procs))
        return *out;
    const Numbers sizes = c["input"]["sizes"];
    std::vector<Rule> rules;
    for (const bool whole : c["input"]["whole"])
        rules.push_back({.kind = whole ? DRI_WHOLE : DRI_BLOCK});
    const Dist dist = make_dist(make_gdo(sizes), make_part(rules), make_group(ranks(procs)));
    for (int p = 0; p < procs; ++p) {
        const auto t = tuples_of(dist, p, sizes.size())[1];
        EXPECT_EQ((Numbers{t.left_v, t.left_x, t.right_x, t.right_v}),
                  c["expect"]["tuples_dim1"][static_cast<size_t>(p)].get<Numbers>());
    }
    return "";
}

std::string check_partxy(const Json &c) {
    const Numbers sizes = c["input"]["sizes"];
    for (size_t i = 0; i < c["input"]["grids"].size(); ++i) {
        const std::vector<int> grid = c["input"]["grids"][i];
        const int procs = grid[0] * grid[1];
        if (world().size < procs)
            return needs_processes(procs);
        if (world().rank >= procs)
            continue;
        const Part part =
            make_part({{.kind = DRI_BLOCK, .nparts = grid[0]}, {.kind = DRI_BLOCK, .nparts = grid[1]}});
        expect_tuples(make_dist(make_gdo(sizes), part, make_group(ranks(procs))), c["expect"]["tuples"][i]);
    }
    return "";
}

std::string check_layout_count(const Json &c) {
    for (size_t i = 0; i < c["input"]["ndims"].size(); ++i) {
        const int n = c["input"]["ndims"][i];
        int64_t accepted = 0, tried = 1;
        for (int d = 0; d < n; ++d)
            tried *= n;
        for (int64_t k = 0; k < tried; ++k) {
            std::vector<int> order;
            for (int64_t d = 0, rest = k; d < n; ++d, rest /= n)
                order.push_back(static_cast<int>(rest % n));
            Layout layout;
            accepted += DRI_layout_create_packed(n, order.data(), layout.out()) == DRI_SUCCESS;
        }
        EXPECT_EQ(accepted, c["expect"]["count"][i].get<int64_t>());
    }
    return "";
}

std::string check_layout_error(const Json &c) {
    const Group alone = make_group({world().rank});
    for (const Json &row : c["input"]["rows"]) {
        Layout layout;
        int code = DRI_SUCCESS;
        if (row.contains("order")) {
            const std::vector<int> order = row["order"];
            code = DRI_layout_create_packed(static_cast<int>(order.size()), order.data(), layout.out());
        } else {
            const Numbers strides = row["strides"];
            code = DRI_layout_create(static_cast<int>(strides.size()), strides.data(), layout.out());
            const Dist dist = make_dist(make_gdo(row["extents"].get<Numbers>()), make_blocks(2, 0), alone);
            Xfer endpoint;
            if (code == DRI_SUCCESS)
                code = DRI_xfer_create("bad layout", DRI_SINK, dist, layout, 1, nullptr, endpoint.out());
        }
        EXPECT_NE(code, DRI_SUCCESS) << row;
    }
    return "";
}

} // namespace dri::test
