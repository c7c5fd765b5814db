// Conformance cases of exact pieces: which pieces tile, which ones a sink may request, overlap, and random pieces.
#include "support/conformance.hpp"
#include "support/dice.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <numeric>

namespace dri::test {

namespace {

// The driver that goes through another interface runs the same trials: a part of them is enough.
#ifdef DRI_CONFORMANCE_AGAIN
constexpr int share_of_trials = 8;
#else
constexpr int share_of_trials = 1;
#endif

// A source on one process that holds all elements. Element i has the value i + 1.
struct OneSource {
    Xfer endpoint;

    OneSource(const std::string &name, const Gdo &gdo, int64_t elements) : elements_(elements) {
        if (world().rank == 0)
            endpoint = make_xfer(name, DRI_SOURCE, make_dist(gdo, make_blocks(1, 0), make_group({0})));
    }
    void fill() const {
        if (endpoint)
            std::iota(buffer_of<double>(endpoint), buffer_of<double>(endpoint) + elements_, 1.0);
    }

private:
    int64_t elements_;
};

// Expects that each sink process receives its own piece of a row of n elements.
void expect_sinks(const std::string &name, int64_t n, const std::vector<Piece> &pieces, DRI_Edge left,
                  DRI_Edge right, const std::vector<std::vector<double>> &expected) {
    const Gdo gdo = make_gdo({n}, DRI_DOUBLE);
    const OneSource source(name, gdo, n);
    const auto procs = static_cast<int>(pieces.size());
    Xfer sink;
    if (world().rank < procs) {
        const Part part = with_edges(make_exact(pieces[static_cast<size_t>(world().rank)]), {left}, {right});
        sink = make_xfer(name, DRI_SINK, make_dist(gdo, part, make_group(ranks(procs))));
    }
    commit(make_world());
    source.fill();
    if (source.endpoint || sink)
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
    if (!sink)
        return;
    const std::vector<double> &mine = expected[static_cast<size_t>(world().rank)];
    const double *got = buffer_of<double>(sink);
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(sink, &bytes), "DRI_xfer_buffer_bytes");
    EXPECT_EQ(bytes, mine.size() * sizeof(double));
    EXPECT_EQ(std::vector<double>(got, got + mine.size()), mine);
}

} // namespace

std::string check_source_error(const Json &c) {
    const auto rows = c["input"]["rows"];
    for (size_t i = 0; i < rows.size(); ++i) {
        const std::string expected = c["expect"]["error"][i];
        const auto pieces = pieces_of(rows[i]["tuples"].get<Tuples>());
        const auto procs = static_cast<int>(pieces.size());
        if (world().size < procs)
            return needs_processes(procs);
        if (world().rank >= procs)
            continue;
        Dist dist;
        Xfer endpoint;
        int code = DRI_dist_create(make_gdo(rows[i]["sizes"].get<Numbers>()),
                                   make_exact(pieces[static_cast<size_t>(world().rank)]), make_group(ranks(procs)),
                                   dist.out());
        if (expected.starts_with("outside")) {
            EXPECT_EQ(code, DRI_ERR_ARG) << expected;
            continue;
        }
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
        code = DRI_xfer_create("pieces", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, nullptr, endpoint.out());
        const std::string message = DRI_error_message();
        EXPECT_EQ(code, expected.starts_with("gap") ? DRI_ERR_GAP : DRI_ERR_OVERLAP) << expected;
        const auto has = [&](const std::string &text) { return message.find(text) != std::string::npos; };
        const size_t colon = expected.find("element");
        const size_t either = expected.find(" or ");
        if (either == std::string::npos) {
            EXPECT_TRUE(has(expected.substr(colon))) << message;
        } else {
            EXPECT_TRUE(has(expected.substr(colon, either - colon)) ||
                        has("element " + expected.substr(either + 4)))
                << message;
        }
    }
    return "";
}

std::string check_sink_ok(const Json &c) {
    const auto pieces = pieces_of(c["input"]["tuples"].get<Tuples>());
    if (world().size < std::ssize(pieces))
        return needs_processes(static_cast<int>(pieces.size()));
    expect_sinks(c["id"], c["input"]["sizes"][0], pieces, DRI_TRUNCATE, DRI_TRUNCATE, c["expect"]["buffers"]);
    return "";
}

std::string check_overlap(const Json &c) {
    const auto pieces = pieces_of(c["input"]["tuples"].get<Tuples>());
    if (world().size < std::ssize(pieces))
        return needs_processes(static_cast<int>(pieces.size()));
    std::vector<std::vector<double>> expected;
    for (const Json &part : c["expect"]["parts"])
        expected.push_back(part["buffer"]);
    expect_sinks(c["id"], c["input"]["sizes"][0], pieces, edge_named(c["input"]["edges"][0]),
                 edge_named(c["input"]["edges"][1]), expected);
    return "";
}

namespace {

// A random transfer, the same on every process: the source's pieces tile, the sink's are any boxes with overlap.
class RandomTransfer {
public:
    RandomTransfer(uint64_t seed, std::string name) : dice_(seed), name_(std::move(name)) {
        const int64_t ndims = dice_.range(1, 4), max = std::min(6, world().size);
        for (int64_t d = 0; d < ndims; ++d)
            sizes_.push_back(dice_.range(0, ndims > 2 ? 5 : 9));
        sources_ = tiles(dice_.range(1, max));
        for (int64_t p = dice_.range(1, max); p > 0; --p) {
            Piece &piece = sinks_.emplace_back();
            for (const int64_t n : sizes_) {
                const int64_t lo = dice_.range(0, n);
                piece.push_back({dice_.range(0, 3), lo, dice_.range(lo, n), dice_.range(0, 3)});
            }
        }
        for (int64_t d = 0; d < ndims; ++d) {
            left_.push_back(static_cast<DRI_Edge>(dice_.range(0, 3)));
            right_.push_back(static_cast<DRI_Edge>(dice_.range(0, 3)));
        }
        source_order_ = order();
        sink_order_ = order();
    }

