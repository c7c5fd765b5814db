// Plans loops: windows first, then boxes, then addresses.
#include "array/loop_plan.hpp"

#include "outer/agree.hpp"

#include <algorithm>

namespace dri::array {

namespace {

// The core is computed in pieces of about this many bytes of the target while others are waited for.
constexpr int64_t tile_bytes = 256 << 10;
// A smaller core is computed with the edges: one box takes less time than several, and the exchange is soon done.
constexpr int64_t least_core_bytes = 64 << 10;

// Cuts a box along its first dimension of several positions.
void append_tiles(const DRI_Box &box, int ndims, int64_t bytes_of_position, std::vector<DRI_Box> &tiles) {
    if (is_empty(box, ndims))
        return;
    int d = 0;
    while (d + 1 < ndims && box.size[d] == 1)
        ++d;
    if (ndims == 0) {
        tiles.push_back(box);
        return;
    }
    const int64_t row = volume_of(box, ndims) / box.size[d] * std::max<int64_t>(bytes_of_position, 1);
    const int64_t rows = std::max<int64_t>(tile_bytes / std::max<int64_t>(row, 1), 1);
    for (int64_t at = 0; at < box.size[d]; at += rows) {
        DRI_Box tile = box;
        tile.offset[d] += at;
        tile.size[d] = std::min(rows, box.size[d] - at);
        tiles.push_back(tile);
    }
}

// step: bytes from one element to the next along dimension k of the storage.
void put_along(const StatementOperand &operand, int k, int64_t step, OperandPlace &place) {
    const int d = operand.loop_dim[k];
    if (d < 0)
        return;
    place.steps[d] = operand.ranges[k].stride * step;
    place.left[d] = operand.left[k];
    place.right[d] = operand.right[k];
}

Digest digest_of_statement(const Statement &statement) { return statement.digest_for_all(); }

} // namespace

LoopPlan::LoopPlan(const Statement &statement)
    : ndims_(statement.ndims()), volume_(statement.volume()), has_target_(statement.has_target()),
      is_flat_(statement.is_flat()), scope_{statement.leader().storage->position, statement.shares_plans(),
                                            statement.leader().storage->ranks,
                                            statement.leader().array->timeout_ms()} {
    outer::OwnedGroup group;
    outer::require(DRI_group_create(static_cast<int>(scope_.ranks.size()), scope_.ranks.data(), group.out()));
    // Nobody goes on to exchanges alone: what has failed until then has failed on all.
    outer::agree({group.get(), scope_.ranks}, digest_of_statement(statement), "the operands of a loop", [&] {
        core_.resize(statement.operands().size());
        edge_.resize(core_.size());
        window_of_.assign(core_.size(), -1);
        if (has_target_)
            pitch_ = statement.operands()[0].storage->pitch;
        if (is_flat_)
            plan_flat(statement);
        else {
            plan_windows(statement);
            plan_boxes(statement);
        }
    });
    for (const auto &window : windows_)
        window->commit("DRI_loop_run", scope_.timeout_ms, scope_.serves_others ? Rebinds::all : Rebinds::none);
    find_addresses(statement.storages());
}

void LoopPlan::plan_windows(const Statement &statement) {
    const auto &operands = statement.operands();
    const size_t processes = scope_.ranks.size();
    std::vector<DRI_Box> targets(processes);
    for (size_t q = 0; q < processes; ++q)
        targets[q] = statement.target_of_process(static_cast<int>(q));
    boxes_.target = targets[static_cast<size_t>(scope_.position)];
    for (size_t i = 1; i < operands.size(); ++i) {
        if (!operands[i].array || window_of_[i] >= 0)
            continue;
        const outer::Storage &storage = *operands[i].storage;
        std::vector<DRI_Box> boxes(processes);
        for (size_t j = i; j < operands.size(); ++j) {
            if (!operands[j].array || operands[j].storage->id != storage.id)
                continue;
            window_of_[j] = static_cast<int>(windows_.size());
            for (size_t q = 0; q < processes; ++q)
                boxes[q] = hull_of(boxes[q], statement.reads_at(operands[j], targets[q]), storage.ndims);
        }
        windows_.push_back(std::make_unique<ReadWindow>(operands[i].storage, boxes, operand_name(i)));
        served_by_.push_back(i);
    }
}

OperandPlace LoopPlan::owned_place(const StatementOperand &operand) const {
    const outer::Storage &s = *operand.storage;
    OperandPlace place;
    for (int k = 0; k < s.ndims; ++k) {
        const int64_t own = s.owned[static_cast<size_t>(s.position)].offset[k];
        place.offset += (operand.ranges[k].first - own) * s.steps[k] * s.pitch;
        put_along(operand, k, s.steps[k] * s.pitch, place);
    }
    return place;
}

OperandPlace LoopPlan::window_place(const StatementOperand &operand, const ReadWindow &window) const {
    const outer::Storage &s = *operand.storage;
    OperandPlace place;
    int64_t first[DRI_MAX_DIMS]{};
    for (int k = 0; k < s.ndims; ++k) {
        first[k] = operand.ranges[k].first;
        put_along(operand, k, window.steps()[k] * s.pitch, place);
    }
    place.offset = window.offset_of(first);
    return place;
}

void LoopPlan::plan_boxes(const Statement &statement) {
    const auto &operands = statement.operands();
    for (const auto &window : windows_)
        fetches_ = fetches_ || window->kind() != WindowKind::none;
    for (size_t i = 0; i < operands.size(); ++i) {
        const StatementOperand &one = operands[i];
        if (one.array) {
            core_[i] = owned_place(one);
            edge_[i] =
                window_of_[i] < 0 ? core_[i] : window_place(one, *windows_[static_cast<size_t>(window_of_[i])]);
        } else if (one.data) {
            std::copy(one.steps, one.steps + ndims_, core_[i].steps);
            edge_[i] = core_[i];
        }
    }
    boxes_.core = fetches_ ? statement.core_of(boxes_.target) : boxes_.target;
    const int64_t bytes_of_position = has_target_ ? pitch_ : 8;
    const bool has_edges = volume_of(boxes_.core, ndims_) < volume_of(boxes_.target, ndims_);
    if (fetches_ && has_edges && volume_of(boxes_.core, ndims_) * bytes_of_position < least_core_bytes)
        std::fill(boxes_.core.size, boxes_.core.size + ndims_, 0);
    if (fetches_)
        append_tiles(boxes_.core, ndims_, bytes_of_position, boxes_.tiles);
    else if (!is_empty(boxes_.target, ndims_))
        boxes_.tiles.push_back(boxes_.target);
    append_difference(boxes_.target, boxes_.core, ndims_, boxes_.edges);
    if (!has_target_)
        return;
    temporary_.result = core_[0];
    temporary_.is_planned = statement.needs_temporary();
    if (temporary_.is_planned) // here, where all fail alike
        temporary_.memory = AlignedBuffer(volume_of(boxes_.target, ndims_) * pitch_);
}

void LoopPlan::plan_flat(const Statement &statement) {
    const auto &operands = statement.operands();
    for (size_t i = 0; i < operands.size(); ++i)
        if (operands[i].array)
            core_[i].steps[ndims_ - 1] = operands[i].storage->pitch;
    for (int d = 0; d < ndims_; ++d)
        boxes_.target.size[d] = 1;
    boxes_.target.size[ndims_ - 1] = statement.leader().storage->count;
    boxes_.core = boxes_.target;
    edge_ = core_;
    temporary_.result = core_[0];
    if (!is_empty(boxes_.target, ndims_))
        boxes_.tiles.push_back(boxes_.target);
}

void LoopPlan::bind(const BoundStorages &to, uint64_t &turn) {
    if (turn != 0 && turn == binding_.turn.read())
        return;
    if (is_bound_to(to)) {
        turn = binding_.turn.read();
        return;
    }
    if (run_.is_abandoned)
        end_abandoned_run(scope_.timeout_ms);
    if (run_.goes_on())
        fail(DRI_ERR_STATE, "a run of this loop with other arrays has timed out, and must go on first");
    if (run_.is_active)
        fail(DRI_ERR_STATE, "the loop is running with other arrays");
    const std::lock_guard lock(binding_.mutex);
    binding_.ids.clear();
    binding_.turn.publish(0);
    for (size_t w = 0; w < windows_.size(); ++w)
        windows_[w]->bind(*to.storages[served_by_[w]]);
    find_addresses(to);
    turn = binding_.turn;
}

void LoopPlan::let_go(uint64_t storage) noexcept {
    const std::lock_guard lock(binding_.mutex);
    if (!binding_.has(storage))
        return; // another thread has bound it meanwhile
    // No call is in the plan, as that would keep the array. A reduction ends here: others have what this process
    // has brought, and the next reduction over these processes waits for it first.
    run_.reduction = nullptr;
    run_.is_combining.publish(false);
    if (run_.is_started)
        run_.is_abandoned.publish(true);
    if (run_.is_abandoned)
        return;
    binding_.ids.clear();
    binding_.turn.publish(0);
    temporary_.memory = {};
    for (const auto &window : windows_)
        window->let_go();
}

bool LoopPlan::uses(uint64_t storage) const {
    const std::lock_guard lock(binding_.mutex);
    return binding_.has(storage);
}

bool LoopPlan::is_under_way() const {
    if (run_.is_abandoned.read())
        return false;
    return run_.is_started.read() || run_.is_combining.read() ||
           std::any_of(windows_.begin(), windows_.end(), [](const auto &one) { return one->is_under_way(); });
}

std::string LoopPlan::explain() const {
    std::string text =
        fmt::format("loop over {} positions on {} processes{}{}\ntarget {}, core {}, {} edges", volume_,
                    scope_.ranks.size(), has_target_ ? "" : ", reduced", is_flat_ ? ", flat" : "",
                    text_of(boxes_.target, ndims_), text_of(boxes_.core, ndims_), boxes_.edges.size());
    for (size_t i = 0; i < windows_.size(); ++i) {
        text += fmt::format("\nwindow {}: {} of", i, name_of(windows_[i]->kind()));
        for (size_t j = 0; j < window_of_.size(); ++j)
            if (window_of_[j] == static_cast<int>(i))
                text += fmt::format(" {}", operand_name(j));
        text += fmt::format(", {} bytes of memory", windows_[i]->bytes());
        if (!windows_[i]->name().empty())
            text += fmt::format(", transfer '{}'", windows_[i]->name());
    }
    if (temporary_.bytes > 0)
        text += fmt::format("\ntemporary of {} bytes", temporary_.bytes);
    return text;
}

} // namespace dri::array
