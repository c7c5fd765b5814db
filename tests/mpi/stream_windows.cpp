// Random sliding windows over all ways: after each frame every element of every sink is checked.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/strip.hpp"
#include "support/window_endpoint.hpp"

#include <numeric>

namespace dri::test {
namespace {

enum class Sliding { source, sink, both };

// One source, and a case for each sink.
struct WindowCase {
    std::vector<TransferCase> sinks;
    int64_t source_slides = 0, sink_slides[2]{};
    bool threads = false, by_name = true;

    const TransferCase &first() const { return sinks.front(); }
};

bool any_slides(int64_t mask, size_t d) { return (mask >> d & 1) != 0; }

// The offsets that the interface allows for an endpoint: all its windows stay inside its array.
std::pair<int64_t, int64_t> allowed(const WindowBox &array, const std::vector<WindowBox> &others, size_t d) {
    std::pair<int64_t, int64_t> all{INT64_MIN, INT64_MAX};
    for (const WindowBox &other : others) {
        const auto [low, high] = offsets_within(array, common_box(array, other), d);
        all = {std::max(all.first, low), std::min(all.second, high)};
    }
    return all;
}

class WindowMaker {
public:
    explicit WindowMaker(uint64_t seed) : dice_(seed) {}

    WindowCase make() {
        WindowCase w;
        TransferCase c;
        const size_t ndims = static_cast<size_t>(dice_.range(1, 3));
        for (size_t d = 0; d < ndims; ++d)
            c.root.push_back(dice_.range(3, ndims == 3 ? 9 : 17));
        c.type = dice_.one_of<dri::model::ElementType>(
            {dri::model::make_real(dri::Scalar::uint8), dri::model::make_real(dri::Scalar::int16),
             dri::model::make_real(dri::Scalar::int32), dri::model::make_complex(dri::Scalar::float32),
             dri::model::make_complex(dri::Scalar::float64)});
        const Sliding sliding = dice_.one_of({Sliding::source, Sliding::source, Sliding::sink, Sliding::both});
        SideSpec sinks[2];
        const size_t count = sliding == Sliding::source ? static_cast<size_t>(dice_.range(1, 2)) : 1;
        make_boxes(c, sinks, sliding);
        w.source_slides = sliding == Sliding::sink ? 0 : dice_.range(1, (int64_t{1} << ndims) - 1);
        finish(c.source, w.source_slides, c.type, false);
        const int64_t ways = dice_.one_of<int64_t>({7, 7, 3, 2, 6});
        c.self_way = (ways & DRI_WAY_SELF) != 0;
        c.direct_way = (ways & DRI_WAY_DIRECT) != 0;
        if (!dice_.chance(70))
            c.message_bytes = dice_.range(1, 300);
        w.threads = dice_.chance(20);
        w.by_name = dice_.chance(50);
        for (size_t s = 0; s < count; ++s) {
            w.sink_slides[s] = sliding == Sliding::source ? 0 : dice_.range(1, (int64_t{1} << ndims) - 1);
            finish(sinks[s], w.sink_slides[s], c.type, true);
            c.sink = sinks[s];
            // A process may not be in two sinks with the same distribution.
            if (s == 0 || sinks[s].offset != sinks[0].offset || sinks[s].sizes != sinks[0].sizes)
                w.sinks.push_back(c);
        }
        return w;
    }
    // A random allowed offset of an endpoint. Any dimension may stay.
    Dims offset(const SideSpec &endpoint, int64_t slides, const std::vector<WindowBox> &others) {
        Dims offset;
        for (size_t d = 0; d < endpoint.sizes.size(); ++d) {
            const auto [low, high] = allowed(box_of(endpoint), others, d);
            offset.push_back(any_slides(slides, d) ? dice_.range(low, high) : 0);
        }
        return offset;
    }
    Dice &dice() { return dice_; }

private:
    // Chooses the window first, then the longer endpoint around it.
    void make_boxes(TransferCase &c, SideSpec sinks[2], Sliding sliding) {
        for (const int64_t n : c.root) {
            const int64_t lo = dice_.range(0, n - 1), hi = dice_.range(lo + 1, n);
            const int64_t before = dice_.chance(50) ? 0 : dice_.range(0, lo),
                          after = dice_.chance(50) ? n : dice_.range(hi, n);
            std::pair<int64_t, int64_t> longer{before, after}, window{lo, hi};
            std::pair<int64_t, int64_t> from = sliding == Sliding::source ? longer : window,
                                        to = sliding == Sliding::source ? window : longer;
            if (sliding == Sliding::both) { // one starts before the window, the other one ends behind it
                from = {before, hi};
                to = {lo, after};
            }
            add(c.source, from);
            add(sinks[0], to);
            const int64_t other = dice_.range(from.first, from.second - 1);
            add(sinks[1], {other, dice_.range(other + 1, from.second)});
        }
    }
    static void add(SideSpec &side, std::pair<int64_t, int64_t> range) {
        side.offset.push_back(range.first);
        side.sizes.push_back(range.second - range.first);
    }

