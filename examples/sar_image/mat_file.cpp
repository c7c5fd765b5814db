#include "mat_file.hpp"

#include "process.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>

namespace sar {
namespace {

[[noreturn]] void fail_file(const std::filesystem::path &path, const std::string &reason) {
    throw Failure(exit_data, path.string() + ": " + reason);
}

// matio returns zeros if a file ends early. The variables of a MATLAB 5 file state their length, so a truncated
// file is detected before it is read. Files of the other byte order and of other versions are left to matio.
void require_whole_file(const std::filesystem::path &path) {
    std::error_code error;
    const auto file_bytes = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    if (error || !file)
        fail_file(path, "cannot be opened");

    constexpr std::uintmax_t header_bytes = 128, tag_bytes = 8;
    std::array<char, header_bytes> header{};
    if (!file.read(header.data(), header.size()))
        fail_file(path, "truncated: it ends within the file header, or it is not a MATLAB file");
    constexpr std::array<char, 4> little_endian_version_5{0, 1, 'I', 'M'};
    if (std::memcmp(header.data() + header_bytes - 4, little_endian_version_5.data(), 4) != 0)
        return;

    for (std::uintmax_t offset = header_bytes; offset < file_bytes;) {
        std::array<std::uint32_t, 2> type_and_bytes{};
        file.seekg(static_cast<std::streamoff>(offset));
        if (!file.read(reinterpret_cast<char *>(type_and_bytes.data()), tag_bytes))
            fail_file(path, "truncated: it ends within the header of a variable");
        offset += tag_bytes + type_and_bytes[1];
        if (offset > file_bytes)
            fail_file(path, "truncated: it has " + std::to_string(file_bytes) + " bytes instead of at least " +
                                std::to_string(offset));
    }
}

std::size_t element_count(const matvar_t *variable) {
    std::size_t count = 1;
    for (int dim = 0; dim < variable->rank; ++dim)
        count *= variable->dims[dim];
    return count;
}

} // namespace

MatStruct::MatStruct(const std::filesystem::path &path, const std::string &name) : path_(path), name_(name) {
    require_whole_file(path);
    const std::unique_ptr<mat_t, int (*)(mat_t *)> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), Mat_Close);
    if (!file)
        fail_file(path, "it is not a MATLAB file");
    variable_.reset(Mat_VarRead(file.get(), name.c_str()));
    if (!variable_)
        fail_file(path, "it has no variable \"" + name + "\" that can be read");
    if (variable_->class_type != MAT_C_STRUCT || element_count(variable_.get()) != 1)
        fail_file(path, "its variable \"" + name + "\" is not one structure");
}

void MatStruct::fail(const std::string &field, const std::string &reason) const {
    fail_file(path_, name_ + "." + field + ": " + reason);
}

matvar_t *MatStruct::find(const std::string &field) const {
    matvar_t *variable = variable_.get();
    for (std::size_t begin = 0; begin <= field.size();) {
        const std::size_t end = std::min(field.find('.', begin), field.size());
        if (variable->class_type != MAT_C_STRUCT)
            fail(field, "it is not in a structure");
        variable = Mat_VarGetStructFieldByName(variable, field.substr(begin, end - begin).c_str(), 0);
        if (!variable)
            fail(field, "missing");
        begin = end + 1;
    }
    if (!variable->data || !variable->dims || element_count(variable) == 0)
        fail(field, "empty");
    return variable;
}

std::vector<double> MatStruct::finite_numbers(const std::string &field, const matvar_t *variable,
                                              const void *data) const {
    std::vector<double> values(element_count(variable));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (variable->data_type == MAT_T_SINGLE)
            values[i] = static_cast<const float *>(data)[i];
        else if (variable->data_type == MAT_T_DOUBLE)
            values[i] = static_cast<const double *>(data)[i];
        else
            fail(field, "not of single or double precision");
        if (!std::isfinite(values[i]))
            fail(field, "element " + std::to_string(i + 1) + " is not a finite number");
    }
    return values;
}

std::vector<double> MatStruct::numbers(const std::string &field) const {
    const matvar_t *variable = find(field);
    if (variable->isComplex)
        fail(field, "complex where real numbers are expected");
    return finite_numbers(field, variable, variable->data);
}

std::vector<double> MatStruct::numbers(const std::string &field, std::size_t count) const {
    std::vector<double> values = numbers(field);
    if (values.size() != count)
        fail(field, std::to_string(values.size()) + " values for " + std::to_string(count) + " pulses");
    return values;
}

std::vector<cfloat> MatStruct::complex_columns(const std::string &field, std::size_t rows,
                                               std::size_t &columns) const {
    const matvar_t *variable = find(field);
    if (!variable->isComplex)
        fail(field, "real where complex numbers are expected");
    if (variable->rank != 2 || variable->dims[0] != rows)
        fail(field, "not a matrix with one row for each of " + std::to_string(rows) + " frequencies");
    columns = variable->dims[1];

    const auto *parts = static_cast<const mat_complex_split_t *>(variable->data);
    const std::vector<double> real = finite_numbers(field, variable, parts->Re);
    const std::vector<double> imag = finite_numbers(field, variable, parts->Im);
    std::vector<cfloat> values(real.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = cfloat(static_cast<float>(real[i]), static_cast<float>(imag[i]));
    return values;
}

} // namespace sar
