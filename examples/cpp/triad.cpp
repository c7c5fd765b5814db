// x = y + 3 z over three arrays side by side, on one thread and on a team of two, then over maps that differ. Each
// process checks what it owns.
#include <dri/dri.hpp>
#include <iostream>

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    const dri::Ranges points(dri::range(1, 100001));
    const dri::Domain blocks(dri::block_map(points), points), cycles(dri::cyclic_map({1}), points);
    dri::Array<double, 1> x(blocks), y(blocks), z(blocks), dealt(cycles);
    dri::forall(dri::zip(blocks, y, z), [](auto i, double &a, double &b) {
        a = i[0];
        b = 2 * i[0];
    });
    /* [triad] */
    const auto triad = [](double &to, double a, double b) { to = a + 3 * b; };
    dri::forall(dri::zip(x, y, z), triad);
    dri::Team team(2);
    dri::forall(team, dri::zip(x, y, z), triad);
    /* [/triad] */
    /* [assign] */
    dealt = y;                                             // now round-robin
    x[{dri::range(1, 51)}] = dealt[{dri::range(51, 101)}]; // fifty elements back, to other indices
    const auto path = dri::assign(dealt, x);               // the same with how it went
    dealt[{dri::range(1, 51, 2)}] = 0;                     // a value, where this process has it
    /* [/assign] */
    int64_t wrong = path != dri::Path::known;
    dri::forall(dri::zip(cycles, dealt), [&](auto at, double t) {
        const double i = at[0];
        wrong += t != (i > 50 ? 7 * i : at[0] % 2 == 1 ? 0 : i + 50);
    });
    std::cout << "process " << env.rank() << ": " << wrong << " elements are wrong\n";
    return wrong > 0;
}