    void declare() {
        const Gdo gdo = make_gdo(sizes_, DRI_DOUBLE);
        const auto from = static_cast<int>(sources_.size()), to = static_cast<int>(sinks_.size());
        const auto me = static_cast<size_t>(world().rank);
        if (world().rank < from)
            source_ =
                make_xfer(name_, DRI_SOURCE, make_dist(gdo, make_exact(sources_[me]), make_group(ranks(from))),
                          layout(source_order_));
        if (world().rank < to)
            sink_ =
                make_xfer(name_, DRI_SINK,
                          make_dist(gdo, with_edges(make_exact(sinks_[me]), left_, right_), make_group(ranks(to))),
                          layout(sink_order_));
    }

    void run() {
        const auto me = static_cast<size_t>(world().rank);
        if (source_)
            for_each_offset(sources_[me], false, source_order_,
                            [&](int64_t offset, double value) { buffer_of<double>(source_)[offset] = value; });
        if (source_ || sink_)
            expect_success(DRI_do(name_.c_str(), DRI_XFER_NULL), "DRI_do");
        int64_t wrong = 0;
        if (sink_)
            for_each_offset(sinks_[me], true, sink_order_, [&](int64_t offset, double value) {
                wrong += buffer_of<double>(sink_)[offset] != value;
            });
        EXPECT_EQ(wrong, 0) << name_ << ", array " << fmt::format("[{}]", fmt::join(sizes_, ","));
    }

private:
    std::vector<Piece> tiles(int64_t n) {
        std::vector<Piece> pieces(1);
        for (const int64_t size : sizes_)
            pieces[0].push_back({0, 0, size, 0});
        while (std::ssize(pieces) < n) {
            const auto which = static_cast<size_t>(dice_.range(0, std::ssize(pieces) - 1));
            const auto d = static_cast<size_t>(dice_.range(0, std::ssize(sizes_) - 1));
            Piece rest = pieces[which];
            pieces[which][d].right_x = rest[d].left_x = dice_.range(rest[d].left_x, rest[d].right_x);
            pieces.push_back(rest);
        }
        return pieces;
    }

    std::vector<int> order() {
        std::vector<int> dims(sizes_.size());
        std::iota(dims.begin(), dims.end(), 0);
        dice_.shuffle(dims);
        return dims;
    }

    static Layout layout(const std::vector<int> &order) {
        Layout out;
        expect_success(DRI_layout_create_packed(static_cast<int>(order.size()), order.data(), out.out()),
                       "DRI_layout_create_packed");
        return out;
    }

    // Calls f(offset in the buffer, value) for each element of a piece. The value is 0 in pads of zeros. Otherwise
    // it is the element's row-major number plus one.
    template <class F>
    void for_each_offset(const Piece &piece, bool edges, const std::vector<int> &order, F f) const {
        std::vector<std::vector<int64_t>> rows;
        int64_t count = 1;
        for (size_t d = 0; d < sizes_.size(); ++d) {
            const DRI_Part_tuple &t = piece[d];
            dri::model::Overlap overlap{.left = t.left_v, .right = t.right_v};
            if (edges) {
                overlap.left_edge = static_cast<dri::model::Edge>(left_[d]);
                overlap.right_edge = static_cast<dri::model::Edge>(right_[d]);
            }
            std::vector<std::pair<int64_t, int64_t>> blocks;
            if (t.left_x < t.right_x)
                blocks.emplace_back(t.left_x, t.right_x);
            rows.push_back(plain_row(blocks, sizes_[d], overlap).index);
            count *= std::ssize(rows[d]);
        }
        for (int64_t offset = 0; offset < count; ++offset) {
            Numbers index(sizes_.size());
            int64_t rest = offset;
            for (size_t i = order.size(); i-- > 0;) {
                const auto &row = rows[static_cast<size_t>(order[i])];
                index[static_cast<size_t>(order[i])] = row[static_cast<size_t>(rest % std::ssize(row))];
                rest /= std::ssize(row);
            }
            int64_t flat = 0;
            bool zero = false;
            for (size_t d = 0; d < index.size(); ++d) {
                zero = zero || index[d] == ShownRow::zeros;
                flat = flat * sizes_[d] + index[d];
            }
            f(offset, zero ? 0.0 : static_cast<double>(flat + 1));
        }
    }

    Dice dice_;
    std::string name_;
    Numbers sizes_;
    std::vector<Piece> sources_, sinks_;
    std::vector<DRI_Edge> left_, right_;
    std::vector<int> source_order_, sink_order_;
    Xfer source_, sink_;
};

} // namespace

std::string check_property(const Json &c) {
    const auto seed = c["input"]["seed"].get<uint64_t>();
    const int all = c["input"]["trials"], trials = rounds(all) / share_of_trials;
    constexpr int at_once = 50; // transfers per commit
    for (int first = 0; first < trials; first += at_once) {
        std::vector<RandomTransfer> transfers;
        for (int trial = first; trial < std::min(trials, first + at_once); ++trial) {
            transfers.emplace_back(seed * 100'000 + static_cast<uint64_t>(trial),
                                   "trial " + std::to_string(trial));
            transfers.back().declare();
        }
        commit(make_world());
        for (RandomTransfer &transfer : transfers)
            transfer.run();
    }
    return trials < all ? fmt::format("only {} of {} trials", trials, all) : "";
}

} // namespace dri::test
