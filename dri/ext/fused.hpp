// Expressions of float64 or float32 whose operations the library has: they are computed without Python.
#pragma once

#include "common.hpp"
#include "sums.hpp"

#include <dri/loop.h>

#include <array>
#include <vector>

namespace dri_python {

// The steps of an expression, for one block of rows after the other, so that what lies between them stays in the
// nearest cache. Any number of threads may use it.
class Fused {
public:
    // program: (steps, number of reads, constants, whether they are float64, passes). A step is (DRI_Op, first,
    // second); these are numbers of reads, behind them those of earlier steps, or -1 - the number of a constant.
    // Of an operation with one operand both are the same. The last step gives the result. Passes do the same in
    // fewer turns, where elements follow each other in all operands: steps, and sums (terms, factors, scale,
    // more).
    explicit Fused(const py::tuple &program);
    const py::tuple &program() const { return program_; }

    // A DRI_Kernel, whose context is a Fused.
    static int call(void *context, int ndims, const int64_t sizes[], void *const data[],
                    const int64_t *const steps[]);

private:
    struct Step {
        DRI_Kernel kernel = nullptr; // nullptr: a sum
        void *context = nullptr;
        std::vector<int> arguments;
        WeightedSum sum;
        int buffer = -1; // -1: the target
    };
    using Steps = std::vector<Step>;
    // Where the operands of some rows lie, the target first, bytes to the next row, and to the next element.
    static constexpr size_t most_operands = 33;
    struct Rows {
        std::array<char *, most_operands> at;
        std::array<std::array<int64_t, 2>, most_operands> steps;
    };
    static constexpr int64_t block_bytes = 8192;
    static constexpr size_t most_buffers = 8;

    Steps read_steps(const py::handle &given) const;
    void find_buffers(Steps &steps) const;
    int run(int ndims, const int64_t sizes[], const int64_t *const steps[], Rows &rows) const;
    int run_rows(int64_t count, int64_t n, const Rows &rows) const;
    struct Block {
        std::array<int64_t, 2> from, sizes;
    };
    int run_block(const Steps &steps, const Rows &rows, const Block &block) const;
    int run_step(const Step &step, const Block &block, char *const data[],
                 const std::array<int64_t, 2> *const steps[]) const;
    int report(int flags) const;
    bool is_double() const { return element_bytes_ == 8; }

    py::tuple program_;
    size_t reads_;
    Steps steps_, passes_;
    std::vector<double> constants_; // float32 ones lie at the front of theirs
    int64_t element_bytes_;
};

void bind_fused(py::module_ &module);

} // namespace dri_python
