// Arrays: elements over a domain, which processes read and write where they lie.
//
//     dri::Array<double, 2> a(all), b(all);
//     dri::forall(dri::zip(all, a), [](auto at, double &x) { x = at[0]; });
//     b = a;                       // all elements
//     b[inside] = a[inside];       // slices, also of other maps, strides and numbers of dimensions
//     b[inside] = 2 * a[inside];   // a statement, see expression.hpp
//     a.update_overlap();          // copies of the neighbours' elements
//     const auto x = a.local();    // what this process holds, by the indices of the domain
#pragma once

#include <dri/cpp/gatherings.hpp>
#include <dri/cpp/local_view.hpp>
#include <dri/cpp/members.hpp>
#include <dri/cpp/piece.hpp>
#include <dri/cpp/slice.hpp>
#include <dri/cpp/view.hpp>

#include <chrono>

namespace dri {
inline namespace v1 {

// Dimensions that an alias leaves out: `a.alias(ranges, dri::drop<1>)`.
template <std::size_t... D> struct Dropped {};
template <std::size_t... D> inline constexpr Dropped<D...> drop{};

// Elements T over a domain of N dimensions. It is moved, not copied: `b = a` assigns the elements, std::swap
// exchanges the arrays. Nothing communicates except constructors, assignments, updates, write() and Domain::set(),
// which gives an array of the domain other elements. Other processes' elements are errors that name the owner.
template <class T, std::size_t N> class Array : detail::Dims<N>, detail::Elementary<T> {
public:
    using element_type = T;

    // In memory of the library, zeros at first. Collective over the map's processes; synchronising. See
    // DRI_array_create.
    explicit Array(const Domain<N> &domain) : domain_(domain) { make(nullptr); }
    // In the caller's memory, for domain.held() elements. Throws DRI_ERR_ARG on all processes if one has less.
    Array(const Domain<N> &domain, std::span<T> memory) : domain_(domain) {
        if (domain.rank() >= 0)
            domain.map().group().agree(size_fault(memory.size(), domain.held()));
        alignas(T) static std::byte nothing[sizeof(T)];
        make(memory.empty() ? static_cast<void *>(nothing) : memory.data());
    }

    // Over the indices [0, n) along each dimension, in the default partition: dimension 0 in blocks. In memory of
    // the library, zeros at first. Collective over the group; synchronising. See DRI_array_create_shape.
    explicit Array(const Index<N> &shape, const Group &group = world()) : Array(of_shape(shape, group)) {}

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions or another type
    // of elements; the handle stays the caller's then.
    static Array adopt(DRI_Array handle) {
        Array made = described(handle);
        made.kept_ = Kept(handle);
        return made;
    }
    // An alias of all elements of a handle that stays another one's, such as those of an Assignment.
    static Array borrow(DRI_Array handle) {
        const Array whole = described(handle);
        Kept alias;
        detail::check(DRI_array_slice(handle, whole.ranges().data(), 0, alias.out()));
        return Array(std::move(alias), whole.domain_.changes());
    }

    Array(const Array &) = delete; // dri: an array is not copied: make one over the same domain, and assign
    Array(Array &&) noexcept = default;
    ~Array() = default;
    Array &operator=(Array &&) noexcept = default;

    // Assigns all elements. Fewer are broadcast as in numpy. Collective over the processes of both maps; not
    // synchronising. See assign().
    Array &operator=(const Array &from) {
        if (this != &from)
            detail::assign_item(*this, from);
        return *this;
    }
    template <class From>
    requires detail::ArrayItem<From> Array &operator=(const From &from) {
        detail::assign_item(*this, from);
        return *this;
    }
    // A statement: see expression.hpp and loop.hpp.
    template <detail::ExpressionLike E> Array &operator=(const E &expression) {
        detail::run_statement(*this, expression);
        return *this;
    }
    // Assigns a value to each element that this process owns. Local.
    Array &operator=(const T &value) {
        forall(*this, [&value](T &x) { x = value; });
        return *this;
    }

    DRI_Array handle() const noexcept { return kept_.get(); }
    const Domain<N> &domain() const noexcept { return domain_; }
    const Ranges<N> &ranges() const noexcept { return domain_.ranges(); }

    // The element of an index that this process owns. Throws DRI_ERR_ARG for an index that is no member, and for
    // an element of another process. Inlined if the process has one box, otherwise a call. See DRI_array_at.
    template <class... Indices> [[gnu::always_inline]] T &operator()(Indices... indices) {
        return at(index_of(indices...));
    }
    template <class... Indices> [[gnu::always_inline]] const T &operator()(Indices... indices) const {
        return at(index_of(indices...));
    }
    T &operator[](const Index<N> &index) { return at(index); }
    const T &operator[](const Index<N> &index) const { return at(index); }
    T &operator[](std::int64_t index) requires(N == 1) { return at({index}); }
    const T &operator[](std::int64_t index) const requires(N == 1) { return at({index}); }

    // Some elements, to assign, write and loop over. Their use throws DRI_ERR_ARG for ranges that are not inside.
    Slice<T, N> operator[](const Ranges<N> &ranges) { return {*this, ranges}; }
    Slice<const T, N> operator[](const Ranges<N> &ranges) const { return {*this, ranges}; }
    template <std::same_as<Domain<N>> Some> Slice<T, N> operator[](const Some &some) {
        return {*this, some.ranges()};
    }
    template <std::same_as<Domain<N>> Some> Slice<const T, N> operator[](const Some &some) const {
        return {*this, some.ranges()};
    }

    // A slice that is an array, in the same memory, without some dimensions of one member: `drop<1>`. It is stale
    // after set() of the array's domain: DRI_ERR_STATE. Local. See DRI_array_slice.
    template <std::size_t... D> auto alias(const Ranges<N> &ranges, Dropped<D...> = {}) {
        static_assert(sizeof...(D) < N && ((D < N) && ...), "dri: an alias keeps at least one of its dimensions");
        Kept made;
        detail::check(DRI_array_slice(handle(), ranges.data(), ((1U << D) | ... | 0U), made.out()));
        return Array<T, N - sizeof...(D)>(std::move(made), origin_ ? origin_ : domain_.changes());
    }

    // What this process holds, by the indices of the domain, with overlap. Throws DRI_ERR_UNSUPPORTED if it has
    // several boxes, or indices that do not lie side by side. Valid until set() of the domain.
    LocalView<T, N> local() { return local_of<T>(); }
    LocalView<const T, N> local() const { return local_of<const T>(); }

    // The follower: the elements of a chunk of any domain of the same shape. Throws DRI_ERR_MISMATCH unless they
    // lie in one box of this process.
    View<T, N> follow(const Chunk<N> &chunk) { return follow_as<T>(chunk.dense); }
    View<const T, N> follow(const Chunk<N> &chunk) const { return follow_as<const T>(chunk.dense); }

    // Fills the overlap, at once or in halves. Collective over the map's processes; not synchronising. See
    // DRI_array_update_overlap.
    void update_overlap() { detail::check(DRI_array_update_overlap(handle())); }
    void update_overlap_start() { detail::check(DRI_array_update_overlap_start(handle())); }
    void update_overlap_wait() { detail::check(DRI_array_update_overlap_wait(handle())); }

    // A new array whose dimension i is dimension order[i] of this one: a corner turn. In the default partition.
    // Collective over the map's processes. See DRI_array_permute.
    Array permuted(const std::array<int, N> &order) const {
        Kept made;
        detail::check(DRI_array_permute(handle(), order.data(), made.out()));
        return owner_of<N>(std::move(made));
    }
    // A new array of M dimensions with the same elements in row-major order. In the default partition. Collective
    // over the map's processes. See DRI_array_reshape.
    template <std::size_t M> Array<T, M> reshaped(const Index<M> &shape) const {
        Kept made;
        detail::check(DRI_array_reshape(handle(), static_cast<int>(M), shape.data(), made.out()));
        return owner_of<M>(std::move(made));
    }
    // Some or all elements, packed in row-major order, on the process of rank `root`, or on all for -1. Elsewhere
    // none. The last form writes them to memory of the caller, which stays in use after a timeout until the same
    // call has returned. Collective over the map's processes. See DRI_array_gather.
    std::vector<T> gather(const Ranges<N> &some, int root = -1) const {
        static_assert(!std::is_same_v<T, bool>, "dri: a std::vector of bool has no elements in memory");
        const auto n = receives(root) ? static_cast<std::size_t>(some.size()) : std::size_t{0};
        return gatherings_.run(some, root, n, [&](std::span<T> to) { gather(some, root, to); });
    }
    std::vector<T> gather(int root = -1) const { return gather(ranges(), root); }
    void gather(const Ranges<N> &some, int root, std::span<T> to) const {
        if (receives(root) && to.size() < static_cast<std::size_t>(some.size()))
            detail::fail(DRI_ERR_ARG, "gather(): the memory has " + std::to_string(to.size()) + " elements, but " +
                                          std::to_string(some.size()) + " arrive");
        detail::check(DRI_array_gather(handle(), some.data(), root, to.data()));
    }

    // What this process holds along dimension 0: left halo, owned elements, right halo. Halos are empty unless the
    // array is a piece. See DRI_array_get_parts.
    std::array<RangedView<T, N>, 3> parts() const { return detail::parts_of<T, N>(handle()); }

    // A piece in which each process holds what it asks for: positions of the array, or an empty box; without a
    // target on all processes the default partition. In the same memory as far as it owns them. Collective over
    // the map's processes. See DRI_array_repartition.
    Piece<T, N> repartition(const std::optional<Box<N>> &target = {}) const {
        const DRI_Box at = target ? detail::raw_box(*target) : DRI_Box{};
        Piece<T, N> piece;
        detail::check(DRI_array_repartition(handle(), target ? &at : nullptr, piece.kept_.out()));
        return piece;
    }

    // Writes all elements as text, on the map's first process: "1 2 3\n4 5 6\n". Records need operator<<.
    // Collective over the map's processes; synchronising. See DRI_array_write.
    void write(std::ostream &out) const { detail::write_item<T, N>(out, *this, handle()); }

    // Settings, the same on all processes. See DRI_Array_attr.
    void bulk(bool on) { set(DRI_ARRAY_BULK, on); }
    void plans(int most) { set(DRI_ARRAY_PLANS, most); }
    void threads(int n) { set(DRI_ARRAY_THREADS, n); }
    void timeout(std::chrono::milliseconds most) { set(DRI_ARRAY_TIMEOUT_MS, most.count()); }

    std::string describe() const {
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_array_describe(handle(), text, n); });
    }

private:
    template <class, std::size_t> friend class Array;
    template <class> friend struct loop_item;
    using Kept = detail::Owned<DRI_Array, DRI_array_destroy>;
    using Changes = std::shared_ptr<const std::uint64_t>;
    Array(const Domain<N> &domain, const DRI_View *first) : domain_(domain), first_(first) {}
    // An alias. origin: of the domain of its array.
    Array(Kept alias, Changes origin) : Array(described(alias.get())) {
        kept_ = std::move(alias);
        made_at_ = *origin;
        count_ = origin.get();
        origin_ = std::move(origin);
    }

