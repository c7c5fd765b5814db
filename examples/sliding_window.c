/*
 * The spectrogram of a recording of many sensors.
 *
 * The recording is an array [hops][hop][sensors]: a hop is half a window of samples. Each hop is cut over all
 * processes along time, and a process holds its samples of all sensors. A window is two successive hops, so
 * windows overlap by half. A Fourier transform needs all samples of one sensor. A frame is therefore a corner turn
 * of one window.
 *
 * The window slides through the recording at the source of "window". The powers of all sensors travel to one
 * process, and the sink of "spectrum" slides: it writes each frame to its position in the spectrogram.
 */
#include <dri/dri.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { hop = 128, samples = 2 * hop, bins = hop + 1, sensors = 24, hops = 40, windows = hops - 1 };

static const double circle = 6.283185307179586;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* A tone in noise. It rises from bin 20 to bin 60, and reaches each sensor 3 samples after the sensor before. */
static float sound(int64_t sample, int64_t sensor) {
    const double t = (double)(sample - 3 * sensor), rise = 40.0 / (samples * windows * hop);
    const uint64_t mixed = (uint64_t)(sample * sensors + sensor + 1) * 0x9E3779B97F4A7C15u;
    const double noise = (double)(mixed >> 40) / (1 << 24) - 0.5;
    return (float)(sin(circle * t * (20.0 / (double)samples + 0.5 * rise * t)) + noise);
}

static float hann(int64_t sample) { return (float)(0.5 - 0.5 * cos(circle * (double)sample / (double)samples)); }

/* Declares an endpoint whose array is cut along one dimension. Sets mine to the calling process's part. */
static DRI_Xfer declare(const char *name, DRI_Role role, DRI_Gdo array, int cut, DRI_Group group,
                        DRI_Layout layout, DRI_Part_tuple mine[3]) {
    int rank;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Xfer endpoint;
    ok(DRI_world_rank(&rank));
    ok(DRI_part_create_blocks(3, cut, &part));
    ok(DRI_dist_create(array, part, group, &dist));
    if (mine)
        ok(DRI_dist_get_part(dist, rank, mine));
    ok(DRI_xfer_create(name, role, dist, layout, 1, NULL, &endpoint));
    return endpoint;
}

/* The number of powers that differ from the definition of the Fourier transform. */
static int64_t count_wrong(const float *power) {
    static double wave[samples], x[samples];
    int64_t wrong = 0;
    for (int64_t i = 0; i < samples; ++i)
        wave[i] = cos(circle * (double)i / (double)samples);
    for (int64_t window = 0; window < windows; ++window)
        for (int64_t sensor = 0; sensor < sensors; ++sensor) {
            for (int64_t i = 0; i < samples; ++i)
                x[i] = hann(i) * sound(window * hop + i, sensor);
            for (int64_t bin = 0; bin < bins; ++bin) {
                double re = 0, im = 0;
                for (int64_t i = 0; i < samples; ++i) {
                    re += x[i] * wave[bin * i % samples];
                    im += x[i] * wave[(bin * i + samples / 4) % samples];
                }
                wrong += !(fabs(sqrt(*power++) - sqrt(re * re + im * im)) < 1e-3);
            }
        }
    return wrong;
}

