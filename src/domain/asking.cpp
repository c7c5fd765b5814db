// Lets users' maps do assignments themselves. Each map is asked once for each
// step, also if they hand over to each other.
#include "domain/assign.hpp"
#include "outer/calls.hpp"

namespace dri::domain {

namespace {

enum class Step : size_t { known, any };

// An assignment that users' maps are being asked about. Sides: 0 is dst, 1 src.
struct Asking {
    const AssignSide *sides[2];
    DRI_Assignment seen[2];
    bool asked[2][2]{}; // by step and side
    Step step = Step::known;
    int *tried;
    Asking *outer;
};

thread_local Asking *innermost = nullptr;

bool is_same_side(const AssignSide &a, const AssignSide &b) {
    return a.elements == b.elements && are_same(a.ranges, b.ranges);
}

bool is_being_asked(const AssignSide &dst, const AssignSide &src) {
    for (const Asking *at = innermost; at; at = at->outer)
        if (is_same_side(*at->sides[0], dst) && is_same_side(*at->sides[1], src))
            return true;
    return false;
}

const UserMap *user_of(const AssignSide &side) {
    return std::get_if<UserMap>(&side.elements->space().map().sort());
}

bool ask_side(Asking &asking, Step step, size_t side) {
    const UserMap *user = user_of(*asking.sides[side]);
    bool &asked = asking.asked[static_cast<size_t>(step)][side];
    const auto function = !user ? nullptr : step == Step::known ? user->ops().known : user->ops().any;
    if (!function || asked)
        return false;
    asked = true;
    *asking.tried |= step == Step::known ? DRI_ASSIGN_KNOWN : DRI_ASSIGN_ANY;
    int done = 0;
    const int64_t before = thread_failures.count;
    const int code = function(user->context(), &asking.seen[side], &done);
    user->require(code, step == Step::known ? "known" : "any", before);
    return done != 0;
}

// Handles that name all elements of the two sides, while the maps are asked.
class Named {
public:
    explicit Named(const AssignSide &side) : array_(side.array) {
        if (array_.id)
            return;
        array_ = outer::AnyArrays::insert(std::make_shared<ArrayObject>(side.elements));
        own_ = true;
    }
    Named(const Named &) = delete;
    Named &operator=(const Named &) = delete;
    ~Named() {
        if (own_)
            outer::AnyArrays::table().erase(array_);
    }
    DRI_Array array() const { return array_; }

private:
    DRI_Array array_;
    bool own_ = false;
};

bool has_functions(const AssignSide &side) {
    const UserMap *user = user_of(side);
    return user && (user->ops().known || user->ops().any);
}

// Makes an assignment the innermost one while it lives.
class Innermost {
public:
    explicit Innermost(Asking &asking) { innermost = &asking; }
    Innermost(const Innermost &) = delete;
    Innermost &operator=(const Innermost &) = delete;
    ~Innermost() { innermost = innermost->outer; }
};

} // namespace

std::optional<DRI_Assign_path> ask_users(const AssignSide &dst, const AssignSide &src, int &tried) {
    if ((!has_functions(dst) && !has_functions(src)) || is_being_asked(dst, src))
        return std::nullopt;
    const Named to(dst), from(src);
    Asking asking{{&dst, &src}, {}, {}, Step::known, &tried, innermost};
    for (size_t side = 0; side < 2; ++side) {
        DRI_Assignment &seen = asking.seen[side];
        seen.dst = to.array();
        seen.src = from.array();
        seen.to = dst.ranges.data();
        seen.from = src.ranges.data();
        seen.role = side == 0 ? DRI_SINK : DRI_SOURCE;
    }
    const Innermost here(asking);
    for (const Step step : {Step::known, Step::any}) {
        asking.step = step;
        for (size_t side = 0; side < 2; ++side)
            if (ask_side(asking, step, side))
                return step == Step::known ? DRI_ASSIGN_KNOWN : DRI_ASSIGN_ANY;
    }
    return std::nullopt;
}

bool hand_over(const DRI_Assignment &assignment) {
    for (Asking *at = innermost; at; at = at->outer)
        for (size_t side = 0; side < 2; ++side)
            if (&at->seen[side] == &assignment)
                return ask_side(*at, at->step, 1 - side);
    fail(DRI_ERR_STATE, "the assignment is not one that the calling thread is asked about");
}

} // namespace dri::domain
