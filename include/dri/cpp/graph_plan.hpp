// Plans: graphs of all processes that fit, checked and divided into parts; after the commit they run.
#pragma once

#include <dri/cpp/graph_call.hpp>
#include <dri/cpp/graph_checks.hpp>
#include <dri/cpp/indexed.hpp>
#include <dri/cpp/info.hpp>
#include <dri/graph_run.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dri {
inline namespace v1 {

// What a plan is committed with.
struct PlanOptions {
    int frames = 1;      // frames in flight
    bool stream = false; // calls without inputs end the stream; number, time and bytes travel with each frame
    std::optional<std::chrono::milliseconds> timeout{}; // of each wait; unset: DRI_TIMEOUT, or none
    bool progress_thread = false;                       // frames move while a call computes
};

namespace detail {

// What a graph and its plan need as long as either runs: the functions, and what the outputs look like.
struct GraphKept {
    struct Output {
        std::vector<std::int64_t> extents, strides;
        const void *element = nullptr; // the address of a variable of its type alone
    };
    std::vector<std::shared_ptr<void>> functions;
    std::map<std::string, Output, std::less<>> inputs, outputs;
};

template <class T> inline constexpr char element_mark = 0;

} // namespace detail

// The partition of the graphs of all processes. It is moved, never copied.
class Plan {
public:
    Plan() = default;

    DRI_Plan handle() const noexcept { return plan_.get(); }
    explicit operator bool() const noexcept { return plan_.get().id != 0; }

    // Ends the plan now: it is empty then. It throws where the destructor stays silent. See DRI_plan_destroy.
    void destroy() {
        if (handle().id != 0)
            detail::check(DRI_plan_destroy(plan_.out()));
    }

    // Reserves all memory and commits all transfers. Collective over the graph's group; synchronising. See
    // DRI_plan_commit.
    void commit(const PlanOptions &options = {}) {
        DRI_Plan_options chosen{};
        chosen.frames = options.frames;
        chosen.stream = options.stream;
        const std::int64_t most = options.timeout.value_or(std::chrono::milliseconds(0)).count();
        chosen.timeout_ms = static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max()));
        chosen.progress_thread = options.progress_thread;
        detail::check(DRI_plan_commit(handle(), &chosen));
    }

    // One frame. Collective over the processes that exchange data with this one. What a function throws leaves
    // this call as it was thrown. See DRI_plan_run.
    void run() { detail::check(DRI_plan_run(handle())); }
    // Frames until the input ends, or `most` of them (-1: no limit). See DRI_plan_stream.
    void stream(std::int64_t most = -1) { detail::check(DRI_plan_stream(handle(), most)); }

    // Where an input lies, until another memory is given. Without gaps and row-major.
    template <class T, std::size_t N> void input(std::string_view name, const View<T, N> &memory) {
        using Element = std::remove_const_t<T>;
        check_shape<Element, N>("input", kept_->inputs, name, memory.extents());
        if (memory.strides() != detail::packed_strides<N>(memory.extents()) && memory.size() > 0)
            detail::fail(DRI_ERR_ARG, "Plan::input(): '" + std::string(name) + "' has gaps, or is not row-major");
        detail::check(DRI_plan_set_input(handle(), std::string(name).c_str(), memory.data()));
    }

    // An output of the last frame, in its node's layout. It is valid until the next one.
    template <class T, std::size_t N> View<const T, N> output(std::string_view name) const {
        const void *data = nullptr;
        const auto found = kept_->outputs.find(name);
        const std::string text(name);
        detail::check(DRI_plan_get_output(handle(), text.c_str(), &data));
        if (found == kept_->outputs.end() || found->second.element != &detail::element_mark<T> ||
            found->second.extents.size() != N)
            detail::fail(DRI_ERR_ARG, "Plan::output(): '" + text + "' has other elements or other dimensions");
        Index<N> extents{}, strides{};
        std::copy(found->second.extents.begin(), found->second.extents.end(), extents.begin());
        std::copy(found->second.strides.begin(), found->second.strides.end(), strides.begin());
        return {static_cast<const T *>(data), extents, strides};
    }

    // What this process computes, between which operations. The pointers are valid as long as the plan. Local.
    std::vector<DRI_Graph_part> parts() const {
        int n = 0;
        detail::check(DRI_plan_num_parts(handle(), &n));
        std::vector<DRI_Graph_part> found;
        for (int pid = 0; pid < n; ++pid) {
            const DRI_Graph_part *part = nullptr;
            detail::check(DRI_plan_get_part(handle(), pid, &part));
            found.push_back(*part);
        }
        return found;
    }

    // The part in which a stored node is computed; -1: it is not stored. Local.
    template <class T, std::size_t N> int part_of(const Node<T, N> &node) const {
        int pid = -1;
        detail::check(DRI_plan_part_of(handle(), node.handle(), &pid));
        return pid;
    }

    // The name that a node has in the parts of this process; "" if they do not name it. Local.
    template <class T, std::size_t N> std::string name_of(const Node<T, N> &node) const {
        const char *name = nullptr;
        detail::check(DRI_plan_get_name(handle(), node.handle(), &name));
        return name ? name : "";
    }

    // The operations of a batch, of all processes; none from the number of batches on. Local.
    std::vector<DRI_Operation> batch(int number) const {
        return operations([&](int most, DRI_Operation *found, int *n) {
            return DRI_plan_get_batch(handle(), number, most, found, n);
        });
    }
    // The operations that must be complete before this one can start. Local.
    std::vector<DRI_Operation> needs(const DRI_Operation &operation) const {
        return operations([&](int most, DRI_Operation *found, int *n) {
            return DRI_plan_get_needs(handle(), operation, most, found, n);
        });
    }

    // The times of each part so far. Local.
    std::vector<DRI_Part_times> times() const {
        int n = 0;
        detail::check(DRI_plan_num_parts(handle(), &n));
        std::vector<DRI_Part_times> found(static_cast<std::size_t>(n));
        for (int pid = 0; pid < n; ++pid)
            detail::check(DRI_plan_get_times(handle(), pid, &found[static_cast<std::size_t>(pid)]));
        return found;
    }

    // The plan in words: batches, parts and operations, the same on all processes where it is of all. Local.
    std::string describe() const {
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_plan_describe(handle(), text, n); });
    }

    // The picture of all processes as DOT text, which Graphviz draws. Collective over the graph's group.
    std::string draw() const {
        std::size_t needed = 0;
        detail::check(DRI_plan_draw(handle(), nullptr, 0, &needed));
        std::string text(needed, '\0');
        detail::check(DRI_plan_draw(handle(), text.data(), text.size(), &needed));
        text.resize(text.find('\0'));
        return text;
    }
    // The same into a file, which the first process of the group writes. Throws on all if it cannot.
    void draw(const std::string &file) const {
        const std::string text = draw();
        int code = DRI_SUCCESS;
        if (group_->position() == 0 && !(std::ofstream(file) << text << std::flush))
            code = DRI_fail(DRI_ERR_ARG, ("Plan::draw(): the file " + file + " cannot be written").c_str());
        group_->agree(code);
    }