    static Array described(DRI_Array handle) {
        DRI_Domain domain;
        detail::check(DRI_array_get_domain(handle, &domain));
        detail::Owned<DRI_Domain, DRI_domain_destroy> found(domain);
        const auto adopted = Domain<N>::adopt(domain);
        found.give_up();
        DRI_Type type;
        detail::check(DRI_array_get_type(handle, &type));
        if (!detail::is_type<T>(type))
            detail::fail(DRI_ERR_ARG, "adopt(): the array has elements of another type");
        const DRI_View *first = nullptr;
        detail::check(DRI_array_view(handle, 0, &first));
        return Array(adopted, first);
    }

    bool receives(int root) const { return root < 0 || root == domain_.rank(); }
    static Array of_shape(const Index<N> &shape, const Group &group) {
        const detail::ElementType<T> type;
        Kept made;
        detail::check(
            DRI_array_create_shape(static_cast<int>(N), shape.data(), type.get(), group.handle(), made.out()));
        Array array = owner_of<N>(std::move(made));
        if constexpr (detail::CopiedEach<T>)
            detail::check(DRI_array_set_copy(array.handle(), detail::copy_one<T>, nullptr));
        return array;
    }
    // Of a handle that was made now.
    template <std::size_t M> static Array<T, M> owner_of(Kept made) {
        Array<T, M> array = Array<T, M>::adopt(made.get());
        made.give_up();
        return array;
    }

