// The C++ interface by subjects, for its page of the manual. Run on 4 processes. Each part checks what it
// receives.
#include <algorithm>
#include <dri/dri.hpp>
#include <iostream>
#include <vector>

using cfloat = std::complex<float>;

static int64_t wrong = 0;

static int value(dri::Index<2> at) { return int(100 * at[0] + at[1]); }

// Each process smooths its rows, for which it needs one row of each neighbour. The first row follows the last one.
static void smooth() {
    /* [overlap] */
    const dri::Gdo<int, 2> field(40, 30);
    dri::Source inner("rows", dri::Dist(field, {dri::block(), dri::whole()}));
    dri::Sink wide("rows", dri::Dist(field, {dri::block().overlap(1, 1).edges(dri::Edge::wrap, dri::Edge::wrap),
                                             dri::whole()}));
    dri::commit();
    /* [/overlap] */
    /* [forall] */
    inner.forall([](auto at, int &x) { x = value(at); }); // at: its index in the array
    int64_t zeros = 0;
    inner.forall([&](int x) { zeros += x == 0; });
    /* [/forall] */
    wrong += zeros != (inner.dist().tuples()[0].left_x == 0);
    /* [stencil] */
    dri::run("rows");
    const auto v = wide.buffer(); // a View by local index, overlap included
    std::vector<int> sums;
    for (int64_t i = 1; i + 1 < v.extent(0); ++i)
        for (int64_t j = 0; j < v.extent(1); ++j)
            sums.push_back(v(i - 1, j) + v(i, j) + v(i + 1, j));
    /* [/stencil] */
    auto sum = sums.begin();
    for (const auto at : wide.dist().owned_indices())
        wrong += *sum++ != value({(at[0] + 39) % 40, at[1]}) + value(at) + value({(at[0] + 1) % 40, at[1]});
}

static void own_memory() {
    const dri::Gdo<float, 2> matrix(60, 64);
    const dri::Dist rows(matrix, {dri::block(), dri::whole()}), columns(matrix, {dri::whole(), dri::block()});
    /* [buffers] */
    std::vector<float> first(size_t(rows.held())), second(size_t(rows.held()));
    dri::Source source("own", rows, {}, {std::span(first), std::span(second)}); // two buffers
    dri::Sink sink("own", columns, {.layout = dri::col_major.pitch(dri::pitch_auto), .buffers = 2});
    dri::commit();
    /* [/buffers] */
    std::fill(first.begin(), first.end(), 3.0f);
    dri::run("own");
    /* [views] */
    const auto part = sink.buffer();
    const dri::View<float, 1> column =
        part.sub(dri::range(0, part.extent(0)), 0); // one number: one dimension less
    const auto upper = part.sub(dri::range(0, 30), dri::range(0, part.extent(1)));
    for (const auto line : upper.rows()) // along the contiguous dimension, here columns
        for (float x : line.span())
            wrong += x != 3;
    /* [/views] */
    wrong += column(59) != 3;
}

static void library_memory() {
    const dri::Gdo<float, 2> matrix(60, 64);
    const dri::Dist rows(matrix, {dri::block(), dri::whole()});
    /* [memory] */
    const auto memory = dri::allocate<float>(2 * rows.held()); // freed with `memory`
    const auto first = memory.span().first(size_t(rows.held())), second = memory.span().last(size_t(rows.held()));
    dri::Source source("pieces", rows, {.rebind = true}, first);
    dri::Sink sink("pieces", rows);
    dri::commit();
    for (const auto buffer : {first, second}) {
        std::fill(buffer.begin(), buffer.end(), 4.0f);
        source.rebind(buffer); // for the frames to come
        dri::run("pieces");
    }
    const auto kept = sink.keep(); // its buffers stay when the sink has ended
    sink.destroy();
    for (auto [at, x] : kept.buffers()[0].elements())
        wrong += x != 4;
    /* [/memory] */
}

// A corner turn and a halo exchange, each declared and committed in one call.
static void at_once() {
    /* [once] */
    const dri::Gdo<int, 2> matrix(60, 64);
    auto [rows, columns] = dri::turn("at once", matrix, dri::world(), 0, 1, dri::col_major);
    auto field = dri::halo("field", dri::Dist(matrix, {dri::block().overlap(1, 1), dri::whole()}));
    for (auto [at, x] : rows.elements())
        x = value(at);
    for (auto [at, x] : field.elements())
        x = value(at);
    dri::run("at once");
    field.run(); // refreshes the overlap of field.buffer()
    /* [/once] */
    for (auto [at, x] : columns.elements())
        wrong += x != value(at);
    const auto part = field.buffer();
    const auto tuples = field.dist().tuples();
    if (tuples[0].left_v == 1)
        wrong += part(0, 5) != value({tuples[0].left_x - 1, 5});
}

static void planes() {
    const dri::Gdo<cfloat, 2> matrix(60, 64);
    dri::Source source("planes", dri::Dist(matrix, {dri::block(), dri::whole()}));
    dri::Sink sink("planes", dri::Dist(matrix, {dri::whole(), dri::block()}), {.layout = dri::col_major.split()});
    dri::commit();
    for (auto [at, x] : source.elements())
        x = cfloat(at[0], at[1]);
    dri::run("planes");
    /* [planes] */
    auto [re, im] = sink.buffer().planes(); // Views of float
    /* [/planes] */
    const int64_t first = sink.dist().tuples()[1].left_x;
    for (int64_t i = 0; i < re.extent(0); ++i)
        for (int64_t j = 0; j < re.extent(1); ++j)
            wrong += re(i, j) != i || im(i, j) != first + j;
}