    void finish(SideSpec &side, int64_t slides, const dri::model::ElementType &type, bool sink) {
        side.ranks = some_ranks(dice_, world().size);
        int64_t left = std::ssize(side.ranks);
        const size_t ndims = side.sizes.size();
        for (size_t d = 0; d < ndims; ++d)
            side.rules.push_back(any_slides(slides, d) ? dri::model::CutRule{} : cut(left, sink));
        std::vector<int> order(ndims);
        std::iota(order.begin(), order.end(), 0);
        dice_.shuffle(order);
        dri::model::Layout layout = dri::model::make_packed(order);
        if (!dice_.chance(60))
            layout = dri::model::with_pitch(layout, dice_.range(2, 8));
        if (type.pitch() >= 8 && dice_.chance(40))
            layout = dri::model::with_complex(layout, static_cast<int>(dri::model::ComplexFormat::split));
        side.layouts = {layout};
        side.buffers = static_cast<int>(dice_.range(1, 3));
        side.memory = dice_.chance(40) ? Memory::heap : Memory::library;
    }
    // Uses a divisor of the remaining processes. Processes that no dimension uses hold replicas.
    dri::model::CutRule cut(int64_t &left, bool sink) {
        int64_t parts = dice_.range(1, left);
        while (left % parts != 0)
            --parts;
        left /= parts;
        dri::model::CutRule c;
        if (parts == 1 && dice_.chance(60))
            return c;
        c.kind = dice_.one_of(
            {dri::model::CutKind::block, dri::model::CutKind::block, dri::model::CutKind::block_cyclic});
        c.nparts = parts;
        if (c.kind == dri::model::CutKind::block)
            c.remainder = static_cast<dri::model::Remainder>(dice_.range(0, 3));
        else
            c.block = dice_.range(1, 4);
        if (sink && dice_.chance(50))
            c.overlap = {dice_.range(0, 2), dice_.range(0, 2), static_cast<dri::model::Edge>(dice_.range(0, 3)),
                         static_cast<dri::model::Edge>(dice_.range(0, 3))};
        return c;
    }

    Dice dice_;
};

// Runs all frames of a case. Every process draws the same random numbers, so all know every window's offset.
void run_windows(WindowMaker &maker, const WindowCase &c, const std::string &name) {
    WindowEndpoint source(name, DRI_SOURCE, c.first(), c.source_slides);
    std::vector<WindowEndpoint> sinks;
    std::vector<WindowBox> boxes;
    for (const TransferCase &side : c.sinks) {
        boxes.push_back(box_of(side.sink));
        sinks.emplace_back(name, DRI_SINK, side, c.sink_slides[sinks.size()]);
    }
    std::vector<const WindowEndpoint *> endpoints{&source};
    for (const WindowEndpoint &sink : sinks)
        endpoints.push_back(&sink);
    bool here = false;
    for (const WindowEndpoint *endpoint : endpoints) {
        here = here || *endpoint;
        if (c.threads) {
            endpoint->set(DRI_ATTR_THREADS, 3);
            endpoint->set(DRI_ATTR_SHARE_BYTES, 1);
        }
    }
    commit(make_world());
    source.begin();
    for (WindowEndpoint &sink : sinks)
        sink.begin();

    const int batches = 3, batch = c.by_name ? 1 : c.first().source.buffers;
    const Dims still(c.first().root.size(), 0);
    Dims at_source = still;
    for (int b = 0; b < batches; ++b) {
        std::vector<Dims> offsets; // of the frames that are sent together
        for (int i = 0; i < batch; ++i) {
            const int64_t frame = b * batch + i;
            const bool moves = c.source_slides != 0 && frame > 0 && maker.dice().chance(80);
            if (moves)
                at_source = maker.offset(c.first().source, c.source_slides, boxes);
            offsets.push_back(at_source);
            if (!source)
                continue;
            if (!c.by_name && frame > 0)
                acquire(source.xfer());
            source.fill(frame);
            if (moves)
                source.rebase(at_source);
            if (!c.by_name)
                insert(source.xfer());
        }
        for (int i = 0; i < batch; ++i) {
            const int64_t frame = b * batch + i;
            std::vector<Dims> at_sinks;
            for (size_t s = 0; s < sinks.size(); ++s) {
                at_sinks.push_back(still);
                if (c.sink_slides[s] == 0)
                    continue;
                at_sinks.back() = maker.offset(c.sinks[s].sink, c.sink_slides[s], {box_of(c.first().source)});
                if (sinks[s])
                    sinks[s].rebase(at_sinks.back());
            }
            if (c.by_name && here)
                expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
            for (size_t s = 0; s < sinks.size(); ++s) {
                if (!sinks[s])
                    continue;
                if (!c.by_name)
                    extract(sinks[s].xfer());
                sinks[s].expect(frame, frame, offsets[static_cast<size_t>(i)], at_sinks[s]);
                if (!c.by_name)
                    release(sinks[s].xfer());
            }
        }
    }
}

TEST(Windows, RandomOnesSlideByAllWays) {
    for (int seed = 0; seed < rounds(400); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " of " + std::to_string(world().size) + " processes");
        WindowMaker maker(static_cast<uint64_t>(1000 * world().size + seed));
        const WindowCase c = maker.make();
        std::string lines;
        for (const TransferCase &sink : c.sinks)
            lines += to_line(sink) + "\n";
        SCOPED_TRACE(lines);
        run_windows(maker, c, "window");
        // All processes stop at the first case that fails on any of them.
        if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0)
            break;
    }
}

} // namespace
} // namespace dri::test
