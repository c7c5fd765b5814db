// Lists of indices: their compressed form, text and wire form.
#include "model/index_lists.hpp"

#include <algorithm>
#include <limits>

namespace dri::model {

namespace {

// Stands for a list that is only counted.
class CountedRuns {
public:
    size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Runs &back() { return last_; }
    void push_back(const Runs &r) {
        last_ = r;
        ++count_;
    }
    void reserve(size_t /*n*/) {}

private:
    Runs last_;
    size_t count_ = 0;
};

// Puts a list together in its one form. Consecutive indices become the longest runs possible; equal runs at equal
// distances become one list.
template <class List = IndexList> class ListBuilder {
public:
    // Appends consecutive indices. They continue the last run if they follow it.
    void add(int64_t global, int64_t size) {
        if (size_ > 0 && global == global_ + size_) {
            size_ += size;
        } else {
            close();
            global_ = global, size_ = size;
        }
        length_ += size;
    }

    // Appends several runs. Only the first and the last one can join their neighbours if the runs stand apart.
    void add(const Runs &r) {
        if (r.count > 1 && r.global_step == r.size)
            return add(r.global, r.size * r.count);
        if (r.count < 3 || r.global_step < r.size) {
            // Memory for many runs is requested at once, so that too many fail before they are written.
            constexpr int64_t many = 1 << 16;
            if (r.count > many)
                list_.reserve(list_.size() + static_cast<size_t>(r.count));
            for (int64_t k = 0; k < r.count; ++k)
                add(r.global + k * r.global_step, r.size);
            return;
        }
        add(r.global, r.size);
        add(r.global + r.global_step, r.size);
        close_equal(r.count - 2, r.global_step);
        length_ += (r.count - 3) * r.size;
        add(r.global + (r.count - 1) * r.global_step, r.size);
    }

    void reserve(size_t lists) { list_.reserve(lists); }

    List take() {
        close();
        return std::move(list_);
    }

private:
    // Appends the last run, and `count` - 1 more of its size at this distance. These do not count in length_ yet.
    void close_equal(int64_t count, int64_t step) {
        const int64_t global = global_, size = size_, local = length_ - size_;
        close();
        int64_t more = count - 1;
        if (more > 0 && list_.back().count > 1 && list_.back().global_step != step) {
            list_.push_back({global + step, size, 1, 0, local + size, 0});
            --more;
        }
        if (more == 0)
            return;
        list_.back().count += more;
        list_.back().global_step = step;
        list_.back().local_step = size;
    }

    // If length and distance match, the last run is one more run of the list before.
    void close() {
        if (size_ == 0)
            return;
        Runs *const before = list_.empty() ? nullptr : &list_.back();
        const int64_t step = before ? global_ - before->global - (before->count - 1) * before->global_step : 0;
        if (before && before->size == size_ && step > size_ &&
            (before->count == 1 || before->global_step == step)) {
            ++before->count;
            before->global_step = step;
            before->local_step = size_;
        } else {
            list_.push_back({global_, size_, 1, 0, length_ - size_, 0});
        }
        size_ = 0;
    }

    List list_;
    int64_t global_ = 0, size_ = 0; // the last run, which may still grow; of size 0: none
    int64_t length_ = 0;            // indices so far
};

// The list of n indices; next() returns a function that returns them one after the other. Lists without a pattern
// are long: their runs are counted first, so that they take no more memory than they need.
template <class Next> IndexList compress_all(size_t n, const Next &next) {
    const auto fill = [&](auto list) {
        auto index = next();
        each_run(n, index, [&](int64_t global, int64_t size) { list.add(global, size); });
        return list.take();
    };
    ListBuilder<> list;
    list.reserve(fill(ListBuilder<CountedRuns>()).size());
    return fill(std::move(list));
}

} // namespace

IndexList compress(std::span<const int64_t> indices) {
    return compress_all(indices.size(), [&] { return [at = indices.data()]() mutable { return *at++; }; });
}

IndexList compress(std::span<const uint32_t> indices) {
    return compress_all(indices.size(),
                        [&] { return [at = indices.data()]() mutable { return int64_t{*at++}; }; });
}

IndexList join(std::span<const Runs> runs) {
    ListBuilder<> list;
    for (const Runs &r : runs)
        list.add(r);
    return list.take();
}

int64_t length(const IndexList &list) {
    return list.empty() ? 0 : list.back().local + list.back().size * list.back().count;
}

size_t list_at(const IndexList &list, int64_t local) {
    const auto after =
        std::upper_bound(list.begin(), list.end(), local, [](int64_t l, const Runs &r) { return l < r.local; });
    return static_cast<size_t>(after - list.begin() - 1);
}

int64_t index_at(const IndexList &list, int64_t local) {
    const Runs &r = list[list_at(list, local)];
    return r.global + (local - r.local) / r.size * r.global_step + (local - r.local) % r.size;
}

// Equal indices give equal compressed lists.
bool same_indices(const IndexList &a, const IndexList &b) { return a == b; }

// A list needs 32 bytes, an index 8. Indices without a pattern are therefore sent one by one.
bool is_plain(const IndexList &list) { return length(list) < 4 * std::ssize(list); }

void put(Writer &out, std::span<const uint32_t> plain) {
    out.put(int8_t{1});
    out.put(static_cast<int64_t>(plain.size()));
    for (const uint32_t index : plain)
        out.put(int64_t{index});
}

void put(Writer &out, const IndexList &list) {
    const int64_t n = length(list);
    const bool plain = is_plain(list);
    out.put(static_cast<int8_t>(plain));
    out.put(plain ? n : static_cast<int64_t>(list.size()));
    for (const Runs &r : list) {
        if (!plain) {
            for (const int64_t v : {r.global, r.size, r.count, r.global_step})
                out.put(v);
            continue;
        }
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                out.put(r.global + k * r.global_step + i);
    }
}

IndexList get_index_list(Reader &in) {
    const bool plain = in.get<uint8_t>() != 0;
    const auto n = in.get<int64_t>();
    const size_t bytes = (plain ? 1 : 4) * sizeof(int64_t);
    if (n < 0 || static_cast<size_t>(n) > in.left() / bytes)
        fail(DRI_ERR_INTERNAL, "a list of {} entries is longer than its bytes", n);
    if (plain) {
        const auto next = [](Reader &from) {
            const auto index = from.get<int64_t>();
            if (index < 0 || index == INT64_MAX)
                fail(DRI_ERR_INTERNAL, "{} is no index", index);
            return index;
        };
        const Reader first = in;
        for (int64_t i = 0; i < n; ++i)
            next(in);
        return compress_all(static_cast<size_t>(n),
                            [&] { return [&next, from = first]() mutable { return next(from); }; });
    }
    std::vector<Runs> list;
    Wide length = 0;
    for (int64_t i = 0; i < n; ++i) {
        Runs r;
        r.global = in.get<int64_t>();
        r.size = in.get<int64_t>();
        r.count = in.get<int64_t>();
        r.global_step = in.get<int64_t>();
        length += Wide{r.size} * r.count;
        const bool runs = r.global >= 0 && r.size > 0 && r.count > 0 &&
                          (r.count == 1 ? r.global_step == 0 : r.global_step > r.size);
        if (!runs || Wide{r.count - 1} * r.global_step + r.global + r.size > INT64_MAX || length > INT64_MAX)
            fail(DRI_ERR_INTERNAL, "{} runs of {} indices from {} on, {} apart, are no list", r.count, r.size,
                 r.global, r.global_step);
        list.push_back(r);
    }
    return join(list);
}

std::string to_text(const IndexList &list) {
    std::string text;
    for (const Runs &r : list)
        for (int64_t k = 0; k < r.count; ++k) {
            const int64_t first = r.global + k * r.global_step;
            text += text.empty() ? "" : ":";
            text += r.size == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + r.size - 1);
        }
    return text;
}

} // namespace dri::model
