// The same exchange by the library: a transfer in place whose two sides have one distribution with overlap.
#include "halo/contender.hpp"
#include "world.hpp"

#include <dri/dri.h>

#include <utility>

namespace halo_bench {

namespace {

using bench::check;

class InPlace final : public Contender {
public:
    InPlace(const Field &field, int64_t ways, std::string name) : name_(std::move(name)) {
        const Grid grid = field.grid();
        const int64_t sizes[]{grid.rows * field.rows, grid.columns * field.columns};
        DRI_Gdo gdo{};
        check(DRI_gdo_create(2, DRI_DOUBLE, sizes, &gdo));
        DRI_Part_dim rules[2]{};
        rules[0].kind = DRI_BLOCK;
        rules[0].left = rules[0].right = 1;
        rules[0].left_edge = rules[0].right_edge = DRI_WRAP;
        if (field.square) {
            rules[1] = rules[0];
            rules[0].nparts = static_cast<int>(grid.rows);
            rules[1].nparts = static_cast<int>(grid.columns);
        }
        DRI_Part part{};
        check(DRI_part_create_rule(2, rules, &part));
        DRI_Group all{};
        check(DRI_group_create_world(&all));
        DRI_Dist dist{};
        check(DRI_dist_create(gdo, part, all, &dist));
        for (const DRI_Role role : {DRI_SOURCE, DRI_SINK}) {
            DRI_Xfer &end = role == DRI_SOURCE ? source_ : sink_;
            check(DRI_xfer_create(name_.c_str(), role, dist, DRI_ROW_MAJOR, 1, nullptr, &end));
            check(DRI_xfer_set_attr(end, DRI_ATTR_IN_PLACE, DRI_IN_PLACE));
            check(DRI_xfer_set_attr(end, DRI_ATTR_WAYS, ways));
        }
        check(DRI_commit(all));
        void *buffer = nullptr;
        check(DRI_xfer_get_buffer(source_, &buffer));
        array_ = static_cast<double *>(buffer);
        check(DRI_dist_destroy(&dist));
        check(DRI_part_destroy(&part));
        check(DRI_group_destroy(&all));
        check(DRI_gdo_destroy(&gdo));
    }
    InPlace(const InPlace &) = delete;
    InPlace &operator=(const InPlace &) = delete;
    ~InPlace() override {
        for (DRI_Xfer *const end : {&sink_, &source_})
            DRI_xfer_destroy(end);
    }

    std::string name() const override { return name_; }
    double *array() override { return array_; }
    void exchange() override { check(DRI_do(name_.c_str(), DRI_XFER_NULL)); }

private:
    std::string name_;
    DRI_Xfer source_{}, sink_{};
    double *array_ = nullptr;
};

} // namespace

std::unique_ptr<Contender> make_in_place(const Field &field, int64_t ways, std::string name) {
    return std::make_unique<InPlace>(field, ways, std::move(name));
}

} // namespace halo_bench
