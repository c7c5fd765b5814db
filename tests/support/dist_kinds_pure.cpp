// Cases of distributed arrays that are arithmetic.
#include "support/dist_kinds.hpp"
#include "support/mpi_counter.hpp"

#include <algorithm>

namespace dri::test {

namespace {

Numbers numbers_of(const int64_t values[], size_t n) { return {values, values + n}; }

// One number or a list of them.
Numbers list_of(const Json &value) {
    return value.is_array() ? value.get<Numbers>() : Numbers{value.get<int64_t>()};
}

// The elements that positions of a slice stand for.
Numbers elements_at(const Json &slice, const DRI_Box &box) {
    Numbers all;
    for (int64_t i = box.offset[0]; i < box.offset[0] + box.size[0]; ++i)
        all.push_back(slice[0].get<int64_t>() + i * slice[2].get<int64_t>());
    return all;
}

} // namespace

std::string check_dist_partition(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i], &wanted = c["expect"]["rows"][i];
        const auto shape = row["shape"].get<Numbers>();
        DRI_Box part{};
        expect_success(DRI_default_partition(row["nprocs"], row["member"], static_cast<int>(shape.size()),
                                             shape.data(), &part),
                       "DRI_default_partition");
        EXPECT_EQ(numbers_of(part.offset, shape.size()), wanted["offsets"].get<Numbers>()) << row;
        EXPECT_EQ(numbers_of(part.size, shape.size()), wanted["sizes"].get<Numbers>()) << row;
    }
    return "";
}

std::string check_dist_target(const Json &c) {
    const Json &input = c["input"], &expect = c["expect"];
    const auto shape = input["shape"].get<Numbers>();
    const Ranges slice = ranges_of_slice(input["offsets"], input["sizes"], input["strides"]);
    const int n = static_cast<int>(shape.size());
    const auto check = [&](int member, const Json &wanted) {
        DRI_Box owned{}, target{};
        int64_t local[DRI_MAX_DIMS]{};
        expect_success(DRI_default_partition(input["nprocs"], member, n, shape.data(), &owned),
                       "DRI_default_partition");
        expect_success(DRI_target_of_slice(n, &owned, slice.data(), local, &target), "DRI_target_of_slice");
        EXPECT_EQ(numbers_of(target.size, shape.size()), list_of(wanted["size"])) << wanted;
        const bool is_empty = std::find(target.size, target.size + n, 0) != target.size + n;
        const char *const of_slice = "impl_offset_in_slice";
        if (is_empty)
            return;
        EXPECT_EQ(numbers_of(local, shape.size()), list_of(wanted["text_local_offset"])) << wanted;
        EXPECT_EQ(numbers_of(target.offset, shape.size()), list_of(wanted[of_slice])) << wanted;
        if (wanted.contains("first_global") && !wanted["first_global"].is_null()) {
            EXPECT_EQ(owned.offset[0] + local[0], wanted["first_global"].get<int64_t>()) << wanted;
        }
    };
    if (expect.contains("rows"))
        for (const Json &row : expect["rows"])
            check(row["member"], row);
    else
        check(input["member"], expect);
    return "";
}

std::string check_dist_box(const Json &c) {
    const int inner = c["input"]["inner"].get<bool>();
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i], &wanted = c["expect"]["rows"][i];
        const Ranges view = ranges_of_slice(row["offsets"], row["sizes"], row["strides"]);
        const DRI_Box target = box_of(row["target_offsets"], row["target_sizes"]);
        DRI_Box box{};
        const bool has_given = row.contains("bb_offsets");
        if (has_given)
            box = box_of(row["bb_offsets"], row["bb_sizes"]);
        expect_success(DRI_bounding_box(static_cast<int>(view.size()), view.data(), &target, inner,
                                        has_given ? &box : nullptr, &box),
                       "DRI_bounding_box");
        EXPECT_EQ(numbers_of(box.size, view.size()), list_of(wanted["size"])) << row;
        if (std::find(box.size, box.size + view.size(), 0) == box.size + view.size()) {
            EXPECT_EQ(numbers_of(box.offset, view.size()), list_of(wanted["offset"])) << row;
        }
    }
    return "";
}

