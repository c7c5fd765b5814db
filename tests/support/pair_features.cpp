#include "support/pair_features.hpp"

namespace dri::test {
namespace {

using enum FeatureOf;

const std::vector<Feature> all = {
    {"strips", "strips.md", an_end, [](PairForm &form, int ends) { form.strips |= ends; }, {"strips"}},
    {"stream", "streams.md", the_transfer, [](PairForm &form, int) { form.stream = true; }, {"DRI_ATTR_STREAM"}},
    {"window", "windows.md", an_end, [](PairForm &form, int ends) { form.slides |= ends; }, {"DRI_ATTR_REBASE"}},
    {"in place",
     "in_place.md",
     the_transfer,
     [](PairForm &form, int) { form.in_place = true; },
     {"DRI_ATTR_IN_PLACE"}},
    // It needs a stream.
    {"drop",
     "sinks.md#a-sink-that-may-miss-frames",
     the_transfer,
     [](PairForm &form, int) { form.drops = form.stream = true; },
     {"DRI_ATTR_ON_FULL", "DRI_ATTR_STREAM"}},
    {"convert", "types.md", the_transfer, [](PairForm &form, int) { form.converts = true; }, {"DRI_ATTR_CONVERT"}},
    {"threads",
     "threads.md#threads-that-share-copies",
     the_transfer,
     [](PairForm &form, int) {
         form.set(at_both, DRI_ATTR_THREADS, 2);
         form.set(at_both, DRI_ATTR_SHARE_BYTES, 1);
     },
     {"DRI_ATTR_THREADS"}},
    {"progress thread",
     "threads.md#the-progress-thread",
     the_transfer,
     [](PairForm &form, int) { form.set(at_both, DRI_ATTR_PROGRESS_THREAD, 1); },
     {"DRI_ATTR_PROGRESS_THREAD"}},
    {"several sinks",
     "sinks.md",
     the_transfer,
     [](PairForm &form, int) { form.has_second_sink = true; },
     {"one sink"}},
    {"every", "round_robin.md", the_transfer, [](PairForm &form, int) { form.every = 2; }, {"DRI_ATTR_EVERY"}},
    {"several buffers",
     "streams.md#buffers",
     the_transfer,
     [](PairForm &form, int) { form.nbuffs = 2; },
     {"buffers"}},
    {"own buffers",
     "memory.md#whose-buffers",
     an_end,
     [](PairForm &form, int ends) { form.own |= ends; },
     {"buffs"}},
    {"DRI_alloc",
     "memory.md#memory-of-many-transfers",
     an_end,
     [](PairForm &form, int ends) { form.reserved |= ends; },
     {"buffs"}},
    {"rebind",
     "memory.md#the-same-plan-on-other-memory",
     an_end,
     [](PairForm &form, int ends) { form.rebinds |= ends; },
     {"DRI_ATTR_REBIND"}},
    {"limit",
     "memory.md#limit-the-workspace",
     the_transfer,
     [](PairForm &form, int) { form.has_least_limit = true; },
     {"DRI_ATTR_WORKSPACE_LIMIT"}},
    {"timeout",
     "errors.md#timeouts",
     the_transfer,
     [](PairForm &form, int) { form.set(at_both, DRI_ATTR_TIMEOUT_MS, 30000); },
     {"DRI_ATTR_TIMEOUT_MS"}},
    {"messages only",
     "measuring.md#which-process-which-way",
     the_transfer,
     [](PairForm &form, int) {
         form.set(at_both, DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
         form.set(at_both, DRI_ATTR_MESSAGE_BYTES, 256);
     },
     {"DRI_ATTR_WAYS"}},
    {"pitch and split",
     "layouts.md#pad-rows-the-pitch",
     an_end,
     [](PairForm &form, int ends) { form.arranged |= ends; },
     {"layout"}},
    {"lists",
     "partitions.md#lists-of-indices",
     an_end,
     [](PairForm &form, int ends) { form.lists |= ends; },
     {"lists"}},
    {"overlap", "overlap.md", the_transfer, [](PairForm &form, int) { form.has_overlap = true; }, {"overlap"}},
};

} // namespace

const std::vector<Feature> &features() { return all; }

std::vector<int> forms_of(const Feature &feature) {
    return feature.of == an_end ? std::vector<int>{at_source, at_sink, at_both} : std::vector<int>{at_both};
}

std::string name_at(const Feature &feature, int ends) {
    const char *const where = feature.of == the_transfer ? ""
                              : ends == at_both          ? " of both"
                              : ends == at_source        ? " of the source"
                                                         : " of the sink";
    return std::string(feature.name) + where;
}

} // namespace dri::test
