// A call of every function of pieces, loops and graphs that needs the library.
#include "support/every_call.hpp"

#include <array>
#include <utility>

namespace dri::test {

WrongCalls calls_of_pieces_and_graphs() {
    static std::array<int64_t, 8> longs{};
    static std::array<int, 8> ints{};
    static std::array<char, 16> text{};
    static std::array<DRI_View, 3> parts;
    static const std::array<DRI_Operand, 1> operands{};
    static std::array<DRI_Operation, 1> operations;
    static const DRI_Graph_part *part;
    static DRI_Part_times times;
    static DRI_Node node;
    static DRI_Kept *kept;
    static DRI_Type type;
    static DRI_Kernel kernel;
    static DRI_Range range{0, 1, 1};
    static const void *data;
    static const char *name;
    static void *context;
    static size_t bytes;
    static double sum;
    const std::vector<std::pair<const char *, std::function<int()>>> calls{
        {"array_create_shape", makes<DRI_Array>([](DRI_Array *out) {
             return DRI_array_create_shape(1, longs.data(), DRI_FLOAT, {}, out);
         })},
        {"array_init", makes<DRI_Array>([](DRI_Array *out) {
             return DRI_array_init({}, {}, longs.data(), 3, parts.data(), out);
         })},
        {"array_get_loffs", [] { return DRI_array_get_loffs({}, longs.data()); }},
        {"array_get_parts", [] { return DRI_array_get_parts({}, ints.data(), parts.data()); }},
        {"array_set_device", [] { return DRI_array_set_device({}, "host"); }},
        {"array_get_device", [] { return DRI_array_get_device({}, text.data(), text.size()); }},
        {"array_subview",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_subview({}, &range, nullptr, out); })},
        {"array_repartition",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_repartition({}, nullptr, out); })},
        {"array_ewuny",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_ewuny(DRI_OP_NEG, {}, nullptr, nullptr, out); })},
        {"array_ewbin", makes<DRI_Array>([](DRI_Array *out) {
             return DRI_array_ewbin(DRI_OP_ADD, {}, {}, nullptr, nullptr, out);
         })},
        {"array_permute",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_permute({}, ints.data(), out); })},
        {"array_reshape",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_reshape({}, 1, longs.data(), out); })},
        {"array_gather", [] { return DRI_array_gather({}, nullptr, -1, longs.data()); }},
        {"array_reduce", [] { return DRI_array_reduce({}, nullptr, DRI_OP_ADD, &sum); }},
        {"array_keep", [] { return DRI_array_keep({}, &kept); }},
        {"loop_create",
         makes<DRI_Loop>([](DRI_Loop *out) { return DRI_loop_create(nullptr, 1, operands.data(), out); })},
        {"loop_run", [] { return DRI_loop_run({}, kernel, nullptr); }},
        {"loop_reduce", [] { return DRI_loop_reduce({}, kernel, nullptr, DRI_DOUBLE, 1, DRI_OP_ADD, &sum); }},
        {"loop_do", makes<DRI_Loop>([](DRI_Loop *out) {
             return DRI_loop_do(nullptr, 1, operands.data(), kernel, nullptr, out);
         })},
        {"loop_do_reduce", makes<DRI_Loop>([](DRI_Loop *out) {
             return DRI_loop_do_reduce(1, operands.data(), kernel, nullptr, DRI_DOUBLE, 1, DRI_OP_ADD, &sum, out);
         })},
        {"loop_set_context", [] { return DRI_loop_set_context({}, nullptr); }},
        {"loop_kernel", [] { return DRI_loop_kernel(DRI_OP_ADD, DRI_FLOAT, &kernel, &context, &type); }},
        {"loop_explain", [] { return DRI_loop_explain({}, text.data(), text.size()); }},
        {"loop_destroy", destroys(DRI_Loop{}, DRI_loop_destroy)},
        {"graph_create", makes<DRI_Graph>([](DRI_Graph *out) { return DRI_graph_create({}, out); })},
        {"graph_input", [] { return DRI_graph_input({}, "x", {}, &node); }},
        {"graph_data", [] { return DRI_graph_data({}, {}, longs.data(), &node); }},
        {"graph_value", [] { return DRI_graph_value({}, {}, &node); }},
        {"graph_call", [] { return DRI_graph_call({}, "f", nullptr, nullptr, 0, nullptr, 0, nullptr); }},
        {"graph_recv", [] { return DRI_graph_recv({}, 0, "t", {}, &node); }},
        {"graph_send", [] { return DRI_graph_send({}, {}, 0, "t", &node); }},
        {"graph_staple", [] { return DRI_graph_staple({}, {}, {}, &node); }},
        {"graph_source", [] { return DRI_graph_source({}, "s", {}, {}, &node); }},
        {"graph_sink", [] { return DRI_graph_sink({}, "s", {}, {}, &node); }},
        {"graph_set_attr", [] { return DRI_graph_set_attr({}, {}, DRI_ATTR_THREADS, 1); }},
        {"graph_set_scale", [] { return DRI_graph_set_scale({}, {}, 1); }},
        {"graph_store", [] { return DRI_graph_store({}, {}); }},
        {"graph_output", [] { return DRI_graph_output({}, "x", {}); }},
        {"graph_destroy", destroys(DRI_Graph{}, DRI_graph_destroy)},
        {"graph_partition", makes<DRI_Plan>([](DRI_Plan *out) { return DRI_graph_partition({}, out); })},
        {"graph_verify", [] { return DRI_graph_verify({}, 0, nullptr); }},
        {"number_tags", [] { return DRI_number_tags({}, 0, nullptr, 0, ints.data(), ints.data()); }},
        {"plan_num_parts", [] { return DRI_plan_num_parts({}, ints.data()); }},
        {"plan_get_part", [] { return DRI_plan_get_part({}, 0, &part); }},
        {"plan_get_batch", [] { return DRI_plan_get_batch({}, 0, 1, operations.data(), ints.data()); }},
        {"plan_get_needs", [] { return DRI_plan_get_needs({}, {}, 1, operations.data(), ints.data()); }},
        {"plan_part_of", [] { return DRI_plan_part_of({}, {}, ints.data()); }},
        {"plan_get_name", [] { return DRI_plan_get_name({}, {}, &name); }},
        {"plan_describe", [] { return DRI_plan_describe({}, text.data(), text.size()); }},
        {"plan_destroy", destroys(DRI_Plan{}, DRI_plan_destroy)},
        {"plan_commit", [] { return DRI_plan_commit({}, nullptr); }},
        {"plan_set_input", [] { return DRI_plan_set_input({}, "x", longs.data()); }},
        {"plan_run", [] { return DRI_plan_run({}); }},
        {"plan_stream", [] { return DRI_plan_stream({}, 1); }},
        {"plan_get_output", [] { return DRI_plan_get_output({}, "x", &data); }},
        {"plan_get_times", [] { return DRI_plan_get_times({}, 0, &times); }},
        {"plan_draw", [] { return DRI_plan_draw({}, text.data(), text.size(), &bytes); }},
    };
    WrongCalls table;
    for (const auto &[what, call] : calls)
        table.push_back({what, call, DRI_ERR_STATE, {}});
    return table;
}

} // namespace dri::test
