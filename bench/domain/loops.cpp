// Loops over arrays side by side, beside plain nests: a fill, a triad, and a stencil.
#include "contest.hpp"

#include <dri/dri.hpp>

#include <array>
#include <cmath>

namespace domain_bench {

namespace {

#define DRI_ALONE __attribute__((noinline))

template <std::size_t N> dri::Ranges<N> cube(int64_t elements) {
    const auto side = static_cast<int64_t>(std::llround(std::pow(static_cast<double>(elements), 1.0 / N)));
    dri::Ranges<N> all;
    for (std::size_t d = 0; d < N; ++d)
        all[d] = dri::range(0, side);
    return all;
}

// Three arrays of a domain, and where this process has them.
template <std::size_t N> struct Fields {
    dri::Domain<N> domain;
    dri::Array<double, N> x{domain}, y{domain}, z{domain};
    std::array<int64_t, N> sizes{}, first{};

    explicit Fields(int64_t elements) : domain(cube<N>(elements)) {
        x = 1;
        y = 2;
        z = 3;
        const DRI_View *view = nullptr;
        dri::detail::check(DRI_array_view(x.handle(), 0, &view));
        for (std::size_t d = 0; d < N; ++d) {
            sizes[d] = view->range[d].size;
            first[d] = view->range[d].first;
        }
    }
    static double *data(dri::Array<double, N> &array) {
        const DRI_View *view = nullptr;
        dri::detail::check(DRI_array_view(array.handle(), 0, &view));
        return static_cast<double *>(view->data);
    }
    double owned() const { return static_cast<double>(domain.owned()); }
};

template <std::size_t N> DRI_ALONE void triad(Fields<N> &f) {
    dri::forall(dri::zip(f.x, f.y, f.z), [](double &to, double a, double b) { to = a + 3 * b; });
}
template <std::size_t N> DRI_ALONE void triad_by_hand(double *x, const double *y, const double *z, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        x[i] = y[i] + 3 * z[i];
}

template <std::size_t N> DRI_ALONE void fill(Fields<N> &f) {
    dri::forall(dri::zip(f.domain, f.x), [](auto at, double &to) {
        double sum = 0;
        for (std::size_t d = 0; d < N; ++d)
            sum += static_cast<double>(d + 1) * static_cast<double>(at[d]);
        to = sum;
    });
}
DRI_ALONE void fill_by_hand(double *x, const std::array<int64_t, 1> &n, const std::array<int64_t, 1> &at) {
    for (int64_t i = 0; i < n[0]; ++i)
        x[i] = static_cast<double>(i + at[0]);
}
DRI_ALONE void fill_by_hand(double *x, const std::array<int64_t, 2> &n, const std::array<int64_t, 2> &at) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            x[i * n[1] + j] = static_cast<double>(i + at[0]) + 2 * static_cast<double>(j + at[1]);
}
DRI_ALONE void fill_by_hand(double *x, const std::array<int64_t, 3> &n, const std::array<int64_t, 3> &at) {
    for (int64_t i = 0; i < n[0]; ++i)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t k = 0; k < n[2]; ++k)
                x[(i * n[1] + j) * n[2] + k] = static_cast<double>(i + at[0]) +
                                               2 * static_cast<double>(j + at[1]) +
                                               3 * static_cast<double>(k + at[2]);
}

template <std::size_t N> Pair triads(int64_t elements) {
    const auto f = std::make_shared<Fields<N>>(elements);
    int64_t n = 1;
    for (const int64_t size : f->sizes)
        n *= size;
    return {.ours = [f] { triad(*f); },
            .theirs = [f, n] { triad_by_hand<N>(f->data(f->x), f->data(f->y), f->data(f->z), n); },
            .fault =
                [f] {
                    bool right = true;
                    dri::forall(f->x, [&right](double x) { right = right && x == 11; });
                    return std::string(right ? "" : "a triad is wrong");
                },
            .operations = f->owned()};
}
template <std::size_t N> Pair fills(int64_t elements) {
    const auto f = std::make_shared<Fields<N>>(elements);
    return {.ours = [f] { fill(*f); },
            .theirs = [f] { fill_by_hand(f->data(f->x), f->sizes, f->first); },
            .operations = f->owned()};
}

