// Graphs: nodes of this process, calls, and the checks of all processes.
#include "graph.hpp"

namespace dri_python {

namespace {

class Graph {
public:
    explicit Graph(const Group &group) : kept_(std::make_shared<Kept>()) {
        check(DRI_graph_create(group.get(), kept_->memory->graph.put()));
        using Memory = std::shared_ptr<CallMemory>;
        base_ = py::capsule(new Memory(kept_->memory), [](void *memory) { delete static_cast<Memory *>(memory); });
    }

    DRI_Node input(const std::string &name, const py::tuple &shape, const py::tuple &element) {
        return made([&](DRI_Node *node) {
            return DRI_graph_input(graph(), name.c_str(), make_gdo(shape, element).get(), node);
        });
    }

    DRI_Node data(const py::array &array, const py::tuple &shape, const py::tuple &element) {
        kept_->memory->arrays.push_back(array);
        return made([&](DRI_Node *node) {
            return DRI_graph_data(graph(), make_gdo(shape, element).get(), array.data(), node);
        });
    }

    DRI_Node value(const py::tuple &shape, const py::tuple &element) {
        return made(
            [&](DRI_Node *node) { return DRI_graph_value(graph(), make_gdo(shape, element).get(), node); });
    }

    DRI_Node recv(int src, const std::string &tag, const py::tuple &shape, const py::tuple &element) {
        return made([&](DRI_Node *node) {
            return DRI_graph_recv(graph(), src, tag.c_str(), make_gdo(shape, element).get(), node);
        });
    }

    DRI_Node send(DRI_Node data, int dest, const std::string &tag) {
        return made([&](DRI_Node *node) { return DRI_graph_send(graph(), data, dest, tag.c_str(), node); });
    }

    DRI_Node staple(DRI_Node send, DRI_Node to) {
        return made([&](DRI_Node *node) { return DRI_graph_staple(graph(), send, to, node); });
    }

    DRI_Node port(const std::string &name, bool is_source, const Distribution &dist, const py::tuple &layout) {
        const Layout lies = make_layout(layout, ndims_of(dist));
        const auto make = is_source ? DRI_graph_source : DRI_graph_sink;
        return made([&](DRI_Node *node) { return make(graph(), name.c_str(), dist.get(), lies.get(), node); });
    }

    void set_attribute(DRI_Node port, int attribute, int64_t value) {
        check(DRI_graph_set_attr(graph(), port, static_cast<DRI_Attr>(attribute), value));
    }

    void set_scale(DRI_Node sink, double scale) { check(DRI_graph_set_scale(graph(), sink, scale)); }

    void store(DRI_Node node) { check(DRI_graph_store(graph(), node)); }

    void output(const std::string &name, DRI_Node node) { check(DRI_graph_output(graph(), name.c_str(), node)); }

    // outputs, inputs: (node, (dtype, shape, strides)) each. arguments, keywords: see PythonCall.
    void call(const std::string &name, const py::object &function, const py::list &arguments,
              const py::tuple &keywords, const py::list &outputs, const py::list &inputs) {
        std::vector<DRI_Node> out, in;
        const auto described = [](const py::list &operands, std::vector<DRI_Node> &nodes) {
            py::list made;
            for (const py::handle one : operands) {
                const auto pair = py::reinterpret_borrow<py::tuple>(one);
                nodes.push_back(pair[0].cast<DRI_Node>());
                made.append(pair[1]);
            }
            return made;
        };
        const py::list written = described(outputs, out), read = described(inputs, in);
        auto made =
            std::make_unique<PythonCall>(function, arguments, keywords, written, read, base_, kept_->raised);
        check(DRI_graph_call(graph(), name.c_str(), PythonCall::run, made.get(), static_cast<int>(out.size()),
                             out.data(), static_cast<int>(in.size()), in.data()));
        kept_->calls.push_back(std::move(made));
    }

    std::unique_ptr<Plan> partition() {
        PlanHandle plan;
        check(unlocked([&] { return DRI_graph_partition(graph(), plan.put()); }));
        return std::make_unique<Plan>(std::move(plan), kept_);
    }

private:
    DRI_Graph graph() const { return kept_->memory->graph.get(); }

    template <typename Make> static DRI_Node made(Make make) {
        DRI_Node node{};
        check(make(&node));
        return node;
    }

    std::shared_ptr<Kept> kept_;
    py::object base_; // of the arrays of functions
};

const char *const fault_kinds[] = {"",
                                   "self",
                                   "duplicate_send",
                                   "duplicate_recv",
                                   "missing_send",
                                   "missing_recv",
                                   "undefined_input",
                                   "own_output",
                                   "duplicate_output",
                                   "mismatch",
                                   "cycle",
                                   "parts_cycle"};

// (kind, rank, pid, src, dest, tag, name) of each fault; tag None: no operation.
py::list graph_faults() {
    int n = 0;
    check(DRI_graph_get_faults(0, nullptr, &n));
    std::vector<DRI_Fault> faults(static_cast<size_t>(n));
    check(DRI_graph_get_faults(n, faults.data(), &n));
    py::list made;
    for (const DRI_Fault &one : faults) {
        const py::object tag = one.operation.tag ? py::object(py::str(one.operation.tag)) : py::none();
        made.append(py::make_tuple(fault_kinds[one.kind], one.rank, one.pid, one.operation.src, one.operation.dest,
                                   tag, py::str(one.name ? one.name : "")));
    }
    return made;
}

// The parts of a process as C has them. Texts and shapes live as long as this.
class Parts {
public:
    // (pid, needed, recvs, sends, inputs, part inputs, outputs); an operation is (src, dest, tag, name, shape,
    // element).
    explicit Parts(const py::list &described) {
        for (const py::handle one : described) {
            const auto given = py::reinterpret_borrow<py::tuple>(one);
            Lists &lists = *lists_.emplace_back(std::make_unique<Lists>());
            lists.needed = small_numbers(given[1]);
            add_operations(given[2], lists.recvs);
            add_operations(given[3], lists.sends);
            add_names(given[4], lists.inputs);
            add_names(given[5], lists.part_inputs);
            add_names(given[6], lists.outputs);
            DRI_Graph_part part{};
            part.pid = given[0].cast<int>();
            put(lists.needed, part.nneeded, part.needed);
            put(lists.recvs, part.nrecvs, part.recvs);
            put(lists.sends, part.nsends, part.sends);
            put(lists.inputs, part.ninputs, part.inputs);
            put(lists.part_inputs, part.npart_inputs, part.part_inputs);
            put(lists.outputs, part.noutputs, part.outputs);
            parts_.push_back(part);
        }
    }

