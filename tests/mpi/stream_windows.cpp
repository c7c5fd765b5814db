// Random sliding windows over all ways: after each frame every element of every sink is checked.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/message_bytes.hpp"
#include "support/sanitizer.hpp"
#include "support/strip.hpp"
#include "support/window_endpoint.hpp"

#include <numeric>

namespace dri_test {
namespace {

enum class Sliding { source, sink, both };

struct WindowCase {
    Numbers root;
    WindowElement element;
    WindowSide source;
    std::vector<WindowSide> sinks;
    int64_t ways = 7, message_bytes = 0;
    bool threads = false, by_name = true;
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
        WindowCase c;
        const size_t ndims = static_cast<size_t>(dice_.range(1, 3));
        for (size_t d = 0; d < ndims; ++d)
            c.root.push_back(dice_.range(3, ndims == 3 ? 9 : 17));
        c.element = dice_.one_of<WindowElement>(
            {{DRI_UINT8, 1}, {DRI_INT16, 2}, {DRI_INT32, 4}, {DRI_COMPLEX_FLOAT, 8}, {DRI_COMPLEX_DOUBLE, 16}});
        const Sliding sliding = dice_.one_of({Sliding::source, Sliding::source, Sliding::sink, Sliding::both});
        const size_t sinks = sliding == Sliding::source ? static_cast<size_t>(dice_.range(1, 2)) : 1;
        make_boxes(c, sliding, sinks);
        c.source.slides = sliding == Sliding::sink ? 0 : dice_.range(1, (int64_t{1} << ndims) - 1);
        finish(c.source, c.element, false);
        for (WindowSide &sink : c.sinks) {
            sink.slides = sliding == Sliding::source ? 0 : dice_.range(1, (int64_t{1} << ndims) - 1);
            finish(sink, c.element, true);
        }
        c.ways = dice_.one_of<int64_t>({7, 7, 3, 2, 6});
        c.message_bytes = dice_.chance(70) ? 0 : dice_.range(1, 300);
        c.threads = dice_.chance(20);
        c.by_name = dice_.chance(50);
        return c;
    }
    // A random allowed offset of an endpoint. Any dimension may stay.
    Numbers offset(const WindowSide &endpoint, const std::vector<WindowBox> &others) {
        Numbers offset;
        for (size_t d = 0; d < endpoint.box.sizes.size(); ++d) {
            const auto [low, high] = allowed(endpoint.box, others, d);
            offset.push_back(any_slides(endpoint.slides, d) ? dice_.range(low, high) : 0);
        }
        return offset;
    }
    dri::test::Dice &dice() { return dice_; }

private:
    // Chooses the window first, then the longer endpoint around it.
    void make_boxes(WindowCase &c, Sliding sliding, size_t sinks) {
        const size_t ndims = c.root.size();
        c.sinks.resize(sinks);
        for (size_t d = 0; d < ndims; ++d) {
            const int64_t n = c.root[d], lo = dice_.range(0, n - 1), hi = dice_.range(lo + 1, n);
            const int64_t before = dice_.chance(50) ? 0 : dice_.range(0, lo),
                          after = dice_.chance(50) ? n : dice_.range(hi, n);
            std::pair<int64_t, int64_t> longer{before, after}, window{lo, hi};
            std::pair<int64_t, int64_t> from = sliding == Sliding::source ? longer : window,
                                        to = sliding == Sliding::source ? window : longer;
            if (sliding == Sliding::both) { // one starts before the window, the other one ends behind it
                from = {before, hi};
                to = {lo, after};
            }
            add(c.source.box, from);
            add(c.sinks[0].box, to);
            if (sinks > 1) {
                const int64_t other = dice_.range(from.first, from.second - 1);
                add(c.sinks[1].box, {other, dice_.range(other + 1, from.second)});
            }
        }
    }
    static void add(WindowBox &box, std::pair<int64_t, int64_t> range) {
        box.offset.push_back(range.first);
        box.sizes.push_back(range.second - range.first);
    }

