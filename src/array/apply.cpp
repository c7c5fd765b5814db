// Computes pieces in memory of their own: boxes of positions, each inside one part of every operand.
#include "array/apply.hpp"

#include "array/elementwise.hpp"
#include "array/pure.hpp"
#include "base/memory.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::array {

namespace {

// One operand, with its dimensions aligned at the right.
struct HeldOperand {
    HeldParts held;
    DRI_Box window{};
    int missing = 0; // dimensions that it does not have

    bool is_broadcast(int d, const int64_t shape[]) const {
        return d < missing || (held.shape[d - missing] == 1 && shape[d] != 1);
    }
    const PiecePart &part_with(const DRI_Box &box, const int64_t shape[]) const;
};

const PiecePart &HeldOperand::part_with(const DRI_Box &box, const int64_t shape[]) const {
    if (held.ndims > 0) {
        const int64_t at = is_broadcast(missing, shape) ? 0 : box.offset[missing];
        for (const PiecePart &part : held.parts) {
            const DRI_Box &p = part.positions;
            if (at >= p.offset[0] && at < p.offset[0] + p.size[0])
                return part;
        }
    }
    return held.parts[1];
}

class HeldStatement {
public:
    HeldStatement(DRI_Op op, const std::vector<std::shared_ptr<outer::AnyArray>> &arrays, const DRI_Box *target);
    std::shared_ptr<ArrayPiece> compute(const DRI_Box *core);

private:
    void find_held_shape();
    void find_target(const DRI_Box *target);
    void require_held(const HeldOperand &operand, size_t i, bool all) const;
    HeldParts result_parts();
    void compute_box(const DRI_Box &box);
    void compute_part(const DRI_Box &box);

