// The spectrogram of a recording of many sensors.
//
// The recording is an array [hops][hop][sensors]: a hop is half a window of samples. Each hop is cut over all
// processes along time, and a process holds its samples of all sensors. A window is two successive hops, so
// windows overlap by half. A Fourier transform needs all samples of one sensor. A frame is therefore a corner turn
// of one window.
//
// The window slides through the recording at the source of "window". The powers of all sensors travel to one
// process, and the sink of "spectrum" slides: it writes each frame to its position in the spectrogram.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <dri/dri.hpp>
#include <fftw3.h>
#include <vector>

static constexpr int hop = 128, samples = 2 * hop, bins = hop + 1, sensors = 24, hops = 40, windows = hops - 1;
static constexpr double circle = 6.283185307179586;

// A tone in noise. It rises from bin 20 to bin 60, and reaches each sensor 3 samples after the sensor before.
static float sound(int64_t sample, int64_t sensor) {
    const double t = double(sample - 3 * sensor), rise = 40.0 / (samples * windows * hop);
    const uint64_t mixed = uint64_t(sample * sensors + sensor + 1) * 0x9E3779B97F4A7C15u;
    const double noise = double(mixed >> 40) / (1 << 24) - 0.5;
    return float(std::sin(circle * t * (20.0 / samples + 0.5 * rise * t)) + noise);
}

static float hann(int64_t sample) { return float(0.5 - 0.5 * std::cos(circle * double(sample) / samples)); }

// The number of powers that differ from the definition of the Fourier transform.
static int64_t count_wrong(const dri::View<float, 3> &power) {
    std::vector<double> wave(samples), x(samples);
    int64_t wrong = 0;
    for (size_t i = 0; i < samples; ++i)
        wave[i] = std::cos(circle * double(i) / samples);
    for (int64_t window = 0; window < windows; ++window)
        for (int64_t sensor = 0; sensor < sensors; ++sensor) {
            for (size_t i = 0; i < samples; ++i)
                x[i] = hann(int64_t(i)) * sound(window * hop + int64_t(i), sensor);
            for (size_t bin = 0; bin < bins; ++bin) {
                double re = 0, im = 0;
                for (size_t i = 0; i < samples; ++i) {
                    re += x[i] * wave[bin * i % samples];
                    im += x[i] * wave[(bin * i + samples / 4) % samples];
                }
                wrong += !(std::abs(std::sqrt(power(window, sensor, bin)) - std::hypot(re, im)) < 1e-3);
            }
        }
    return wrong;
}

// The bin of a window with the largest power, summed over all sensors.
static int loudest(const dri::View<float, 3> &power, int64_t window) {
    std::vector<float> sum(bins);
    for (int64_t sensor = 0; sensor < sensors; ++sensor)
        for (size_t bin = 0; bin < bins; ++bin)
            sum[bin] += power(window, sensor, bin);
    return int(std::max_element(sum.begin(), sum.end()) - sum.begin());
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    const dri::Gdo<float, 3> recording(hops, hop, sensors), spectrogram(windows, sensors, bins);
    const auto window = recording.subset({0, 0, 0}, {2, hop, sensors}),
               spectrum = spectrogram.subset({0, 0, 0}, {1, sensors, bins});
    // The first dimension slides.
    dri::Source recorder("window", dri::Dist(recording, dri::cut_dim<3>(1)), {.rebase = {0}});
    dri::Sink transformer("window", dri::Dist(window, dri::cut_dim<3>(2)), {.layout = dri::Layout{2, 0, 1}});
    dri::Source sender("spectrum", dri::Dist(spectrum, dri::cut_dim<3>(1)));
    dri::Sink collector("spectrum", dri::Dist(spectrogram, dri::cut_dim<3>(1), dri::Group{0}), {.rebase = {0}});
    dri::commit();

    recorder.forall([](auto at, float &x) { x = sound(at[0] * hop + at[1], at[2]); });
    float *const x = fftwf_alloc_real(samples);
    fftwf_complex *const y = fftwf_alloc_complex(bins);
    const fftwf_plan transform = fftwf_plan_dft_r2c_1d(samples, x, y, FFTW_ESTIMATE);
    for (int64_t w = 0; w < windows; ++w) {
        recorder.rebase({w, 0, 0});
        dri::run("window");
        const auto in = transformer.buffer(), out = sender.buffer();
        for (int64_t sensor = 0; sensor < in.extent(2); ++sensor) {
            const float *const sound_of_sensor = &in(0, 0, sensor);
            for (int64_t i = 0; i < samples; ++i)
                x[i] = hann(i) * sound_of_sensor[i];
            fftwf_execute(transform);
            for (int64_t bin = 0; bin < bins; ++bin)
                out(0, sensor, bin) = y[bin][0] * y[bin][0] + y[bin][1] * y[bin][1];
        }
        if (collector)
            collector.rebase({w, 0, 0});
        dri::run("spectrum");
    }
    fftwf_destroy_plan(transform);
    fftwf_free(y);
    fftwf_free(x);
    if (!collector)
        return 0;
    const auto power = collector.buffer();
    const int64_t wrong = count_wrong(power);
    std::printf("%d windows of %d samples from %d sensors: the line rises from bin %d to bin %d; "
                "%lld of %d powers are wrong\n",
                windows, samples, sensors, loudest(power, 0), loudest(power, windows - 1), (long long)wrong,
                windows * sensors * bins);
    return wrong > 0;
}
