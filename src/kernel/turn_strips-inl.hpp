// Corner turns in strips whose columns are processed before they are stored: split into planes, converted, or
// shifted to the start of cache lines of the destination. Compiled once per instruction set, like
// transpose_tile-inl.hpp.
#if defined(DRI_KERNEL_TURN_STRIPS) == defined(HWY_TARGET_TOGGLE)
#ifdef DRI_KERNEL_TURN_STRIPS
#undef DRI_KERNEL_TURN_STRIPS
#else
#define DRI_KERNEL_TURN_STRIPS
#endif

#include "kernel/kernel.hpp"
#include "kernel/transpose_tile-inl.hpp"
#include "plan/strided_copy.hpp"

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

// Copies one line through the cache.
HWY_INLINE void copy_line(const std::byte *from, std::byte *to) {
    const hn::ScalableTag<uint8_t> d;
    for (int64_t b = 0; b < line_bytes; b += vector_bytes)
        hn::StoreU(load(d, from + b), d, reinterpret_cast<uint8_t *>(to + b));
}

// How the lines of a strip's columns reach the destination.
// - cached: through the cache.
// - aligned: past the cache, if all lines start at cache lines of the destination.
// - in_registers, in_memory: past the cache, shifted, because a column starts anywhere in a cache line. The
//   remainder of a column's last line is kept for the next strip.
// Lines are shifted in registers if a vector is a whole line and columns start at whole lanes. Shifting in memory
// is slower: loads stall if they overlap recent stores at another offset.
enum class Landing { cached, aligned, in_registers, in_memory };

constexpr int64_t lane_bytes = 4; // bytes by whose multiples lines are shifted in registers

// Stores n lines of a column at `dst`, shifted to cache lines. Each cache line joins the end of the line before,
// from `kept` at first, with the start of this one. line(l) returns line l of the column as a vector of lanes.
// first: no strip came before, and the bytes before `dst` are not written.
template <class GetLine>
HWY_INLINE void land_in_registers(const GetLine &line, int64_t n, std::byte *dst, bool first, Line *kept) {
    using Lane = uint32_t;
    constexpr Lane all = vector_bytes / sizeof(Lane);
    const hn::ScalableTag<Lane> d;
    const auto shift = static_cast<Lane>(static_cast<size_t>(bytes_past_line(dst)) / sizeof(Lane));
    const auto turn = hn::IndicesFromVec(d, hn::And(hn::Iota(d, all - shift), hn::Set(d, all - 1)));
    const auto from_kept = hn::FirstN(d, shift);
    auto *to = reinterpret_cast<Lane *>(dst) - shift;
    auto before = load(d, kept->bytes);
    for (int64_t l = 0; l < n; ++l, to += all) {
        const auto turned = hn::TableLookupLanes(line(l), turn);
        if (first && l == 0)
            hn::BlendedStore(turned, hn::Not(from_kept), d, to);
        else
            hn::Stream(hn::IfThenElse(from_kept, before, turned), d, to);
        before = turned;
    }
    hn::StoreU(before, d, reinterpret_cast<Lane *>(kept->bytes));
}

// Stores the last n lines of a column. They end at the end of the column; those before the address `to` are
// already written. The first kept_bytes of the line at `to` are in `kept`. Each line is written once, and whole
// except the last one.
HWY_INLINE void end_in_registers(const std::byte *lines, int64_t n, std::byte *dst, std::byte *to,
                                 size_t kept_bytes, const Line &kept) {
    using Lane = uint32_t;
    constexpr Lane all = vector_bytes / sizeof(Lane);
    const hn::ScalableTag<Lane> d;
    const auto shift = static_cast<Lane>(static_cast<size_t>(bytes_past_line(dst)) / sizeof(Lane));
    const auto turn = hn::IndicesFromVec(d, hn::And(hn::Iota(d, all - shift), hn::Set(d, all - 1)));
    const auto from_before = hn::FirstN(d, shift);
    auto before = hn::Zero(d);
    std::byte *at = dst - bytes_past_line(dst);
    const std::byte *const end = dst + n * line_bytes;
    for (int64_t l = 0; at < end; ++l, at += line_bytes) {
        const auto turned = l < n ? hn::TableLookupLanes(load(d, lines + l * line_bytes), turn) : before;
        auto line = hn::IfThenElse(from_before, before, turned);
        before = turned;
        if (at < to)
            continue;
        if (at == to)
            line = hn::IfThenElse(hn::FirstN(d, kept_bytes / sizeof(Lane)), load(d, kept.bytes), line);
        if (end - at >= line_bytes)
            hn::Stream(line, d, reinterpret_cast<Lane *>(at));
        else
            hn::BlendedStore(line, hn::FirstN(d, static_cast<size_t>(end - at) / sizeof(Lane)), d,
                             reinterpret_cast<Lane *>(at));
    }
}

