#include "support/conformance.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>

namespace dri::test {

DRI_Edge edge_named(const std::string &name) {
    for (const auto &[text, edge] : {std::pair("TRUNCATE", DRI_TRUNCATE),
                                     {"WRAP", DRI_WRAP},
                                     {"PAD_ZERO", DRI_PAD_ZERO},
                                     {"PAD_REPLICATE", DRI_PAD_REPLICATE}})
        if (name == text)
            return edge;
    throw std::runtime_error("unknown edge " + name);
}

namespace {

struct CaseSide {
    std::vector<int> procs;
    Tuples tuples;
    std::vector<int> order;
    std::vector<DRI_Edge> left_edges, right_edges;
};

CaseSide side_of(const Json &side, size_t ndims) {
    CaseSide s{side["procs"], side["tuples"], {}, {}, {}};
    for (size_t d = 0; d < ndims; ++d) {
        s.order.push_back(static_cast<int>(d));
        Json edges{"TRUNCATE", "TRUNCATE"};
        if (side.contains("edges"))
            edges = side["edges"][d].is_array() ? side["edges"][d] : side["edges"];
        s.left_edges.push_back(edge_named(edges[0]));
        s.right_edges.push_back(edge_named(edges[1]));
    }
    if (side.contains("order"))
        s.order = side["order"].get<std::vector<int>>();
    return s;
}

Layout packed(const std::vector<int> &order) {
    Layout layout;
    expect_success(DRI_layout_create_packed(static_cast<int>(order.size()), order.data(), layout.out()),
                   "DRI_layout_create_packed");
    return layout;
}

size_t position_in(const std::vector<int> &procs) {
    return static_cast<size_t>(std::find(procs.begin(), procs.end(), world().rank) - procs.begin());
}

// A partition by sizes if the tuples form a grid, otherwise an exact one.
Part part_of(const CaseSide &side, const Numbers &sizes) {
    const auto grid = has_overlap(side.tuples) ? std::nullopt : grid_of(side.tuples, sizes);
    if (grid)
        return part_of_sizes(*grid);
    std::vector<DRI_Part_tuple> mine;
    for (const Numbers &t : side.tuples[position_in(side.procs)])
        mine.push_back({t[0], t[1], t[2], t[3]});
    Part exact, edged;
    expect_success(DRI_part_create(static_cast<int>(mine.size()), mine.data(), exact.out()), "DRI_part_create");
    expect_success(DRI_part_with_edges(exact, side.left_edges.data(), side.right_edges.data(), edged.out()),
                   "DRI_part_with_edges");
    return edged;
}

int last_of(const std::vector<int> &procs) { return *std::max_element(procs.begin(), procs.end()); }

template <class T> std::vector<T> content(DRI_Xfer endpoint, size_t n) {
    const T *buffer = buffer_of<T>(endpoint);
    return std::vector<T>(buffer, buffer + n);
}

// 24 integers in rows of 6: the source's processes hold rows, the sink's hold columns.
struct SmallCornerTurn {
    Xfer source, sink;
    std::string name;
    std::vector<int> from, to;

