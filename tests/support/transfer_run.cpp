#include "support/transfer_run.hpp"

#include "model/index_lists.hpp"
#include "support/buffers.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace dri::test {

// An endpoint of this process, with its buffers.
struct TransferRun::Endpoint {
    const CaseData &data;
    DRI_Role role;
    int position;
    CaseEndpoint made;
    CaseData::Held part;
    std::unique_ptr<Buffers> buffers;
    int64_t frames = 0;
    std::vector<std::byte> filled = {}; // the source's buffer as fill() left it

    bool is_source() const { return role == DRI_SOURCE; }
    const SideSpec &spec() const { return is_source() ? data.transfer().source : data.transfer().sink; }
    const dri::planner::Side &side() const { return is_source() ? data.source() : data.sink(); }
    const SideOracle &oracle() const { return is_source() ? data.source_oracle() : data.sink_oracle(); }
};

TransferRun::TransferRun(std::string name, const std::string &line, int salt)
    : TransferRun(std::move(name), std::vector<TransferCase>{case_of(line)}, salt) {}

TransferRun::TransferRun(std::string name, const std::vector<TransferCase> &cases, int salt)
    : name_(std::move(name)), salt_(salt) {
    const bool numbers =
        std::any_of(cases.begin(), cases.end(), [](const TransferCase &c) { return c.converts(); });
    for (const TransferCase &c : cases)
        data_.push_back(std::make_unique<CaseData>(c, numbers));
    make_endpoint(0, DRI_SOURCE);
    for (size_t k = 0; k < cases.size(); ++k)
        make_endpoint(k, DRI_SINK);
}

TransferRun::~TransferRun() = default;

const TransferCase &TransferRun::transfer() const { return data_[0]->transfer(); }
DRI_Xfer TransferRun::source() const { return source_->made.xfer; }
DRI_Xfer TransferRun::sink(size_t number) const { return sinks_.at(number)->made.xfer; }

void TransferRun::make_endpoint(size_t number, DRI_Role role) {
    const CaseData &data = *data_[number];
    const bool is_source = role == DRI_SOURCE;
    const auto position = (is_source ? data.source() : data.sink()).dist->group().position(world().rank);
    if (!position)
        return;
    auto endpoint = std::make_unique<Endpoint>(
        Endpoint{.data = data,
                 .role = role,
                 .position = *position,
                 .made = {},
                 .part = is_source ? data.source_part(*position) : data.sink_part(*position),
                 .buffers = {}});
    endpoint->made = make_case_endpoint(data.transfer(), endpoint->spec(), endpoint->side(), *position);
    const dri::Dims extents = endpoint->oracle().extents(*position);
    std::vector<int64_t> found(extents.begin(), extents.end());
    expect_success(DRI_dist_get_extents(endpoint->made.dist, world().rank, found.data()), "DRI_dist_get_extents");
    EXPECT_TRUE(std::equal(found.begin(), found.end(), extents.begin()) ||
                dri::model::count_elements(extents) == 0)
        << "extents on the process: " << fmt::format("{}", fmt::join(found, ","));
    if (is_source)
        source_ = std::move(endpoint);
    else
        sinks_.push_back(std::move(endpoint));
}

template <class F> void TransferRun::for_each_endpoint(F f) const {
    if (source_)
        f(*source_);
    for (const auto &sink : sinks_)
        f(*sink);
}

void TransferRun::declare() {
    for_each_endpoint([&](Endpoint &endpoint) { declare(endpoint); });
}

void TransferRun::declare_sink(size_t number) { declare(*sinks_.at(number)); }

