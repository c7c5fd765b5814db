// One structure of numbers in a MATLAB file, read with matio and checked.
#pragma once

#include "phase_history.hpp"

#include <filesystem>
#include <matio.h>
#include <memory>
#include <string>

namespace sar {

// Each function throws Failure(exit_data) with the names of the file and the field.
class MatStruct {
public:
    MatStruct(const std::filesystem::path &path, const std::string &name);

    // All numbers of a real field. "a.b" is field b of field a.
    std::vector<double> numbers(const std::string &field) const;
    std::vector<double> numbers(const std::string &field, std::size_t count) const;

    // The columns of a complex matrix, one after the other.
    std::vector<cfloat> complex_columns(const std::string &field, std::size_t rows, std::size_t &columns) const;

    [[noreturn]] void fail(const std::string &field, const std::string &reason) const;

private:
    struct Free {
        void operator()(matvar_t *variable) const { Mat_VarFree(variable); }
    };

    matvar_t *find(const std::string &field) const;
    std::vector<double> finite_numbers(const std::string &field, const matvar_t *variable, const void *data) const;

    std::filesystem::path path_;
    std::string name_;
    std::unique_ptr<matvar_t, Free> variable_;
};

} // namespace sar