/* The bin of a window with the largest power, summed over all sensors. */
static int loudest(const float *power, int64_t window) {
    int best = 0;
    float largest = -1;
    for (int bin = 0; bin < bins; ++bin) {
        float sum = 0;
        for (int64_t sensor = 0; sensor < sensors; ++sensor)
            sum += power[(window * sensors + sensor) * bins + bin];
        if (sum > largest) {
            largest = sum;
            best = bin;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    const int64_t none[3] = {0, 0, 0}, recorded[3] = {hops, hop, sensors}, two_hops[3] = {2, hop, sensors},
                  computed[3] = {windows, sensors, bins}, one_window[3] = {1, sensors, bins};
    const int by_sensor[3] = {2, 0, 1}, first_process = 0;
    int rank;
    DRI_Group all, one;
    DRI_Gdo recording, window, spectrogram, spectrum;
    DRI_Layout sensors_first;
    DRI_Part_tuple of_time[3], of_sensors[3];
    DRI_Xfer recorder, transformer, sender, collector = DRI_XFER_NULL;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &first_process, &one));
    ok(DRI_gdo_create(3, DRI_FLOAT, recorded, &recording));
    ok(DRI_gdo_subset(recording, none, two_hops, &window));
    ok(DRI_gdo_create(3, DRI_FLOAT, computed, &spectrogram));
    ok(DRI_gdo_subset(spectrogram, none, one_window, &spectrum));
    ok(DRI_layout_create_packed(3, by_sensor, &sensors_first));

    recorder = declare("window", DRI_SOURCE, recording, 1, all, DRI_ROW_MAJOR, of_time);
    transformer = declare("window", DRI_SINK, window, 2, all, sensors_first, of_sensors);
    ok(DRI_xfer_set_attr(recorder, DRI_ATTR_REBASE, 1 << 0)); /* the window slides along the hops */
    sender = declare("spectrum", DRI_SOURCE, spectrum, 1, all, DRI_ROW_MAJOR, NULL);
    if (rank == first_process) {
        collector = declare("spectrum", DRI_SINK, spectrogram, 1, one, DRI_ROW_MAJOR, NULL);
        ok(DRI_xfer_set_attr(collector, DRI_ATTR_REBASE, 1 << 0)); /* and along the windows */
    }
    ok(DRI_commit(all));

    ok(DRI_xfer_get_buffer(recorder, &buffer));
    float *sample = (float *)buffer;
    for (int64_t h = 0; h < hops; ++h)
        for (int64_t i = of_time[1].left_x; i < of_time[1].right_x; ++i)
            for (int64_t sensor = 0; sensor < sensors; ++sensor)
                *sample++ = sound(h * hop + i, sensor);

    float *x = fftwf_alloc_real(samples);
    fftwf_complex *y = fftwf_alloc_complex(bins);
    const fftwf_plan transform = fftwf_plan_dft_r2c_1d(samples, x, y, FFTW_ESTIMATE);
    for (int64_t w = 0; w < windows; ++w) {
        const int64_t offset[3] = {w, 0, 0};
        ok(DRI_xfer_rebase(recorder, offset));
        ok(DRI_do("window", DRI_XFER_NULL));

        ok(DRI_xfer_get_buffer(transformer, &buffer));
        const float *in = (const float *)buffer;
        ok(DRI_xfer_get_buffer(sender, &buffer));
        float *power = (float *)buffer;
        for (int64_t sensor = of_sensors[2].left_x; sensor < of_sensors[2].right_x; ++sensor) {
            for (int64_t i = 0; i < samples; ++i)
                x[i] = hann(i) * *in++;
            fftwf_execute(transform);
            for (int64_t bin = 0; bin < bins; ++bin)
                *power++ = y[bin][0] * y[bin][0] + y[bin][1] * y[bin][1];
        }

        if (rank == first_process)
            ok(DRI_xfer_rebase(collector, offset));
        ok(DRI_do("spectrum", DRI_XFER_NULL));
    }
    fftwf_destroy_plan(transform);
    fftwf_free(y);
    fftwf_free(x);

    int64_t wrong = 0;
    if (rank == first_process) {
        ok(DRI_xfer_get_buffer(collector, &buffer));
        wrong = count_wrong((const float *)buffer);
        printf("%d windows of %d samples from %d sensors: the line rises from bin %d to bin %d; "
               "%lld of %d powers are wrong\n",
               windows, samples, sensors, loudest((const float *)buffer, 0),
               loudest((const float *)buffer, windows - 1), (long long)wrong, windows * sensors * bins);
    }
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
