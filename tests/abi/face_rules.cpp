// Options, errors, ownership and cost of the C++ interface.
#include "face.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <type_traits>

namespace {

using dri::Index;
using namespace std::chrono_literals;

dri::Dist<float, 2> rule_rows() { return {dri::Gdo<float, 2>(12, 12), {dri::block(), dri::whole()}}; }

TEST(FaceOptions, AreTheAttributes) {
    // The refusal of a value out of range names the attribute's number or meaning, so each option sets its own.
    const auto refused = [](const dri::Options &options) {
        return face::code_of([&] { dri::Sink("options", rule_rows(), options); });
    };
    EXPECT_EQ(refused({.ways = 1}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.message_bytes = 255}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.threads = 1025}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.share_bytes = -1}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.workspace_limit = -2}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.timeout = -1ms}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.stream = true}), DRI_ERR_ARG) << "of a source";
    EXPECT_EQ(refused({.in_place = static_cast<dri::InPlace>(3)}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.rebase = {2}}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.rebase = {-1}}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.buffers = 0}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.scale = 1.0 / 0.0}), DRI_ERR_ARG);
    EXPECT_EQ(refused({.layout = dri::row_major.split()}), DRI_ERR_ARG);
    for (const dri::Options &of_a_sink :
         {dri::Options{.drop = true}, dri::Options{.every = 2}, dri::Options{.phase = 1},
          dri::Options{.convert = true}, dri::Options{.scale = 2}})
        EXPECT_EQ(face::code_of([&] { dri::Source("options", rule_rows(), of_a_sink); }), DRI_ERR_ARG);
    EXPECT_EQ(refused({.threads = 2,
                       .share_bytes = 1000,
                       .measure = true,
                       .workspace_limit = 1 << 20,
                       .timeout = 1s,
                       .drop = true,
                       .every = 3,
                       .phase = 2,
                       .rebase = {0, 1},
                       .convert = true,
                       .scale = 2}),
              DRI_SUCCESS);
    // What failed has left no endpoint behind.
    dri::Source source("options", rule_rows());
    dri::Sink sink("options", rule_rows(), {.message_bytes = 4096, .threads = 2});
    dri::commit();
    EXPECT_EQ(sink.info().threads, 2);
}

// Each member sets its attribute to its value, and what keeps its default sets nothing.
TEST(FaceOptions, SetTheirAttributes) {
    using Set = std::vector<std::pair<int, int64_t>>;
    static constexpr int scale = -1;
    const auto set_by = [](const dri::Options &options) {
        Set set;
        dri::detail::apply(
            options,
            [&](DRI_Attr attribute, int64_t value) {
                set.emplace_back(attribute, value);
                return DRI_SUCCESS;
            },
            [&](double factor) {
                set.emplace_back(scale, static_cast<int64_t>(factor));
                return DRI_SUCCESS;
            });
        return set;
    };
    EXPECT_EQ(set_by({}), Set());
    EXPECT_EQ(set_by({.layout = dri::col_major, .buffers = 3}), Set()) << "these are arguments";
    EXPECT_EQ(set_by({.ways = 6}), Set({{DRI_ATTR_WAYS, 6}}));
    EXPECT_EQ(set_by({.message_bytes = 300}), Set({{DRI_ATTR_MESSAGE_BYTES, 300}}));
    EXPECT_EQ(set_by({.threads = 2}), Set({{DRI_ATTR_THREADS, 2}}));
    EXPECT_EQ(set_by({.share_bytes = 7}), Set({{DRI_ATTR_SHARE_BYTES, 7}}));
    EXPECT_EQ(set_by({.measure = true}), Set({{DRI_ATTR_PLAN, DRI_MEASURE}}));
    EXPECT_EQ(set_by({.workspace_limit = 0}), Set({{DRI_ATTR_WORKSPACE_LIMIT, 0}}));
    EXPECT_EQ(set_by({.timeout = 0ms}), Set({{DRI_ATTR_TIMEOUT_MS, 0}})) << "it wins over DRI_TIMEOUT";
    EXPECT_EQ(set_by({.timeout = 2s}), Set({{DRI_ATTR_TIMEOUT_MS, 2000}}));
    EXPECT_EQ(set_by({.stream = true}), Set({{DRI_ATTR_STREAM, 1}}));
    EXPECT_EQ(set_by({.drop = true}), Set({{DRI_ATTR_ON_FULL, DRI_DROP}}));
    EXPECT_EQ(set_by({.every = 3, .phase = 2}), Set({{DRI_ATTR_EVERY, 3}, {DRI_ATTR_PHASE, 2}}));
    EXPECT_EQ(set_by({.progress_thread = true}), Set({{DRI_ATTR_PROGRESS_THREAD, 1}}));
    EXPECT_EQ(set_by({.in_place = dri::InPlace::compact}), Set({{DRI_ATTR_IN_PLACE, DRI_IN_PLACE_COMPACT}}));
    EXPECT_EQ(set_by({.rebase = {0, 2}}), Set({{DRI_ATTR_REBASE, 5}}));
    EXPECT_EQ(set_by({.rebind = true}), Set({{DRI_ATTR_REBIND, 1}}));
    EXPECT_EQ(set_by({.convert = true}), Set({{DRI_ATTR_CONVERT, 1}}));
    EXPECT_EQ(set_by({.scale = 4}), Set({{scale, 4}}));
}

