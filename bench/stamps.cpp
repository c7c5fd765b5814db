#include "stamps.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace bench {

namespace {

constexpr int64_t word_bytes = 8;

// One word of an element's stamp. SplitMix64 mixes it so well that elements of a single byte differ, too.
uint64_t word_of(int64_t global, int64_t word) {
    uint64_t x = static_cast<uint64_t>(global) + static_cast<uint64_t>(word + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

size_t bytes_of_word(int64_t word, int64_t element_bytes) {
    return static_cast<size_t>(std::min(word_bytes, element_bytes - word * word_bytes));
}

// Calls f(global linear index, address) for each element of a part, in the order of memory.
template <class Byte, class F> void for_each_element(const Case &c, const Part &part, Rows<Byte> rows, F f) {
    if (part.count == 0)
        return;
    // terms[k][i]: what local index i of the dimension at position k of the order adds to the linear index.
    std::vector<Dims> terms;
    for (const int dim : part.order) {
        const int64_t weight =
            std::accumulate(c.sizes.begin() + dim + 1, c.sizes.end(), int64_t{1}, std::multiplies<>());
        Dims term;
        for (const Run &run : part.runs[static_cast<size_t>(dim)])
            for (int64_t i = 0; i < run.count; ++i)
                term.push_back((run.begin + i) * weight);
        terms.push_back(std::move(term));
    }
    const size_t slow_dims = terms.size() - 1;
    std::vector<size_t> index(slow_dims, 0);
    while (true) {
        int64_t row = 0;
        for (size_t k = 0; k < slow_dims; ++k)
            row += terms[k][index[k]];
        Byte *at = rows.first;
        for (const int64_t term : terms.back()) {
            f(row + term, at);
            at += c.element_bytes;
        }
        rows.first += rows.pitch > 0 ? rows.pitch : at - rows.first;
        size_t k = slow_dims;
        while (k > 0 && ++index[k - 1] == terms[k - 1].size())
            index[--k] = 0;
        if (k == 0)
            return;
    }
}

} // namespace

void fill(const Case &c, const Part &part, Rows<std::byte> rows) {
    for_each_element(c, part, rows, [&c](int64_t global, std::byte *at) {
        for (int64_t word = 0; word * word_bytes < c.element_bytes; ++word) {
            const uint64_t stamp = word_of(global, word);
            std::memcpy(at + word * word_bytes, &stamp, bytes_of_word(word, c.element_bytes));
        }
    });
}

void poison(const Case &c, const Part &part, Rows<std::byte> rows) {
    for_each_element(c, part, rows, [&c](int64_t, std::byte *at) {
        std::memset(at, 0xa5, static_cast<size_t>(c.element_bytes));
    });
}

int64_t count_wrong(const Case &c, const Part &part, Rows<const std::byte> rows) {
    int64_t wrong = 0;
    for_each_element(c, part, rows, [&c, &wrong](int64_t global, const std::byte *at) {
        bool right = true;
        for (int64_t word = 0; word * word_bytes < c.element_bytes; ++word) {
            const uint64_t stamp = word_of(global, word);
            right &= std::memcmp(at + word * word_bytes, &stamp, bytes_of_word(word, c.element_bytes)) == 0;
        }
        wrong += right ? 0 : 1;
    });
    return wrong;
}

} // namespace bench
