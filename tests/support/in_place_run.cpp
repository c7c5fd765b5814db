#include "support/in_place_run.hpp"

#include "support/buffers.hpp"
#include "support/cut_objects.hpp"
#include "support/message_bytes.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri_test {

namespace {

constexpr size_t guard = 64;

// The expected value of byte `at` of an element in a frame. All other bytes hold fixed patterns.
std::byte stamp(int64_t element, int64_t frame, int64_t at) {
    auto x = static_cast<uint64_t>(element) * 0x9E3779B97F4A7C15u +
             static_cast<uint64_t>(frame) * 0xD1B54A32D192ED03u + static_cast<uint64_t>(at) * 0x8CB92BA72F3D8DD7u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return static_cast<std::byte>(x >> 56);
}

// A cut without a number of parts uses all processes.
Numbers parts_of(const std::vector<Cut> &cuts) {
    Numbers parts;
    for (const Cut &cut : cuts)
        parts.push_back(cut.kind == DRI_WHOLE ? 1 : cut.nparts > 0 ? cut.nparts : world().size);
    return parts;
}

} // namespace

std::string text_of(const InPlaceCase &c) {
    std::string text = std::to_string(c.element.size) + "B " + text_of(c.sizes) + " ";
    for (const Cut &cut : c.from)
        text += text_of(cut) + ",";
    text += " " + text_of(c.from_lay) + " -> ";
    for (const Cut &cut : c.to)
        text += text_of(cut) + ",";
    return text + " " + text_of(c.to_lay) + ", " + std::to_string(c.nbuffs) + " buffers, given " +
           std::to_string(static_cast<int>(c.given)) + ", messages of " + std::to_string(c.message_bytes) +
           ", in place " + std::to_string(c.mode);
}

std::string next_in_place_name() {
    static int number = 0;
    return "in place " + std::to_string(number++);
}

InPlaceRun::Endpoint InPlaceRun::make_endpoint(const std::vector<Cut> &cuts, const Lay &lay, DRI_Gdo gdo,
                                               bool turned) {
    const auto [rank, size] = world();
    std::vector<int> procs = all_ranks();
    if (turned)
        std::reverse(procs.begin(), procs.end());
    Endpoint endpoint;
    endpoint.dist = make_dist(gdo, make_cuts(cuts), make_group(procs));
    endpoint.part =
        map_part(case_.sizes, held(cuts, case_.sizes, parts_of(cuts), turned ? size - 1 - rank : rank), lay);
    return endpoint;
}

InPlaceRun::InPlaceRun(const InPlaceCase &c) : name_(next_in_place_name()), case_(c) {
    Type record;
    expect_success(DRI_type_create(static_cast<size_t>(c.element.size), static_cast<size_t>(c.element.alignment),
                                   record.out()),
                   "DRI_type_create");
    const Gdo gdo = make_gdo(c.sizes, record.get());
    source_ = make_endpoint(c.from, c.from_lay, gdo, false);
    sink_ = make_endpoint(c.to, c.to_lay, gdo, c.turned_group);
    bytes_ = std::max(bytes_of(source_), bytes_of(sink_));
    std::vector<void *> buffers;
    for (int i = 0; i < c.nbuffs; ++i) {
        memory_.emplace_back(static_cast<size_t>(bytes_) + 2 * guard, canary);
        buffers.push_back(memory_.back().data() + guard);
    }
    const auto declare = [&](Endpoint &endpoint, DRI_Role role, const Lay &lay, bool is_given) {
        expect_success(DRI_xfer_create(name_.c_str(), role, endpoint.dist, make_lay(lay, c.sizes.size()), c.nbuffs,
                                       is_given ? buffers.data() : nullptr, endpoint.xfer.out()),
                       "DRI_xfer_create");
        expect_success(DRI_xfer_set_attr(endpoint.xfer, DRI_ATTR_IN_PLACE, c.mode), "DRI_xfer_set_attr");
        if (c.message_bytes)
            set_message_bytes(endpoint.xfer, c.message_bytes);
        expect_success(DRI_xfer_set_attr(endpoint.xfer, DRI_ATTR_THREADS, c.threads), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(endpoint.xfer, DRI_ATTR_SHARE_BYTES, c.threads > 1 ? 1 : 32768),
                       "DRI_xfer_set_attr");
    };
    declare(source_, DRI_SOURCE, c.from_lay, c.given == Given::to_source || c.given == Given::to_both);
    declare(sink_, DRI_SINK, c.to_lay, c.given == Given::to_sink || c.given == Given::to_both);
}

