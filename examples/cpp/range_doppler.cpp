// A pulse-Doppler radar as a pipeline of three groups: digitisers -> Doppler stage -> screen.
#include <algorithm>
#include <dri/dri.hpp>
#include <fftw3.h>
#include <iostream>

using cfloat = std::complex<float>;

dri::cint16 digitise(int dwell, dri::Index<2> at) { return {int16_t(at[0] * dwell % 97), int16_t(at[1] % 89)}; }

void doppler(dri::Sink<cfloat, 2> &in, dri::Source<float, 2> &map) {
    const int pulses = in.extent(0), lines = in.extent(1);
    auto *first = reinterpret_cast<fftwf_complex *>(in.buffers()[0].data());
    const auto plan = fftwf_plan_many_dft(1, &pulses, lines, first, nullptr, 1, pulses, first, nullptr, 1, pulses,
                                          FFTW_FORWARD, FFTW_ESTIMATE);
    for (auto dwell : in.frames()) { // until the digitisers close
        auto *x = reinterpret_cast<fftwf_complex *>(dwell.data());
        fftwf_execute_dft(plan, x, x);
        std::ranges::transform(dwell.span(), map.next().data(), [](cfloat v) { return std::norm(v); });
        map.insert(dwell.frame()); // number, time and text stay with the data
    }
    map.close();
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv); // three processes or more
    const int last = env.size() - 1;
    const auto front = dri::Group::ranks(0, last / 2), middle = dri::Group::ranks(last / 2, last),
               screen = dri::Group{last};
    const dri::Partition by_pulse(dri::block(), dri::whole()), by_gate(dri::whole(), dri::block());
    const dri::Gdo<dri::cint16, 2> raw(128, 2048);
    const dri::Gdo<cfloat, 2> cube(128, 2048);
    const dri::Gdo<float, 2> power(128, 2048);
    dri::Source out("turn", dri::Dist(raw, by_pulse, front), {.buffers = 2, .stream = true});
    dri::Sink in("turn", dri::Dist(cube, by_gate, middle),
                 {.layout = dri::col_major, .buffers = 2, .convert = true, .scale = 1.0 / 32768});
    dri::Source map("map", dri::Dist(power, by_gate, middle),
                    {.layout = dri::col_major, .buffers = 2, .stream = true});
    dri::Sink shown("map", dri::Dist(power, by_gate, screen), {.drop = true});
    dri::commit();
    for (int dwell = 0; out && dwell < 100; out.insert("dwell " + std::to_string(dwell++)))
        for (auto [at, x] : out.next().elements())
            x = digitise(dwell, at);
    if (out)
        out.close();
    if (in)
        doppler(in, map);
    for (auto frame : shown.frames())
        std::cout << frame.frame().text() << ": peak " << *std::ranges::max_element(frame.span()) << '\n';
}