    void finish(WindowSide &side, const WindowElement &element, bool sink) {
        side.procs = all_ranks();
        dice_.shuffle(side.procs);
        side.procs.resize(static_cast<size_t>(dice_.range(1, std::ssize(side.procs))));
        int left = static_cast<int>(side.procs.size());
        const size_t ndims = side.box.sizes.size();
        for (size_t d = 0; d < ndims; ++d)
            side.cuts.push_back(any_slides(side.slides, d) ? Cut{} : cut(left, sink));
        side.lay.order.resize(ndims);
        std::iota(side.lay.order.begin(), side.lay.order.end(), 0);
        dice_.shuffle(side.lay.order);
        side.lay.pitch = dice_.chance(60) ? 0 : dice_.range(2, 8);
        side.lay.split = element.pitch >= 8 && dice_.chance(40);
        side.nbuffs = static_cast<int>(dice_.range(1, 3));
        side.user_memory = dice_.chance(40);
    }
    // Uses a divisor of the remaining processes. Processes that no dimension uses hold replicas.
    Cut cut(int &left, bool sink) {
        int parts = static_cast<int>(dice_.range(1, left));
        while (left % parts != 0)
            --parts;
        left /= parts;
        Cut c;
        if (parts == 1 && dice_.chance(60))
            return c;
        c.kind = dice_.one_of({DRI_BLOCK, DRI_BLOCK, DRI_BLOCK_CYCLIC});
        c.nparts = parts;
        if (c.kind == DRI_BLOCK)
            c.remainder = static_cast<DRI_Remainder>(dice_.range(0, 3));
        else
            c.block = dice_.range(1, 4);
        if (sink && dice_.chance(50)) {
            c.left = dice_.range(0, 2);
            c.right = dice_.range(0, 2);
            c.left_edge = static_cast<DRI_Edge>(dice_.range(0, 3));
            c.right_edge = static_cast<DRI_Edge>(dice_.range(0, 3));
        }
        return c;
    }

    dri::test::Dice dice_;
};

// Runs all frames of a case. Every process draws the same random numbers, so all know every window's offset.
void run_windows(WindowMaker &maker, const WindowCase &c, const std::string &name) {
    WindowEndpoint source(name, DRI_SOURCE, c.root, c.source, c.element);
    std::vector<WindowEndpoint> sinks;
    std::vector<WindowBox> boxes;
    for (const WindowSide &side : c.sinks) {
        boxes.push_back(side.box);
        // A process may not be in two sinks with the same distribution.
        if (sinks.empty() || side.box.offset != boxes[0].offset || side.box.sizes != boxes[0].sizes)
            sinks.emplace_back(name, DRI_SINK, c.root, side, c.element);
    }
    boxes.resize(sinks.size());
    std::vector<const WindowEndpoint *> endpoints{&source};
    for (const WindowEndpoint &sink : sinks)
        endpoints.push_back(&sink);
    bool here = false;
    for (const WindowEndpoint *endpoint : endpoints) {
        here = here || *endpoint;
        endpoint->set(DRI_ATTR_WAYS, c.ways);
        if (c.message_bytes > 0 && *endpoint)
            set_message_bytes(endpoint->xfer(), c.message_bytes);
        if (c.threads) {
            endpoint->set(DRI_ATTR_THREADS, 3);
            endpoint->set(DRI_ATTR_SHARE_BYTES, 1);
        }
    }
    commit(make_world());
    source.begin();
    for (WindowEndpoint &sink : sinks)
        sink.begin();

    const int batches = 3, batch = c.by_name ? 1 : c.source.nbuffs;
    Numbers at_source(c.root.size(), 0);
    for (int b = 0; b < batches; ++b) {
        std::vector<Numbers> offsets; // of the frames that are sent together
        for (int i = 0; i < batch; ++i) {
            const int64_t frame = b * batch + i;
            const bool moves = c.source.slides != 0 && frame > 0 && maker.dice().chance(80);
            if (moves)
                at_source = maker.offset(c.source, boxes);
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
            std::vector<Numbers> at_sinks;
            for (size_t s = 0; s < sinks.size(); ++s) {
                at_sinks.emplace_back(c.root.size(), 0);
                if (c.sinks[s].slides == 0)
                    continue;
                at_sinks.back() = maker.offset(c.sinks[s], {c.source.box});
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
                sinks[s].expect(frame, frame, c.source.box, offsets[static_cast<size_t>(i)], at_sinks[s]);
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
        run_windows(maker, c, "window");
        // All processes stop at the first case that fails on any of them.
        if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0)
            break;
    }
}

} // namespace
} // namespace dri_test
