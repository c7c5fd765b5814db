// Runs conformance cases: finds their file, ends a job that hangs, and says in the last line which cases did not
// run.
#pragma once

#include "base/error.hpp"
#include "support/conformance.hpp"
#include "support/world.hpp"

#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace dri::test {

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

// A file of cases. The folder is a setting of the build, which the environment overrides.
class CasesFile {
public:
    CasesFile(const char *folder, const char *name) {
        const char *const other = std::getenv("DRI_CASES_FOLDER");
        path_ = std::filesystem::path(other ? other : folder) / name;
        if (std::ifstream file(path_); file)
            cases_ = Json::parse(file)["cases"].get<std::vector<Json>>();
    }
    bool exists() const { return std::filesystem::exists(path_); }
    std::string path() const { return path_.string(); }
    const std::vector<Json> &cases() const { return cases_; }

private:
    std::filesystem::path path_;
    std::vector<Json> cases_;
};

inline std::string name_of_case(const testing::TestParamInfo<Json> &tested) {
    std::string name = tested.param["id"];
    for (char &letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter)))
            letter = '_';
    return name;
}

// Written when everything else is: tests that were skipped pass, and would not be noticed.
class LastLine : public testing::Environment {
public:
    explicit LastLine(const CasesFile &file) : file_(file) {}
    void skip(const std::string &what) { skipped_.push_back(what); }
    void shorten(const std::string &what) { shortened_.push_back(what); }
    void TearDown() override {
        int failed = testing::UnitTest::GetInstance()->Failed() ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (world().rank != 0 || failed)
            return;
        if (!file_.exists())
            text() = "SKIPPED all conformance cases: there is no file " + file_.path();
        else if (!skipped_.empty())
            text() = fmt::format("SKIPPED {} of {} conformance cases: {}", skipped_.size(), file_.cases().size(),
                                 fmt::join(skipped_, "; "));
        if (!shortened_.empty())
            text() += fmt::format("{}of {}", text().empty() ? "" : "; ", fmt::join(shortened_, "; of "));
    }

private:
    // Behind the last line of Google Test, at the end of the program.
    struct Text : std::string {
        using std::string::operator=;
        ~Text() {
            if (!empty())
                std::puts(c_str());
        }
    };
    static Text &text() {
        static Text line;
        return line;
    }

    const CasesFile &file_;
    std::vector<std::string> skipped_, shortened_;
};

// Runs a case by the function of its kind. A case that did not run, or in part, is named in the last line.
template <class Kinds> void run_case(const Json &c, const Kinds &kinds, LastLine &last_line) {
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
    if (skipped.starts_with("only "))
        return last_line.shorten(fmt::format("{} {}", id, skipped));
    last_line.skip(fmt::format("{} ({})", id, skipped));
    GTEST_SKIP() << id << " skipped: " << skipped;
}

} // namespace dri::test
