#include "dri_objects.hpp"
#include "row.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

namespace bench {

namespace {

// Where the buffers of a row come from.
enum class From { library, malloc, alloc };

// How the library's rows differ in their buffers.
struct Memory {
    const char *name = "bench"; // of the transfer; the rows exist at the same time
    bool is_pitched = false;    // uses DRI_PITCH_AUTO
    From from = From::library;
};

// Makes the layout for the order of the case line.
DRI_Layout make_layout(const dri::test::CaseSide &side, const Memory &memory) {
    DRI_Layout layout;
    check(DRI_layout_create_packed(static_cast<int>(side.order.size()), side.order.data(), &layout));
    if (memory.is_pitched) {
        DRI_Layout padded;
        check(DRI_layout_with_pitch(layout, DRI_PITCH_AUTO, &padded));
        check(DRI_layout_destroy(&layout));
        layout = padded;
    }
    return layout;
}

// Distance of rows of the fastest dimension in this process's part, in bytes.
int64_t row_pitch(const Case &c, const dri::test::CaseSide &side, DRI_Layout layout, DRI_Dist dist) {
    if (side.order.size() < 2)
        return 0;
    std::vector<int64_t> strides(side.order.size());
    check(DRI_layout_get_strides(layout, dist, world().rank, strides.data()));
    return strides[static_cast<size_t>(side.order[side.order.size() - 2])] * c.element_bytes;
}

// Memory of the program, or of DRI_alloc; none if the library provides the buffers.
class OwnMemory {
public:
    OwnMemory(From from, int64_t bytes) : from_(from) {
        const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
        if (from == From::alloc)
            check(DRI_alloc(size, 0, &memory_));
        if (from == From::malloc && !(memory_ = std::malloc(size)))
            throw std::bad_alloc();
    }
    ~OwnMemory() {
        if (from_ == From::alloc)
            DRI_free(memory_);
        else
            std::free(memory_);
    }
    OwnMemory(const OwnMemory &) = delete;
    OwnMemory &operator=(const OwnMemory &) = delete;
    void *get() const { return memory_; }

private:
    From from_;
    void *memory_ = nullptr;
};

// One endpoint; empty on a process that holds no part.
class Endpoint {
public:
    Endpoint(const Case &c, DRI_Role role, const Memory &memory) {
        const bool is_source = role == DRI_SOURCE;
        const auto &side = is_source ? c.line.source : c.line.sink;
        const int processes = is_source ? c.source.processes : c.sink.processes;
        if (world().rank >= processes)
            return;
        DRI_Dist dist = make_distribution(c.line, side, processes);
        DRI_Layout layout = make_layout(side, memory);
        pitch_ = memory.is_pitched ? row_pitch(c, side, layout, dist) : 0;
        memory_ = std::make_unique<OwnMemory>(memory.from,
                                              own_part(is_source ? c.source : c.sink).count * c.element_bytes);
        void *buffer = memory_->get();
        check(DRI_xfer_create(memory.name, role, dist, layout, 1, &buffer, &xfer_));
        check(DRI_xfer_set_attr(xfer_, DRI_ATTR_THREADS, c.dri_threads));
        check(DRI_layout_destroy(&layout));
        check(DRI_dist_destroy(&dist));
    }
    ~Endpoint() {
        if (is_held())
            DRI_xfer_destroy(&xfer_);
    }
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    bool is_held() const { return xfer_.id != 0; }
    int64_t pitch() const { return pitch_; }
    std::byte *buffer() const {
        void *data = nullptr;
        if (is_held())
            check(DRI_xfer_get_buffers(xfer_, nullptr, &data));
        return static_cast<std::byte *>(data);
    }

private:
    std::unique_ptr<OwnMemory> memory_; // outlives the transfer
    DRI_Xfer xfer_{};
    int64_t pitch_ = 0;
};

Contest prepare(const Case &c, const Memory &memory) {
    struct Endpoints {
        std::unique_ptr<Endpoint> source, sink;
    };
    const auto endpoints = std::make_shared<Endpoints>();
    endpoints->source = on_all_or_none([&] { return std::make_unique<Endpoint>(c, DRI_SOURCE, memory); });
    endpoints->sink = on_all_or_none([&] { return std::make_unique<Endpoint>(c, DRI_SINK, memory); });
    Contest contest;
    on_all_or_none([&] {
        DRI_Group everyone;
        check(DRI_group_create_world(&everyone));
        check(DRI_commit(everyone));
        check(DRI_group_destroy(&everyone));
        contest.source = endpoints->source->buffer();
        contest.sink = endpoints->sink->buffer();
        contest.source_pitch = endpoints->source->pitch();
        contest.sink_pitch = endpoints->sink->pitch();
        return true;
    });
    contest.run = [name = memory.name, takes_part = endpoints->source->is_held() || endpoints->sink->is_held()] {
        if (takes_part)
            check(DRI_do(name, DRI_XFER_NULL));
    };
    contest.kept = endpoints;
    return contest;
}

} // namespace

Contest prepare_dri(const Case &c) { return prepare(c, {}); }
Contest prepare_dri_pitched(const Case &c) { return prepare(c, {.name = "bench, pitched", .is_pitched = true}); }
Contest prepare_dri_malloc(const Case &c) { return prepare(c, {.name = "bench, malloc", .from = From::malloc}); }
Contest prepare_dri_alloc(const Case &c) { return prepare(c, {.name = "bench, DRI_alloc", .from = From::alloc}); }

} // namespace bench