// The inner part of a plate that is large enough for the overlap of a process to matter little.
struct Heat {
    static constexpr int64_t side = 1000;
    dri::Ranges<2> plate{dri::range(0, side), dri::range(0, side)};
    dri::Domain<2> all{dri::stencil_map(plate, {1, 1}), plate}, inside{all[plate.expand(-1)]};
    dri::Array<double, 2> now{all}, next{all}, by_hand{all};
    Heat() {
        dri::forall(dri::zip(all, now),
                    [](auto at, double &t) { t = static_cast<double>(at[0] * at[0] - 3 * at[1]); });
        now.update_overlap();
    }
};
DRI_ALONE void heat(Heat &h) {
    const auto t = std::as_const(h.now).local();
    dri::forall(dri::zip(h.inside, h.next[h.inside]), [&](auto at, double &to) {
        const auto [i, j] = at;
        to = 0.25 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1));
    });
}
DRI_ALONE void heat_by_hand(const double *t, double *to, int64_t rows, int64_t columns, int64_t pitch) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            const int64_t at = i * pitch + j;
            to[at] = 0.25 * (t[at - pitch] + t[at + pitch] + t[at - 1] + t[at + 1]);
        }
}
Pair heats() {
    const auto h = std::make_shared<Heat>();
    const auto boxes = h->inside.boxes();
    const dri::Ranges<2> own = boxes.empty() ? dri::Ranges<2>() : boxes[0];
    return {.ours = [h] { heat(*h); },
            .theirs =
                [h, own] {
                    const DRI_View *from = nullptr, *to = nullptr;
                    dri::detail::check(DRI_array_view(h->now.handle(), 0, &from));
                    dri::detail::check(DRI_array_view(h->by_hand.handle(), 0, &to));
                    const int64_t before = (own[0].first - from->range[0].first) * from->step[0] + own[1].first -
                                           from->range[1].first;
                    heat_by_hand(static_cast<const double *>(from->data) + before,
                                 static_cast<double *>(to->data) + before, own[0].size, own[1].size,
                                 from->step[0]);
                },
            .fault =
                [h] {
                    bool right = true;
                    dri::forall(dri::zip(h->next[h->inside], h->by_hand[h->inside]),
                                [&right](double a, double b) { right = right && a == b; });
                    return std::string(right ? "" : "the stencil is wrong");
                },
            .operations = static_cast<double>(h->inside.owned())};
}

} // namespace

std::vector<Contest> loops() {
    std::vector<Contest> all;
    constexpr int64_t small = 32 * 1024 / 8, large = 64 * 1024 * 1024 / 8;
    for (const int64_t elements : {small, large}) {
        const std::string size = elements == small ? ", 32 KB" : ", 64 MB";
        all.push_back({"triad, 1-d" + size, "plain loop", 1.02, 0, [elements] { return triads<1>(elements); }});
        all.push_back({"triad, 2-d" + size, "plain loop", 1.02, 0, [elements] { return triads<2>(elements); }});
        all.push_back({"triad, 3-d" + size, "plain loop", 1.02, 0, [elements] { return triads<3>(elements); }});
        all.push_back(
            {"fill by index, 1-d" + size, "plain nest", 1.02, 0, [elements] { return fills<1>(elements); }});
        all.push_back(
            {"fill by index, 2-d" + size, "plain nest", 1.02, 0, [elements] { return fills<2>(elements); }});
        all.push_back(
            {"fill by index, 3-d" + size, "plain nest", 1.02, 0, [elements] { return fills<3>(elements); }});
    }
    all.push_back({"stencil, 1000 x 1000", "plain nest", 1.02, 0, heats});
    return all;
}

} // namespace domain_bench