static void stream() {
    const dri::Gdo<int, 2> matrix(60, 64);
    const auto half = dri::world().size() / 2;
    const auto makers = dri::Group::ranks(0, half), takers = dri::Group::ranks(half, 2 * half);
    /* [roles] */
    dri::Source out("dwells", dri::Dist(matrix, {dri::block(), dri::whole()}, makers),
                    {.buffers = 2, .stream = true});
    dri::Sink in("dwells", dri::Dist(matrix, {dri::whole(), dri::block()}, takers), {.buffers = 2});
    dri::commit();
    /* [/roles] */
    /* [frames] */
    if (out) { // on the makers
        for (int dwell = 0; dwell < 10; ++dwell) {
            for (auto [at, x] : out.next().elements())
                x = dwell + value(at);
            out.insert("dwell " + std::to_string(dwell));
        }
        out.close();
    }
    int dwell = 0;
    for (auto frame : in.frames()) { // no frames on the makers
        wrong += frame.frame().text() != "dwell " + std::to_string(dwell);
        for (auto [at, x] : frame.elements())
            wrong += x != dwell + value(at);
        ++dwell;
    }
    /* [/frames] */
    wrong += in && dwell != 10;
}

// A process that serves a stream while it has other work.
static void without_waiting() {
    const dri::Gdo<int, 1> line(100);
    dri::Source out("polled", dri::Dist(line, {dri::block()}), {.buffers = 2, .stream = true});
    dri::Sink in("polled", dri::Dist(line, {dri::cyclic(3)}), {.buffers = 2});
    dri::commit();
    int given = 0, taken = 0, other_work = 0;
    /* [try] */
    dri::Received<int, 1> frame;
    for (auto status = dri::Status::pending; status != dri::Status::ended; status = in.try_extract(frame)) {
        if (status == dri::Status::done) { // frame is here
            ++taken;
            in.release();
        } else {
            ++other_work;
        }
        if (given < 5 && (out.try_acquire() || given == 0)) { // after the commit one is held
            out.insert("frame " + std::to_string(given++));
            if (given == 5)
                out.close();
        }
    }
    /* [/try] */
    wrong += taken != 5 || other_work == 0;
}

// A source with half of the workspace that it would like to have.
static void limited() {
    const dri::Gdo<float, 2> matrix(600, 640);
    const dri::Dist rows(matrix, dri::cut_dim<2>(0)), columns(matrix, dri::cut_dim<2>(1));
    /* [limit] */
    dri::Options options{.buffers = 2, .ways = DRI_WAY_SELF | DRI_WAY_MESSAGE}; // as between nodes
    dri::Sink sink("limited", columns);
    {
        const dri::Source unlimited("limited", rows, options);
        const auto [memory] = dri::query(dri::world(), unlimited); // collective, and declares nothing for good
        options.workspace_limit = memory.workspace_bytes / 2;
    }
    dri::Source source("limited", rows, options);
    dri::commit();
    /* [/limit] */
    wrong += source.info().workspace_bytes > options.workspace_limit;
    source.forall([](auto at, float &x) { x = float(value(at)); });
    dri::run("limited");
    sink.forall([](auto at, float x) { wrong += x != float(value(at)); });
}

// The processes agree before they go on.
static void agreement() {
    const auto rows_here = int64_t(dri::world().position() + 1);
    /* [agree] */
    const auto group = dri::world();
    int64_t all = 0;
    for (const int64_t rows : group.gather(rows_here)) // one value of each process
        all += rows;
    group.agree(rows_here > 0 ? DRI_SUCCESS : DRI_ERR_ARG); // throws on all processes, or on none
    /* [/agree] */
    wrong += all != group.size() * (group.size() + 1) / 2;
}

static void errors() {
    /* [errors] */
    try {
        const dri::Gdo<float, 2> matrix(60, -1);
    } catch (const dri::Error &error) {
        wrong += error.code() != DRI_ERR_ARG; // error.what() is the library's message
    }
    /* [/errors] */
}

// A part of the program in C: it distributes a line in pieces of three elements.
extern "C" int in_threes(DRI_Gdo line, DRI_Dist *dist) {
    DRI_Part_dim dim{};
    dim.kind = DRI_BLOCK_CYCLIC;
    dim.block = 3;
    DRI_Part part;
    DRI_Group group;
    DRI_part_create_rule(1, &dim, &part);
    DRI_group_create_world(&group);
    const int code = DRI_dist_create(line, part, group, dist);
    DRI_group_destroy(&group);
    DRI_part_destroy(&part);
    return code;
}

static void handles() {
    /* [handles] */
    const dri::Gdo<int, 1> line(100);
    DRI_Dist made;
    if (const int code = in_threes(line.handle(), &made)) // a function in C
        dri::fail(code, DRI_error_message());
    const auto dist = dri::Dist<int, 1>::adopt(made); // destroyed with its last copy
    /* [/handles] */
    wrong += dist != dri::Dist(line, {dri::cyclic(3)});
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    smooth();
    own_memory();
    library_memory();
    limited();
    at_once();
    planes();
    stream();
    without_waiting();
    agreement();
    errors();
    handles();
    if (wrong > 0)
        std::cerr << "process " << env.rank() << ": " << wrong << " values are wrong\n";
    return wrong > 0;
}