    const std::vector<DRI_Graph_part> &get() const { return parts_; }

private:
    struct Lists {
        std::vector<int> needed;
        std::vector<DRI_Operation> recvs, sends;
        std::vector<const char *> inputs, part_inputs, outputs;
    };

    template <typename List, typename Pointer> static void put(const List &list, int &n, Pointer &first) {
        n = static_cast<int>(list.size());
        first = list.data();
    }

    const char *text(const py::handle given) {
        if (!py::isinstance<py::str>(given))
            throw py::type_error("a name in a part is no str");
        return texts_.emplace_back(std::make_unique<std::string>(given.cast<std::string>()))->c_str();
    }

    void add_names(const py::handle names, std::vector<const char *> &into) {
        for (const py::handle one : names)
            into.push_back(text(one));
    }

    void add_operations(const py::handle operations, std::vector<DRI_Operation> &into) {
        for (const py::handle one : operations) {
            const auto given = py::reinterpret_borrow<py::tuple>(one);
            gdos_.push_back(make_gdo(given[4], given[5]));
            into.push_back(
                {given[0].cast<int>(), given[1].cast<int>(), text(given[2]), gdos_.back().get(), text(given[3])});
        }
    }

    std::vector<DRI_Graph_part> parts_;
    std::vector<std::unique_ptr<Lists>> lists_;
    std::vector<std::unique_ptr<std::string>> texts_;
    std::vector<Gdo> gdos_;
};

void graph_verify(const Group &group, const Parts &parts) {
    const auto n = static_cast<int>(parts.get().size());
    check(unlocked([&] { return DRI_graph_verify(group.get(), n, parts.get().data()); }));
}

// The numbers of the tags, and the next one.
py::tuple number_tags(const Group &group, const py::list &tags, int base) {
    std::vector<std::string> texts;
    for (const py::handle one : tags)
        texts.push_back(one.cast<std::string>());
    std::vector<const char *> pointers;
    for (const std::string &text : texts)
        pointers.push_back(text.c_str());
    std::vector<int> found(texts.size());
    int next = base;
    check(unlocked([&] {
        return DRI_number_tags(group.get(), static_cast<int>(texts.size()), pointers.data(), base, found.data(),
                               &next);
    }));
    return py::make_tuple(tuple_of(found.data(), static_cast<int>(found.size())), next);
}

// The level of each task.
py::tuple task_levels(const py::list &needs) {
    std::vector<int64_t> first{0}, all;
    for (const py::handle one : needs) {
        const std::vector<int64_t> some = numbers(one);
        all.insert(all.end(), some.begin(), some.end());
        first.push_back(static_cast<int64_t>(all.size()));
    }
    const size_t n = first.size() - 1;
    std::vector<int64_t> levels(n);
    int64_t count = 0;
    check(DRI_task_levels(static_cast<int64_t>(n), first.data(), all.data(), levels.data(), &count));
    return tuple_of(levels.data(), static_cast<int>(n));
}

} // namespace

Gdo make_gdo(const py::tuple &shape, const py::tuple &element) {
    Type record;
    const DRI_Type type = type_of(element, record);
    const std::vector<int64_t> sizes = numbers(shape);
    Gdo gdo;
    check(DRI_gdo_create(static_cast<int>(sizes.size()), type, sizes.data(), gdo.put()));
    return gdo;
}

void bind_graphs(py::module_ &module) {
    py::class_<DRI_Node>(module, "Node");
    py::class_<CallState>(module, "Call")
        .def_property_readonly("frame", &CallState::frame)
        .def_property("time_ns", &CallState::time_ns, &CallState::set_time_ns)
        .def_property("time", &CallState::time, &CallState::set_time)
        .def_property("text", &CallState::text, &CallState::set_text)
        .def_property("data", &CallState::data, &CallState::set_data)
        .def("end", &CallState::end);
    bind_graph_plans(module);
    py::class_<Graph>(module, "Graph")
        .def(py::init<const Group &>())
        .def("input", &Graph::input)
        .def("data", &Graph::data)
        .def("value", &Graph::value)
        .def("recv", &Graph::recv)
        .def("send", &Graph::send)
        .def("staple", &Graph::staple)
        .def("port", &Graph::port)
        .def("set_attribute", &Graph::set_attribute)
        .def("set_scale", &Graph::set_scale)
        .def("store", &Graph::store)
        .def("output", &Graph::output)
        .def("call", &Graph::call)
        .def("partition", &Graph::partition);
    py::class_<Parts>(module, "Parts").def(py::init<const py::list &>());
    module.def("graph_faults", graph_faults);
    module.def("graph_verify", graph_verify);
    module.def("number_tags", number_tags);
    module.def("task_levels", task_levels);
}

} // namespace dri_python