    std::vector<std::shared_ptr<outer::AnyArray>> arrays_;
    std::vector<HeldOperand> operands_;
    size_t leader_ = 0;
    Operation operation_;
    std::shared_ptr<const outer::OwnedType> type_;
    int64_t pitch_ = 0;
    int ndims_ = 0;
    int64_t shape_[DRI_MAX_DIMS]{};
    DRI_Box target_{};
    std::shared_ptr<AlignedBuffer> memory_;
    int64_t steps_[DRI_MAX_DIMS]{}; // of the result, in elements
};

HeldStatement::HeldStatement(DRI_Op op, const std::vector<std::shared_ptr<outer::AnyArray>> &arrays,
                             const DRI_Box *target)
    : arrays_(arrays) {
    for (const auto &array : arrays) {
        operands_.push_back({holding_of(array), {}, 0});
        HeldOperand &one = operands_.back();
        require_host(one.held.device);
        one.window = one.held.window();
        if (one.held.type->get().id != operands_[0].held.type->get().id)
            fail(DRI_ERR_ARG, "the operands have different types");
    }
    operation_ = operation_of(op, operands_[0].held.type->get());
    if (operation_.rows->operands != static_cast<int>(arrays.size()))
        fail(DRI_ERR_ARG, "op has {} operands, but {} are given", operation_.rows->operands, arrays.size());
    type_ = own_type(operation_.result);
    pitch_ = element_bytes(operation_.result).pitch;
    find_held_shape();
    find_target(target);
    memory_ = std::make_shared<AlignedBuffer>(std::max<int64_t>(volume_of(target_, ndims_), 1) * pitch_);
    int64_t step = 1;
    for (int d = ndims_; d-- > 0; step *= std::max<int64_t>(target_.size[d], 1))
        steps_[d] = step;
}

void HeldStatement::find_held_shape() {
    for (const HeldOperand &one : operands_)
        ndims_ = std::max(ndims_, one.held.ndims);
    std::fill(shape_, shape_ + ndims_, 1);
    for (HeldOperand &one : operands_) {
        one.missing = ndims_ - one.held.ndims;
        for (int d = one.missing; d < ndims_; ++d)
            if (one.held.shape[d - one.missing] != 1)
                shape_[d] = one.held.shape[d - one.missing];
    }
    for (size_t i = operands_.size(); i-- > 0;) {
        HeldOperand &one = operands_[i];
        for (int d = one.missing; d < ndims_; ++d)
            if (one.held.shape[d - one.missing] != 1 && one.held.shape[d - one.missing] != shape_[d])
                fail(DRI_ERR_ARG, "operand {}, dimension {}: the size is {}, but that of another operand {}", i,
                     d - one.missing, one.held.shape[d - one.missing], shape_[d]);
        if (ndims_ == 0 || !one.is_broadcast(0, shape_))
            leader_ = i;
    }
}

// "positions [4,5) are missing": dimension by dimension.
void HeldStatement::require_held(const HeldOperand &operand, size_t i, bool all) const {
    if (is_empty(target_, ndims_))
        return;
    for (int d = operand.missing; d < ndims_; ++d) {
        const int j = d - operand.missing;
        const bool broadcast = operand.is_broadcast(d, shape_);
        const int64_t begin = broadcast ? 0 : target_.offset[d], end = broadcast ? 1 : begin + target_.size[d];
        const int64_t held_begin = operand.window.offset[j], held_end = held_begin + operand.window.size[j];
        if (begin < held_begin || end > held_end)
            fail(DRI_ERR_ARG, "operand {}, dimension {}: positions [{},{}) are needed, but only [{},{}) are held",
                 i, j, begin, end, held_begin, held_end);
        if (all && !broadcast && (begin != held_begin || end != held_end))
            fail(DRI_ERR_ARG, "operand {}, dimension {}: positions [{},{}) are held, but operand {} holds [{},{})",
                 i, j, held_begin, held_end, leader_, begin, end);
    }
}

void HeldStatement::find_target(const DRI_Box *target) {
    if (target) {
        require_box(ndims_, target, "target");
        std::copy(target->offset, target->offset + ndims_, target_.offset);
        std::copy(target->size, target->size + ndims_, target_.size);
    } else {
        for (int d = 0; d < ndims_; ++d)
            for (size_t i = operands_.size(); i-- > 0;)
                if (const HeldOperand &one = operands_[i]; i == leader_ || !one.is_broadcast(d, shape_)) {
                    if (d < one.missing || (i == leader_ && one.is_broadcast(d, shape_)))
                        continue;
                    target_.offset[d] = one.window.offset[d - one.missing];
                    target_.size[d] = one.window.size[d - one.missing];
                }
    }
    for (size_t i = 0; i < operands_.size(); ++i)
        require_held(operands_[i], i, !target);
}

HeldParts HeldStatement::result_parts() {
    HeldParts made;
    made.type = type_;
    made.pitch = pitch_;
    made.ndims = ndims_;
    made.start = target_;
    made.memory.push_back(memory_);
    const HeldOperand &lead = operands_[leader_];
    for (int d = 0; d < ndims_; ++d) {
        made.shape[d] = shape_[d];
        made.elements[d] =
            lead.is_broadcast(d, shape_) ? DRI_Range{0, 1, shape_[d]} : lead.held.elements[d - lead.missing];
    }
    int64_t begin = target_.offset[0];
    const int64_t end = begin + target_.size[0];
    for (size_t i = 0; i < 3; ++i) {
        PiecePart &part = made.parts[i];
        part.positions = target_;
        std::copy(steps_, steps_ + ndims_, part.steps);
        part.data = memory_->data();
        if (ndims_ == 0)
            continue;
        const DRI_Box &of = lead.held.parts[i].positions;
        const bool is_there = !lead.is_broadcast(0, shape_) && !is_empty(of, lead.held.ndims);
        const bool is_last = i == 2 || (i == 1 && lead.is_broadcast(0, shape_));
        const int64_t cut = is_last ? end : is_there ? std::clamp(of.offset[0] + of.size[0], begin, end) : begin;
        part.positions.offset[0] = begin;
        part.positions.size[0] = cut - begin;
        part.data += (begin - target_.offset[0]) * steps_[0] * pitch_;
        begin = cut;
    }
    return made;
}

void HeldStatement::compute_part(const DRI_Box &box) {
    void *data[3]{};
    int64_t bytes[3][DRI_MAX_DIMS]{};
    std::byte *to = memory_->data();
    for (int d = 0; d < ndims_; ++d) {
        bytes[0][d] = steps_[d] * pitch_;
        to += (box.offset[d] - target_.offset[d]) * bytes[0][d];
    }
    data[0] = to;
    for (size_t i = 0; i < operands_.size(); ++i) {
        const HeldOperand &one = operands_[i];
        const PiecePart &part = one.part_with(box, shape_);
        std::byte *at = part.data;
        for (int d = one.missing; d < ndims_; ++d) {
            const int j = d - one.missing;
            const bool broadcast = one.is_broadcast(d, shape_);
            const int64_t step = part.steps[j] * one.held.pitch;
            at += ((broadcast ? 0 : box.offset[d]) - part.positions.offset[j]) * step;
            bytes[i + 1][d] = broadcast ? 0 : step;
        }
        data[i + 1] = at;
    }
    const int64_t *const steps[]{bytes[0], bytes[1], bytes[2]};
    outer::require(run_operation(const_cast<RowOperation *>(operation_.rows), ndims_, box.size, data, steps));
}

// Splits the box where an operand's parts meet.
void HeldStatement::compute_box(const DRI_Box &box) {
    if (is_empty(box, ndims_))
        return;
    std::vector<DRI_Box> boxes{box};
    for (const HeldOperand &one : operands_) {
        const int d = one.missing;
        if (one.held.ndims == 0 || one.is_broadcast(d, shape_))
            continue;
        for (const PiecePart &part : one.held.parts) {
            const int64_t border = part.positions.offset[0];
            std::vector<DRI_Box> split;
            for (DRI_Box rest : boxes) {
                if (border > rest.offset[d] && border < rest.offset[d] + rest.size[d]) {
                    DRI_Box before = rest;
                    before.size[d] = border - rest.offset[d];
                    split.push_back(before);
                    rest.size[d] -= before.size[d];
                    rest.offset[d] = border;
                }
                split.push_back(rest);
            }
            boxes = std::move(split);
        }
    }
    for (const DRI_Box &one : boxes)
        compute_part(one);
}

std::shared_ptr<ArrayPiece> HeldStatement::compute(const DRI_Box *core) {
    DRI_Box first{};
    if (core) {
        require_box(ndims_, core, "core");
        first = common_of(*core, target_, ndims_);
        if (ndims_ > 0)
            compute_box(first);
    }
    for (const auto &array : arrays_)
        if (array->is_updating())
            array->wait_for_update();
    std::vector<DRI_Box> rest;
    append_difference(target_, ndims_ > 0 && core ? first : DRI_Box{}, ndims_, rest);
    if (ndims_ == 0)
        rest = {target_};
    for (const DRI_Box &box : rest)
        compute_box(box);
    return std::make_shared<ArrayPiece>(result_parts());
}

} // namespace

std::shared_ptr<ArrayPiece> apply(DRI_Op op, const std::vector<std::shared_ptr<outer::AnyArray>> &operands,
                                  const DRI_Box *target, const DRI_Box *core) {
    return HeldStatement(op, operands, target).compute(core);
}

} // namespace dri::array
