// view_bench: loops over a buffer by the C++ interface beside nests of loops over raw pointers, on one process.
// Two compilers build it. It sees the library as a program does, through its public headers.
#include <dri/dri.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using dri::Index;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The loops are functions of their own, so that each is compiled as in a program.
#define DRI_ALONE __attribute__((noinline))

DRI_ALONE void fill_elements(const dri::Part<float, 1> &part) {
    for (auto [at, x] : part.elements())
        x = static_cast<float>(at[0]);
}
DRI_ALONE void fill_forall(const dri::Part<float, 1> &part) {
    part.forall([](auto at, float &x) { x = static_cast<float>(at[0]); });
}
DRI_ALONE void fill_raw(float *data, const Index<1> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        data[i] = static_cast<float>(i);
}
DRI_ALONE void fill_elements(const dri::Part<float, 2> &part) {
    for (auto [at, x] : part.elements())
        x = static_cast<float>(at[0] + 2 * at[1]);
}
DRI_ALONE void fill_forall(const dri::Part<float, 2> &part) {
    part.forall([](auto at, float &x) { x = static_cast<float>(at[0] + 2 * at[1]); });
}
DRI_ALONE void fill_raw(float *data, const Index<2> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            data[i * n[1] + j] = static_cast<float>(i + 2 * j);
}
DRI_ALONE void fill_elements(const dri::Part<float, 3> &part) {
    for (auto [at, x] : part.elements())
        x = static_cast<float>(at[0] + 2 * at[1] + 3 * at[2]);
}
DRI_ALONE void fill_forall(const dri::Part<float, 3> &part) {
    part.forall([](auto at, float &x) { x = static_cast<float>(at[0] + 2 * at[1] + 3 * at[2]); });
}
DRI_ALONE void fill_raw(float *data, const Index<3> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t k = 0; k < n[2]; ++k)
                data[(i * n[1] + j) * n[2] + k] = static_cast<float>(i + 2 * j + 3 * k);
}

template <std::size_t N> DRI_ALONE void turn_elements(const dri::Part<float, N> &part) {
    for (auto [at, x] : part.elements())
        x = 0.5f - x;
}
template <std::size_t N> DRI_ALONE void turn_forall(const dri::Part<float, N> &part) {
    part.forall([](float &x) { x = 0.5f - x; });
}
template <std::size_t N> DRI_ALONE void turn_rows(const dri::Part<float, N> &part) {
    for (const auto row : part.rows())
        for (float &x : row.span())
            x = 0.5f - x;
}
DRI_ALONE void turn_view(const dri::View<float, 1> &v) {
    for (int64_t i = 0; i < v.extent(0); ++i)
        v(i) = 0.5f - v(i);
}
DRI_ALONE void turn_view(const dri::View<float, 2> &v) {
    for (int64_t i = 0; i < v.extent(0); ++i)
        for (int64_t j = 0; j < v.extent(1); ++j)
            v(i, j) = 0.5f - v(i, j);
}
DRI_ALONE void turn_view(const dri::View<float, 3> &v) {
    for (int64_t i = 0; i < v.extent(0); ++i)
        for (int64_t j = 0; j < v.extent(1); ++j)
            for (int64_t k = 0; k < v.extent(2); ++k)
                v(i, j, k) = 0.5f - v(i, j, k);
}
DRI_ALONE void turn_raw(float *data, const Index<1> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        data[i] = 0.5f - data[i];
}
DRI_ALONE void turn_raw(float *data, const Index<2> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            data[i * n[1] + j] = 0.5f - data[i * n[1] + j];
}
DRI_ALONE void turn_raw(float *data, const Index<3> &n) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t k = 0; k < n[2]; ++k)
                data[(i * n[1] + j) * n[2] + k] = 0.5f - data[(i * n[1] + j) * n[2] + k];
}

using Raw = std::function<void(float *data)>;

