// Writes arrays as text: slab by slab they travel to the map's first process.
#include "domain/assign.hpp"
#include "domain/moves.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace dri::domain {

namespace {

constexpr int64_t slab_bytes = 1 << 20;

// Hands the text of a slab over in pieces, which stay in the first cache.
class Text {
public:
    Text(PutText put, void *ctx) : put_(put), ctx_(ctx) {}
    // Memory for one element and what separates it from the next. write(begin, end) returns where it ended.
    template <class Write> void add(const Write &write) {
        if (end_ - at_ < most_bytes)
            hand_over();
        at_ = write(at_, end_);
    }
    // Takes back the last byte added.
    void take_back() { --at_; }
    void hand_over() {
        const auto n = static_cast<size_t>(at_ - bytes_.data());
        at_ = bytes_.data();
        if (n == 0)
            return;
        const int code = put_(ctx_, bytes_.data(), n);
        if (code != DRI_SUCCESS)
            fail(code > DRI_SUCCESS && code <= DRI_ERR_INTERNAL ? static_cast<DRI_Code>(code) : DRI_ERR_ARG,
                 "put returned {}", code);
    }

private:
    static constexpr std::ptrdiff_t most_bytes = 128; // of two numbers, and a newline for each dimension

    PutText put_;
    void *ctx_;
    std::array<char, 16384> bytes_;
    char *at_ = bytes_.data(), *const end_ = bytes_.data() + bytes_.size();
};

template <class T> char *write_number(char *at, char *end, const std::byte *element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return std::to_chars(at, end, value).ptr;
}

template <class T> char *write_complex(char *at, char *end, const std::byte *element) {
    *at++ = '(';
    at = write_number<T>(at, end, element);
    *at++ = ',';
    at = write_number<T>(at, end, element + sizeof(T));
    *at++ = ')';
    return at;
}

// Writes n elements, each with a space behind it.
template <auto write> void write_row(Text &text, const std::byte *element, int64_t n, size_t pitch) {
    for (; n > 0; --n, element += pitch)
        text.add([&](char *at, char *end) {
            at = write(at, end, element);
            *at++ = ' ';
            return at;
        });
}

using WriteRow = void (*)(Text &text, const std::byte *element, int64_t n, size_t pitch);

WriteRow writer_of(const ElementKind &kind) {
    const std::pair<DRI_Type, WriteRow> all[] = {
        {DRI_INT8, write_row<write_number<int8_t>>},
        {DRI_INT16, write_row<write_number<int16_t>>},
        {DRI_INT32, write_row<write_number<int32_t>>},
        {DRI_INT64, write_row<write_number<int64_t>>},
        {DRI_UINT8, write_row<write_number<uint8_t>>},
        {DRI_UINT16, write_row<write_number<uint16_t>>},
        {DRI_UINT32, write_row<write_number<uint32_t>>},
        {DRI_UINT64, write_row<write_number<uint64_t>>},
        {DRI_FLOAT, write_row<write_number<float>>},
        {DRI_DOUBLE, write_row<write_number<double>>},
        {DRI_COMPLEX_INT8, write_row<write_complex<int8_t>>},
        {DRI_COMPLEX_INT16, write_row<write_complex<int16_t>>},
        {DRI_COMPLEX_FLOAT, write_row<write_complex<float>>},
        {DRI_COMPLEX_DOUBLE, write_row<write_complex<double>>},
    };
    for (const auto &[type, write] : all)
        if (kind.type.get().id == type.id)
            return write;
    fail(DRI_ERR_UNSUPPORTED, "records have no text");
}

// What separates the last element of a row from the next one: a newline, and one more for each dimension that ends
// there, too. at: of the row; its last index does not count.
char *write_end_of_row(char *to, const Dims &at, const Dims &sizes) {
    const size_t n = sizes.size();
    size_t ended = 1;
    while (ended < n && at[n - 1 - ended] == sizes[n - 1 - ended] - 1)
        ++ended;
    return n > 1 ? std::fill_n(to, ended == n ? 1 : ended, '\n') : to;
}

// Goes through the domain in its order, in boxes of a row of slabs: whole in
// the inner dimensions, some members along one, and one in those before.
class Slabs {
public:
    Slabs(const Dims &sizes, int64_t most) : sizes_(sizes), at_(sizes.size()) {
        int64_t inner = 1;
        dim_ = sizes.size() - 1;
        while (dim_ > 0 && inner * sizes[dim_] <= most)
            inner *= sizes[dim_--];
        along_ = std::max<int64_t>(1, most / inner);
    }
    // The dense ranges of the next slab, or nothing.
    std::optional<Ranges> next() {
        if (done_)
            return std::nullopt;
        Ranges slab;
        for (size_t d = 0; d < sizes_.size(); ++d) {
            const int64_t size = d < dim_ ? 1 : d > dim_ ? sizes_[d] : std::min(along_, sizes_[d] - at_[d]);
            slab.push_back({at_[d], 1, size});
        }
        at_[dim_] += along_;
        for (size_t d = dim_; at_[d] >= sizes_[d];) {
            at_[d] = 0;
            if (d == 0) {
                done_ = true;
                break;
            }
            ++at_[--d];
        }
        return slab;
    }

private:
    Dims sizes_, at_;
    size_t dim_ = 0;
    int64_t along_ = 1;
    bool done_ = false;
};

void write_slab(Text &text, const std::byte *data, const Ranges &slab, const Dims &sizes, WriteRow write,
                size_t pitch) {
    const int64_t row = slab.back().size;
    const bool ends = slab.back().first + row == sizes[sizes.size() - 1];
    Dims at = firsts_of(slab);
    for (int64_t rows = volume_of(slab) / row; rows > 0; --rows, data += row * static_cast<int64_t>(pitch)) {
        write(text, data, row, pitch);
        if (ends) {
            text.take_back();
            text.add([&](char *to, char *) { return write_end_of_row(to, at, sizes); });
        }
        for (size_t d = slab.size() - 1; d-- > 0;) {
            if (++at[d] < slab[d].first + slab[d].size)
                break;
            at[d] = slab[d].first;
        }
    }
    text.hand_over();
}

Ranges from_zero(const Ranges &ranges) {
    Ranges moved;
    for (const auto &range : ranges)
        moved.push_back({0, 1, range.size});
    return moved;
}

// All of it on one process.
std::shared_ptr<const DomainMap> map_of_one(size_t ndims, int rank) {
    const std::array<DRI_Map_dim, max_dims> whole{};
    const int n = static_cast<int>(ndims);
    return std::make_shared<const DomainMap>(n, std::vector<int>{rank}, make_grid_map(whole.data(), n, 1));
}

} // namespace