// Like land_in_registers, but reads the lines from memory at a shifted offset. The line before `lines` is
// overwritten.
HWY_INLINE void land_in_memory(std::byte *lines, int64_t n, std::byte *dst, bool first, Line *kept) {
    const int64_t shift = bytes_past_line(dst);
    copy_line(kept->bytes, lines - line_bytes);
    if (first)
        std::memcpy(dst, lines, static_cast<size_t>(line_bytes - shift));
    for (int64_t l = first ? 1 : 0; l < n; ++l)
        stream_line(lines + l * line_bytes - shift, dst - shift + l * line_bytes);
    copy_line(lines + (n - 1) * line_bytes, kept->bytes);
}

// Stores n lines of a column, which follow a line that may be overwritten. first: no strip came before.
template <Landing landing>
HWY_INLINE void land(std::byte *lines, int64_t n, std::byte *dst, bool first, Line *kept) {
    if constexpr (landing == Landing::in_registers) {
        const auto line = [=](int64_t l) { return load(hn::ScalableTag<uint32_t>(), lines + l * line_bytes); };
        return land_in_registers(line, n, dst, first, kept);
    }
    if constexpr (landing == Landing::in_memory)
        return land_in_memory(lines, n, dst, first, kept);
    for (int64_t l = 0; l < n; ++l)
        if constexpr (landing == Landing::aligned)
            stream_line(lines + l * line_bytes, dst + l * line_bytes);
        else
            copy_line(lines + l * line_bytes, dst + l * line_bytes);
}

// Stores the kept remainder of a column that ends at `end`.
template <Landing landing> HWY_INLINE void land_rest(std::byte *end, const Line &kept) {
    const auto shift = static_cast<size_t>(bytes_past_line(end));
    const size_t from = landing == Landing::in_registers ? 0 : static_cast<size_t>(line_bytes) - shift;
    std::memcpy(end - shift, kept.bytes + from, shift);
}

// Rows of a source that holds the elements as they are.
struct PlainRows {
    static constexpr int64_t steps = 1; // tile steps that are read together
    const std::byte *src;
    int64_t pitch;
    template <int64_t element, int64_t rows, int64_t columns, Stores stores>
    HWY_INLINE void transpose(int64_t row, int64_t column, std::byte *to, int64_t to_pitch) const {
        transpose_step<element, rows, columns, stores>(src + row * pitch + column * element, pitch, to, to_pitch);
    }
    // Loads the columns of `stack` tiles that lie below each other.
    template <int64_t element, int64_t stack>
    HWY_INLINE void load_columns(int64_t row, int64_t column, VectorOf<element> *v) const {
        load_stack<element>(src + row * pitch + column * element, pitch, v, Indices<stack>());
    }
    template <int64_t element> HWY_INLINE void fetch(int64_t row, int64_t column) const {
        __builtin_prefetch(src + row * pitch + column * element, 0, 2);
    }
};

// Columns that are stored unchanged.
template <int64_t element> struct PlainColumns {
    static constexpr bool plain = true; // columns need no processing
    static constexpr int outputs = 1;
    static constexpr int64_t row_bytes = element; // bytes of a column in the destination per row of the source
    static constexpr int64_t output_offset(int) { return 0; }
    HWY_INLINE void work(Line *) {}
    // The lines of an output. They follow a line that may be overwritten.
    HWY_INLINE std::byte *lines(Line *raw, int) const { return raw[0].bytes; }
};