private:
    friend Graph;

    Plan(DRI_Plan plan, std::shared_ptr<detail::GraphKept> kept, const Group &group)
        : kept_(std::move(kept)), group_(group), plan_(plan) {}

    template <class Get> static std::vector<DRI_Operation> operations(const Get &get) {
        int n = 0;
        detail::check(get(0, nullptr, &n));
        std::vector<DRI_Operation> found(static_cast<std::size_t>(n));
        detail::check(get(n, found.data(), &n));
        return found;
    }

    template <class T, std::size_t N, class Known>
    static void check_shape(const char *call, const Known &known, std::string_view name, const Index<N> &extents) {
        const auto found = known.find(name);
        if (found == known.end())
            return; // the library says so, with the names that exist
        if (found->second.element != &detail::element_mark<T> ||
            !std::equal(extents.begin(), extents.end(), found->second.extents.begin(),
                        found->second.extents.end()))
            detail::fail(DRI_ERR_ARG, std::string("Plan::") + call + "(): '" + std::string(name) +
                                          "' has other elements or another shape");
    }

    std::shared_ptr<detail::GraphKept> kept_; // outlives the plan, whose calls are in it
    std::optional<Group> group_;
    detail::Owned<DRI_Plan, DRI_plan_destroy> plan_;
};

} // namespace v1
} // namespace dri
