#include "support/transfer_run.hpp"

#include "support/buffers.hpp"
#include "support/cut_objects.hpp"
#include "support/message_bytes.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri_test {

namespace {

// Parts along each dimension. A single open dimension uses all remaining processes. If several dimensions are
// open, the library chooses.
std::vector<int64_t> grid_of(const Side &side, DRI_Dist dist) {
    std::vector<int> chosen(DRI_MAX_DIMS, 0);
    expect_success(DRI_dist_get_grid(dist, chosen.data()), "DRI_dist_get_grid");
    int64_t fixed = 1, open = 0, product = 1;
    for (const Cut &cut : side.cuts) {
        if (cut.kind == DRI_WHOLE)
            continue;
        if (cut.nparts == 0)
            ++open;
        else
            fixed *= cut.nparts;
    }
    std::vector<int64_t> grid;
    for (size_t d = 0; d < side.cuts.size(); ++d) {
        const Cut &cut = side.cuts[d];
        const auto procs = static_cast<int64_t>(side.procs.size());
        if (cut.kind == DRI_WHOLE)
            grid.push_back(1);
        else if (cut.nparts > 0)
            grid.push_back(cut.nparts);
        else
            grid.push_back(open == 1 ? procs / fixed : chosen[d]);
        EXPECT_EQ(grid.back(), chosen[d]) << "parts of dimension " << d;
        product *= grid.back();
    }
    EXPECT_EQ(static_cast<int64_t>(side.procs.size()) % std::max<int64_t>(product, 1), 0);
    return grid;
}

// The offset of byte b of an element. Split: real and imaginary part are in separate halves of the buffer.
int64_t byte_offset(const Lay &lay, int64_t pitch, int64_t offset, int64_t buffer_bytes, int64_t b) {
    if (!lay.split)
        return offset * pitch + b;
    const int64_t part = pitch / 2;
    return (b < part ? 0 : buffer_bytes / 2 - part) + offset * part + b;
}

std::string text_of(const Side &side) {
    std::string text;
    for (const Cut &cut : side.cuts)
        text += (text.empty() ? "" : ",") + text_of(cut);
    text += " " + text_of(side.lay) + " over ";
    for (int rank : side.procs)
        text += std::to_string(rank) + " ";
    return text + std::to_string(side.nbuffs) + " buffers";
}

} // namespace

std::string text_of(const Case &c) {
    return std::to_string(c.element.size) + "B/" + std::to_string(c.element.alignment) + " " + text_of(c.sizes) +
           " " + text_of(c.source) + " -> " + text_of(c.sink) + ", " + std::to_string(c.frames) +
           " frames, messages of " + std::to_string(c.message_bytes) + (c.self_way ? "" : ", no self") +
           (c.direct_way ? "" : ", not direct");
}

Gdo make_gdo(const Numbers &sizes, const Element &element) {
    if (element.builtin.id)
        return make_gdo(sizes, element.builtin);
    Type record;
    expect_success(
        DRI_type_create(static_cast<size_t>(element.size), static_cast<size_t>(element.alignment), record.out()),
        "DRI_type_create");
    return make_gdo(sizes, record.get());
}

TransferRun::TransferRun(std::string name, Case c) : name_(std::move(name)), case_(std::move(c)) {
    for (Side *side : {&case_.source, &case_.sink})
        if (side->procs.empty())
            side->procs = all_ranks();
    const Gdo gdo = make_gdo(case_.sizes, case_.element);
    source_ = make_endpoint(case_.source, gdo);
    sink_ = make_endpoint(case_.sink, gdo);
}

TransferRun::~TransferRun() = default;

std::unique_ptr<RunEndpoint> TransferRun::make_endpoint(const Side &side, DRI_Gdo gdo) {
    const auto at = std::find(side.procs.begin(), side.procs.end(), world().rank);
    if (at == side.procs.end())
        return nullptr;
    auto endpoint = std::make_unique<RunEndpoint>();
    endpoint->dist = make_dist(gdo, make_cuts(side.cuts), make_group(side.procs));
    const auto grid = grid_of(side, endpoint->dist);
    endpoint->part = map_part(case_.sizes, held(side.cuts, case_.sizes, grid, at - side.procs.begin()), side.lay);
    Numbers extents(case_.sizes.size());
    expect_success(DRI_dist_get_extents(endpoint->dist, world().rank, extents.data()), "DRI_dist_get_extents");
    EXPECT_TRUE(endpoint->part.flat.empty() || extents == endpoint->part.extents) << text_of(extents);
    return endpoint;
}

