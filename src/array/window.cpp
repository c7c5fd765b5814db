// Chooses how windows are filled, and where.
#include "array/window.hpp"

#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>

namespace dri::array {

namespace {

// What the process could read with the array's overlap. Beyond the domain there is something at some edges only.
DRI_Box with_overlap(const outer::Storage &s, const DRI_Box &owned) {
    DRI_Box box = owned;
    for (int d = 0; d < s.ndims; ++d) {
        int64_t begin = owned.offset[d] - s.left[d], end = owned.offset[d] + owned.size[d] + s.right[d];
        if (s.left_edge[d] == DRI_TRUNCATE)
            begin = std::max<int64_t>(begin, 0);
        if (s.right_edge[d] == DRI_TRUNCATE)
            end = std::min(end, s.shape[d]);
        box.offset[d] = begin;
        box.size[d] = end - begin;
    }
    return box;
}

void put_packed_steps(int ndims, const int64_t sizes[], int64_t steps[]) {
    int64_t step = 1;
    for (int d = ndims; d-- > 0; step *= std::max<int64_t>(sizes[d], 1))
        steps[d] = step;
}

} // namespace

const char *name_of(WindowKind kind) {
    switch (kind) {
    case WindowKind::none: return "none";
    case WindowKind::rows: return "rows";
    case WindowKind::frame: return "frame";
    case WindowKind::copy: return "copy";
    }
    return "unknown";
}

bool is_cut_in_rows(const outer::Storage &storage) {
    for (const DRI_Box &box : storage.owned)
        for (int d = 1; d < storage.ndims; ++d)
            if (!is_empty(box, storage.ndims) && box.size[d] != storage.shape[d])
                return false;
    return storage.ndims > 0;
}

bool is_small(const outer::Storage &storage) {
    constexpr int64_t most_bytes = 4 << 20;
    if (!storage.has_boxes)
        return false;
    int64_t bytes = storage.pitch;
    for (int d = 0; d < storage.ndims && bytes <= most_bytes; ++d)
        if (__builtin_mul_overflow(bytes, storage.shape[d], &bytes))
            return false;
    return bytes <= most_bytes;
}

bool has_space(const outer::Storage &storage, int64_t begin, int64_t end) {
    return begin >= -storage.before && end <= storage.count * storage.pitch + storage.behind;
}

void copy_elements(int ndims, const int64_t sizes[], int64_t pitch, const std::byte *from,
                   const int64_t from_steps[], std::byte *to, const int64_t to_steps[]) {
    if (ndims == 0) {
        std::memcpy(to, from, static_cast<size_t>(pitch));
        return;
    }
    if (ndims == 1) {
        if (from_steps[0] == 1 && to_steps[0] == 1) {
            std::memcpy(to, from, static_cast<size_t>(sizes[0] * pitch));
            return;
        }
        for (int64_t i = 0; i < sizes[0]; ++i)
            std::memcpy(to + i * to_steps[0] * pitch, from + i * from_steps[0] * pitch,
                        static_cast<size_t>(pitch));
        return;
    }
    for (int64_t i = 0; i < sizes[0]; ++i)
        copy_elements(ndims - 1, sizes + 1, pitch, from + i * from_steps[0] * pitch, from_steps + 1,
                      to + i * to_steps[0] * pitch, to_steps + 1);
}

ReadWindow::ReadWindow(std::shared_ptr<const outer::Storage> storage, const std::vector<DRI_Box> &boxes,
                       const std::string &operand)
    : storage_(std::move(storage)) {
    const outer::Storage &s = *storage_;
    const int n = s.ndims;
    DRI_Box domain{};
    std::copy(s.shape, s.shape + n, domain.size);
    bool owns_all = true, overlap_suffices = true, is_inside_domain = true;
    for (size_t q = 0; q < boxes.size(); ++q) {
        owns_all = owns_all && is_inside(boxes[q], s.owned[q], n);
        overlap_suffices = overlap_suffices && is_inside(boxes[q], with_overlap(s, s.owned[q]), n) &&
                           (is_empty(boxes[q], n) || !is_empty(s.owned[q], n));
        is_inside_domain = is_inside_domain && is_inside(boxes[q], domain, n);
        if (!is_inside_domain && !overlap_suffices)
            fail(DRI_ERR_ARG, "{} is read at {}, which leaves its array of {} and the overlap", operand,
                 text_of(boxes[q], n), text_of(domain, n));
    }
    box_ = boxes[static_cast<size_t>(s.position)];
    if (is_empty(box_, n) && n > 0)
        box_ = {};
    if (!owns_all)
        kind_ = overlap_suffices ? WindowKind::frame : is_cut_in_rows(s) ? WindowKind::rows : WindowKind::copy;
    const DRI_Box &own = s.owned[static_cast<size_t>(s.position)];
    std::copy(s.steps, s.steps + DRI_MAX_DIMS, steps_);
    std::copy(own.offset, own.offset + DRI_MAX_DIMS, origin_index_);
    if (kind_ == WindowKind::copy && !is_empty(box_, n)) {
        put_packed_steps(n, box_.size, steps_);
        std::copy(box_.offset, box_.offset + DRI_MAX_DIMS, origin_index_);
    }
    if (kind_ == WindowKind::rows && !is_empty(box_, n))
        for (int d = 0; d < n; ++d) {
            first_ += (box_.offset[d] - own.offset[d]) * s.steps[d] * s.pitch;
            end_ += (box_.offset[d] + box_.size[d] - 1 - own.offset[d]) * s.steps[d] * s.pitch;
        }
    end_ += s.pitch;
    find_place(s);
}

// Rows lie as those of the storage also in memory of the plan, so that one transfer serves both.
void ReadWindow::find_place(const outer::Storage &s) {
    data_ = s.data;
    is_own_ = is_empty(box_, s.ndims) || kind_ == WindowKind::none || kind_ == WindowKind::frame ||
              (kind_ == WindowKind::rows && has_space(s, first_, end_));
    if (is_own_)
        origin_ = s.data;
    else
        use_memory();
}

void ReadWindow::use_memory() {
    const int64_t bytes =
        kind_ == WindowKind::rows ? end_ - first_ : volume_of(box_, storage_->ndims) * storage_->pitch;
    if (!memory_)
        memory_ = std::make_shared<AlignedBuffer>(bytes);
    origin_ = memory_->data() - (kind_ == WindowKind::rows ? first_ : 0);
}

int64_t ReadWindow::offset_of(const int64_t dense[]) const {
    int64_t elements = 0;
    for (int d = 0; d < storage_->ndims; ++d)
        elements += (dense[d] - origin_index_[d]) * steps_[d];
    return elements * storage_->pitch;
}

// What lies before and behind the owned rows.
std::array<DRI_Box, 2> ReadWindow::halos() const {
    const DRI_Box &own = storage_->owned[static_cast<size_t>(storage_->position)];
    DRI_Box left = box_, right = box_;
    const int64_t begin = box_.offset[0], end = begin + box_.size[0];
    const int64_t own_begin = own.offset[0], own_end = own_begin + own.size[0];
    left.size[0] = std::max<int64_t>(std::min(end, own_begin) - begin, 0);
    right.offset[0] = std::max(begin, own_end);
    right.size[0] = std::max<int64_t>(end - right.offset[0], 0);
    return {left, right};
}

std::vector<ExchangeBox> ReadWindow::sinks() const {
    if (kind_ == WindowKind::copy)
        return {{box_, is_own_ ? nullptr : origin_, steps_}};
    const auto [left, right] = halos();
    return {{left, at(left.offset), steps_}, {right, at(right.offset), steps_}};
}

void ReadWindow::commit(const char *operation, std::optional<int64_t> timeout_ms, Rebinds moves) {
    if (kind_ == WindowKind::copy || kind_ == WindowKind::rows)
        exchange_ = make_exchange(*storage_, operation, sinks(), timeout_ms, moves);
}

void ReadWindow::bind(const outer::Storage &storage) {
    find_place(storage);
    if (!exchange_)
        return;
    const int n = storage.ndims;
    if (!is_empty(storage.owned[static_cast<size_t>(storage.position)], n))
        exchange_->rebind(0, storage.data);
    const std::vector<ExchangeBox> all = sinks();
    for (size_t end = 1; end < exchange_->ends.size(); ++end)
        if (const ExchangeBox &sink = all[exchange_->sinks[end - 1]]; !is_empty(sink.box, n))
            exchange_->rebind(end, sink.data);
}

void ReadWindow::let_go() noexcept {
    if (exchange_)
        exchange_->let_go();
    memory_ = nullptr;
    origin_ = nullptr;
}

void ReadWindow::copy_own() {
    const DRI_Box &own = storage_->owned[static_cast<size_t>(storage_->position)];
    const DRI_Box both = common_of(own, box_, storage_->ndims);
    if (is_empty(both, storage_->ndims))
        return;
    const std::byte *from = data_;
    for (int d = 0; d < storage_->ndims; ++d)
        from += (both.offset[d] - own.offset[d]) * storage_->steps[d] * storage_->pitch;
    copy_elements(storage_->ndims, both.size, storage_->pitch, from, storage_->steps, at(both.offset), steps_);
}

void ReadWindow::start(outer::AnyArray &array) {
    if (kind_ == WindowKind::frame && !updating_) {
        array.start_update();
        updating_.publish(true);
    }
    if (exchange_)
        exchange_->start(array.timeout_ms());
}

void ReadWindow::wait(outer::AnyArray &array) {
    if (kind_ == WindowKind::frame && updating_) {
        updating_.publish(false);
        try {
            array.wait_for_update();
        } catch (const outer::AlreadyReported &failed) {
            updating_.publish(failed.code == DRI_ERR_TIMEOUT);
            throw;
        }
    }
    if (exchange_)
        exchange_->wait(array.timeout_ms());
    if (kind_ == WindowKind::rows && !is_own_)
        copy_own();
}

void ReadWindow::wait_without_array(std::optional<int64_t> timeout_ms) {
    updating_.publish(false); // the update has ended with the array
    if (exchange_)
        exchange_->wait(timeout_ms);
}

} // namespace dri::array