TEST(FaceOptions, StartAProgressThread) {
    const auto has_thread = [] {
        for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
            std::string name;
            if (std::getline(std::ifstream(task.path() / "comm"), name) && name == "dri-progress")
                return true;
        }
        return false;
    };
    dri::Source source("progress", rule_rows(), {.progress_thread = true});
    dri::Sink sink("progress", rule_rows());
    dri::commit();
    for (int i = 0; i < 1000 && !has_thread(); ++i) // a thread receives its name with a short delay
        std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(has_thread());
    EXPECT_TRUE(dri::run("progress"));
}

TEST(FaceErrors, HaveCodeAndMessage) {
    try {
        dri::Layout{3, 3};
        ADD_FAILURE();
    } catch (const dri::Error &error) {
        EXPECT_EQ(error.code(), DRI_ERR_ARG);
        EXPECT_STREQ(error.name(), "DRI_ERR_ARG");
        EXPECT_STREQ(error.what(), DRI_error_message());
    }
    static_assert(std::is_base_of_v<std::runtime_error, dri::Error>);
    static_assert(std::is_base_of_v<dri::Error, dri::Timeout>);
    // A collective call fails alike on all processes.
    dri::Source source("unmatched", rule_rows());
    EXPECT_EQ(face::code_of([] { dri::commit(); }), DRI_ERR_UNMATCHED);
}

TEST(FaceErrors, AreHandled) {
    int calls = 0;
    std::string told;
    dri::on_error(
        [&calls, &told, state = std::make_unique<int>(DRI_ERR_ARG)](int code, const char *message) mutable {
            calls += code == *state;
            told = message;
        });
    const auto fails = [] { face::code_of([] { dri::Layout{3, 3}; }); };
    fails();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(told, DRI_error_message());
    int others = 0;
    dri::on_error([&others](int, const char *) { ++others; });
    fails();
    dri::on_error(nullptr);
    fails();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(others, 1);
}

TEST(FaceOwnership, IsSharedByDescriptions) {
    DRI_Gdo handle{};
    {
        const auto gdo = std::make_unique<dri::Gdo<float, 2>>(3, 4);
        const dri::Gdo<float, 2> copy = *gdo;
        handle = gdo->handle();
        EXPECT_EQ(DRI_gdo_get_sizes(handle, nullptr, nullptr), DRI_SUCCESS);
    }
    EXPECT_EQ(DRI_gdo_get_sizes(handle, nullptr, nullptr), DRI_ERR_HANDLE);
    // Descriptions may end before what is made of them.
    dri::Source source("owners", dri::Dist(dri::Gdo<float, 2>(12, 12), dri::cut_dim<2>(0), dri::world()));
    dri::Sink sink("owners", dri::Dist(dri::Gdo<float, 2>(12, 12), dri::cut_dim<2>(1), dri::world()));
    dri::commit();
    EXPECT_TRUE(dri::run("owners"));
}

TEST(FaceOwnership, OfEndpointsMoves) {
    using Source = dri::Source<float, 2>;
    static_assert(!std::is_copy_constructible_v<Source> && !std::is_copy_assignable_v<Source>);
    static_assert(std::is_nothrow_move_constructible_v<Source> && std::is_nothrow_destructible_v<Source>);
    static_assert(!std::is_copy_constructible_v<dri::Environment>);
    Source source("moves", rule_rows());
    const DRI_Xfer handle = source.handle();
    std::vector<Source> kept;
    kept.push_back(std::move(source));
    EXPECT_EQ(kept[0].handle().id, handle.id);
    dri::Sink sink("moves", rule_rows());
    dri::commit();
    auto part = kept[0].next();
    kept.emplace_back(); // moves the first one
    for (auto [at, x] : part.elements())
        x = static_cast<float>(at[1]);
    EXPECT_TRUE(dri::run("moves"));
    for (auto [at, x] : sink.elements())
        EXPECT_EQ(x, static_cast<float>(at[1]));
    kept.clear();
    DRI_Xfer_info info;
    EXPECT_EQ(DRI_xfer_get_info(handle, &info), DRI_ERR_HANDLE);
}

