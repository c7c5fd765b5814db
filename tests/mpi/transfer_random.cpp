// Random transfers, the same list on all processes. The seed of a case alone reproduces it.
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <numeric>

namespace dri_test {
namespace {

class Maker {
public:
    explicit Maker(uint64_t seed) : dice_(seed) {}

    Case make() {
        Case c;
        const auto ndims = static_cast<size_t>(up_to(4));
        for (size_t d = 0; d < ndims; ++d)
            c.sizes.push_back(ndims <= 2 ? up_to(40) : up_to(9));
        c.element = element();
        c.source = side(c.sizes);
        c.sink = side(c.sizes);
        if (c.element.builtin.id == DRI_COMPLEX_FLOAT.id || c.element.builtin.id == DRI_COMPLEX_DOUBLE.id) {
            c.source.lay.split = up_to(1) != 0;
            c.sink.lay.split = up_to(1) != 0;
        }
        c.frames = 1 + up_to(3);
        c.message_bytes = up_to(2) ? 0 : 1 + up_to(200);
        c.self_way = up_to(3) != 0;
        return c;
    }

private:
    int up_to(int max) { return static_cast<int>(dice_.range(0, max)); }

    Element element() {
        const Element builtin[]{{1, 1, DRI_UINT8},
                                {2, 2, DRI_INT16},
                                float_element,
                                {8, 4, DRI_COMPLEX_FLOAT},
                                {16, 8, DRI_COMPLEX_DOUBLE}};
        const int kind = up_to(5);
        if (kind < 5)
            return builtin[kind];
        return {1 + up_to(47), int64_t{1} << up_to(4)};
    }

    Side side(const Numbers &sizes) {
        Side s;
        s.procs = all_ranks();
        dice_.shuffle(s.procs);
        s.procs.resize(1 + static_cast<size_t>(up_to(static_cast<int>(s.procs.size()) - 1)));
        int left = static_cast<int>(s.procs.size());
        for (int64_t n : sizes)
            s.cuts.push_back(cut(n, left));
        shuffle_parts(s, sizes);
        s.lay = lay(sizes);
        s.nbuffs = 1 + up_to(2);
        s.memory = static_cast<Memory>(up_to(4));
        return s;
    }

    // Uses a divisor of the remaining processes. Processes that no dimension uses hold replicas.
    Cut cut(int64_t n, int &left) {
        int parts = 1 + up_to(left - 1);
        while (left % parts != 0)
            --parts;
        left /= parts;
        Cut c;
        c.kind = static_cast<DRI_Part_kind>(parts > 1 ? 1 + up_to(2) : up_to(3));
        if (c.kind != DRI_WHOLE)
            c.nparts = parts;
        if (c.kind == DRI_BLOCK)
            c.remainder = static_cast<DRI_Remainder>(up_to(3));
        if (c.kind == DRI_BLOCK_CYCLIC)
            c.block = 1 + up_to(5);
        if (c.kind == DRI_SIZES) {
            std::vector<int64_t> ends{n};
            for (int i = 1; i < parts; ++i)
                ends.push_back(up_to(static_cast<int>(n)));
            std::sort(ends.begin(), ends.end());
            int64_t begin = 0;
            for (int64_t end : ends)
                c.sizes.push_back(end - std::exchange(begin, end));
        }
        return c;
    }

    // The first dimensions receive most parts above; this moves parts to another one.
    void shuffle_parts(Side &s, const Numbers &sizes) {
        if (sizes.size() < 2 || s.cuts[0].kind == DRI_SIZES || up_to(1))
            return;
        Cut &last = s.cuts.back();
        if (last.kind != DRI_SIZES)
            std::swap(s.cuts[0], last);
    }

    Lay lay(const Numbers &sizes) {
        Lay l;
        std::vector<int> order(sizes.size());
        std::iota(order.begin(), order.end(), 0);
        dice_.shuffle(order);
        const int kind = up_to(3);
        if (kind < 2)
            l.order = order;
        if (kind == 1)
            l.pitch = 1 + up_to(8);
        if (kind == 2 && !sizes.empty()) {
            // The strides suit the whole object, so they suit every part.
            l.strides.resize(sizes.size());
            int64_t step = 1 + up_to(2);
            for (int d : order) {
                l.strides[static_cast<size_t>(d)] = step;
                step = step * std::max<int64_t>(sizes[static_cast<size_t>(d)], 1) + up_to(3);
            }
        }
        return l;
    }

    dri::test::Dice dice_;
};

TEST(Random, AHundredTransfers) {
    for (int seed = 0; seed < dri_test::rounds(100); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " of " + std::to_string(world().size) + " processes");
        expect_transfer(Maker(static_cast<uint64_t>(1000 * world().size + seed)).make());
        // All processes stop at the first case that fails on any of them.
        if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0)
            break;
    }
}

} // namespace
} // namespace dri_test
