#include "support/halo.hpp"

#include "support/world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace dri::test {

namespace {

constexpr int64_t pad = -1;

HeldIndices held_by(const HaloCut &cut, size_t part) {
    HeldIndices held;
    int64_t first = 0;
    for (size_t i = 0; i < part; ++i)
        first += cut.sizes[i];
    const int64_t n = cut.size(), behind = first + cut.sizes[part];
    for (int64_t i = first - cut.left; first < behind && i < behind + cut.right; ++i) {
        const bool inside = i >= 0 && i < n;
        if (!inside && cut.edge == DRI_TRUNCATE)
            continue;
        held.owned.push_back(i >= first && i < behind);
        held.index.push_back(inside                     ? i
                             : cut.edge == DRI_PAD_ZERO ? pad
                             : cut.edge == DRI_WRAP     ? (i + 64 * n) % n
                                                        : std::clamp(i, int64_t{0}, n - 1));
    }
    return held;
}

double value_at(int64_t i, int64_t j, int64_t frame) {
    return static_cast<double>((i * 1000 + j) * 1000 + frame + 1);
}

void dawdle(Dice &dice) {
    if (dice.chance(30))
        std::this_thread::sleep_for(std::chrono::microseconds(dice.range(1, 300)));
    else if (dice.chance(30))
        std::this_thread::yield();
}

void set(DRI_Xfer end, DRI_Attr attribute, int64_t value) {
    expect_success(DRI_xfer_set_attr(end, attribute, value), "DRI_xfer_set_attr");
}

} // namespace

template <class F> void Halo::for_each(const F &f) const {
    size_t at = 0;
    for (size_t r = 0; r < rows_.index.size(); ++r)
        for (size_t c = 0; c < columns_.index.size(); ++c)
            f(at++, rows_.index[r], columns_.index[c], rows_.owned[r] && columns_.owned[c]);
}

Halo::Halo(const HaloCase &c) : case_(c), dice_(static_cast<uint64_t>(world().rank) + 17) {
    const auto columns = static_cast<int>(c.cuts.size() > 1 ? c.cuts[1].sizes.size() : 1);
    const int part = world().rank % (static_cast<int>(c.cuts[0].sizes.size()) * columns);
    rows_ = held_by(c.cuts[0], static_cast<size_t>(part / columns));
    columns_ =
        c.cuts.size() > 1 ? held_by(c.cuts[1], static_cast<size_t>(part % columns)) : HeldIndices{{0}, {true}};
    std::vector<Rule> rules;
    std::vector<int64_t> sizes;
    for (const HaloCut &cut : c.cuts) {
        rules.push_back(cut.rule());
        sizes.push_back(cut.size());
    }
    const int parts = static_cast<int>(c.cuts[0].sizes.size()) * columns;
    const Dist dist =
        make_dist(make_gdo(sizes, DRI_DOUBLE), make_part(rules), make_group(ranks(parts * c.replicas)));
    static int number = 0;
    name_ = "halo " + std::to_string(number++);
    take_memory();
    const bool given = !buffers_.empty();
    for (Xfer *const end : {&source_, &sink_}) {
        expect_success(DRI_xfer_create(name_.c_str(), end == &source_ ? DRI_SOURCE : DRI_SINK, dist, DRI_ROW_MAJOR,
                                       c.buffers, given ? buffers_.data() : nullptr, end->out()),
                       "DRI_xfer_create");
        set(*end, DRI_ATTR_IN_PLACE, c.mode);
        set(*end, DRI_ATTR_WAYS, c.ways);
        set(*end, DRI_ATTR_THREADS, c.threads);
        set(*end, DRI_ATTR_PROGRESS_THREAD, c.progress_thread);
    }
}

void Halo::fill() {
    data_ = buffer_of<double>(source_);
    for_each(
        [&](size_t at, int64_t i, int64_t j, bool owned) { data_[at] = owned ? value_at(i, j, frame_) : -7; });
}

void Halo::check() {
    const bool spoils = dice_.chance(50);
    if (spoils)
        for_each([&](size_t at, int64_t, int64_t, bool owned) { data_[at] = owned ? -9 : data_[at]; });
    dawdle(dice_);
    int64_t wrong = 0;
    for_each([&](size_t at, int64_t i, int64_t j, bool owned) {
        const double expected = spoils && owned ? -9 : i == pad || j == pad ? 0 : value_at(i, j, frame_);
        wrong += data_[at] != expected;
    });
    EXPECT_EQ(wrong, 0) << name_ << ", frame " << frame_;
    ++frame_;
}

void Halo::frame() {
    fill();
    dawdle(dice_);
    switch (dice_.range(0, 3)) {
    case 0: move_by_test(); break;
    case 1:
        expect_success(DRI_start(name(), DRI_XFER_NULL), "DRI_start");
        dawdle(dice_);
        expect_success(DRI_wait(name(), DRI_XFER_NULL), "DRI_wait");
        break;
    default: expect_success(DRI_do(name(), DRI_XFER_NULL), "DRI_do");
    }
    check();
}

DRI_Xfer_info Halo::info() const {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(sink_, &info), "DRI_xfer_get_info");
    return info;
}

void Halo::destroy() {
    expect_success(source_.reset(), "DRI_xfer_destroy");
    expect_success(sink_.reset(), "DRI_xfer_destroy");
}

void Halo::take_memory() {
    const int64_t bytes = std::ssize(rows_.index) * std::ssize(columns_.index) * int64_t{sizeof(double)};
    const bool library = case_.from == From::library || (case_.from == From::either && world().rank % 2 == 0);
    for (int i = 0; i < case_.buffers && !library; ++i) {
        if (case_.from == From::plain) {
            plain_.emplace_back(static_cast<size_t>(bytes) / sizeof(double) + 1);
            buffers_.push_back(plain_.back().data());
            continue;
        }
        void *memory = nullptr;
        expect_success(DRI_alloc(static_cast<size_t>(bytes) + 64, 64, &memory), "DRI_alloc");
        taken_.emplace_back(memory);
        buffers_.push_back(memory);
    }
}

void Halo::move_by_test() {
    expect_success(DRI_start(name(), DRI_XFER_NULL), "DRI_start");
    for (int done = 0; !done; std::this_thread::yield())
        expect_success(DRI_test(name(), DRI_XFER_NULL, &done), "DRI_test");
}

bool allows(const char *way) {
    const char *const ways = std::getenv("DRI_WAYS");
    return !ways || std::string(ways).find(way) != std::string::npos;
}

bool is_one_node() {
    static const bool one = on_one_node();
    return one;
}

} // namespace dri::test