void write_array(const ArrayObject &array, PutText put, void *ctx) {
    array.require_current();
    const auto &elements = array.elements();
    const WriteRow write = writer_of(elements->kind());
    const auto space = array.domain()->space();
    if (elements->body().position < 0 || space->size() == 0)
        return;
    const int first = space->map().ranks().front();
    const auto one = map_of_one(space->ndims(), first);
    const RankScope all(space->map().ranks());
    const auto pitch = static_cast<int64_t>(elements->kind().pitch);
    Slabs slabs(space->sizes(), slab_bytes / pitch);
    std::shared_ptr<Elements> slab; // slabs of one size, one behind the other, have one memory
    Ranges own;
    while (const auto dense = slabs.next()) {
        if (const Ranges next = from_zero(*dense); !slab || !are_same(own, next)) {
            own = next;
            slab.reset();
            slab = std::make_shared<Elements>(
                std::make_shared<DomainObject>(std::make_shared<const Space>(one, own)), *elements);
        }
        const Ranges ranges = undensify(*dense, space->ranges());
        assign({slab, own}, {elements, array.in_elements(ranges.data(), "ranges")}, false);
        outer::agree(all.scope(), Digest{}, "a text", [&] {
            if (world_rank() != first)
                return;
            Text text(put, ctx);
            write_slab(text, slab->body().memory->data(), *dense, space->sizes(), write, elements->kind().pitch);
        });
    }
}

} // namespace dri::domain
