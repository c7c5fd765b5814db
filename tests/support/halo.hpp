// Halo exchanges in place, whichever memory the buffers are in. What each process must hold is computed here from
// the sizes of the blocks, the widths and the edges. Processes dawdle, and change a buffer as soon as it is theirs
// again.
#pragma once

#include "support/dice.hpp"
#include "support/objects.hpp"

#include <memory>
#include <string>
#include <vector>

namespace dri::test {

// One dimension: the sizes of its parts, and the overlap around each of them.
struct HaloCut {
    std::vector<int64_t> sizes;
    int64_t left = 0, right = 0;
    DRI_Edge edge = DRI_TRUNCATE;

    int64_t size() const {
        int64_t n = 0;
        for (const int64_t s : sizes)
            n += s;
        return n;
    }
    Rule rule() const {
        return {.kind = DRI_SIZES,
                .nparts = static_cast<int>(sizes.size()),
                .sizes = sizes.data(),
                .left = left,
                .right = right,
                .left_edge = edge,
                .right_edge = edge};
    }
};

// What a part holds along a dimension, in its order in memory.
struct HeldIndices {
    std::vector<int64_t> index; // global, or a pad of zeros
    std::vector<bool> owned;
};

// Where the buffers are. either: some processes take them from the library, the others from DRI_alloc.
enum class From { library, alloc, either, plain };
// One or two dimensions, in whose parts the replicas follow each other.
struct HaloCase {
    std::vector<HaloCut> cuts;
    int replicas = 1;
    int buffers = 1;
    From from = From::library;
    DRI_In_place mode = DRI_IN_PLACE;
    int threads = 1;
    bool progress_thread = false;
    int64_t ways = DRI_WAY_SELF | DRI_WAY_DIRECT | DRI_WAY_MESSAGE;
};

// One transfer. Collective over the world.
class Halo {
public:
    explicit Halo(const HaloCase &c); // declares both endpoints

    DRI_Xfer source() const { return source_; }
    DRI_Xfer sink() const { return sink_; }
    const char *name() const { return name_.c_str(); }

    void fill();  // what the process owns; all else holds numbers that are wrong
    void check(); // spoils what the process owns as soon as it may, or looks at it, and looks at the overlap
    void frame(); // fill, one of the calls that move a frame, check
    DRI_Xfer_info info() const;
    void destroy();

private:
    void take_memory();
    void move_by_test();
    template <class F> void for_each(const F &f) const;

    struct FreeMemory {
        void operator()(void *memory) const { expect_success(DRI_free(memory), "DRI_free"); }
    };

    HaloCase case_;
    Dice dice_;
    HeldIndices rows_, columns_;
    std::string name_;
    std::vector<std::vector<double>> plain_;
    std::vector<std::unique_ptr<void, FreeMemory>> taken_;
    std::vector<void *> buffers_;
    Xfer source_, sink_; // are destroyed before the memory
    double *data_ = nullptr;
    int64_t frame_ = 0;
};

constexpr int64_t by_messages = DRI_WAY_SELF | DRI_WAY_MESSAGE;
bool allows(const char *way); // DRI_WAYS of this process
inline bool may_go_direct() { return allows("direct"); }
bool is_one_node(); // whether all processes share one. The first call is collective over the world
inline bool must_go_direct() { return may_go_direct() && is_one_node(); } // also collective

} // namespace dri::test
