// Single elements: by checked access, and by a view with global indices.
#include "contest.hpp"

#include <dri/dri.hpp>

namespace domain_bench {

namespace {

constexpr int64_t side = 256;

// What a process owns of a plate in rows, and where.
struct Plate {
    dri::Ranges<2> all{dri::range(0, side), dri::range(0, side)};
    dri::Domain<2> domain{all};
    dri::Array<double, 2> array{domain};
    dri::Ranges<2> own;
    double *data = nullptr;

    Plate() {
        array = 1;
        const DRI_View *view = nullptr;
        dri::detail::check(DRI_array_view(array.handle(), 0, &view));
        own = {dri::Range(view->range[0]), dri::Range(view->range[1])};
        data = static_cast<double *>(view->data);
    }
};

#define DRI_ALONE __attribute__((noinline))

template <class Get> DRI_ALONE double sum_of(const dri::Ranges<2> &own, const Get &get) {
    const int64_t first0 = own[0].first, end0 = first0 + own[0].size, first1 = own[1].first,
                  end1 = first1 + own[1].size;
    double sum = 0;
    for (int64_t i = first0; i < end0; ++i)
        for (int64_t j = first1; j < end1; ++j)
            sum += get(i, j);
    return sum;
}

// one_by_one: a statement that costs nothing keeps the compiler from making vectors.
template <bool one_by_one = false, class At> DRI_ALONE void turn(const dri::Ranges<2> &own, const At &at) {
    const int64_t first0 = own[0].first, end0 = first0 + own[0].size, first1 = own[1].first,
                  end1 = first1 + own[1].size;
    for (int64_t i = first0; i < end0; ++i)
        for (int64_t j = first1; j < end1; ++j) {
            at(i, j) = 0.5 - at(i, j);
            if constexpr (one_by_one)
                asm volatile("");
        }
}

// The raw pointer, by global index.
auto raw(const Plate &plate) {
    const int64_t first0 = plate.own[0].first, first1 = plate.own[1].first, columns = plate.own[1].size;
    return [data = plate.data, first0, first1, columns](int64_t i, int64_t j) -> double & {
        return data[(i - first0) * columns + (j - first1)];
    };
}

enum class Way { checked, local };
template <Way way> Pair read() {
    const auto plate = std::make_shared<Plate>();
    return {.ours =
                [plate] {
                    const auto &a = std::as_const(plate->array);
                    if constexpr (way == Way::checked)
                        use(sum_of(plate->own, [&a](int64_t i, int64_t j) { return a(i, j); }));
                    else
                        use(sum_of(plate->own, [x = a.local()](int64_t i, int64_t j) { return x(i, j); }));
                },
            .theirs = [plate] { use(sum_of(plate->own, raw(*plate))); },
            .operations = static_cast<double>(plate->own.size())};
}
template <Way way, bool one_by_one = false> Pair write() {
    const auto plate = std::make_shared<Plate>();
    return {.ours =
                [plate] {
                    auto &a = plate->array;
                    if constexpr (way == Way::checked)
                        turn(plate->own, [&a](int64_t i, int64_t j) -> double & { return a(i, j); });
                    else
                        turn(plate->own, [x = a.local()](int64_t i, int64_t j) -> double & { return x(i, j); });
                },
            .theirs = [plate] { turn<one_by_one>(plate->own, raw(*plate)); },
            .operations = static_cast<double>(plate->own.size())};
}

} // namespace

std::vector<Contest> accesses() {
    return {
        {"a(i, j), read", "raw pointer", 1.3, 0, read<Way::checked>},
        {"a(i, j), changed", "raw pointer", 1.3, 0, write<Way::checked>},
        {"a(i, j), changed", "raw pointer, one by one", 1.3, 0, write<Way::checked, true>},
        {"local()(i, j), read", "raw pointer", 1.02, 0, read<Way::local>},
        {"local()(i, j), changed", "raw pointer", 1.02, 0, write<Way::local>},
    };
}

} // namespace domain_bench