void TransferRun::declare() {
    if (source_)
        declare(*source_, case_.source, DRI_SOURCE);
    if (sink_)
        declare(*sink_, case_.sink, DRI_SINK);
}

void TransferRun::declare(RunEndpoint &endpoint, const Side &side, DRI_Role role) {
    const Layout layout = make_lay(side.lay, case_.sizes.size());
    const int64_t bytes = endpoint.part.span * case_.element.pitch();
    endpoint.buffers = std::make_unique<Buffers>(side, bytes);
    expect_success(DRI_xfer_create(name_.c_str(), role, endpoint.dist, layout, side.nbuffs,
                                   endpoint.buffers->given(), endpoint.xfer.out()),
                   "DRI_xfer_create");
    if (case_.message_bytes)
        set_message_bytes(endpoint.xfer, case_.message_bytes);
    const int ways =
        DRI_WAY_MESSAGE | (case_.self_way ? DRI_WAY_SELF : 0) | (case_.direct_way ? DRI_WAY_DIRECT : 0);
    expect_success(DRI_xfer_set_attr(endpoint.xfer, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
    size_t needed = 0;
    expect_success(DRI_xfer_buffer_bytes(endpoint.xfer, &needed), "DRI_xfer_buffer_bytes");
    EXPECT_EQ(static_cast<int64_t>(needed), bytes) << "bytes of a buffer";
}

void TransferRun::set_threads(int threads) {
    for (RunEndpoint *endpoint : {source_.get(), sink_.get()})
        if (endpoint) {
            expect_success(DRI_xfer_set_attr(endpoint->xfer, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(endpoint->xfer, DRI_ATTR_SHARE_BYTES, 1), "DRI_xfer_set_attr");
        }
}

void TransferRun::bind() {
    for (RunEndpoint *endpoint : {source_.get(), sink_.get()})
        if (endpoint)
            endpoint->buffers->take(endpoint->xfer);
}

void TransferRun::fill() {
    if (!source_)
        return;
    RunEndpoint &endpoint = *source_;
    std::byte *buffer = buffer_of<std::byte>(endpoint.xfer);
    EXPECT_EQ(buffer, endpoint.buffers->at(endpoint.frames)) << "frame " << endpoint.frames;
    endpoint.buffers->poison_all(buffer);
    const int64_t pitch = case_.element.pitch();
    for (size_t i = 0; i < endpoint.part.flat.size(); ++i)
        for (int64_t b = 0; b < pitch; ++b)
            buffer[byte_offset(case_.source.lay, pitch, endpoint.part.offset[i], endpoint.buffers->bytes(), b)] =
                stamp(endpoint.part.flat[i] + case_.stamp, endpoint.frames, b);
}

void TransferRun::execute() {
    if (!source_ && !sink_)
        return;
    expect_success(DRI_do(name_.c_str(), DRI_XFER_NULL), "DRI_do");
    for (RunEndpoint *endpoint : {source_.get(), sink_.get()})
        if (endpoint)
            ++endpoint->frames;
}

void TransferRun::execute_source() {
    if (!source_)
        return;
    expect_success(DRI_do(nullptr, source_->xfer), "DRI_do of the source");
    ++source_->frames;
}

void TransferRun::execute_sink() {
    if (!sink_)
        return;
    expect_success(DRI_do(nullptr, sink_->xfer), "DRI_do of the sink");
    ++sink_->frames;
}

void TransferRun::check() {
    if (source_)
        source_->buffers->expect_canaries();
    if (!sink_)
        return;
    RunEndpoint &endpoint = *sink_;
    const int64_t frame = endpoint.frames - 1, pitch = case_.element.pitch();
    std::byte *buffer = buffer_of<std::byte>(endpoint.xfer);
    EXPECT_EQ(buffer, endpoint.buffers->at(frame)) << "frame " << frame;
    const auto nbuffs = static_cast<int64_t>(case_.sink.nbuffs);
    // Before its first frame a buffer of the library is zero. Later the last check has poisoned it.
    const std::byte before = frame < nbuffs && endpoint.buffers->library_owns(frame) ? std::byte{0} : poison;
    std::vector<bool> written(static_cast<size_t>(endpoint.buffers->bytes()), false);
    int64_t wrong = 0, first_wrong = -1;
    for (size_t i = 0; i < endpoint.part.flat.size(); ++i)
        for (int64_t b = 0; b < pitch; ++b) {
            const int64_t at =
                byte_offset(case_.sink.lay, pitch, endpoint.part.offset[i], endpoint.buffers->bytes(), b);
            const std::byte want = stamp(endpoint.part.flat[i] + case_.stamp, frame, b);
            written[static_cast<size_t>(at)] = true;
            // Padding bytes inside an element may be copied or left.
            if (buffer[at] == want || (b >= case_.element.size && buffer[at] == before))
                continue;
            if (wrong++ == 0)
                first_wrong = static_cast<int64_t>(i);
        }
    EXPECT_EQ(wrong, 0) << "bytes are wrong in frame " << frame << ", the first of element "
                        << (first_wrong < 0 ? -1 : endpoint.part.flat[static_cast<size_t>(first_wrong)]);
    int64_t touched = 0;
    for (size_t at = 0; at < written.size(); ++at)
        touched += !written[at] && buffer[at] != before;
    EXPECT_EQ(touched, 0) << "bytes between the elements have changed in frame " << frame;
    endpoint.buffers->expect_canaries();
    endpoint.buffers->poison_all(buffer);
}

void TransferRun::frame() {
    fill();
    execute();
    check();
}

void TransferRun::destroy() {
    for (RunEndpoint *endpoint : {source_.get(), sink_.get()})
        if (endpoint)
            expect_success(endpoint->xfer.reset(), "DRI_xfer_destroy");
}

void TransferRun::check_info() const {
    // bytes self, bytes by message, messages, bytes direct; of all sources and of all sinks
    long long sums[2][4]{};
    for (const RunEndpoint *endpoint : {source_.get(), sink_.get()}) {
        if (!endpoint)
            continue;
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(endpoint->xfer, &info), "DRI_xfer_get_info");
        EXPECT_EQ(info.frames, endpoint->frames);
        EXPECT_EQ(info.buffer_bytes, endpoint->buffers->bytes());
        EXPECT_GE(info.workspace_bytes, 0);
        EXPECT_GE(info.total_seconds, info.last_seconds);
        EXPECT_GE(info.last_seconds, 0);
        EXPECT_GE(info.commit_seconds, 0);
        EXPECT_LT(info.peers, world().size);
        for (int64_t r : info.reserved)
            EXPECT_EQ(r, 0);
        EXPECT_EQ(info.messages == 0, info.bytes_message == 0);
        EXPECT_NE(explain(endpoint->xfer).find(name_), std::string::npos) << explain(endpoint->xfer);
        auto &sum = sums[endpoint == sink_.get() ? 1 : 0];
        sum[0] += info.bytes_self;
        sum[1] += info.bytes_message;
        sum[2] += info.messages;
        sum[3] += info.bytes_direct;
    }
    long long parts = 0;
    if (sink_)
        parts = static_cast<long long>(sink_->part.flat.size()) * sink_->frames;
    const long long elements = sum_of(parts);
    for (auto &sum : sums)
        for (long long &value : sum)
            value = sum_of(value);
    const bool holes = case_.element.pitch() != case_.element.size; // padding bytes may travel or not
    EXPECT_TRUE(holes || sums[1][0] + sums[1][1] + sums[1][3] == elements * case_.element.size)
        << sums[1][0] << " + " << sums[1][1] << " + " << sums[1][3] << " bytes for " << elements << " elements";
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(sums[0][i], sums[1][i]) << "sources and sinks differ";
    EXPECT_TRUE(case_.self_way || sums[1][0] == 0) << "the self way is off";
    EXPECT_TRUE(case_.direct_way || sums[1][3] == 0) << "the direct way is off";
}

void expect_transfer(const Case &c) {
    static int number = 0;
    SCOPED_TRACE(text_of(c));
    TransferRun run("transfer " + std::to_string(number++), c);
    run.declare();
    const Group all = make_world();
    const int code = DRI_commit(all);
    EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    if (code != DRI_SUCCESS)
        return;
    run.bind();
    barrier();
    for (int f = 0; f < c.frames; ++f)
        run.frame();
    run.check_info();
}

} // namespace dri_test
