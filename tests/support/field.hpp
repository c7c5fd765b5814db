// Elements over a domain, in memory of the test: an item of loops as a program makes its own.
#pragma once

#include <dri/cpp/forall.hpp>

#include <vector>

namespace field {

template <class T, std::size_t N> class Field {
public:
    explicit Field(const dri::Domain<N> &domain) : domain_(domain) {
        std::int64_t held = 0;
        for (const auto &box : domain.boxes()) {
            boxes_.push_back({box, held});
            held += box.size();
        }
        memory_.resize(static_cast<std::size_t>(held));
    }

    const dri::Domain<N> &domain() const { return domain_; }
    std::vector<T> &memory() { return memory_; }

    // The elements of these members. They lie in one box, otherwise it throws DRI_ERR_MISMATCH.
    dri::MemoryCursor<T, N> find(const dri::Ranges<N> &members) {
        for (const Box &box : boxes_) {
            dri::MemoryCursor<T, N> found{memory_.data() + box.start, {}};
            std::int64_t step = 1;
            bool is_inside = true;
            for (std::size_t d = N; d-- > 0;) {
                const auto dense = dri::detail::densified(members[d], box.members[d]);
                if (!dense) {
                    is_inside = false;
                    break;
                }
                found.first += dense->first * step;
                found.step[d] = dense->stride * step;
                step *= box.members[d].size;
            }
            if (is_inside)
                return found;
        }
        dri::fail(DRI_ERR_MISMATCH, "the field does not hold these members");
    }

private:
    struct Box {
        dri::Ranges<N> members;
        std::int64_t start;
    };
    dri::Domain<N> domain_;
    std::vector<Box> boxes_;
    std::vector<T> memory_;
};

// Some members of a field.
template <class T, std::size_t N> struct Slice {
    Slice(Field<T, N> &of, const dri::Ranges<N> &members) : whole(&of), domain(of.domain()[members]) {}
    Field<T, N> *whole;
    dri::Domain<N> domain;
};

} // namespace field

template <class T, std::size_t N> struct dri::loop_item<field::Field<T, N>> {
    static constexpr std::size_t dims = N;
    static const Domain<N> &domain(const field::Field<T, N> &x) { return x.domain(); }
    static MemoryCursor<T, N> cursor(field::Field<T, N> &x, const Ranges<N> &dense) {
        return x.find(undensify(dense, x.domain().ranges()));
    }
};

template <class T, std::size_t N> struct dri::loop_item<field::Slice<T, N>> {
    static constexpr std::size_t dims = N;
    static const Domain<N> &domain(const field::Slice<T, N> &x) { return x.domain; }
    static MemoryCursor<T, N> cursor(const field::Slice<T, N> &x, const Ranges<N> &dense) {
        return x.whole->find(undensify(dense, x.domain.ranges()));
    }
};