void TransferRun::declare(Endpoint &endpoint) {
    const TransferCase &c = endpoint.data.transfer();
    const SideSpec &spec = endpoint.spec();
    const int64_t bytes = endpoint.part.bytes;
    endpoint.buffers = std::make_unique<Buffers>(spec.buffers, spec.memory, bytes);
    declare_case_endpoint(endpoint.made, name_, endpoint.role, c, spec, endpoint.side(), endpoint.position,
                          endpoint.buffers->given());
    size_t needed = 0;
    expect_success(DRI_xfer_buffer_bytes(endpoint.made.xfer, &needed), "DRI_xfer_buffer_bytes");
    EXPECT_EQ(static_cast<int64_t>(needed), bytes) << "bytes of a buffer";
    const int64_t span = endpoint.oracle().span(endpoint.position, endpoint.side().layout(endpoint.position));
    EXPECT_EQ(span * c.type_of(spec).pitch(), bytes) << "elements of a buffer";
}

void TransferRun::set_threads(int threads) {
    for_each_endpoint([&](Endpoint &endpoint) {
        expect_success(DRI_xfer_set_attr(endpoint.made.xfer, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(endpoint.made.xfer, DRI_ATTR_SHARE_BYTES, 1), "DRI_xfer_set_attr");
    });
}

void TransferRun::bind() {
    for_each_endpoint([](Endpoint &endpoint) { endpoint.buffers->take(endpoint.made.xfer); });
}

void TransferRun::fill() {
    if (!source_)
        return;
    std::byte *const buffer = buffer_of<std::byte>(source());
    EXPECT_EQ(buffer, source_->buffers->at(source_->frames)) << "frame " << source_->frames;
    source_->buffers->poison_all(buffer);
    source_->data.fill_source(source_->part, content(source_->frames), buffer);
    source_->filled.assign(buffer, buffer + source_->part.bytes);
}

void TransferRun::execute() {
    if (!source_ && sinks_.empty())
        return;
    expect_success(DRI_do(name_.c_str(), DRI_XFER_NULL), "DRI_do");
    for_each_endpoint([](Endpoint &endpoint) { ++endpoint.frames; });
}

void TransferRun::execute_source() {
    if (!source_)
        return;
    expect_success(DRI_do(nullptr, source()), "DRI_do of the source");
    ++source_->frames;
}

void TransferRun::execute_sink() {
    for (size_t k = 0; k < sinks(); ++k)
        execute_sink(k);
}

void TransferRun::execute_sink(size_t number) {
    expect_success(DRI_do(nullptr, sink(number)), "DRI_do of the sink");
    ++sinks_[number]->frames;
}

void TransferRun::check() {
    if (source_)
        source_->buffers->expect_canaries();
    for (size_t k = 0; k < sinks(); ++k)
        check(k);
}

void TransferRun::check(size_t number) {
    const Endpoint &sink = *sinks_.at(number);
    Buffers &buffers = *sink.buffers;
    const int64_t frame = sink.frames - 1;
    std::byte *const buffer = buffer_of<std::byte>(sink.made.xfer);
    EXPECT_EQ(buffer, buffers.at(frame)) << "frame " << frame;
    // Before its first frame a buffer of the library is zero. Later the last check has poisoned it.
    const bool is_new = frame < sink.spec().buffers && buffers.is_provided(frame);
    const std::byte before = is_new ? std::byte{0} : poison;
    try {
        sink.data.expect_sink(sink.part, content(frame), buffer, [&](int64_t) { return before; });
    } catch (const std::runtime_error &e) {
        ADD_FAILURE() << "frame " << frame << " of '" << name_ << "': " << e.what();
    }
    buffers.expect_canaries();
    buffers.poison_all(buffer);
}

void TransferRun::frame() {
    fill();
    execute();
    if (source_) {
        EXPECT_TRUE(
            std::equal(source_->filled.begin(), source_->filled.end(), source_->buffers->at(source_->frames - 1)))
            << "the source of '" << name_ << "' has changed";
    }
    check();
}

void TransferRun::destroy() {
    for_each_endpoint([](Endpoint &endpoint) { expect_success(endpoint.made.xfer.reset(), "DRI_xfer_destroy"); });
}

void TransferRun::destroy_sink(size_t number) {
    expect_success(sinks_.at(number)->made.xfer.reset(), "DRI_xfer_destroy");
}

namespace {

// Whether all bytes of all sinks' parts travel: each offset shows one element of the source's object, unconverted.
bool moves_all_bytes(const TransferCase &c) {
    const auto overlaps = [](const dri::model::CutRule &rule) {
        return rule.overlap.left + rule.overlap.right > 0;
    };
    // A message may carry an element once that a list names twice.
    const auto repeats = [](const dri::model::CutRule &rule) {
        return std::any_of(rule.lists.begin(), rule.lists.end(), [](const dri::model::IndexList &list) {
            std::set<int64_t> seen;
            for (int64_t i = 0; i < dri::model::length(list); ++i)
                seen.insert(dri::model::index_at(list, i));
            return std::ssize(seen) < dri::model::length(list);
        });
    };
    return !c.converts() && c.type.pitch() == c.type.size && c.sink.boxes.empty() &&
           std::none_of(c.sink.rules.begin(), c.sink.rules.end(), overlaps) &&
           std::none_of(c.sink.rules.begin(), c.sink.rules.end(), repeats);
}

} // namespace

void TransferRun::check_info() const {
    // bytes self, bytes by message, messages, bytes direct; of all sources and of all sinks
    long long sums[2][4]{}, bytes = 0;
    for_each_endpoint([&](const Endpoint &endpoint) {
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(endpoint.made.xfer, &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.frames, endpoint.frames);
        EXPECT_EQ(info.buffer_bytes, endpoint.buffers->bytes());
        EXPECT_GE(info.workspace_bytes, 0);
        EXPECT_GE(info.total_seconds, info.last_seconds);
        EXPECT_GE(info.last_seconds, 0);
        EXPECT_GE(info.commit_seconds, 0);
        EXPECT_LT(info.peers, world().size);
        for (int64_t r : info.reserved)
            EXPECT_EQ(r, 0);
        EXPECT_EQ(info.messages == 0, info.bytes_message == 0);
        EXPECT_NE(explain(endpoint.made.xfer).find(name_), std::string::npos) << explain(endpoint.made.xfer);
        auto &sum = sums[endpoint.is_source() ? 0 : 1];
        sum[0] += info.bytes_self;
        sum[1] += info.bytes_message;
        sum[2] += info.messages;
        sum[3] += info.bytes_direct;
        if (!endpoint.is_source())
            bytes += std::ssize(endpoint.part.elements) * endpoint.data.transfer().type.size * endpoint.frames;
    });
    bytes = sum_of(bytes);
    for (auto &sum : sums)
        for (long long &value : sum)
            value = sum_of(value);
    const bool all = std::all_of(data_.begin(), data_.end(),
                                 [](const auto &data) { return moves_all_bytes(data->transfer()); });
    EXPECT_TRUE(!all || sums[1][0] + sums[1][1] + sums[1][3] == bytes)
        << sums[1][0] << " + " << sums[1][1] << " + " << sums[1][3] << " of " << bytes << " bytes";
    const bool converts =
        std::any_of(data_.begin(), data_.end(), [](const auto &data) { return data->transfer().converts(); });
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(converts || sums[0][i] == sums[1][i])
            << "sources and sinks differ: " << sums[0][i] << ", " << sums[1][i];
    EXPECT_TRUE(transfer().self_way || sums[1][0] == 0) << "the self way is off";
    EXPECT_TRUE(transfer().direct_way || sums[1][3] == 0) << "the direct way is off";
}

void expect_transfer(const std::string &line) { expect_transfer({case_of(line)}); }

void expect_transfer(const std::vector<TransferCase> &cases, int threads) {
    static int number = 0;
    std::string lines;
    for (const TransferCase &c : cases)
        lines += to_line(c) + "\n";
    SCOPED_TRACE(lines);
    TransferRun run("transfer " + std::to_string(number++), cases);
    run.declare();
    if (threads > 1)
        run.set_threads(threads);
    const Group all = make_world();
    const int code = DRI_commit(all);
    EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    if (code != DRI_SUCCESS)
        return;
    run.bind();
    barrier();
    for (int f = 0; f < cases[0].frames; ++f)
        run.frame();
    run.check_info();
}

} // namespace dri::test