// Ends the program if the two loops do different things. The memory has what the first one does then.
template <std::size_t N>
void check_same(const char *what, const dri::Part<float, N> &part, const std::function<void()> &face,
                const Raw &raw) {
    float *const data = part.data();
    std::vector<float> expected(data, data + part.size());
    raw(expected.data());
    face();
    if (!std::equal(expected.begin(), expected.end(), data)) {
        std::fprintf(stderr, "view_bench: %s has other results than the raw loop\n", what);
        std::exit(1);
    }
}

// Alternates the two; each has the shortest of its times.
template <std::size_t N>
void compare(const char *what, const dri::Part<float, N> &part, double seconds, const std::function<void()> &face,
             const Raw &raw_loop) {
    check_same(what, part, face, raw_loop);
    const int dims = N;
    const int64_t bytes = 4 * part.size();
    const auto raw = [&raw_loop, data = part.data()] { raw_loop(data); };
    const auto time_of = [](const auto &work, int64_t times) {
        const double begin = now();
        for (int64_t i = 0; i < times; ++i)
            work();
        return (now() - begin) / static_cast<double>(times);
    };
    const double once = std::max(time_of(raw, 3), 1e-7);
    constexpr int rounds = 20;
    const auto times = std::max<int64_t>(1, static_cast<int64_t>(seconds / rounds / once / 2));
    double of_face = 1e9, of_raw = 1e9;
    for (int i = 0; i < rounds; ++i) {
        of_face = std::min(of_face, time_of(face, times));
        of_raw = std::min(of_raw, time_of(raw, times));
    }
    std::printf("| %s | %d | %lld KB | %.2f | %.2f | %.3f |\n", what, dims, static_cast<long long>(bytes / 1024),
                1e6 * of_face, 1e6 * of_raw, of_face / of_raw);
}

template <std::size_t N> void measure(int64_t elements, double seconds) {
    Index<N> sizes{}, ones{};
    ones.fill(1);
    int64_t side = 1;
    while (std::pow(static_cast<double>(side + 1), static_cast<double>(N)) <= static_cast<double>(elements))
        ++side;
    sizes.fill(side);
    if constexpr (N == 1)
        sizes[0] = elements;
    const dri::Gdo<float, N> array(sizes);
    const dri::Source source("views", dri::Dist(array, dri::cut_dim<N>(0)));
    const dri::Sink sink("views", dri::Dist(array.subset({}, ones), dri::cut_dim<N>(0))); // of one element
    dri::commit();
    const dri::Part<float, N> part = source.buffer();
    compare(
        "forall() with index", part, seconds, [&] { fill_forall(part); }, [&](float *to) { fill_raw(to, sizes); });
    compare(
        "forall() without index", part, seconds, [&] { turn_forall(part); },
        [&](float *to) { turn_raw(to, sizes); });
    compare(
        "elements() with index", part, seconds, [&] { fill_elements(part); },
        [&](float *to) { fill_raw(to, sizes); });
    compare(
        "elements() without index", part, seconds, [&] { turn_elements(part); },
        [&](float *to) { turn_raw(to, sizes); });
    compare(
        "rows()", part, seconds, [&] { turn_rows(part); }, [&](float *to) { turn_raw(to, sizes); });
    compare(
        "View", part, seconds, [&] { turn_view(part); }, [&](float *to) { turn_raw(to, sizes); });
}

} // namespace

// argv[1]: seconds of each row; default 0.2. argv[2]: how many of the sizes, the smallest first; default 3.
int main(int argc, char **argv) {
    const dri::Environment env(argc, argv);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
    std::printf("| loop | dimensions | bytes | C++, us | raw, us | C++ / raw |\n|---|---|---|---|---|---|\n");
    const std::vector<int64_t> sizes{int64_t{8} << 10, int64_t{256} << 10, int64_t{16} << 20};
    const int count = argc > 2 ? std::clamp(std::atoi(argv[2]), 1, 3) : 3;
    for (int i = 0; i < count; ++i) {
        const int64_t elements = sizes[static_cast<std::size_t>(i)];
        measure<1>(elements, seconds);
        measure<2>(elements, seconds);
        measure<3>(elements, seconds);
    }
    return 0;
}
