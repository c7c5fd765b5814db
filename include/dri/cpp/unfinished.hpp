// Runs of loops that have timed out. The same statement goes on with one, another one on the same arrays is
// refused.
//
// A statement makes its context anew each time. Two contexts are equal if their operands and their numbers are, as
// far as C++ can compare them.
#pragma once

#include <dri/cpp/expression.hpp>

#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <type_traits>

namespace dri {
inline namespace v1 {
namespace detail {

using LoopHandle = Owned<DRI_Loop, DRI_loop_destroy>;

// Whether two values are equal. Those that cannot be compared count as equal.
template <class T> bool is_same_value(const T &a, const T &b) {
    if constexpr (is_value<T> || std::has_unique_object_representations_v<T>)
        return std::memcmp(&a, &b, sizeof(T)) == 0;
    else if constexpr (std::equality_comparable<T>)
        return a == b;
    else
        return true;
}
// Operands are compared as the C interface has them. Memory of the user may lie elsewhere.
inline bool is_same_operand(DRI_Operand a, DRI_Operand b) {
    a.data = b.data = nullptr;
    return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T, std::size_t N> bool is_same_value(const Leaf<T, N> &, const Leaf<T, N> &) { return true; }
template <class T, std::size_t N> bool is_same_value(const PlainLeaf<T, N> &, const PlainLeaf<T, N> &) {
    return true;
}
template <class T> bool is_same_value(const Constant<T> &a, const Constant<T> &b) {
    return is_same_value(a.value, b.value);
}
template <class F, class... X> bool is_same_value(const Expression<F, X...> &a, const Expression<F, X...> &b);
template <std::size_t... K, class... X>
bool are_same_values(const std::tuple<X...> &a, const std::tuple<X...> &b, std::index_sequence<K...>) {
    return (is_same_value(std::get<K>(a), std::get<K>(b)) && ...);
}
template <class F, class... X> bool is_same_value(const Expression<F, X...> &a, const Expression<F, X...> &b) {
    return are_same_values(a.operands(), b.operands(), std::index_sequence_for<X...>());
}

// Of a kernel of the user: a copy of it if it can be compared, otherwise nothing.
template <class F>
inline constexpr bool is_comparable = std::is_copy_constructible_v<F> &&
                                      (std::has_unique_object_representations_v<F> || std::equality_comparable<F>);
template <class F> struct KernelValue {
    explicit KernelValue(const F &of) : kernel(of) {}
    F kernel;
};
template <class F>
requires(!is_comparable<F>) struct KernelValue<F> {
    explicit KernelValue(const F &) {}
};
template <class F> bool is_same_value(const KernelValue<F> &a, const KernelValue<F> &b) {
    if constexpr (is_comparable<F>)
        return is_same_value(a.kernel, b.kernel);
    else
        return true;
}

// The runs of one type of kernel that have timed out, with copies of their contexts.
template <class Context, std::size_t K> class UnfinishedRuns {
public:
    using Operands = std::array<DRI_Operand, K>;

    // Executes a statement. It goes on with a run of equal operands and values, if there is one.
    // context: is passed to the kernel. values: of the context, which are compared. The library remembers contexts
    // by address, but this one may be another statement's later. A run that has timed out has that of its copy
    // instead.
    // steps: make() returns the loop, run(loop) executes it, and run_once(&loop) does both; a loop that has timed
    // out is put into `loop`. The latter two return a DRI_Code.
    template <class Steps>
    static void go_on(const Operands &operands, const Context &values, void *context, const Steps &steps) {
        void *known = count().load(std::memory_order_relaxed) > 0 ? find(operands, values) : nullptr;
        LoopHandle loop;
        if (known) {
            loop = steps.make();
            check(DRI_loop_set_context(loop.get(), context));
        }
        const int code = known ? steps.run(loop.get()) : steps.run_once(loop.out());
        // A known run that is refused is still under way. Without a loop its plan has timed out.
        if (loop.get().id && (code == DRI_ERR_TIMEOUT || (known && code == DRI_ERR_STATE)))
            check(DRI_loop_set_context(loop.get(), known ? known : insert(operands, values)));
        else if (known)
            erase(known);
        check(code);
    }

private:
    static constexpr std::size_t most = 64;
    struct Run {
        Operands operands;
        Context values;
    };

    static std::atomic<int> &count() {
        static std::atomic<int> runs = 0;
        return runs;
    }
    static std::mutex &mutex() {
        static std::mutex lock;
        return lock;
    }
    static std::list<Run> &all() {
        static auto *const runs = new std::list<Run>; // never destroyed: other static objects may end later
        return *runs;
    }
    static void *find(const Operands &operands, const Context &values) {
        const std::lock_guard held(mutex());
        for (Run &one : all())
            if (std::equal(operands.begin(), operands.end(), one.operands.begin(), is_same_operand) &&
                is_same_value(one.values, values))
                return &one;
        return nullptr;
    }
    static void *insert(const Operands &operands, const Context &values) {
        const std::lock_guard held(mutex());
        if (all().size() == most) // the arrays of the oldest one may have ended
            all().pop_front();
        all().push_back({operands, values});
        count().store(static_cast<int>(all().size()), std::memory_order_relaxed);
        return &all().back();
    }
    static void erase(const void *run) {
        const std::lock_guard held(mutex());
        all().remove_if([run](const Run &one) { return &one == run; });
        count().store(static_cast<int>(all().size()), std::memory_order_relaxed);
    }
};

} // namespace detail
} // namespace v1
} // namespace dri