    static int size_fault(std::size_t given, std::int64_t held) {
        if (given >= static_cast<std::size_t>(held))
            return DRI_SUCCESS;
        const std::string text = "Array(): the memory has " + std::to_string(given) + " elements, but " +
                                 std::to_string(held) + " are held";
        return DRI_fail(DRI_ERR_ARG, text.c_str());
    }

    void make(void *memory) {
        const detail::ElementType<T> type;
        detail::check(DRI_array_create(domain_.handle(), type.get(), memory, kept_.out()));
        detail::check(DRI_array_view(handle(), 0, &first_));
        if constexpr (detail::CopiedEach<T>)
            detail::check(DRI_array_set_copy(handle(), detail::copy_one<T>, nullptr));
    }

    void set(DRI_Array_attr attr, std::int64_t value) { detail::check(DRI_array_set_attr(handle(), attr, value)); }

    template <class... Indices> [[gnu::always_inline]] static Index<N> index_of(Indices... indices) {
        static_assert(sizeof...(Indices) == N, "dri: an Array of N dimensions takes exactly N indices");
        static_assert((std::integral<Indices> && ...), "dri: an index is an integer");
        return {static_cast<std::int64_t>(indices)...};
    }

    // Almost all elements are those of a process's only box, side by side. Compilers make a loop of its own for
    // these, because all that it needs is read before any test. A failure does not come back: so clang makes
    // vectors.
    [[gnu::always_inline]] T &at(const Index<N> &index) const {
        const DRI_View &view = *first_;
        std::array<std::uint64_t, N> along{}, size{};
        std::uint64_t place = 0;
        bool is_dense = (*count_ == made_at_) & (view.step[N - 1] == 1);
        for (std::size_t d = 0; d < N; ++d) {
            along[d] = static_cast<std::uint64_t>(index[d]) - static_cast<std::uint64_t>(view.range[d].first);
            size[d] = static_cast<std::uint64_t>(view.range[d].size);
            is_dense &= view.range[d].stride == 1;
            place += d + 1 == N ? along[d] : along[d] * static_cast<std::uint64_t>(view.step[d]);
        }
#ifdef __clang__ // it takes this out of the loop along the last index; g++ would make other loops slower
        for (std::size_t d = 0; d + 1 < N; ++d)
            is_dense &= along[d] < size[d];
#endif
        T *const data = static_cast<T *>(view.data);
        if (is_dense & (view.boxes == 1)) [[likely]] {
            for (std::size_t d = 0; d < N; ++d)
                if (along[d] >= size[d]) [[unlikely]]
                    refuse(index);
            return data[static_cast<std::int64_t>(place)];
        }
        for (std::size_t d = 0; d < N; ++d)
            is_dense &= along[d] < size[d];
        if (is_dense)
            return data[static_cast<std::int64_t>(place)];
        const detail::Found<T> found = look_up(index);
        if (!found.element) [[unlikely]]
            detail::raise_last(found.code);
        return *found.element;
    }
    // Any other element. It changes nothing, so that loops keep what they have read of the array. By value, so
    // that the index stays in registers.
    [[gnu::noinline, gnu::pure]] detail::Found<T> look_up(Index<N> index) const noexcept {
        return detail::find_element<T>(*count_ == made_at_ ? first_ : nullptr, handle(), index);
    }
    [[noreturn, gnu::noinline, gnu::cold]] void refuse(Index<N> index) const {
        detail::raise_last(look_up(index).code);
    }

