// Bytes of maps and domains that one run of a program writes to files, and that another run reads, with as many
// processes, more and fewer. The oracle is the arithmetic of each map.
#include "support/arrays.hpp"
#include "support/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace dri::test {
namespace {

constexpr int writers = 3; // processes of the run that writes
constexpr DRI_Range members{11, -1, 12};

using Bytes = std::vector<char>;

std::filesystem::path folder() {
    const char *path = std::getenv("PACKED_FOLDER");
    return path ? path : "";
}

// A user's map: index i belongs to position (i + shift) modulo the number of processes.
struct Shift {
    int64_t shift, processes;
};

int shifted_owner(void *ctx, const int64_t index[], int *position) {
    const Shift &map = *static_cast<Shift *>(ctx);
    *position = static_cast<int>((index[0] + map.shift) % map.processes);
    return DRI_SUCCESS;
}
int equal_shifts(void *ctx, void *other, int *flag) {
    *flag = static_cast<Shift *>(ctx)->shift == static_cast<Shift *>(other)->shift;
    return DRI_SUCCESS;
}
int pack_shift(void *ctx, void *bytes, size_t n, size_t *needed) {
    *needed = sizeof(Shift);
    if (n >= sizeof(Shift))
        std::copy_n(static_cast<const char *>(ctx), sizeof(Shift), static_cast<char *>(bytes));
    return DRI_SUCCESS;
}
int shifts_alive = 0;
int unpack_shift(const void *bytes, size_t n, void **ctx) {
    if (n != sizeof(Shift))
        return DRI_ERR_ARG;
    auto made = std::make_unique<Shift>();
    std::copy_n(static_cast<const char *>(bytes), n, reinterpret_cast<char *>(made.get()));
    ++shifts_alive;
    *ctx = made.release();
    return DRI_SUCCESS;
}
void destroy_shift(void *ctx) {
    --shifts_alive;
    const std::unique_ptr<Shift> last(static_cast<Shift *>(ctx));
}

DRI_Map_ops shift_ops() {
    DRI_Map_ops ops = map_ops("shifts", shifted_owner);
    ops.equal = equal_shifts;
    ops.pack = pack_shift;
    ops.unpack = unpack_shift;
    ops.destroy = destroy_shift;
    return ops;
}

Map make_shift(DRI_Group group, int64_t shift, int64_t processes) {
    const DRI_Map_ops ops = shift_ops();
    Map map;
    ++shifts_alive;
    auto ctx = std::make_unique<Shift>(Shift{shift, processes});
    expect_success(DRI_map_create_user(1, &ops, ctx.get(), group, map.out()), "DRI_map_create_user");
    static_cast<void>(ctx.release());
    return map;
}

// The map of a distribution of exact pieces, which needs all processes of the group.
Map make_pieces(DRI_Group group) {
    const int64_t first = 4 * world().rank;
    const Dist dist = make_dist(make_gdo({12}), make_exact({{0, first, first + 4, 0}}), group);
    Map map;
    expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
    return map;
}

MapDim rimmed() {
    MapDim rule = block_dim(0, 12);
    rule.left = 1;
    rule.right = 2;
    rule.left_edge = DRI_WRAP;
    return rule;
}

struct Sort {
    std::string name;
    std::vector<int> ranks;
    std::function<Map(DRI_Group)> make;
    std::function<int64_t(int64_t)> position; // that owns an index, by its own arithmetic
    bool is_users = false, is_collective = false;
};

std::vector<Sort> sorts() {
    return {
        {"blocks",
         {0, 1, 2},
         [](DRI_Group g) { return make_map({rimmed()}, g); },
         [](int64_t i) { return i * 3 / 12; }},
        {"turned",
         {2, 0, 1},
         [](DRI_Group g) { return make_map({cyclic_dim(5)}, g); },
         [](int64_t i) { return (i + 1) % 3; }},
        {"pair",
         {1, 0},
         [](DRI_Group g) { return make_map({cyclic_dim(0, 4)}, g); },
         [](int64_t i) { return i / 4 % 2; }},
        {"alone", {0}, [](DRI_Group g) { return make_map({{}}, g); }, [](int64_t) { return 0; }},
        {"shifts",
         {0, 1},
         [](DRI_Group g) { return make_shift(g, 7, 2); },
         [](int64_t i) { return (i + 7) % 2; },
         true},
        {"shifts of all",
         {0, 1, 2},
         [](DRI_Group g) { return make_shift(g, 1, 3); },
         [](int64_t i) { return (i + 1) % 3; },
         true},
        {"pieces", {0, 1, 2}, make_pieces, [](int64_t i) { return i / 4; }, false, true},
    };
}

template <class Handle, class Pack> Bytes packed(Handle object, Pack pack) {
    size_t n = 0;
    expect_success(pack(object, nullptr, 0, &n), "pack");
    Bytes bytes(n);
    expect_success(pack(object, bytes.data(), n, nullptr), "pack");
    return bytes;
}

void write_file(const std::string &name, const Bytes &bytes) {
    std::ofstream file(folder() / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    EXPECT_TRUE(file) << "cannot write " << folder() / name;
}

Bytes read_file(const std::string &name) {
    std::ifstream file(folder() / name, std::ios::binary);
    EXPECT_TRUE(file) << "cannot read " << folder() / name;
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PackedFiles, Write) {
    if (folder().empty())
        GTEST_SKIP() << "PACKED_FOLDER names no folder";
    ASSERT_EQ(world().size, writers);
    if (world().rank == 0)
        std::filesystem::create_directories(folder());
    for (const Sort &sort : sorts()) {
        const Map map = sort.make(make_group(sort.ranks));
        const Domain domain = make_domain(map, {members});
        if (world().rank > 0)
            continue;
        write_file(sort.name + ".map", packed(map.get(), DRI_map_pack));
        write_file(sort.name + ".domain", packed(domain.get(), DRI_domain_pack));
    }
    EXPECT_EQ(shifts_alive, 0);
}

// An array over the domain works as one over blocks of this run.
void expect_values_to_move(const Domain &domain) {
    const Domain blocks = make_domain(make_map({block_dim(0, 12)}, make_world()), {members});
    const Array to = make_array(domain), from = make_array(blocks), back = make_array(blocks);
    const auto value = [](const Indices &at) { return static_cast<double>(at[0] + 1); };
    fill(from, blocks, value);
    ASSERT_EQ(DRI_assign(to, nullptr, from, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(to, domain, value), "");
    ASSERT_EQ(DRI_assign(back, nullptr, to, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(back, blocks, value), "");
}

void expect_same(const Sort &sort, const Map &map, const Domain &domain) {
    for (const int64_t i : sequence_of(members)) {
        const int wanted = sort.ranks[static_cast<size_t>(sort.position(i))];
        int owner = -1, of_domain = -1;
        expect_success(DRI_map_owner(map, &i, &owner), "DRI_map_owner");
        expect_success(DRI_domain_owner(domain, &i, &of_domain), "DRI_domain_owner");
        EXPECT_EQ(owner, wanted) << i;
        EXPECT_EQ(of_domain, wanted) << i;
    }
    const Ranges ranges = ranges_of(domain);
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(sequence_of(ranges[0]), sequence_of(members));
    // The map that this run makes itself.
    if (!sort.is_collective || world().size == writers) {
        const Map own = sort.make(make_group(sort.ranks));
        int flag = 0;
        expect_success(DRI_map_equal(own, map, &flag), "DRI_map_equal");
        EXPECT_EQ(flag, 1);
        expect_success(DRI_domain_equal(make_domain(own, {members}), domain, &flag), "DRI_domain_equal");
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(packed(own.get(), DRI_map_pack), packed(map.get(), DRI_map_pack));
    }
    EXPECT_EQ(packed(map.get(), DRI_map_pack), read_file(sort.name + ".map"));
    EXPECT_EQ(packed(domain.get(), DRI_domain_pack), read_file(sort.name + ".domain"));
    expect_values_to_move(domain);
}

TEST(PackedFiles, Read) {
    if (folder().empty())
        GTEST_SKIP() << "PACKED_FOLDER names no folder";
    int refused = 0;
    for (const Sort &sort : sorts()) {
        SCOPED_TRACE(sort.name);
        const Bytes of_map = read_file(sort.name + ".map"), of_domain = read_file(sort.name + ".domain");
        const DRI_Map_ops own = shift_ops(), *const ops = sort.is_users ? &own : nullptr;
        Map map;
        Domain domain;
        const int code = DRI_map_unpack(of_map.data(), of_map.size(), ops, map.out());
        const std::string message = DRI_error_message();
        const int of_both[]{code, DRI_domain_unpack(of_domain.data(), of_domain.size(), ops, domain.out())};
        if (*std::max_element(sort.ranks.begin(), sort.ranks.end()) < world().size) {
            ASSERT_EQ(of_both[0], DRI_SUCCESS) << message;
            ASSERT_EQ(of_both[1], DRI_SUCCESS) << DRI_error_message();
            expect_same(sort, map, domain);
            continue;
        }
        ++refused;
        const int missing =
            *std::find_if(sort.ranks.begin(), sort.ranks.end(), [](int rank) { return rank >= world().size; });
        const std::string words = "has rank " + std::to_string(missing) + ", but the world has " +
                                  std::to_string(world().size) + " processes";
        for (const int one : of_both)
            EXPECT_EQ(one, DRI_ERR_ARG);
        for (const std::string &said : {message, std::string(DRI_error_message())})
            EXPECT_NE(said.find(words), std::string::npos) << said;
        EXPECT_FALSE(map);
        EXPECT_FALSE(domain);
    }
    EXPECT_EQ(refused > 0, world().size < writers);
    EXPECT_EQ(shifts_alive, 0) << "contexts of maps that were refused, too";
}

} // namespace
} // namespace dri::test
