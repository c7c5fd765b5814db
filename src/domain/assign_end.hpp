// One side of an assignment on this process: an endpoint in the array itself,
// or in a buffer that is packed.
#pragma once

#include "domain/assign.hpp"
#include "domain/dense.hpp"
#include "outer/owned.hpp"

namespace dri::domain {

// How both sides go.
struct AssignWay {
    DRI_Assign_path path = DRI_ASSIGN_ELEMENT;
    int tried = 0;
};

class AssignEnd {
public:
    AssignEnd(const AssignSide &side, DRI_Role role);

    // How the side becomes a distribution of its own.
    DenseForm own_form() const { return form_; }
    // The way of both sides. flat: both become one dimension.
    void choose(bool flat);
    // Whether the library's map knows it in closed form, and whether it can list
    // what its processes own.
    bool is_known() const;
    bool can_list() const;

    // Local: finds where the elements lie. always_pack: in a buffer in any case.
    void prepare(bool always_pack);
    // Collective over the side's processes.
    void make_dist();
    // Local: makes the endpoint, if the process has one.
    outer::OwnedXfer make_end(const std::string &name, bool converts);
    // Empty if the endpoint lies in the array.
    Packing take_packing() { return is_direct() ? Packing{} : std::move(packing_); }

private:
    bool is_direct() const { return even_.has_value(); }

    const AssignSide &side_;
    DRI_Role role_;
    int position_;
    std::shared_ptr<const Space> slice_;
    DenseForm form_;
    DenseChoice choice_;
    Packing packing_;
    std::optional<EvenNest> even_; // direct
    outer::OwnedDist dist_;
};

} // namespace dri::domain
