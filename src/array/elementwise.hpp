// Operations on elements: one function per operation and type, for rows and boxes.
#pragma once

#include <dri/loop.h>

#include <string>

namespace dri::array {

// Computes n elements; steps in bytes. b is nullptr for operations with one operand.
using RowFunction = void (*)(std::byte *to, const std::byte *a, const std::byte *b, int64_t n, int64_t to_step,
                             int64_t a_step, int64_t b_step);
struct RowOperation {
    RowFunction row;
    int operands;
};

struct Operation {
    const RowOperation *rows = nullptr; // static
    DRI_Type result{};
};
// Fails with DRI_ERR_ARG for another operation, and with DRI_ERR_UNSUPPORTED for a type that it does not have.
Operation operation_of(DRI_Op op, DRI_Type type);

// A DRI_Kernel whose context is a RowOperation.
int run_operation(void *context, int ndims, const int64_t sizes[], void *const data[],
                  const int64_t *const steps[]);

} // namespace dri::array
