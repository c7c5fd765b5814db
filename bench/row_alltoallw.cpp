// MPI's datatypes do the packing: MPI_Alltoallw between subarrays, in the source's order. If the sink's order
// differs, a local transposition follows.
#include "buffer.hpp"
#include "copy_box.hpp"
#include "mpi_type.hpp"
#include "row.hpp"
#include "world.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace bench {

namespace {

bool fits_int(const Part &part) {
    return std::all_of(part.extents.begin(), part.extents.end(),
                       [](int64_t extent) { return extent <= std::numeric_limits<int>::max(); });
}

// The type of a box inside a part that is packed in the given order. `box` must not be empty.
MpiType subarray(const Part &part, const std::vector<int> &order, const Box &box, MPI_Datatype element) {
    std::vector<int> sizes, extents, starts;
    for (const int dim : order) {
        const auto d = static_cast<size_t>(dim);
        sizes.push_back(static_cast<int>(part.extents[d]));
        extents.push_back(static_cast<int>(box.extents[d]));
        starts.push_back(static_cast<int>(box.begin[d] - part.runs[d].front().begin));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), extents.data(), starts.data(),
                             MPI_ORDER_C, element, &type);
    MPI_Type_commit(&type);
    return MpiType(type, true);
}

// The types of one direction of the exchange.
struct Types {
    std::vector<MpiType> owned;
    std::vector<MPI_Datatype> types;
    std::vector<int> counts;

    void add(const Part &part, const std::vector<int> &order, const Box &box, MPI_Datatype element) {
        if (box.count > 0)
            owned.push_back(subarray(part, order, box, element));
        types.push_back(box.count > 0 ? owned.back().get() : MPI_BYTE);
        counts.push_back(box.count > 0 ? 1 : 0);
    }
};

class AlltoallwExchange {
public:
    explicit AlltoallwExchange(const Case &c)
        : element_(MpiType::element(c.element_bytes)), turns_(c.source.order != c.sink.order),
          source_(own_part(c.source).count * c.element_bytes), sink_(own_part(c.sink).count * c.element_bytes),
          arrived_(turns_ ? own_part(c.sink).count * c.element_bytes : 0),
          turn_(c.element_bytes, own_part(c.sink).extents,
                packed_strides(own_part(c.sink).extents, c.source.order), own_part(c.sink).strides),
          offsets_(c.source.parts.size(), 0) {
        for (size_t peer = 0; peer < c.source.parts.size(); ++peer) {
            sends_.add(own_part(c.source), c.source.order, intersection(own_part(c.source), c.sink.parts[peer]),
                       element_.get());
            receives_.add(own_part(c.sink), c.source.order, intersection(c.source.parts[peer], own_part(c.sink)),
                          element_.get());
        }
    }

    void run() const {
        std::byte *arrived = turns_ ? arrived_.data() : sink_.data();
        MPI_Alltoallw(source_.data(), sends_.counts.data(), offsets_.data(), sends_.types.data(), arrived,
                      receives_.counts.data(), offsets_.data(), receives_.types.data(), MPI_COMM_WORLD);
        if (turns_)
            turn_.run(sink_.data(), arrived);
    }

    std::byte *source() const { return source_.data(); }
    std::byte *sink() const { return sink_.data(); }

private:
    MpiType element_;
    bool turns_;
    Buffer source_, sink_, arrived_;
    BoxCopy turn_;
    std::vector<int> offsets_; // all 0: the subarray types contain the offsets
    Types sends_, receives_;
};

} // namespace

Contest prepare_alltoallw(const Case &c) {
    if (!c.source.has_boxes_only() || !c.sink.has_boxes_only())
        return unfit("only for parts that are boxes");
    if (!std::all_of(c.source.parts.begin(), c.source.parts.end(), fits_int) ||
        !std::all_of(c.sink.parts.begin(), c.sink.parts.end(), fits_int))
        return unfit("sizes exceed MPI's int");
    const auto exchange = on_all_or_none([&c] { return std::make_shared<AlltoallwExchange>(c); });
    return contest_of(exchange);
}

} // namespace bench
