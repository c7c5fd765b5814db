// Cases of distributed arrays about parts, pieces and repartitions.
#include "support/dist_kinds.hpp"

#include <algorithm>
#include <cstring>

namespace dri::test {

namespace {

int64_t volume_of(const Numbers &shape) {
    int64_t n = 1;
    for (const int64_t size : shape)
        n *= size;
    return n;
}

Numbers rows_of(const std::vector<DRI_View> &parts) {
    Numbers rows;
    for (const DRI_View &part : parts) {
        const bool is_empty =
            std::any_of(part.range, part.range + part.ndims, [](auto &r) { return r.size == 0; });
        rows.push_back(is_empty ? 0 : part.range[0].size);
    }
    return rows;
}

Numbers loffs_of(DRI_Array array, size_t n) {
    Numbers loffs(n);
    expect_success(DRI_array_get_loffs(array, loffs.data()), "DRI_array_get_loffs");
    return loffs;
}

// What a case says about a repartition.
struct RepartitionCase {
    Numbers shape;
    std::vector<Numbers> owned;
    Json target;
    explicit RepartitionCase(const Json &input)
        : shape(input["global_shape"].get<Numbers>()), owned(input["owned"].get<std::vector<Numbers>>()),
          target(input.contains("target") ? input["target"] : Json()) {}
    int processes() const { return static_cast<int>(owned.size()); }
    // Rows of a process; the other dimensions are whole.
    DRI_Box box(int member) const {
        DRI_Box made{};
        for (size_t d = 0; d < shape.size(); ++d)
            made.size[d] = shape[d];
        const Json &rows = target[static_cast<size_t>(member)];
        made.offset[0] = rows[0];
        made.size[0] = rows[1];
        return made;
    }
};

Array repartitioned(const RepartitionCase &of, DRI_Array array) {
    Array piece;
    const DRI_Box box = of.target.is_null() ? DRI_Box{} : of.box(world().rank);
    expect_success(DRI_array_repartition(array, of.target.is_null() ? nullptr : &box, piece.out()),
                   "DRI_array_repartition");
    return piece;
}

void check_parts(DRI_Array piece, const Json &wanted, size_t n) {
    const auto parts = parts_of(piece);
    const char *const names[]{"left_halo", "owned", "right_halo"};
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(elements_of(parts[i]), wanted[names[i]].get<Values>()) << names[i] << " of " << wanted;
    EXPECT_EQ(rows_of(parts), wanted["part_rows"].get<Numbers>()) << wanted;
    if (wanted["part_rows"].get<Numbers>() != Numbers{0, 0, 0}) {
        EXPECT_EQ(loffs_of(piece, n), wanted["loffs"].get<Numbers>()) << wanted;
    }
}

} // namespace

InitCase::InitCase(const Json &input, DRI_Group group) {
    const auto shape = input["global_shape"].get<Numbers>();
    const auto loffs = input["loffs"].get<Numbers>();
    std::vector<DRI_View> parts;
    int64_t row = loffs.empty() ? 0 : loffs[0];
    const int64_t width = shape.empty() ? 1 : volume_of(shape) / std::max<int64_t>(shape[0], 1);
    for (const Json &sizes : input["lparts"]) {
        const auto own = sizes.get<Numbers>();
        memory.push_back(std::make_unique<Values>());
        for (int64_t i = 0; i < std::max<int64_t>(volume_of(own), 1); ++i)
            memory.back()->push_back(static_cast<double>(row * width + i));
        DRI_View view{};
        view.data = memory.back()->data();
        view.ndims = static_cast<int64_t>(own.size());
        int64_t step = 1;
        for (size_t d = own.size(); d-- > 0; step *= own[d]) {
            view.range[d].size = own[d];
            view.step[d] = std::max<int64_t>(step, 1);
        }
        row += own.empty() || volume_of(own) == 0 ? 0 : own[0];
        parts.push_back(view);
    }
    Gdo gdo;
    expect_success(DRI_gdo_create(static_cast<int>(shape.size()), DRI_DOUBLE, shape.data(), gdo.out()),
                   "DRI_gdo_create");
    Numbers padded = loffs;
    padded.resize(DRI_MAX_DIMS);
    code = DRI_array_init(gdo, group, padded.data(), static_cast<int>(parts.size()), parts.data(), array.out());
}

std::string check_dist_init(const Json &c) {
    const Json &expect = c["expect"];
    const InitCase made(c["input"], make_world());
    EXPECT_EQ(made.code, DRI_SUCCESS) << DRI_error_message();
    const size_t n = c["input"]["global_shape"].size();
    EXPECT_EQ(loffs_of(made.array, n), expect["local_offsets"].get<Numbers>());
    const auto parts = parts_of(made.array);
    EXPECT_EQ(parts.size(), expect["nparts"].get<size_t>());
    const char *const names[]{"left_halo_rows", "owned_rows", "right_halo_rows"};
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto wanted = expect["parts"][i].get<Numbers>();
        Numbers sizes;
        for (int64_t d = 0; d < parts[i].ndims; ++d)
            sizes.push_back(parts[i].range[d].size);
        EXPECT_EQ(volume_of(sizes), volume_of(wanted));
        if (volume_of(wanted) > 0) {
            EXPECT_EQ(sizes, wanted);
        }
        if (n > 0 && expect.contains(names[i])) {
            EXPECT_EQ((Numbers{parts[i].range[0].first, parts[i].range[0].first + parts[i].range[0].size}),
                      expect[names[i]].get<Numbers>())
                << names[i];
        }
    }
    return "";
}

