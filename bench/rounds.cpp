#include "rounds.hpp"

#include "machine.hpp"
#include "world.hpp"

#include <stdexcept>

namespace bench {

namespace {

// Whether the row runs in the rounds of all others, as long as the case runs.
bool stays(const RowKind &kind) { return kind.contender == Contender::limit || kind.contender == Contender::dri; }

class RoundRobin {
public:
    RoundRobin(std::span<const RowKind> kinds, const Case &c, const Effort &effort, Barrier &barrier)
        : kinds_(kinds), case_(c), effort_(effort), barrier_(barrier), rows_(kinds.size()) {}

    Rounds run() {
        std::vector<RowResult> results(kinds_.size());
        for (size_t i = 0; i < kinds_.size(); ++i)
            if (stays(kinds_[i]))
                prepare(i);
        bool any_played = false;
        for (size_t i = 0; i < kinds_.size(); ++i) {
            if (stays(kinds_[i]))
                continue;
            prepare(i);
            if (rows_[i]->runs()) {
                play();
                any_played = true;
            }
            results[i] = finish(i); // frees its memory, which the next row may need
        }
        if (!any_played)
            play();
        for (size_t i = 0; i < kinds_.size(); ++i)
            if (rows_[i])
                results[i] = finish(i);
        return {std::move(results),
                round_trips_ns_.empty() ? std::nullopt : std::optional(median(round_trips_ns_))};
    }

private:
    template <class F> auto named(size_t i, F what) {
        const std::string where = "case " + print_case_line(case_.line) + ", row " + kinds_[i].name + ": ";
        try {
            return what();
        } catch (const SharedFailure &failure) {
            throw SharedFailure(where + failure.what());
        } catch (const std::exception &error) {
            throw std::runtime_error(where + error.what());
        }
    }

    void prepare(size_t i) {
        named(i, [&] { rows_[i].emplace(kinds_[i], case_, effort_, barrier_); });
    }

    RowResult finish(size_t i) {
        named(i, [&] {
            if (rows_[i]->runs())
                rows_[i]->check_again();
        });
        RowResult result = std::move(rows_[i]->result);
        rows_[i].reset();
        return result;
    }

    // Measures all prepared rows that can run the case, round by round.
    void play() {
        for (int round = 0; round < effort_.repetitions; ++round) {
            if (const auto ns = flag_round_trip_ns())
                round_trips_ns_.push_back(*ns);
            std::optional<double> limit_ms, dri_ms;
            for (size_t i = 0; i < kinds_.size(); ++i) {
                if (!rows_[i] || !rows_[i]->runs())
                    continue;
                const double ms = named(i, [&] { return rows_[i]->repeat(barrier_); });
                rows_[i]->result.times_ms.push_back(ms);
                if (kinds_[i].contender == Contender::limit)
                    limit_ms = ms;
                if (kinds_[i].contender == Contender::dri)
                    dri_ms = ms;
            }
            for (std::optional<Row> &row : rows_) {
                if (!row || !row->runs())
                    continue;
                if (limit_ms)
                    row->result.limit_ms.push_back(*limit_ms);
                if (dri_ms)
                    row->result.dri_ms.push_back(*dri_ms);
            }
        }
    }

    const std::span<const RowKind> kinds_;
    const Case &case_;
    const Effort &effort_;
    Barrier &barrier_;
    std::vector<std::optional<Row>> rows_; // empty where a row is not prepared
    std::vector<double> round_trips_ns_;
};

} // namespace

Rounds run_round_robin(std::span<const RowKind> kinds, const Case &c, const Effort &effort, Barrier &barrier) {
    return RoundRobin(kinds, c, effort, barrier).run();
}

} // namespace bench