TEST(FaceOwnership, IsTakenOver) {
    DRI_Dist handle;
    const dri::Dist<float, 2> made = rule_rows();
    DRI_Xfer xfer;
    {
        dri::Sink sink("adopted", made);
        xfer = sink.handle();
        ASSERT_EQ(DRI_xfer_get_strip(xfer, 0, &handle), DRI_SUCCESS);
    }
    EXPECT_EQ(face::code_of([&] { dri::Dist<float, 3>::adopt(handle); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { dri::Dist<double, 2>::adopt(handle); }), DRI_ERR_ARG);
    EXPECT_EQ((dri::Dist<float, 2>::adopt(handle)), made);
    EXPECT_EQ(dri::Dist(made.gdo(), dri::cut_dim<2>(0), made.group()), made);
    EXPECT_EQ(face::code_of([] { dri::Dist<float, 2>::adopt(DRI_Dist{}); }), DRI_ERR_HANDLE);
    DRI_Xfer source, sink;
    ASSERT_EQ(DRI_xfer_create("taken", DRI_SOURCE, made.handle(), DRI_COL_MAJOR, 2, nullptr, &source),
              DRI_SUCCESS);
    ASSERT_EQ(DRI_xfer_create("taken", DRI_SINK, made.handle(), DRI_ROW_MAJOR, 1, nullptr, &sink), DRI_SUCCESS);
    face::expect_failure(DRI_ERR_ARG, "is a source", [&] { dri::Sink<float, 2>::adopt(source); });
    face::expect_failure(DRI_ERR_ARG, "another type", [&] { dri::Source<int, 2>::adopt(source); });
    face::expect_failure(DRI_ERR_ARG, "dimensions", [&] { dri::Source<float, 1>::adopt(source); });
    auto out = dri::Source<float, 2>::adopt(source);
    auto in = dri::Sink<float, 2>::adopt(sink);
    dri::commit(dri::world(), out, in);
    for (auto [at, x] : out.next().elements())
        x = static_cast<float>(face::number(at));
    out.run();
    in.run();
    for (auto [at, x] : in.elements())
        EXPECT_EQ(x, static_cast<float>(face::number(at)));
}

TEST(FaceEnvironment, Answers) {
    EXPECT_TRUE(dri::initialized());
    EXPECT_EQ(dri::version(), (dri::Version{DRI_VERSION_MAJOR, DRI_VERSION_MINOR, DRI_VERSION_PATCH}));
    EXPECT_EQ(face::code_of([] { dri::Environment again; }), DRI_ERR_STATE);
    EXPECT_TRUE(dri::initialized()) << "the failed one ends nothing";
    const std::string text = dri::wisdom();
    EXPECT_EQ(text.substr(0, 11), "dri-wisdom ");
    EXPECT_EQ(text.find('\0'), std::string::npos);
    dri::wisdom(text);
    EXPECT_EQ(face::code_of([] { dri::wisdom("no wisdom"); }), DRI_ERR_ARG);
}

TEST(FaceCost, IsNoAllocation) {
    dri::Source source("cost", rule_rows(), {.buffers = 2, .stream = true});
    dri::Sink sink("cost", dri::Dist(dri::Gdo<float, 2>(12, 12), {dri::whole(), dri::block()}),
                   {.layout = dri::col_major, .buffers = 2});
    dri::commit();
    dri::run("cost");
    for ([[maybe_unused]] auto [at, x] : source.next().elements()) // finds the blocks once
        x = 1;
    source.insert("first");
    auto frames = sink.frames();
    auto it = frames.begin();
    for ([[maybe_unused]] auto [at, x] : it->elements())
        EXPECT_EQ(x, 1);
    float sum = 0;
    const auto frames_of_each_kind = [&] {
        for (int f = 0; f < 50; ++f) {
            for (auto [at, x] : source.next().elements())
                x = static_cast<float>(f);
            source.buffer();
            source.insert("frame");
            ++it;
            for (auto [at, x] : it->elements())
                sum += x;
            it->forall([&](auto at, float x) { sum += x * static_cast<float>(at[0]); });
            for (const auto row : it->rows())
                sum += row(0);
            dri::progress();
        }
        source.next();
        for (int f = 0; f < 50; ++f) {
            dri::run("cost");
            source.start();
            sink.start();
            source.wait();
            sink.wait();
        }
    };
    // A wait that lasts long may allocate, because the library describes it. All of these rarely have one.
    long fewest = face::allocations_of(frames_of_each_kind);
    for (int i = 0; i < 4; ++i)
        fewest = std::min(fewest, face::allocations_of(frames_of_each_kind));
    EXPECT_EQ(fewest, 0) << "allocations in 150 frames";
    EXPECT_GE(sum, 0);
}

} // namespace
