// What a careful programmer writes: pack each peer's box in the sink's order, MPI_Alltoallv, unpack contiguous
// rows. What stays in the process goes straight from source to sink.
#include "buffer.hpp"
#include "copy_box.hpp"
#include "mpi_type.hpp"
#include "row.hpp"
#include "world.hpp"

#include <limits>
#include <vector>

namespace bench {

namespace {

struct PlacedCopy {
    BoxCopy copy;
    int64_t to_bytes, from_bytes; // offsets

    void run(std::byte *to, const std::byte *from) const { copy.run(to + to_bytes, from + from_bytes); }
};

// Elements for each peer and where they begin in the staging memory.
struct Counts {
    std::vector<int> counts, offsets;
    int64_t total = 0;

    // False if MPI's int cannot say it.
    bool add(int64_t count) {
        const bool fits = total + count <= std::numeric_limits<int>::max();
        counts.push_back(fits ? static_cast<int>(count) : 0);
        offsets.push_back(fits ? static_cast<int>(total) : 0);
        total += count;
        return fits;
    }
};

class Exchange {
public:
    explicit Exchange(const Case &c)
        : element_bytes_(c.element_bytes), type_(MpiType::element(c.element_bytes)),
          source_part_(c.source.parts[me()]), sink_part_(c.sink.parts[me()]),
          source_(source_part_.count * element_bytes_), sink_(sink_part_.count * element_bytes_) {
        for (size_t peer = 0; peer < c.source.parts.size(); ++peer) {
            plan_send(peer, c.sink.parts[peer]);
            plan_receive(peer, c.source.parts[peer]);
        }
        if (fits_) {
            packed_ = std::make_unique<Buffer>(sends_.total * element_bytes_);
            arrived_ = std::make_unique<Buffer>(receives_.total * element_bytes_);
        }
    }

    void run() const {
        for (const PlacedCopy &pack : packs_)
            pack.run(packed_->data(), source_.data());
        for (const PlacedCopy &own : own_)
            own.run(sink_.data(), source_.data());
        MPI_Alltoallv(packed_->data(), sends_.counts.data(), sends_.offsets.data(), type_.get(), arrived_->data(),
                      receives_.counts.data(), receives_.offsets.data(), type_.get(), MPI_COMM_WORLD);
        for (const PlacedCopy &unpack : unpacks_)
            unpack.run(sink_.data(), arrived_->data());
    }

    bool fits() const { return fits_; }
    std::byte *source() const { return source_.data(); }
    std::byte *sink() const { return sink_.data(); }

private:
    static size_t me() { return static_cast<size_t>(world().rank); }

    PlacedCopy placed(const Box &box, const Dims &from_strides, int64_t from, const Dims &to_strides, int64_t to) {
        return {BoxCopy(element_bytes_, box.extents, from_strides, to_strides), to * element_bytes_,
                from * element_bytes_};
    }

    void plan_send(size_t peer, const Part &their_part) {
        const Box box = intersection(source_part_, their_part);
        const int64_t from = offset_in(source_part_, box);
        if (peer == me()) {
            own_.push_back(
                placed(box, source_part_.strides, from, sink_part_.strides, offset_in(sink_part_, box)));
            fits_ &= sends_.add(0);
        } else {
            const Dims packed = packed_strides(box.extents, their_part.order);
            packs_.push_back(placed(box, source_part_.strides, from, packed, sends_.total));
            fits_ &= sends_.add(box.count);
        }
    }

    void plan_receive(size_t peer, const Part &their_part) {
        if (peer == me()) {
            fits_ &= receives_.add(0);
            return;
        }
        const Box box = intersection(their_part, sink_part_);
        const Dims packed = packed_strides(box.extents, sink_part_.order);
        unpacks_.push_back(placed(box, packed, receives_.total, sink_part_.strides, offset_in(sink_part_, box)));
        fits_ &= receives_.add(box.count);
    }

    int64_t element_bytes_;
    MpiType type_;
    Part source_part_, sink_part_;
    Buffer source_, sink_;
    bool fits_ = true;
    Counts sends_, receives_;
    std::vector<PlacedCopy> packs_, own_, unpacks_;
    std::unique_ptr<Buffer> packed_, arrived_;
};

} // namespace

Contest prepare_alltoallv(const Case &c) {
    if (!c.source.has_boxes_only() || !c.sink.has_boxes_only())
        return unfit("only for parts that are boxes");
    const auto exchange = on_all_or_none([&c] { return std::make_shared<Exchange>(c); });
    if (!on_all(exchange->fits()))
        return unfit("counts beyond MPI's int");
    return contest_of(exchange);
}

} // namespace bench
