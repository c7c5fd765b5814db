#include "support/in_place_run.hpp"

#include "support/buffers.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <stdexcept>

namespace dri::test {

namespace {

// Each case has its own name, so that a message of one case is never received by another one.
std::string next_name() {
    static int number = 0;
    return "in place " + std::to_string(number++);
}

} // namespace

std::string text_of(const InPlaceCase &c) {
    return fmt::format("{}; in place {}, given {}, {} threads", c.line, static_cast<int>(c.mode),
                       static_cast<int>(c.given), c.threads);
}

std::vector<InPlaceCase> in_both_modes(const std::vector<std::string> &lines) {
    std::vector<InPlaceCase> cases;
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT})
        for (const std::string &line : lines)
            cases.push_back({.line = line, .mode = mode});
    return cases;
}

InPlaceRun::InPlaceRun(const InPlaceCase &c)
    : name_(next_name()), case_(c),
      data_(case_of(c.line)), position_{data_.source().dist->group().position(world().rank).value(),
                                        data_.sink().dist->group().position(world().rank).value()},
      from_(data_.source_part(position_[0])), to_(data_.sink_part(position_[1])),
      bytes_(std::max(from_.bytes, to_.bytes)) {
    if (c.given != Given::by_library)
        for (int i = 0; i < data_.transfer().source.buffers; ++i)
            memory_.emplace_back(bytes_, static_cast<uint64_t>(i));
    source_ = declare_endpoint(DRI_SOURCE);
    sink_ = declare_endpoint(DRI_SINK);
}

CaseEndpoint InPlaceRun::declare_endpoint(DRI_Role role) {
    const bool is_source = role == DRI_SOURCE;
    const TransferCase &c = data_.transfer();
    SideSpec spec = is_source ? c.source : c.sink;
    spec.buffers = c.source.buffers;
    const dri::planner::Side &side = is_source ? data_.source() : data_.sink();
    CaseEndpoint endpoint = make_case_endpoint(c, spec, side, position_[is_source ? 0 : 1]);
    std::vector<void *> buffers;
    for (auto &memory : memory_)
        buffers.push_back(memory.data());
    const bool is_given =
        case_.given == Given::to_both || case_.given == (is_source ? Given::to_source : Given::to_sink);
    declare_case_endpoint(endpoint, name_, role, c, spec, side, position_[is_source ? 0 : 1],
                          is_given ? buffers.data() : nullptr);
    const auto set = [&](DRI_Attr attribute, int64_t value) {
        expect_success(DRI_xfer_set_attr(endpoint.xfer, attribute, value), "DRI_xfer_set_attr");
    };
    set(DRI_ATTR_IN_PLACE, case_.mode);
    set(DRI_ATTR_THREADS, case_.threads);
    if (case_.threads > 1)
        set(DRI_ATTR_SHARE_BYTES, 1);
    return endpoint;
}

std::byte *InPlaceRun::buffer(DRI_Xfer endpoint) const {
    auto *const at = buffer_of<std::byte>(endpoint);
    if (!memory_.empty()) {
        EXPECT_EQ(at, memory_[static_cast<size_t>(frame_) % memory_.size()].data());
    }
    return at;
}

// If parts are put in order, bytes between the sink's elements may change. Different subsets of an array are never
// put in order.
bool InPlaceRun::keeps_rest() const {
    const TransferCase &c = data_.transfer();
    return case_.mode == DRI_IN_PLACE || c.source.sizes != c.sink.sizes || c.source.offset != c.sink.offset;
}

void InPlaceRun::fill() {
    std::byte *const out = buffer(source_.xfer);
    std::fill_n(out, bytes_, poison);
    data_.fill_source(from_, frame_, out);
    before_.assign(out, out + bytes_);
}

void InPlaceRun::check() {
    const std::byte *const in = buffer(sink_.xfer);
    const bool keeps = keeps_rest();
    try {
        data_.expect_sink(to_, frame_, in,
                          [&](int64_t i) { return keeps ? before_[static_cast<size_t>(i)] : in[i]; });
    } catch (const std::runtime_error &e) {
        ADD_FAILURE() << text_of(case_) << ", frame " << frame_ << ": " << e.what();
    }
    EXPECT_TRUE(!keeps || std::equal(in + to_.bytes, in + bytes_, before_.begin() + to_.bytes))
        << text_of(case_) << ": bytes behind the sink's part have changed";
    for (auto &memory : memory_)
        ASSERT_TRUE(memory.guards_whole()) << text_of(case_);
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

} // namespace dri::test