    SmallCornerTurn(std::string n, std::vector<int> source_procs, std::vector<int> sink_procs)
        : name(std::move(n)), from(std::move(source_procs)), to(std::move(sink_procs)) {
        const Gdo gdo = make_gdo({4, 6}, DRI_INT32);
        if (holds(from, world().rank))
            source = make_xfer(name, DRI_SOURCE, make_dist(gdo, make_blocks(2, 0), make_group(from)));
        if (holds(to, world().rank))
            sink = make_xfer(name, DRI_SINK, make_dist(gdo, make_blocks(2, 1), make_group(to)));
    }
    void frame(int f) {
        const auto rows = 4 / static_cast<int>(from.size()), columns = 6 / static_cast<int>(to.size());
        const auto first_row = rows * static_cast<int>(position_in(from));
        const auto first_column = columns * static_cast<int>(position_in(to));
        if (source)
            for (int i = 0; i < rows * 6; ++i)
                buffer_of<int32_t>(source)[i] = 1000 * f + first_row * 6 + i;
        if (source || sink)
            expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        for (int i = 0; sink && i < 4 * columns; ++i)
            EXPECT_EQ(buffer_of<int32_t>(sink)[i], 1000 * f + i / columns * 6 + first_column + i % columns);
    }
};

} // namespace

std::string check_transfer(const Json &c) {
    const Numbers sizes = c["input"]["sizes"];
    CaseSide source = side_of(c["input"]["source"], sizes.size());
    std::vector<CaseSide> sinks;
    for (const Json &sink : c["input"]["sinks"])
        sinks.push_back(side_of(sink, sizes.size()));
    std::vector<CaseSide *> sides{&source};
    for (CaseSide &sink : sinks)
        sides.push_back(&sink);
    int needed = 0;
    for (CaseSide *side : sides) {
        needed = std::max(needed, last_of(side->procs) + 1);
    }
    if (world().size < needed)
        return needs_processes(needed);

    const Gdo gdo = make_gdo(sizes, DRI_DOUBLE);
    const std::string name = c["id"];
    std::vector<Xfer> endpoints(sides.size());
    for (size_t i = 0; i < sides.size(); ++i) {
        if (!holds(sides[i]->procs, world().rank))
            continue;
        const Dist dist = make_dist(gdo, part_of(*sides[i], sizes), make_group(sides[i]->procs));
        endpoints[i] = make_xfer(name, i == 0 ? DRI_SOURCE : DRI_SINK, dist, packed(sides[i]->order));
    }
    commit(make_world());
    if (endpoints[0]) {
        const Json &buffers = c["input"]["source"].contains("buffers") ? c["input"]["source"]["buffers"]
                                                                       : c["expect"]["source_buffers"];
        const std::vector<double> values = buffers[position_in(source.procs)];
        std::copy(values.begin(), values.end(), buffer_of<double>(endpoints[0]));
    }
    if (std::any_of(endpoints.begin(), endpoints.end(),
                    [](const Xfer &endpoint) { return static_cast<bool>(endpoint); }))
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
    for (size_t k = 0; k < sinks.size(); ++k) {
        if (!endpoints[k + 1])
            continue;
        const std::vector<double> expected = c["expect"]["sinks"][k][position_in(sinks[k].procs)]["buffer"];
        EXPECT_EQ(content<double>(endpoints[k + 1], expected.size()), expected) << "sink " << k;
        size_t bytes = 0;
        expect_success(DRI_xfer_buffer_bytes(endpoints[k + 1], &bytes), "DRI_xfer_buffer_bytes");
        EXPECT_EQ(bytes, expected.size() * sizeof(double));
    }
    return "";
}

std::string check_sequence(const Json &c) {
    const std::vector<int> from = c["input"]["source"];
    const std::vector<std::vector<int>> consumers = c["input"]["consumers"];
    const int frames = c["input"]["frames"], rank = world().rank;
    int needed = last_of(from) + 1;
    for (const auto &to : consumers)
        needed = std::max(needed, last_of(to) + 1);
    if (world().size < needed)
        return needs_processes(needed);
    const Gdo gdo = make_gdo({8}, DRI_INT32);
    const Part part = make_blocks(1, 0);
    Xfer source, sink;
    if (holds(from, rank))
        source = make_xfer("frames", DRI_SOURCE, make_dist(gdo, part, make_group(from)));
    for (const auto &to : consumers)
        if (holds(to, rank))
            sink = make_xfer("frames", DRI_SINK, make_dist(gdo, part, make_group(to)));
    commit(make_world());
    const bool slow = holds(consumers[0], rank);
    std::vector<int> seen;
    for (int f = 0; f < frames; ++f) {
        if (source)
            std::fill_n(buffer_of<int32_t>(source), 8, f);
        if (slow)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (source || sink)
            expect_success(DRI_do("frames", DRI_XFER_NULL), "DRI_do");
        if (sink)
            seen.push_back(buffer_of<int32_t>(sink)[7]);
    }
    EXPECT_EQ(seen, sink ? c["expect"]["p" + std::to_string(rank)].get<std::vector<int>>() : std::vector<int>{});
    return "";
}

std::string check_commit(const Json &c) {
    struct Declared {
        std::string name;
        DRI_Role role;
        std::vector<int> procs;
        Dist dist;
    };
    std::vector<Declared> mine;
    const int rank = world().rank;
    for (const Json &endpoint : c["input"]["ends"]) {
        const std::vector<int> procs = endpoint["procs"];
        if (last_of(procs) >= world().size)
            return needs_processes(last_of(procs) + 1);
    }
    for (const Json &endpoint : c["input"]["ends"]) {
        const std::vector<int> procs = endpoint["procs"];
        if (!holds(procs, rank))
            continue;
        const Numbers sizes = endpoint["sizes"];
        mine.push_back(
            {endpoint["name"], endpoint["role"] == "source" ? DRI_SOURCE : DRI_SINK, procs,
             make_dist(make_gdo(sizes, type_named(endpoint["type"])), make_blocks(1, 0), make_group(procs))});
    }
    if (!mine.empty())
        std::rotate(mine.begin(), mine.begin() + rank % static_cast<int>(mine.size()), mine.end());
    std::vector<Xfer> endpoints;
    // Two buffers, because sources call first below. With one buffer each source would wait for the sinks, which
    // wait for other sources.
    for (const Declared &d : mine)
        endpoints.push_back(make_xfer(d.name, d.role, d.dist, DRI_ROW_MAJOR, 2));
    const int code = DRI_commit(make_world());
    const std::string message = DRI_error_message();
    const auto [min, greatest] = range_of(code);
    EXPECT_EQ(min, greatest) << "not the same on all processes";
    const std::string error = c["expect"].value("error", "");
    if (error.starts_with("unmatched"))
        EXPECT_EQ(code, DRI_ERR_UNMATCHED) << message;
    else if (error.starts_with("mismatch"))
        EXPECT_EQ(code, DRI_ERR_MISMATCH) << message;
    else
        EXPECT_EQ(code, DRI_SUCCESS) << message;
    const bool named = error.find("both sizes named") != std::string::npos;
    for (const Json &endpoint : c["input"]["ends"]) {
        const std::string size = std::to_string(endpoint["sizes"][0].get<int>());
        EXPECT_TRUE(!named || message.find(size) != std::string::npos) << size << " is not in: " << message;
    }
    if (code != DRI_SUCCESS)
        return "";
    // Sources call first, so that no process waits for another one that waits itself.
    for (const DRI_Role role : {DRI_SOURCE, DRI_SINK})
        for (size_t i = 0; i < mine.size(); ++i)
            if (mine[i].role == role)
                expect_success(DRI_do(nullptr, endpoints[i]), "DRI_do");
    return "";
}

std::string check_subset(const Json &c) {
    const Numbers sizes = c["input"]["sizes"];
    const auto box = c["input"]["sub"].get<std::vector<Numbers>>();
    const Tuples tuples = c["input"]["source"];
    const Numbers rows = c["input"]["sink_rows"];
    const auto n = static_cast<int>(tuples.size());
    if (const auto out = left_out(n))
        return *out;
    const Group group = make_group(ranks(n));
    const Gdo gdo = make_gdo(sizes, DRI_DOUBLE);
    Numbers offsets, inner;
    for (const Numbers &range : box) {
        offsets.push_back(range[0]);
        inner.push_back(range[1] - range[0]);
    }
    Gdo sub;
    expect_success(DRI_gdo_subset(gdo, offsets.data(), inner.data(), sub.out()), "DRI_gdo_subset");
    Numbers found(inner.size());
    expect_success(DRI_gdo_get_sizes(sub, nullptr, found.data()), "DRI_gdo_get_sizes");
    EXPECT_EQ(found, c["expect"]["dprime_sizes"].get<Numbers>());
    const Piece mine = pieces_of(tuples)[static_cast<size_t>(world().rank)];
    const Dist from = make_dist(gdo, make_exact(mine), group),
               to = make_dist(sub, part_of_sizes({rows, {inner[1]}}), group);
    const Xfer source = make_xfer("subset", DRI_SOURCE, from), sink = make_xfer("subset", DRI_SINK, to);
    commit(group);
    const auto p = static_cast<size_t>(world().rank);
    double *out = buffer_of<double>(source);
    for (int64_t i = tuples[p][0][1]; i < tuples[p][0][2]; ++i)
        for (int64_t j = 0; j < sizes[1]; ++j)
            *out++ = static_cast<double>(1 + i * sizes[1] + j);
    expect_success(DRI_do("subset", DRI_XFER_NULL), "DRI_do");
    const std::vector<double> expected = c["expect"]["sink"][p];
    EXPECT_EQ(content<double>(sink, expected.size()), expected);
    return "";
}

std::string check_one_sided(const Json &c) {
    if (world().size < 2)
        return needs_processes(2);
    const int nbuffs = c["input"]["nbuffs"], max = c["expect"]["source_runs_ahead_frames"], rank = world().rank;
    const Gdo gdo = make_gdo({100000}, DRI_INT32);
    for (const bool direct : {false, true}) {
        // A sink with the direct way reads the source's buffers, and they stay occupied until its call: deviation
        // 10.
        const int ahead = direct ? max - 1 : max;
        Xfer source, sink;
        if (rank == 0)
            source = make_xfer("ahead", DRI_SOURCE, make_dist(gdo, make_blocks(1, 0), make_group({0})),
                               DRI_ROW_MAJOR, nbuffs);
        if (rank == 1)
            sink = make_xfer("ahead", DRI_SINK, make_dist(gdo, make_blocks(1, 0), make_group({1})), DRI_ROW_MAJOR,
                             nbuffs);
        if (source && !direct)
            expect_success(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
        commit(make_world());
        for (int f = 0; source && f < ahead; ++f) {
            std::fill_n(buffer_of<int32_t>(source), 100000, f);
            expect_success(DRI_do(nullptr, source), "DRI_do of the source");
        }
        barrier(); // the sink has not called yet
        for (int f = 0; sink && f < ahead; ++f) {
            expect_success(DRI_do(nullptr, sink), "DRI_do of the sink");
            EXPECT_EQ(buffer_of<int32_t>(sink)[99999], f);
        }
        barrier();
    }
    return "";
}

std::string check_roles(const Json &) {
    const int n = world().size;
    if (n < 4)
        return needs_processes(4);
    SmallCornerTurn bipartite("bipartite", {0, 1}, {2, 3}), clique("clique", {0, 1}, {0, 1});
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        bipartite.frame(f);
        clique.frame(f);
    }
    return "";
}

namespace {

// A transfer in the hands of a case that lists its steps.
class Stepped {
public:
    // The code of a step; nothing if the driver does not know it.
    std::optional<int> make(const std::string &step) {
        if (step == "xfer_create") {
            source_ = make_xfer("steps", DRI_SOURCE, dist_);
            sink_ = make_xfer("steps", DRI_SINK, dist_);
            used_ = source_;
            return DRI_SUCCESS;
        }
        if (step == "commit")
            return DRI_commit(world_);
        if (step == "do") {
            const int by_endpoint = DRI_do(nullptr, used_), by_name = DRI_do("steps", DRI_XFER_NULL);
            return by_endpoint == DRI_SUCCESS ? by_name : by_endpoint;
        }
        if (step == "destroy" || step == "xfer_destroy") {
            sink_.reset();
            return source_.reset();
        }
        return std::nullopt;
    }

private:
    Group world_ = make_world();
    Dist dist_ = make_dist(make_gdo({8}), make_blocks(1, 0), world_);
    Xfer source_, sink_;
    DRI_Xfer used_{};
};

} // namespace

// The last step fails as expected, those before succeed.
std::string check_steps(const Json &c) {
    const std::map<std::string, int> codes{
        {"state", DRI_ERR_STATE}, {"handle", DRI_ERR_HANDLE}, {"unmatched", DRI_ERR_UNMATCHED}};
    const auto expected = codes.find(c["expect"].at("error").get<std::string>());
    if (expected == codes.end())
        return "no code for its error";
    const auto &steps = c["input"]["steps"];
    Stepped transfer;
    for (size_t i = 0; i < steps.size(); ++i) {
        const std::string step = steps[i];
        const auto code = transfer.make(step);
        if (!code)
            return "no function for the step " + step;
        EXPECT_EQ(*code, i + 1 < steps.size() ? DRI_SUCCESS : expected->second) << step;
    }
    return "";
}

std::string check_disagreement(const Json &c) {
    if (const auto out = left_out(2))
        return *out;
    const Json &mine = c["input"]["rank" + std::to_string(world().rank)];
    const Numbers cut = mine["cut"], sizes = mine["sizes"];
    DRI_Dist dist{5};
    EXPECT_EQ(DRI_dist_create(make_gdo(sizes), part_of_sizes({cut}), make_group({0, 1}), &dist), DRI_ERR_MISMATCH);
    EXPECT_EQ(dist.id, 0u);
    return "";
}

} // namespace dri::test