std::string check_dist_init_error(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i];
        const bool has_team = !(row.contains("team") && row["team"] == "none");
        const Group world_group = make_world();
        const InitCase made(row, has_team ? world_group.get() : DRI_Group{});
        EXPECT_EQ(made.code != DRI_SUCCESS, c["expect"]["error"][i].get<bool>()) << row << DRI_error_message();
        if (has_team) {
            EXPECT_EQ(made.code, DRI_ERR_ARG) << row << DRI_error_message();
        }
    }
    return "";
}

// The numbers of the text are what DRI_array_describe says of such an array. The team is a group here.
std::string check_dist_env(const Json &c) {
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &env = c["expect"]["rows"][i];
        const auto parts = env["lparts"];
        if (parts.empty() || parts[0][0].is_string())
            continue; // no numbers to show
        Json input;
        input["loffs"] = env["loffs"];
        input["lparts"] = parts;
        auto shape = parts[1].get<Numbers>();
        shape[0] += env["loffs"][0].get<int64_t>() + 5;
        input["global_shape"] = shape;
        const InitCase made(input, make_world());
        char text[500];
        expect_success(DRI_array_describe(made.array, text, sizeof text), "DRI_array_describe");
        const std::string whole = c["input"]["rows"][i], numbers = whole.substr(whole.find("loffs"));
        EXPECT_NE(std::string(text).find(numbers), std::string::npos) << text << " has no " << numbers;
    }
    return "";
}

std::string check_dist_device(const Json &c) {
    for (const Json &member : c["input"]["members"]) {
        Json input;
        input["global_shape"] = c["input"]["global_shape"];
        input["loffs"] = member["loffs"];
        input["lparts"] = Json::array({{0}, {member["size"]}, {0}});
        const InitCase made(input, make_world());
        char text[64];
        expect_success(DRI_array_get_device(made.array, text, sizeof text), "DRI_array_get_device");
        EXPECT_STREQ(text, "host");
        const std::string device = member["device"];
        expect_success(DRI_array_set_device(made.array, device.c_str()), "DRI_array_set_device");
        expect_success(DRI_array_get_device(made.array, text, sizeof text), "DRI_array_get_device");
        EXPECT_EQ(text, device);
        EXPECT_EQ(loffs_of(made.array, 1), member["loffs"].get<Numbers>());
        int nparts = 0;
        DRI_View parts[3];
        EXPECT_EQ(DRI_array_get_parts(made.array, &nparts, parts), DRI_ERR_UNSUPPORTED);
    }
    return "";
}

std::string check_dist_subview(const Json &c) {
    const InitCase made(c["input"], make_world());
    EXPECT_EQ(made.code, DRI_SUCCESS) << DRI_error_message();
    for (size_t i = 0; i < c["input"]["rows"].size(); ++i) {
        const Json &row = c["input"]["rows"][i], &wanted = c["expect"]["rows"][i];
        const Ranges slice = ranges_of_slice(row["offsets"], row["sizes"], row["strides"]);
        const bool has_target = row.contains("target_offsets") && !row["target_offsets"].is_null();
        const DRI_Box target = has_target ? box_of(row["target_offsets"], row["target_sizes"]) : DRI_Box{};
        Array piece;
        expect_success(DRI_array_subview(made.array, slice.data(), has_target ? &target : nullptr, piece.out()),
                       "DRI_array_subview");
        const auto parts = parts_of(piece);
        for (size_t k = 0; k < parts.size() && wanted.contains("global_elements"); ++k)
            EXPECT_EQ(elements_of(parts[k]), wanted["global_elements"][k].get<Values>()) << row << " part " << k;
        EXPECT_EQ(loffs_of(piece, slice.size()), wanted["result_loffs"].get<Numbers>()) << row;
        for (size_t k = 0; k < parts.size() && wanted.contains("part_views"); ++k) {
            const Json &view = wanted["part_views"][k];
            const auto sizes =
                view["size"].is_array() ? view["size"].get<Numbers>() : Numbers{view["size"].get<int64_t>()};
            if (volume_of(sizes) == 0)
                continue;
            Numbers found;
            for (size_t d = 0; d < sizes.size(); ++d)
                found.push_back(parts[k].range[d].size);
            EXPECT_EQ(found, sizes) << row << " part " << k;
            if (!view["offset"].is_array()) {
                EXPECT_EQ(static_cast<double *>(parts[k].data) - made.memory[k]->data(),
                          view["offset"].get<int64_t>())
                    << row << " part " << k;
            }
        }
    }
    return "";
}