    template <class E> LocalView<E, N> local_of() const {
        const DRI_View *view = nullptr;
        detail::check(DRI_array_view(handle(), 0, &view));
        if (const auto n = domain_.boxes().size(); n > 1)
            detail::fail(DRI_ERR_UNSUPPORTED,
                         "local(): the process has " + std::to_string(n) + " boxes: use forall() or follow()");
        return LocalView<E, N>(*view, ranges());
    }

    template <class E> View<E, N> follow_as(const Ranges<N> &dense) const {
        const auto found = cursor<E>(undensify(dense, ranges()));
        return View<E, N>(found.first, dense.sizes(), found.step);
    }

    // Where members lie. Chunks come in the order of boxes, so the box after the last one is the next to look at.
    // Those of a slice may be members of several boxes: not all are looked at.
    template <class E> MemoryCursor<E, N> cursor(const Ranges<N> &members, bool is_slice = false) const {
        MemoryCursor<E, N> found{};
        if (*count_ == made_at_ && detail::find_in(*first_, members, found))
            return found;
        const DRI_View *view = nullptr;
        detail::check(DRI_array_view(handle(), 0, &view));
        static thread_local std::int64_t last = 0;
        const std::int64_t n = domain_.boxes().size();
        for (std::int64_t k = 0; k < (is_slice ? std::min<std::int64_t>(n, 2) : n); ++k) {
            const std::int64_t box = (last + k) % n;
            detail::check(DRI_array_view(handle(), box, &view));
            if (detail::find_in(*view, members, found)) {
                last = box;
                return found;
            }
        }
        return cursor_over_boxes<E>(members);
    }
    // Members of several boxes may lie evenly spaced. The library knows.
    template <class E> MemoryCursor<E, N> cursor_over_boxes(const Ranges<N> &members) const {
        Kept slice;
        detail::Owned<DRI_Domain, DRI_domain_destroy> domain;
        std::int64_t owned = 0, boxes = 0;
        detail::check(DRI_array_slice(handle(), members.data(), 0, slice.out()));
        detail::check(DRI_array_get_domain(slice.get(), domain.out()));
        if (domain_.rank() >= 0) {
            detail::check(DRI_domain_get_count(domain.get(), domain_.rank(), &owned, nullptr));
            detail::check(DRI_domain_num_boxes(domain.get(), domain_.rank(), &boxes));
        }
        const DRI_View *view = nullptr;
        detail::check(DRI_array_view(slice.get(), 0, &view));
        MemoryCursor<E, N> found{};
        if (owned != members.size() || boxes > 1 || !detail::find_in(*view, members, found))
            detail::refuse_elsewhere(domain_, domain_.rank(), members);
        return found;
    }
    Domain<N> domain_;
    const DRI_View *first_ = nullptr;             // of the library; it describes the present memory
    mutable detail::Gatherings<T, N> gatherings_; // destroyed after the handle
    Kept kept_;
    // Of an alias: how often the domain of its array has changed, now and when the alias was made.
    Changes origin_;
    static constexpr std::uint64_t never_ = 0;
    const std::uint64_t *count_ = &never_;
    std::uint64_t made_at_ = 0;
};

template <class T, std::size_t N> struct loop_item<Array<T, N>> {
    static constexpr std::size_t dims = N;
    static const Domain<N> &domain(const Array<T, N> &x) { return x.domain(); }
    static MemoryCursor<T, N> cursor(Array<T, N> &x, const Ranges<N> &dense) {
        return x.template cursor<T>(undensify(dense, x.ranges()));
    }
    static MemoryCursor<const T, N> cursor(const Array<T, N> &x, const Ranges<N> &dense) {
        return x.template cursor<const T>(undensify(dense, x.ranges()));
    }
    // Of a slice.
    static MemoryCursor<T, N> find(Array<T, N> &x, const Ranges<N> &members) {
        return x.template cursor<T>(members, true);
    }
    static MemoryCursor<const T, N> find(const Array<T, N> &x, const Ranges<N> &members) {
        return x.template cursor<const T>(members, true);
    }
};

} // namespace v1
} // namespace dri
