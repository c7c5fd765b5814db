// The conformance cases, which are stored beside this project; each becomes a test. Without the file of cases
// nothing runs. The last line of the output says so, and names each case that was skipped, with the reason. ctest
// then reports the test as skipped, not as passed.
#include "support/conformance.hpp"
#include "base/error.hpp"
#include "support/allocation_counter.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"

#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace dri::test {
namespace {

// Terminates the whole job if a case hangs.
class Watchdog {
public:
    explicit Watchdog(std::string id)
        : thread_([this, id = std::move(id)] {
              std::unique_lock lock(mutex_);
              if (done_.wait_for(lock, std::chrono::seconds(100), [this] { return over_; }))
                  return;
              std::fprintf(stderr, "case %s hangs on rank %d\n", id.c_str(), world().rank);
              std::_Exit(1); // mpirun terminates the other processes
          }) {}
    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        done_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable done_;
    bool over_ = false;
    std::thread thread_; // declared last, because the thread uses the other members
};

void make_local_objects() {
    const Gdo gdo = make_gdo({8, 8});
    const Part part = make_blocks(2, 0);
    const Group group = make_world();
    const int order[]{1, 0};
    Layout layout;
    expect_success(DRI_layout_create_packed(2, order, layout.out()), "DRI_layout_create_packed");
}

std::string check_loops(const Json &c) {
    const Group alone = make_group({world().rank});
    const long before = mpi_calls.communicators;
    for (int i = 0; i < c["input"]["loops"].get<int>(); ++i) {
        make_local_objects();
        const Dist dist = make_dist(make_gdo({8}), make_blocks(1, 0), alone);
        if (i % 100)
            continue;
        const Xfer source = make_xfer("loop", DRI_SOURCE, dist), sink = make_xfer("loop", DRI_SINK, dist);
        commit(alone);
    }
    EXPECT_EQ(mpi_calls.communicators, before);
    return "";
}

std::string check_local_calls(const Json &c) {
    const long before = all_traffic();
    make_local_objects();
    EXPECT_EQ(all_traffic() - before, c["expect"]["mpi_calls"].get<long>());
    // Making a distribution involves only the processes of its group: here one process, while the others continue.
    if (world().rank == 0)
        make_dist(make_gdo({8}), make_blocks(1, 0), make_group({0}));
    return "";
}

std::string check_state(const Json &c) {
    const std::string id = c["id"];
    if (id == "dri-st-01")
        return check_do_before_commit(c);
    if (id == "dri-st-03")
        return check_disagreement(c);
    if (id == "dri-st-05")
        return check_loops(c);
    if (id == "dri-st-07")
        return check_local_calls(c);
    return "no function for it";
}

std::string check_no_allocations(const Json &c) {
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({64, 64}), make_blocks(2, 0), all),
               turned = make_dist(make_gdo({64, 64}), make_blocks(2, 1), all);
    const Xfer source = make_xfer("frames", DRI_SOURCE, dist), sink = make_xfer("frames", DRI_SINK, turned);
    commit(all);
    int failed = 0;
    const long made = allocations_of([&] {
        for (int f = 0; f < c["input"]["frames"].get<int>(); ++f)
            failed += DRI_do("frames", DRI_XFER_NULL) != DRI_SUCCESS;
    });
    EXPECT_EQ(failed, 0) << DRI_error_message();
    EXPECT_EQ(made, c["expect"]["allocations"].get<long>());
    return sanitized ? "the sanitizer's allocator stays" : "";
}

std::string check_buffers(const Json &c) {
    const std::string id = c["id"];
    if (id == "dri-buf-01")
        return check_buffers_in_turn(c);
    if (id == "dri-buf-03")
        return check_user_buffers(c);
    if (id == "dri-buf-05")
        return check_no_allocations(c);
    if (id == "dri-buf-07")
        return check_small_buffer(c);
    return "no function for it";
}

std::string check_records_and_types(const Json &c) {
    return c["id"] == "dri-rec-03" ? check_types(c) : check_records(c);
}