std::byte *InPlaceRun::buffer(DRI_Xfer endpoint) const {
    void *at = nullptr;
    expect_success(DRI_xfer_get_buffer(endpoint, &at), "DRI_xfer_get_buffer");
    if (case_.given != Given::by_library) {
        EXPECT_EQ(at, memory_[static_cast<size_t>(frame_ % case_.nbuffs)].data() + guard);
    }
    return static_cast<std::byte *>(at);
}

void InPlaceRun::fill() {
    std::byte *const out = buffer(source_.xfer);
    std::fill_n(out, bytes_, poison);
    const int64_t pitch = case_.element.pitch();
    for (size_t i = 0; i < source_.part.flat.size(); ++i)
        for (int64_t b = 0; b < pitch; ++b)
            out[source_.part.offset[i] * pitch + b] = stamp(source_.part.flat[i], frame_, b);
}

void InPlaceRun::check() {
    const std::byte *const in = buffer(sink_.xfer);
    const int64_t pitch = case_.element.pitch();
    int64_t wrong = 0, first = -1;
    for (size_t i = 0; i < sink_.part.flat.size(); ++i)
        for (int64_t b = 0; b < case_.element.size; ++b)
            if (in[sink_.part.offset[i] * pitch + b] != stamp(sink_.part.flat[i], frame_, b) && wrong++ == 0)
                first = sink_.part.flat[i];
    EXPECT_EQ(wrong, 0) << "bytes in frame " << frame_ << ", the first of element " << first << ": "
                        << text_of(case_);
    for (const auto &memory : memory_)
        for (size_t i = 0; i < guard; ++i)
            ASSERT_TRUE(memory[i] == canary && memory[memory.size() - 1 - i] == canary) << text_of(case_);
    ++frame_;
}

void InPlaceRun::frame() {
    fill();
    expect_success(DRI_do(name_.c_str(), DRI_XFER_NULL), "DRI_do");
    check();
}

void InPlaceRun::destroy() {
    expect_success(source_.xfer.reset(), "DRI_xfer_destroy");
    expect_success(sink_.xfer.reset(), "DRI_xfer_destroy");
}

bool puts_in_order(DRI_Xfer endpoint) {
    static char explanation[1 << 20];
    expect_success(DRI_xfer_explain(endpoint, explanation, sizeof explanation), "DRI_xfer_explain");
    const std::string text = explanation;
    return text.find("put in order") != std::string::npos ||
           text.find("put where they belong") != std::string::npos;
}

Workspace commit_as_reported(const InPlaceRun &run, DRI_Memory reported[2]) {
    const Group all = make_world();
    const DRI_Xfer endpoints[]{run.source(), run.sink()};
    expect_success(DRI_xfer_query(all, 2, endpoints, reported), "DRI_xfer_query");
    commit(all);
    const Workspace used = workspace_of(run);
    EXPECT_EQ(reported[0].workspace_bytes, used.source);
    EXPECT_EQ(reported[1].workspace_bytes, used.sink);
    return used;
}

Workspace workspace_of(const InPlaceRun &run) {
    DRI_Xfer_info source{}, sink{};
    expect_success(DRI_xfer_get_info(run.source(), &source), "DRI_xfer_get_info");
    expect_success(DRI_xfer_get_info(run.sink(), &sink), "DRI_xfer_get_info");
    return {source.workspace_bytes, sink.workspace_bytes};
}

} // namespace dri_test
