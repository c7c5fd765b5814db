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

template <class T> void append_number(std::string &text, const std::byte *element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    std::array<char, 64> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

template <class T> void append_complex(std::string &text, const std::byte *element) {
    text += '(';
    append_number<T>(text, element);
    text += ',';
    append_number<T>(text, element + sizeof(T));
    text += ')';
}

using AppendElement = void (*)(std::string &text, const std::byte *element);

AppendElement appender_of(const ElementKind &kind) {
    const std::pair<DRI_Type, AppendElement> all[] = {
        {DRI_INT8, append_number<int8_t>},          {DRI_INT16, append_number<int16_t>},
        {DRI_INT32, append_number<int32_t>},        {DRI_INT64, append_number<int64_t>},
        {DRI_UINT8, append_number<uint8_t>},        {DRI_UINT16, append_number<uint16_t>},
        {DRI_UINT32, append_number<uint32_t>},      {DRI_UINT64, append_number<uint64_t>},
        {DRI_FLOAT, append_number<float>},          {DRI_DOUBLE, append_number<double>},
        {DRI_COMPLEX_INT8, append_complex<int8_t>}, {DRI_COMPLEX_INT16, append_complex<int16_t>},
        {DRI_COMPLEX_FLOAT, append_complex<float>}, {DRI_COMPLEX_DOUBLE, append_complex<double>},
    };
    for (const auto &[type, append] : all)
        if (kind.type.get().id == type.id)
            return append;
    fail(DRI_ERR_UNSUPPORTED, "records have no text");
}

// What separates an element from the next one: at the end of a row a newline,
// and one more for each dimension that ends there, too.
void append_separator(std::string &text, const Dims &at, const Dims &sizes) {
    const size_t n = sizes.size();
    size_t ended = 0;
    while (ended < n && at[n - 1 - ended] == sizes[n - 1 - ended] - 1)
        ++ended;
    if (ended == 0)
        text += ' ';
    else if (n > 1)
        text.append(ended == n ? 1 : ended, '\n');
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

std::string text_of_slab(const std::byte *data, const Ranges &slab, const Dims &sizes, AppendElement append,
                         size_t pitch) {
    std::string text;
    Dims at = firsts_of(slab);
    for (int64_t i = 0, n = volume_of(slab); i < n; ++i) {
        append(text, data + i * static_cast<int64_t>(pitch));
        append_separator(text, at, sizes);
        for (size_t d = slab.size(); d-- > 0;) {
            if (++at[d] < slab[d].first + slab[d].size)
                break;
            at[d] = slab[d].first;
        }
    }
    return text;
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
    const AppendElement append = appender_of(elements->kind());
    const auto space = array.domain()->space();
    if (elements->body().position < 0 || space->size() == 0)
        return;
    const int first = space->map().ranks().front();
    const auto one = map_of_one(space->ndims(), first);
    const RankScope all(space->map().ranks());
    const auto pitch = static_cast<int64_t>(elements->kind().pitch);
    Slabs slabs(space->sizes(), slab_bytes / pitch);
    while (const auto dense = slabs.next()) {
        const Ranges ranges = undensify(*dense, space->ranges());
        const auto slab = std::make_shared<Elements>(
            std::make_shared<DomainObject>(std::make_shared<const Space>(one, ranges)), *elements);
        assign({slab, ranges}, {elements, array.in_elements(ranges.data(), "ranges")}, false);
        outer::agree(all.scope(), Digest{}, "a text", [&] {
            if (world_rank() != first)
                return;
            const std::string text =
                text_of_slab(slab->body().memory->data(), *dense, space->sizes(), append, elements->kind().pitch);
            const int code = put(ctx, text.data(), text.size());
            if (code != DRI_SUCCESS)
                fail(code > DRI_SUCCESS && code <= DRI_ERR_INTERNAL ? static_cast<DRI_Code>(code) : DRI_ERR_ARG,
                     "put returned {}", code);
        });
    }
}

} // namespace dri::domain