const std::map<std::string, std::string (*)(const Json &)> kinds{
    {"gdo", check_gdo},
    {"gdo_error", check_gdo_error},
    {"gdo_large", check_gdo_large},
    {"part_query", check_part_query},
    {"constraints", check_constraints},
    {"default", check_default},
    {"source_error", check_source_error},
    {"sink_ok", check_sink_ok},
    {"no_stride", check_no_stride},
    {"independent", check_independent},
    {"partxy", check_partxy},
    {"overlap", check_overlap},
    {"transfer", check_transfer},
    {"layout_count", check_layout_count},
    {"layout_strides", check_layout_strides},
    {"layout_error", check_layout_error},
    {"sequence", check_sequence},
    {"commit", check_commit},
    {"state", check_state},
    {"buffers", check_buffers},
    {"records", check_records_and_types},
    {"subset", check_subset},
    {"offset", check_offset},
    {"status", check_status},
    {"budget", check_budget},
    {"strips", check_strips},
    {"one_sided", check_one_sided},
    {"roles", check_roles},
    {"chain", check_chain},
    {"two_stage_fft", check_two_stage_fft},
    {"property", check_property},
};

// The folder is a setting of the build, which the environment overrides.
std::filesystem::path cases_file() {
    const char *const folder = std::getenv("DRI_CASES_FOLDER");
    return std::filesystem::path(folder ? folder : DRI_CASES_FOLDER) / "dri.json";
}

std::vector<Json> all_cases() {
    std::ifstream file(cases_file());
    if (!file)
        return {};
    return Json::parse(file)["cases"].get<std::vector<Json>>();
}

std::string name_of(const testing::TestParamInfo<Json> &tested) {
    std::string name = tested.param["id"];
    for (char &letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter)))
            letter = '_';
    return name;
}

// Written when everything else is: tests that were skipped pass, and would not be noticed.
class LastLine : public testing::Environment {
public:
    void skip(const std::string &what) { skipped_.push_back(what); }
    void TearDown() override {
        int failed = testing::UnitTest::GetInstance()->Failed() ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (world().rank != 0 || failed)
            return;
        if (!std::filesystem::exists(cases_file()))
            text = "SKIPPED all conformance cases: there is no file " + cases_file().string();
        else if (!skipped_.empty())
            text = fmt::format("SKIPPED {} of {} conformance cases: {}", skipped_.size(), all_cases().size(),
                               fmt::join(skipped_, "; "));
    }
    // Behind the last line of Google Test, at the end of the program.
    struct Text : std::string {
        using std::string::operator=;
        ~Text() {
            if (!empty())
                std::puts(c_str());
        }
    };
    static Text text;

private:
    std::vector<std::string> skipped_;
};

LastLine::Text LastLine::text;
LastLine *const last_line = [] {
    auto *const environment = new LastLine;
    testing::AddGlobalTestEnvironment(environment);
    return environment;
}();

class Conformance : public testing::TestWithParam<Json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conformance);

TEST_P(Conformance, Case) {
    const Json &c = GetParam();
    const std::string id = c["id"];
    const auto check = kinds.find(c["kind"].get<std::string>());
    ASSERT_NE(check, kinds.end()) << "no function for kind " << c["kind"];
    std::string skipped;
    {
        const Watchdog watchdog(id);
        skipped = check->second(c);
        barrier();
    }
    if (skipped.empty())
        return;
    last_line->skip(fmt::format("{} ({})", id, skipped));
    GTEST_SKIP() << id << " skipped: " << skipped;
}

INSTANTIATE_TEST_SUITE_P(Dri, Conformance, testing::ValuesIn(all_cases()), name_of);

TEST(ConformanceCases, AreThere) {
    if (!std::filesystem::exists(cases_file()))
        GTEST_SKIP() << "no file of conformance cases; nothing to run";
    EXPECT_FALSE(all_cases().empty());
}

} // namespace
} // namespace dri::test
