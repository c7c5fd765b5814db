// Runs a case between the processes of the job through the public interface, and checks it. Every element of every
// frame has its own contents, and every byte that must not change is checked. Case lines are described in
// tests/README.md; what they must deliver is computed by the oracle.
#pragma once

#include "support/case_part.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dri::test {

class TransferRun {
public:
    // Makes the distributions, but declares no endpoint. Collective over the groups. The transfer has the source
    // of the first case, and the sinks of all cases. salt: differs between transfers whose contents must differ.
    TransferRun(std::string name, const std::string &line, int salt = 0);
    TransferRun(std::string name, const std::vector<TransferCase> &cases, int salt = 0);
    ~TransferRun();

    void declare();
    void set_threads(int threads); // before the commit; the threads share the work of even the smallest copy
    void bind();                   // after the commit: stores the buffers and expects their contents
    void fill();                   // writes the next frame to the source's buffer
    void check();                  // checks the frame that the sinks have received
    void execute();                // by name, if this process has an endpoint
    void execute_source();         // by handle
    void execute_sink();           // by handle, all sinks of this process
    void frame();                  // fill, execute, check; the source's buffer must be unchanged
    void check_info() const;       // collective over the world

    const std::string &name() const { return name_; }
    const TransferCase &transfer() const;
    bool has_source() const { return source_ != nullptr; }
    bool has_sink() const { return !sinks_.empty(); }
    DRI_Xfer source() const;
    void destroy();

    // Single sinks of this process, in the order of the cases.
    size_t sinks() const { return sinks_.size(); }
    DRI_Xfer sink(size_t number = 0) const;
    void declare_sink(size_t number);
    void destroy_sink(size_t number);
    void execute_sink(size_t number);
    void check(size_t number);

private:
    struct Endpoint;
    void make_endpoint(size_t number, DRI_Role role);
    void declare(Endpoint &endpoint);
    template <class F> void for_each_endpoint(F f) const;
    int64_t content(int64_t frame) const { return frame + 1000 * salt_; }

    std::string name_;
    int64_t salt_;
    std::vector<std::unique_ptr<CaseData>> data_; // one per sink side
    std::unique_ptr<Endpoint> source_;
    std::vector<std::unique_ptr<Endpoint>> sinks_; // those of this process
};

// Declares, commits over the world, runs all frames, checks everything. Collective over the world.
void expect_transfer(const std::string &line);
void expect_transfer(const std::vector<TransferCase> &cases, int threads = 1);

} // namespace dri::test
