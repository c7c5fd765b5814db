// Makes the kernel table.
#include "kernel/table.hpp"

#include "base/fixed_vector.hpp"

#include <iterator>

namespace dri::kernel {

namespace {

// The order of the table: by groups, in a group by falling instruction sets, and then as listed here.
constexpr struct {
    const Family *family;
    int group;
} table_order[] = {
    {&planes_kernel, 0},          {&transpose_kernel, 1},        {&short_runs_kernel, 2},
    {&even_elements_kernel, 2},   {&long_runs_kernel, 2},        {&converting_lines_kernel, 2},
    {&converting_turn_kernel, 2}, {&converting_tiles_kernel, 2}, {&elements_kernel, 3},
    {&reference_kernel, 4},
};

// Needs no destructor: threads may still run copies while the program ends.
using KernelRows = FixedVector<Kernel, 64>;

KernelRows make_rows() {
    KernelRows rows;
    const auto add = [&](int group, Isa isa) {
        for (const auto &[family, in_group] : table_order)
            for (const Version *v = family->versions; in_group == group && v->run; ++v)
                if (v->isa == isa)
                    rows.push_back({family->name, isa, v->fits, family->arrange, v->run});
    };
    for (int group = 0; group <= std::rbegin(table_order)->group; ++group)
        for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::sse4, Isa::scalar})
            add(group, isa);
    return rows;
}

} // namespace

std::span<const Kernel> kernels() {
    static const KernelRows rows = make_rows();
    return {rows.data(), rows.size()};
}

} // namespace dri::kernel
