// Runs a transfer through the public interface and checks it. Every element of every frame carries its global
// number and the frame's, and every byte that must not change is checked.
#pragma once

#include "support/held.hpp"
#include "support/objects.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dri_test {

// still: static; mixed: every second buffer is the library's
enum class Memory { library, heap, still, mapped, mixed };

struct Side {
    std::vector<Cut> cuts{};
    std::vector<int> procs{}; // empty: the whole world
    Lay lay{};
    int nbuffs = 1;
    Memory memory = Memory::library;
};

struct Element {
    int64_t size = 4, alignment = 4;
    DRI_Type builtin{}; // null: a record
    int64_t pitch() const { return (size + alignment - 1) / alignment * alignment; }
};

const Element float_element{4, 4, DRI_FLOAT};
Gdo make_gdo(const Numbers &sizes, const Element &element);

struct Case {
    Numbers sizes;
    Side source, sink;
    Element element = float_element;
    int frames = 2;
    int64_t message_bytes = 0; // 0: the default
    bool self_way = true, direct_way = true;
    int64_t stamp = 0; // differs between transfers, so that their contents differ
};

std::string text_of(const Case &c);

class Buffers;

// An endpoint of this process, with its buffers.
struct RunEndpoint {
    Dist dist;
    Xfer xfer;
    PartMap part;
    std::unique_ptr<Buffers> buffers;
    int64_t frames = 0;
};

class TransferRun {
public:
    // Makes the distributions, but declares no endpoint. Collective over the groups.
    TransferRun(std::string name, Case c);
    ~TransferRun();

    void declare();
    void set_threads(int threads); // before the commit; the threads share the work of even the smallest copy
    void bind();                   // after the commit: stores the buffers and expects their contents
    void fill();                   // writes the next frame to the source's buffer
    void check();                  // checks the frame that the sink has received
    void execute();                // by name, if this process has an endpoint
    void execute_source();         // by handle
    void execute_sink();           // by handle
    void frame();                  // fill, execute, check
    void check_info() const;       // collective over the world

    const std::string &name() const { return name_; }
    bool has_source() const { return source_ != nullptr; }
    bool has_sink() const { return sink_ != nullptr; }
    DRI_Xfer source() const { return source_->xfer; }
    DRI_Xfer sink() const { return sink_->xfer; }
    void destroy();

private:
    std::unique_ptr<RunEndpoint> make_endpoint(const Side &side, DRI_Gdo gdo);
    void declare(RunEndpoint &endpoint, const Side &side, DRI_Role role);

    std::string name_;
    Case case_;
    std::unique_ptr<RunEndpoint> source_, sink_;
};

// Declares, commits over the world, runs all frames, checks everything. Collective over the world.
void expect_transfer(const Case &c);

} // namespace dri_test