// Transposes a plane of at least strip_rows rows and one step of columns. Rows provides the source. Columns
// processes each column of a strip. Before and after, such a column is a whole number of lines.
template <int64_t element, int64_t strip_rows, class Rows, class Columns> class TurnStrips {
    static constexpr int64_t raw_lines = strip_rows / Tile<element>::line_rows;
    static constexpr int64_t step = Rows::steps * Tile<element>::step;

public:
    TurnStrips(const plan::Loop &across, int64_t rows, const Rows &source, const Columns &columns, std::byte *dst)
        : width_(across.count), pitch_(across.dst_stride), rows_(rows), source_(source), columns_(columns),
          out_lines_(columns.row_bytes * strip_rows / line_bytes), dst_(dst) {}

    void run(Stores stores) const {
        if (stores == Stores::cached)
            return through_cache<false>();
        if (stores == Stores::fetched)
            return through_cache<true>();
        int64_t alignment = bytes_past_line(dst_) | pitch_;
        for (int o = 0; o < Columns::outputs; ++o)
            alignment |= columns_.output_offset(o);
        if (alignment % line_bytes == 0)
            return past_cache<Landing::aligned>();
        if constexpr (vector_bytes == line_bytes)
            if (alignment % lane_bytes == 0)
                return past_cache<Landing::in_registers>();
        past_cache<Landing::in_memory>();
    }

private:
    // Columns that are processed together. For each output one line per column is kept, in the second cache, and
    // long sections of rows are read.
    static constexpr int64_t kept_columns = 1024;
    static_assert(kept_columns % step == 0);
    // Distance in columns at which incomplete lines are fetched before their turn.
    static constexpr int64_t ends_ahead = 2 * step;

    // Rows in complete strips.
    HWY_INLINE int64_t whole() const { return rows_ / strip_rows * strip_rows; }
    // The last step ends with the plane. It writes some columns a second time.
    HWY_INLINE int64_t column(int64_t at) const { return std::min(at, width_ - step); }
    HWY_INLINE std::byte *address(int64_t row, int64_t col, int output) const {
        return dst_ + col * pitch_ + row * columns_.row_bytes + columns_.output_offset(output);
    }

    // Whether there are enough registers for all lines of a step's columns.
    static constexpr bool stays_in_registers = Tile<element>::can_stream && vector_bytes == line_bytes &&
                                               step == Tile<element>::columns && raw_lines * step <= 16;

    HWY_INLINE void strip_in_registers(int64_t row, int64_t at, Line *kept) const {
        VectorOf<element> v[raw_lines * step];
        source_.template load_columns<element, raw_lines>(row, at, v);
        for (int64_t c = 0; c < step; ++c) {
            const auto line = [&](int64_t l) { return hn::BitCast(hn::ScalableTag<uint32_t>(), v[l * step + c]); };
            land_in_registers(line, raw_lines, address(row, at + c, 0), row == 0, kept + c);
        }
    }

    // Transposes one strip. `kept` is the kept line of the first column and output; each output has kept_columns
    // of them.
    template <Landing landing> HWY_INLINE void strip(int64_t row, int64_t at, Line *kept) {
        constexpr bool as_it_lies =
            landing == Landing::cached || (landing == Landing::aligned && Tile<element>::can_stream);
        if constexpr (Columns::plain && as_it_lies) {
            constexpr Stores stores = landing == Landing::aligned ? Stores::streaming : Stores::cached;
            return source_.template transpose<element, strip_rows, step, stores>(row, at, address(row, at, 0),
                                                                                 pitch_);
        }
        // Lines in which columns start are not written whole and are read from memory first. They are fetched in
        // time.
        if constexpr (landing == Landing::in_registers || landing == Landing::in_memory)
            if (row == 0)
                fetch_outputs(0, at + ends_ahead);
        if constexpr (Columns::plain && landing == Landing::in_registers && stays_in_registers)
            return strip_in_registers(row, at, kept);
        Line raw[step][1 + raw_lines];
        source_.template transpose<element, strip_rows, step, Stores::cached>(row, at, raw[0][1].bytes,
                                                                              (1 + raw_lines) * line_bytes);
        for (int64_t c = 0; c < step; ++c) {
            columns_.work(raw[c] + 1);
            for (int o = 0; o < Columns::outputs; ++o)
                land<landing>(columns_.lines(raw[c] + 1, o), out_lines_, address(row, at + c, o), row == 0,
                              kept + o * kept_columns + c);
        }
    }

    // Fetches a line of each source row, for columns from left to right.
    HWY_INLINE void fetch_ahead(int64_t row, int64_t at, int64_t left, int64_t right) const {
        const auto next = Ahead<element>::of(row, strip_rows, at - left, right - left);
        if (next.row + strip_rows <= rows_)
            for (int64_t i = 0; i < strip_rows; ++i)
                source_.template fetch<element>(next.row + i, left + next.column);
    }

    // Fetches one line of each column of a step that is about to be written in part.
    HWY_INLINE void fetch_outputs(int64_t row, int64_t at) const {
        if (at + step <= width_)
            for (int64_t c = 0; c < step; ++c)
                for (int o = 0; o < Columns::outputs; ++o)
                    __builtin_prefetch(address(row, at + c, o), 1);
    }

    // Stores the ends of a step's columns, in registers.
    HWY_INLINE void end_columns(int64_t at, const Line *kept) {
        const int64_t row = rows_ - strip_rows;
        Line raw[step][1 + raw_lines];
        source_.template transpose<element, strip_rows, step, Stores::cached>(row, at, raw[0][1].bytes,
                                                                              (1 + raw_lines) * line_bytes);
        for (int64_t c = 0; c < step; ++c) {
            columns_.work(raw[c] + 1);
            for (int o = 0; o < Columns::outputs; ++o) {
                std::byte *const end = address(whole(), at + c, o);
                const auto shift = bytes_past_line(end);
                end_in_registers(columns_.lines(raw[c] + 1, o), out_lines_, address(row, at + c, o), end - shift,
                                 static_cast<size_t>(shift), kept[o * kept_columns + c]);
            }
        }
    }

    // Writes past the cache. `t` keeps a copy of all members in registers: stores through byte pointers could
    // change those of *this.
    template <Landing landing> void past_cache() const {
        TurnStrips t = *this;
        Line kept[Columns::outputs * kept_columns];
        for (int64_t left = 0; left < t.width_; left += kept_columns) {
            const int64_t right = std::min(left + kept_columns, t.width_);
            for (int64_t r = 0; r < t.whole(); r += strip_rows)
                for (int64_t at = left; at < right; at += step) {
                    t.fetch_ahead(r, at, left, right);
                    t.template strip<landing>(r, t.column(at), kept + (at - left));
                }
            const bool whole_lanes = t.rows_ * t.columns_.row_bytes % lane_bytes == 0;
            for (int64_t at = left; at < right; at += step) {
                if constexpr (landing != Landing::aligned)
                    t.fetch_outputs(t.rows_ - 1, at + ends_ahead);
                if constexpr (landing == Landing::in_registers)
                    if (t.whole() < t.rows_ && whole_lanes) {
                        t.end_columns(t.column(at), kept + (at - left));
                        continue;
                    }
                if constexpr (landing != Landing::aligned)
                    for (int64_t c = 0; c < step; ++c)
                        for (int o = 0; o < Columns::outputs; ++o)
                            land_rest<landing>(t.address(t.whole(), t.column(at) + c, o),
                                               kept[o * kept_columns + at - left + c]);
                // The last strip ends with the plane.
                if (t.whole() < t.rows_)
                    t.template strip<Landing::cached>(t.rows_ - strip_rows, t.column(at), kept);
            }
        }
    }

    // Writes through the cache, a step of columns over the whole length at a time. Lines of the destination follow
    // each other and can be fetched in time.
    template <bool from_afar> void through_cache() const {
        TurnStrips t = *this;
        Line none;
        for (int64_t at = 0; at < t.width_; at += step)
            for (int64_t r = 0; r < t.rows_; r += strip_rows) {
                const int64_t next = r + strip_rows;
                if (next + strip_rows <= t.rows_) {
                    for (int64_t c = 0; c < step; ++c)
                        for (int o = 0; o < Columns::outputs; ++o)
                            for (int64_t l = 0; l < t.out_lines_; ++l)
                                __builtin_prefetch(t.address(next, t.column(at) + c, o) + l * line_bytes, 1);
                    if constexpr (from_afar)
                        for (int64_t i = 0; i < strip_rows; ++i)
                            t.source_.template fetch<element>(next + i, t.column(at));
                }
                t.template strip<Landing::cached>(std::min(r, t.rows_ - strip_rows), t.column(at), &none);
            }
    }

    int64_t width_, pitch_, rows_;
    Rows source_;
    Columns columns_;
    int64_t out_lines_;
    std::byte *dst_;
};

template <int64_t element, int64_t strip_rows, class Rows, class Columns>
void turn_strips(const plan::Loop &across, int64_t rows, const Rows &source, const Columns &columns,
                 std::byte *dst, Stores stores) {
    TurnStrips<element, strip_rows, Rows, Columns>(across, rows, source, columns, dst).run(stores);
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
