#include "turns.hpp"

#include "program.hpp"

#include <algorithm>

namespace pipeline_bench {
namespace {

using radar::cfloat, radar::cshort;

// Side of the tiles in which matrices are transposed. Source and destination of a tile stay in the L1 cache, even
// if their lines are a power of two apart.
constexpr std::int64_t tile = 16;

Extent meet(Extent a, Extent b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

std::vector<int> both(std::vector<int> a, const std::vector<int> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }

cfloat as_float(cshort sample) {
    constexpr float scale = 1 / radar::full_scale;
    return {scale * static_cast<float>(sample.real()), scale * static_cast<float>(sample.imag())};
}

// from: packed matrix of `rows` x `columns`. to: `columns` lines of `rows` elements; lines are `apart` elements
// apart.
void turn_to_floats(const cshort *from, std::int64_t rows, std::int64_t columns, cfloat *to, std::int64_t apart) {
    for (std::int64_t row = 0; row < rows; row += tile)
        for (std::int64_t column = 0; column < columns; column += tile)
            for (std::int64_t c = column; c < std::min(column + tile, columns); ++c)
                for (std::int64_t r = row; r < std::min(row + tile, rows); ++r)
                    to[c * apart + r] = as_float(from[r * columns + c]);
}

// Runs the three steps and adds their times to `moving`.
template <typename Pack, typename Unpack>
void run_steps(Moving &moving, const Pack &pack, Exchange &exchange, const Unpack &unpack) {
    const double begin = common::now();
    pack();
    const double packed = common::now();
    exchange.run();
    const double exchanged = common::now();
    unpack();
    moving.packing += packed - begin;
    moving.exchanging += exchanged - packed;
    moving.unpacking += common::now() - exchanged;
}

} // namespace

Extent block(std::int64_t size, const std::vector<int> &ranks, int rank) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    if (found == ranks.end())
        return {};
    const auto parts = static_cast<std::int64_t>(ranks.size()), part = std::int64_t{found - ranks.begin()};
    const std::int64_t min = size / parts, larger = size % parts;
    const std::int64_t begin = part * min + std::min(part, larger);
    return {begin, begin + min + (part < larger ? 1 : 0)};
}

SamplesTurn::SamplesTurn(const radar::Options &options, const radar::Roles &roles)
    : radar_(options.radar), front_(roles.front), pulses_(block(radar_.pulses, front_, common::process_rank())),
      ranges_(block(radar_.ranges, front_, common::process_rank())), members_(front_),
      exchange_(
          members_,
          [&](int member) { return pulses_.size() * wanted(front_[elements(member)]).size() * radar_.channels; },
          [&](int member) {
              return block(radar_.pulses, front_, front_[elements(member)]).size() *
                     wanted(common::process_rank()).size() * radar_.channels;
          }),
      arriving_(elements(pulses_.size() * radar_.ranges * radar_.channels)),
      lines_(elements(radar_.channels * radar_.pulses * length())) {} // elements beyond the last range stay 0

std::int64_t SamplesTurn::length() const { return ranges_.size() == 0 ? 0 : ranges_.size() + radar_.chirp - 1; }

Extent SamplesTurn::wanted(int rank) const {
    const Extent owned = block(radar_.ranges, front_, rank);
    return owned.size() == 0 ? owned : Extent{owned.begin, std::min(owned.end + radar_.chirp - 1, radar_.ranges)};
}

void SamplesTurn::pack() {
    for (int member = 0; member < members_.count(); ++member) {
        const Extent ranges = wanted(front_[elements(member)]);
        const std::int64_t run = ranges.size() * radar_.channels;
        cshort *to = exchange_.outgoing(member);
        for (std::int64_t p = 0; p < pulses_.size(); ++p, to += run)
            std::copy_n(arriving_.data() + (p * radar_.ranges + ranges.begin) * radar_.channels, run, to);
    }
}

void SamplesTurn::unpack() {
    const std::int64_t count = wanted(common::process_rank()).size();
    if (count == 0)
        return;
    for (int member = 0; member < members_.count(); ++member) {
        const Extent pulses = block(radar_.pulses, front_, front_[elements(member)]);
        const cshort *from = exchange_.incoming(member);
        for (std::int64_t p = pulses.begin; p < pulses.end; ++p, from += count * radar_.channels)
            turn_to_floats(from, count, radar_.channels, lines_.data() + p * length(), radar_.pulses * length());
    }
}

void SamplesTurn::run(Moving &moving) {
    run_steps(
        moving, [this] { pack(); }, exchange_, [this] { unpack(); });
}

PulsesTurn::PulsesTurn(const radar::Options &options, const radar::Roles &roles)
    : radar_(options.radar), reach_(options.cfar.reach()), front_(roles.front), doppler_(roles.doppler),
      source_(block(radar_.ranges, front_, common::process_rank())),
      owned_(block(radar_.ranges, doppler_, common::process_rank())), wanted_(wanted(common::process_rank())),
      members_(both(front_, doppler_)),
      exchange_(
          members_,
          [&](int member) {
              return meet(source_, wanted(members_.rank(member))).size() * radar_.channels * radar_.pulses;
          },
          [&](int member) {
              return meet(block(radar_.ranges, front_, members_.rank(member)), wanted_).size() * radar_.channels *
                     radar_.pulses;
          }),
      compressed_(elements(source_.size() * radar_.channels * radar_.pulses)),
      pulses_(elements(wanted_.size() * radar_.channels * radar_.pulses)) {}

Extent PulsesTurn::wanted(int rank) const {
    const Extent owned = block(radar_.ranges, doppler_, rank);
    return owned.size() == 0 ? owned
                             : Extent{std::max<std::int64_t>(owned.begin - reach_, 0),
                                      std::min(owned.end + reach_, radar_.ranges)};
}

void PulsesTurn::pack() {
    const std::int64_t lines = radar_.channels * radar_.pulses;
    for (int member = 0; member < members_.count(); ++member) {
        const Extent ranges = meet(source_, wanted(members_.rank(member)));
        if (ranges.size() == 0)
            continue;
        cshort *to = exchange_.outgoing(member);
        for (std::int64_t line = 0; line < lines; ++line, to += ranges.size())
            std::copy_n(compressed_.data() + line * source_.size() + (ranges.begin - source_.begin), ranges.size(),
                        to);
    }
}

void PulsesTurn::unpack() {
    const std::int64_t lines = radar_.channels * radar_.pulses;
    for (int member = 0; member < members_.count(); ++member) {
        const Extent ranges = meet(block(radar_.ranges, front_, members_.rank(member)), wanted_);
        if (ranges.size() > 0)
            turn_to_floats(exchange_.incoming(member), lines, ranges.size(),
                           pulses_.data() + (ranges.begin - wanted_.begin) * lines, lines);
    }
}

void PulsesTurn::run(Moving &moving) {
    run_steps(
        moving, [this] { pack(); }, exchange_, [this] { unpack(); });
}

} // namespace pipeline_bench