std::string check_dist_repartition(const Json &c) {
    const RepartitionCase of(c["input"]);
    if (const auto reason = left_out(of.processes()))
        return *reason;
    const Array array = rows_array(of.shape, of.owned, first_processes(of.processes()));
    fill_flat(array, of.shape, [](int64_t i) { return static_cast<double>(i); });
    const Array piece = repartitioned(of, array);
    for (const Json &row : c["expect"]["rows"])
        if (row["member"] == world().rank)
            check_parts(piece, row, of.shape.size());
    return "";
}

std::string check_dist_no_copy(const Json &c) {
    const RepartitionCase of(c["input"]);
    if (const auto reason = left_out(of.processes()))
        return *reason;
    const Array array = rows_array(of.shape, of.owned, first_processes(of.processes()));
    fill_flat(array, of.shape, [](int64_t i) { return static_cast<double>(i); });
    const auto before = parts_of(array);
    const Values elements = elements_of(before[1]);
    const Array piece = repartitioned(of, array);
    const auto after = parts_of(piece);
    const auto member = static_cast<size_t>(world().rank);
    const int64_t offset = c["expect"]["owned_view_offset"][member];
    EXPECT_EQ(after[1].range[0].size, c["expect"]["owned_view_size"][member].get<int64_t>());
    EXPECT_EQ(static_cast<double *>(before[1].data) + offset * before[1].step[0], after[1].data);
    EXPECT_EQ(elements_of(before[1]), elements);
    return "";
}

std::string check_dist_collective(const Json &c) {
    const RepartitionCase of(c["input"]);
    if (const auto reason = left_out(of.processes()))
        return *reason;
    const Array array = rows_array(of.shape, of.owned, first_processes(of.processes()));
    const DRI_Box box = of.box(world().rank);
    Array piece;
    EXPECT_EQ(DRI_array_repartition(array, &box, piece.out()), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("leave the array of"), std::string::npos)
        << DRI_error_message();
    return "";
}

std::string check_dist_persist(const Json &c) {
    const RepartitionCase of(c["input"]);
    if (const auto reason = left_out(of.processes()))
        return *reason;
    const Array array = rows_array(of.shape, of.owned, first_processes(of.processes()));
    fill_flat(array, of.shape, [](int64_t i) { return static_cast<double>(i); });
    const auto member = static_cast<size_t>(world().rank);
    Array first;
    for (size_t round = 0; round < c["input"]["rounds"].get<size_t>(); ++round) {
        if (round > 0)
            fill_flat(array, of.shape,
                      [&](int64_t i) { return static_cast<double>(i + 100 * static_cast<int64_t>(round)); });
        const Array again = round == 0 ? Array() : repartitioned(of, array);
        if (round == 0)
            first = repartitioned(of, array);
        else
            expect_success(DRI_array_update_overlap(first), "DRI_array_update_overlap");
        for (const DRI_Array piece : {first.get(), again.get()}) {
            if (!piece.id)
                continue;
            const auto parts = parts_of(piece);
            EXPECT_EQ(elements_of(parts[0]), c["expect"]["left_halo"][round][member].get<Values>()) << round;
            EXPECT_EQ(elements_of(parts[2]), c["expect"]["right_halo"][round][member].get<Values>()) << round;
        }
    }
    return "";
}

std::string check_dist_ewuny(const Json &c) {
    const InitCase made(c["input"], make_world());
    Array negated;
    expect_success(DRI_array_ewuny(DRI_OP_NEG, made.array, nullptr, nullptr, negated.out()), "DRI_array_ewuny");
    const auto parts = parts_of(negated);
    for (size_t i = 0; i < parts.size(); ++i)
        EXPECT_EQ(elements_of(parts[i]), c["expect"]["parts"][i].get<Values>());
    return "";
}

} // namespace dri::test