std::string check_dist_property(const Json &c) {
    const Json &input = c["input"];
    if (c["expect"].contains("mpi_calls")) {
        const long before = all_traffic();
        DRI_Box box{};
        const DRI_Range view{1, 2, 5};
        const DRI_Box target{{1}, {3}};
        expect_success(DRI_bounding_box(1, &view, &target, 0, nullptr, &box), "DRI_bounding_box");
        EXPECT_EQ(box.offset[0], 3);
        EXPECT_EQ(all_traffic() - before, c["expect"]["mpi_calls"].get<long>());
        return "";
    }
    std::vector<size_t> order(input["views"].size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    do {
        DRI_Box box{};
        const DRI_Box target = box_of(Json::array({input["target"][0]}), Json::array({input["target"][1]}));
        for (const size_t i : order) {
            const auto v = input["views"][i].get<Numbers>();
            const DRI_Range view{v[0], v[2], v[1]};
            expect_success(DRI_bounding_box(1, &view, &target, 0, i == order[0] ? nullptr : &box, &box),
                           "DRI_bounding_box");
        }
        EXPECT_EQ((Numbers{box.offset[0], box.size[0]}), c["expect"]["box"].get<Numbers>());
    } while (std::next_permutation(order.begin(), order.end()));
    return "";
}

std::string check_dist_core(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i], &wanted = c["expect"]["rows"][i], &slice = row["slice"];
        const auto owned_rows = row["owned"].get<Numbers>();
        const DRI_Range view{slice[0], slice[2], slice[1]};
        const DRI_Box owned{{owned_rows[0]}, {owned_rows[1] - owned_rows[0]}};
        const auto t = row["target"].get<Numbers>();
        const DRI_Box target{{t[0]}, {t[1]}};
        DRI_Box core{}, given{};
        const bool in_target = row.contains("core") && !row["core"].is_null();
        const bool in_elements = row.contains("core_global") && !row["core_global"].is_null();
        if (in_target) {
            const auto g = row["core"].get<Numbers>();
            given = {{g[0] + t[0]}, {g[1]}};
        }
        if (in_elements) { // elements become positions of the slice
            const auto g = row["core_global"].get<Numbers>();
            const DRI_Box elements{{g[0]}, {g[1]}};
            expect_success(DRI_target_of_slice(1, &elements, &view, nullptr, &given), "DRI_target_of_slice");
        }
        const bool has_given = in_target || in_elements;
        expect_success(DRI_core(1, &owned, &view, &target, has_given ? &given : nullptr, &core), "DRI_core");
        if (wanted.contains("global_elements")) {
            EXPECT_EQ(elements_at(slice, core), wanted["global_elements"].get<Numbers>()) << row;
        }
        if (wanted.contains("impl")) {
            EXPECT_EQ(core.size[0], wanted["impl"]["size"].get<int64_t>()) << row;
            if (core.size[0] > 0) {
                EXPECT_EQ(core.offset[0] - t[0], wanted["impl"]["offset_in_target"].get<int64_t>()) << row;
            }
        }
        if (wanted.contains("text_without_core")) {
            DRI_Box alone{};
            expect_success(DRI_core(1, &owned, &view, &target, nullptr, &alone), "DRI_core");
            const Json &text = wanted["text_without_core"]["global_elements"];
            const Numbers found = elements_at(slice, alone);
            if (text.is_null()) {
                EXPECT_TRUE(found.empty()) << row;
            } else {
                EXPECT_EQ((Numbers{found.front(), found.back() + 1}), text.get<Numbers>()) << row;
            }
        }
        if (wanted.contains("final_core_positions")) {
            Numbers positions;
            for (int64_t p = core.offset[0]; p < core.offset[0] + core.size[0]; ++p)
                positions.push_back(p - t[0]);
            EXPECT_EQ(positions, wanted["final_core_positions"].get<Numbers>()) << row;
        }
    }
    return "";
}

} // namespace dri::test
