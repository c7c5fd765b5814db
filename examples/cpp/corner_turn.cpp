// A corner turn in C++: every process fills some rows of a matrix and gets some columns, each contiguous.
#include <dri/dri.hpp>
#include <iostream>

using cfloat = std::complex<float>;

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    const dri::Gdo<cfloat, 2> matrix(1000, 750);
    dri::Source rows("turn", dri::Dist(matrix, {dri::block(), dri::whole()}));
    dri::Sink columns("turn", dri::Dist(matrix, {dri::whole(), dri::block()}), {.layout = dri::col_major});
    dri::commit();
    for (auto [at, x] : rows.elements())
        x = cfloat(at[0], at[1]);
    dri::run("turn"); // once per frame
    int64_t wrong = 0;
    for (auto [at, x] : columns.elements())
        wrong += x != cfloat(at[0], at[1]);
    std::cout << "process " << env.rank() << ": " << wrong << " elements are wrong\n";
    return wrong > 0;
}
