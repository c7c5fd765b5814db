#include "dri_objects.hpp"
#include "row.hpp"
#include "world.hpp"

namespace bench {

namespace {

constexpr const char *name = "bench";

// Orders of the case line become packed layouts.
DRI_Layout make_layout(const dri::test::CaseSide &side) {
    DRI_Layout layout;
    check(DRI_layout_create_packed(static_cast<int>(side.order.size()), side.order.data(), &layout));
    return layout;
}

// One end, with a buffer of the library's; null on a process that holds no part.
class End {
public:
    End(const Case &c, DRI_Role role) {
        const bool is_source = role == DRI_SOURCE;
        const auto &side = is_source ? c.line.source : c.line.sink;
        const int processes = is_source ? c.source.processes : c.sink.processes;
        if (world().rank >= processes)
            return;
        DRI_Dist dist = make_distribution(c.line, side, processes);
        DRI_Layout layout = make_layout(side);
        check(DRI_xfer_create(name, role, dist, layout, 1, nullptr, &xfer_));
        check(DRI_xfer_set_attr(xfer_, DRI_ATTR_THREADS, c.dri_threads));
        check(DRI_layout_destroy(&layout));
        check(DRI_dist_destroy(&dist));
    }
    ~End() {
        if (is_held())
            DRI_xfer_destroy(&xfer_);
    }
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    bool is_held() const { return xfer_.id != 0; }
    std::byte *buffer() const {
        void *data = nullptr;
        if (is_held())
            check(DRI_xfer_get_buffers(xfer_, nullptr, &data));
        return static_cast<std::byte *>(data);
    }

private:
    DRI_Xfer xfer_{};
};

} // namespace

Contest prepare_dri(const Case &c) {
    struct Ends {
        std::unique_ptr<End> source, sink;
    };
    const auto ends = std::make_shared<Ends>();
    ends->source = on_all_or_none([&c] { return std::make_unique<End>(c, DRI_SOURCE); });
    ends->sink = on_all_or_none([&c] { return std::make_unique<End>(c, DRI_SINK); });
    Contest contest;
    on_all_or_none([&] {
        DRI_Group everyone;
        check(DRI_group_create_world(&everyone));
        check(DRI_commit(everyone));
        check(DRI_group_destroy(&everyone));
        contest.source = ends->source->buffer();
        contest.sink = ends->sink->buffer();
        return true;
    });
    contest.run = [takes_part = ends->source->is_held() || ends->sink->is_held()] {
        if (takes_part)
            check(DRI_do(name, DRI_XFER_NULL));
    };
    contest.kept = ends;
    return contest;
}

} // namespace bench
