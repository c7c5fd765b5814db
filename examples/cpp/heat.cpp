// Heat spreads over a plate: a stencil over an array with overlap. Prints the temperature of 4 x 4 points.
#include <dri/dri.hpp>
#include <iostream>

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    /* [domain] */
    const dri::Ranges plate(dri::range(0, 1000), dri::range(0, 1000));
    const dri::Domain all(dri::stencil_map(plate, {1, 1}), plate); // blocks, with space for one neighbour each way
    const auto inside = all[plate.expand(-1)];                     // the rim keeps its temperature
    dri::Array<double, 2> now(all), next(all);
    dri::forall(dri::zip(all, now), [](auto at, double &t) { t = at[0] == 0 ? 100 : 0; });
    next = now; // a planned assignment
    /* [/domain] */
    /* [steps] */
    for (int step = 0; step < 500; ++step) {
        now.update_overlap();
        const auto t = std::as_const(now).local(); // by global index, neighbours' copies included
        dri::forall(dri::zip(inside, next[inside]), [&](auto at, double &to) {
            const auto [i, j] = at;
            to = 0.25 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1));
        });
        std::swap(now, next);
    }
    now[{dri::range(0, 1000, 250), dri::range(0, 1000, 250)}].write(std::cout);
    /* [/steps] */
}
