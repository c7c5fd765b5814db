// Arrays of the Distributed Array Protocol: descriptions of local arrays that several libraries share.
#pragma once

#include <dri/cpp/dist.hpp>
#include <dri/cpp/layout.hpp>
#include <dri/dap.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {

// What an endpoint on a described array is made with: `Source(name, in.dist, {.layout = in.layout}, in.memory)`.
template <class T, std::size_t N> struct DapImport {
    Dist<T, N> dist;
    Layout layout;
    std::span<T> memory; // from the first element to the last one
};

// What a distribution does not know of its array, for each dimension.
template <std::size_t N> struct DapNotes {
    std::array<std::array<std::int64_t, 2>, N> boundary{}; // boundary padding at the two ends of the array
    std::array<bool, N> periodic{};
};

// The description of one process's part of an array. It never owns the array. It is moved, never copied.
class Dap {
public:
    // Of no dimensions.
    Dap() = default;
    // A description that the program has filled in. Its lists of indices must stay; a list of the library's own is
    // taken over. See DRI_Dap.
    explicit Dap(const DRI_Dap &filled) : dap_(filled) {}
    // The part of a process, by default of the calling one, in its local array. Local. See DRI_dap_export.
    template <class T, std::size_t N>
    Dap(const Dist<T, N> &dist, T *local_array, const Layout &layout = row_major, const DapNotes<N> &notes = {},
        int rank = -1) {
        std::int64_t boundary[N + 1][2]{};
        int periodic[N + 1]{};
        for (std::size_t d = 0; d < N; ++d) {
            boundary[d][0] = notes.boundary[d][0];
            boundary[d][1] = notes.boundary[d][1];
            periodic[d] = notes.periodic[d];
        }
        if (rank < 0)
            detail::check(DRI_world_rank(&rank));
        detail::check(
            DRI_dap_export(dist.handle(), rank, layout.handle(), local_array, boundary, periodic, &dap_));
    }
    Dap(const Dap &) = delete; // dri: a Dap is moved, never copied
    Dap(Dap &&other) noexcept : dap_(std::exchange(other.dap_, DRI_Dap{})) {}
    Dap &operator=(const Dap &) = delete; // dri: a Dap is moved, never copied
    Dap &operator=(Dap &&other) noexcept {
        if (this != &other) {
            DRI_dap_free(&dap_);
            dap_ = std::exchange(other.dap_, DRI_Dap{});
        }
        return *this;
    }
    ~Dap() { DRI_dap_free(&dap_); }

    const DRI_Dap &get() const noexcept { return dap_; }
    const DRI_Dap_dim &dim(int d) const { return dap_.dim_data[check_dim(d)]; }

    // What is wrong with it, or nothing. Local, any time.
    std::optional<DRI_Dap_fault> fault() const {
        DRI_Dap_fault found;
        const int code = DRI_dap_validate(&dap_, &found);
        if (code != DRI_SUCCESS && found.rule == DRI_DAP_VALID)
            detail::raise_last(code);
        return code == DRI_SUCCESS ? std::nullopt : std::optional(found);
    }
    // Throws DRI_ERR_ARG for a fault. Local, any time. See DRI_dap_validate.
    void validate() const { detail::check(DRI_dap_validate(&dap_, nullptr)); }
    // The same for one dimension, without the buffer.
    void validate(int d) const { detail::check(DRI_dap_validate_dim(&dim(d), d, -1, nullptr)); }
    // Writes out empty dimensions. Local, any time. See DRI_dap_write_out.
    void write_out() { detail::check(DRI_dap_write_out(&dap_)); }
    // Checks the descriptions of all processes of the group. Collective over it. See DRI_dap_check.
    void check(const Group &group) const { detail::check(DRI_dap_check(&dap_, group.handle(), nullptr)); }

    // Along dimension d: how many indices the process owns, and which position has which. Local, any time.
    std::int64_t owned(int d) const {
        std::int64_t n = 0;
        detail::check(DRI_dap_owned(&dim(d), &n));
        return n;
    }
    std::int64_t local_index(int d, std::int64_t index) const {
        std::int64_t local = 0;
        detail::check(DRI_dap_local_index(&dim(d), index, &local));
        return local;
    }
    std::int64_t global_index(int d, std::int64_t local) const {
        std::int64_t index = 0;
        detail::check(DRI_dap_global_index(&dim(d), local, &index));
        return index;
    }

    // For endpoints on the array. An update is a source and a sink in place, committed over the group of its
    // distribution. Collective over the group. See DRI_dap_import.
    template <class T, std::size_t N> DapImport<T, N> import_as(DRI_Dap_view view, const Group &group) const {
        const detail::ElementType<T> type;
        DRI_Dist dist;
        DRI_Layout layout;
        void *origin = nullptr;
        detail::check(DRI_dap_import(&dap_, type.get(), group.handle(), view, &dist, &layout, &origin));
        detail::Owned<DRI_Dist, DRI_dist_destroy> made_dist(dist);
        DapImport<T, N> made{{}, Layout::adopt(layout), {}};
        made.dist = Dist<T, N>::adopt(dist);
        made_dist.give_up();
        std::int64_t last = 0;
        bool is_empty = false;
        const auto extents = made.dist.extents(), strides = made.layout.strides(made.dist);
        for (std::size_t d = 0; d < N; ++d) {
            is_empty = is_empty || extents[d] == 0;
            last += strides[d] * (extents[d] - 1);
        }
        made.memory = {static_cast<T *>(origin), is_empty ? 0 : static_cast<std::size_t>(last + 1)};
        return made;
    }

private:
    int check_dim(int d) const {
        if (d < 0 || d >= dap_.ndims)
            detail::fail(DRI_ERR_ARG,
                         "Dap: there is no dimension " + std::to_string(d) + " of " + std::to_string(dap_.ndims));
        return d;
    }

    DRI_Dap dap_{};
};

// Throws if the descriptions of all processes do not fit together. Local, any time. See DRI_dap_check_all.
inline void check_all(std::span<const DRI_Dap> all) {
    detail::check(DRI_dap_check_all(static_cast<int>(all.size()), all.data(), nullptr));
}

// Positions of labels among those of the source, see DRI_dap_relabel.
struct DapLabels {
    std::int64_t size = 0; // different labels of the source
    std::vector<std::int64_t> source, sink;
};

// Numbers the labels along dimension d. NULL for a side that the process has no part of. Collective over the
// group.
inline DapLabels relabel(const Group &group, int d, const Dap *source, const Dap *sink) {
    const auto labels = [d](const Dap *side) {
        const bool has_any = side && d >= 0 && d < side->get().ndims && side->dim(d).nindices > 0;
        return std::vector<std::int64_t>(has_any ? static_cast<std::size_t>(side->dim(d).nindices) : 0);
    };
    DapLabels made{0, labels(source), labels(sink)};
    detail::check(DRI_dap_relabel(group.handle(), d, source ? &source->get() : nullptr,
                                  sink ? &sink->get() : nullptr, made.source.data(), made.sink.data(),
                                  &made.size));
    return made;
}

} // namespace v1
} // namespace dri
