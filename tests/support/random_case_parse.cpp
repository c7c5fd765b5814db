// Parses case lines. random_case_line.cpp writes them. Of the library, only modules base and the element types are
// used: dri_bench, which links the library as a user does, parses its lines here.
#include "line_cursor.hpp"
#include "random_case.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dri::test {

namespace {

using model::CutKind;
using model::Remainder;

struct RemainderName {
    Remainder remainder;
    std::string_view name;
};
constexpr RemainderName remainder_names[] = {
    {Remainder::balanced_last, "last"}, {Remainder::ceil, "ceil"}, {Remainder::proportional, "prop"}};

class Parser : LineCursor {
public:
    Parser(std::string_view line, CaseWords accepted, int job)
        : LineCursor(line), all_(accepted == CaseWords::all), job_(job) {}

    TransferCase parse() {
        TransferCase c;
        skip_spaces();
        c.type = type();
        skip_spaces();
        c.root = dims_of_array();
        check_bytes(c);
        c.source = side(c.root);
        skip_spaces();
        expect("->");
        c.sink = side(c.root);
        for (skip_spaces(); all_ && !at_end(); skip_spaces())
            word(c);
        if (!at_end())
            wrong("the end of the line");
        return c;
    }

private:
    model::ElementType type() {
        if (all_ && !next_is("-0123456789")) {
            const bool is_complex = accept("complex-");
            const auto scalar = scalar_named(text_until(" \t"));
            if (!scalar || (is_complex && !model::has_complex(*scalar)))
                wrong("a type, such as 8B or complex-float, before this place");
            return is_complex ? model::make_complex(*scalar) : model::make_real(*scalar);
        }
        const auto bytes = number<int64_t>(1, "the bytes of an element, such as 8B");
        expect("B");
        return model::make_record(bytes, all_ && accept("/") ? number<int64_t>(1, "an alignment") : 1);
    }

    Dims dims_of_array() {
        Dims sizes;
        expect("[");
        if (accept("]"))
            return sizes;
        do {
            if (sizes.size() == max_dims)
                wrong("at most 8 dimensions");
            sizes.push_back(number<int64_t>(0, "a size"));
        } while (accept(","));
        expect("]");
        return sizes;
    }

    void check_bytes(const TransferCase &c) const {
        int64_t bytes = c.type.size;
        for (const int64_t size : c.root) {
            if (size > 0 && bytes > std::numeric_limits<int64_t>::max() / size)
                wrong("an array of fewer than 2^63 bytes before this place");
            bytes *= std::max<int64_t>(size, 1);
        }
    }

    SideSpec side(const Dims &root) {
        SideSpec s{.offset = Dims(root.size(), 0), .sizes = root, .rules = {}, .ranks = {}, .layouts = {}};
        skip_spaces();
        if (all_ && accept("at")) {
            s.offset = dims_of_array();
            expect("+");
            s.sizes = dims_of_array();
            skip_spaces();
        }
        if (all_ && accept("{"))
            boxes(s);
        else
            rules(s);
        skip_spaces();
        do
            s.layouts.push_back(layout(root.size()));
        while (all_ && accept("|"));
        skip_spaces();
        if (all_ && accept("over "))
            s.ranks = accept("all") ? all_ranks() : ranks();
        else if (all_)
            s.ranks = usual_ranks(s);
        return s;
    }

    void rules(SideSpec &s) {
        if (all_) { // a side with another number of rules is one that the library refuses
            if (!accept("-"))
                do
                    s.rules.push_back(rule(0));
                while (accept(","));
            return;
        }
        if (s.sizes.empty())
            expect("-");
        for (size_t dim = 0; dim < s.sizes.size(); ++dim) {
            if (dim > 0)
                expect(",");
            s.rules.push_back(rule(s.sizes[dim]));
        }
    }

    // An edge given for one box applies to all boxes.
    void boxes(SideSpec &s) {
        model::CutRule exact;
        exact.kind = CutKind::exact;
        s.rules.assign(s.sizes.size(), exact);
        do {
            model::Box box;
            do {
                if (box.size() == s.rules.size())
                    wrong("as many ranges as the array has dimensions before this place");
                const auto lo = number<int64_t>(0, "where a box begins");
                expect("+");
                const auto size = number<int64_t>(0, "the size of a box");
                const model::Overlap o = overlap();
                model::Overlap &edges = s.rules[box.size()].overlap;
                if (o.left_edge != model::Edge::truncate)
                    edges.left_edge = o.left_edge;
                if (o.right_edge != model::Edge::truncate)
                    edges.right_edge = o.right_edge;
                box.push_back({lo, lo + size, o.left, o.right});
            } while (accept(","));
            s.boxes.push_back(box);
        } while (accept("|"));
        expect("}");
    }

    model::CutRule rule(int64_t size) {
        model::CutRule r;
        if (all_ && accept("whole(")) {
            r.nparts = parts();
            block_arguments(r);
        } else if (accept("block")) {
            r.kind = CutKind::block;
            if (accept("(")) {
                r.nparts = parts();
                block_arguments(r);
            }
        } else if (accept("cyclic(")) {
            r.kind = CutKind::block_cyclic;
            r.nparts = parts(), expect(",");
            r.block = number<int64_t>(1, "a block size");
            r.phase = all_ && accept(",phase=") ? number<int64_t>(0, "the part of the first block") : 0;
            limits(r);
        } else if (accept("sizes(")) {
            r.kind = CutKind::sizes;
            r.sizes = numbers<int64_t>(0, "the size of a part", ":");
            r.nparts = std::ssize(r.sizes);
            if (!all_)
                check_sizes(r, size);
            limits(r);
        } else if (all_ && accept("weights(")) {
            r.kind = CutKind::weights;
            r.weights = numbers<double>(0, "the weight of a part", ":");
            r.nparts = std::ssize(r.weights);
            limits(r);
        } else if (all_ && accept("idx(")) {
            r.kind = CutKind::indices;
            do
                r.lists.push_back(list());
            while (accept("|"));
            r.nparts = std::ssize(r.lists);
            limits(r);
        } else if (!accept("*")) {
            wrong(all_ ? "a rule (*, block, cyclic, sizes, weights or idx) for every dimension"
                       : "a rule (*, block, cyclic or sizes) for every dimension");
        }
        r.overlap = overlap();
        return r;
    }

    int64_t parts() {
        const int64_t n = number<int64_t>(0, "a number of parts");
        if (n > std::numeric_limits<int>::max())
            wrong("a number of parts below 2^31 before this place");
        return n;
    }

    void block_arguments(model::CutRule &r) {
        if (accept(",")) {
            const auto *named = std::find_if(std::begin(remainder_names), std::end(remainder_names),
                                             [&](const RemainderName &n) { return accept(n.name); });
            if (named != std::end(remainder_names))
                r.remainder = named->remainder;
            else if (all_)
                limit(r);
            else
                wrong("last, ceil or prop");
        }
        limits(r);
    }

    void limits(model::CutRule &r) {
        while (all_ && accept(","))
            limit(r);
        expect(")");
    }

    void limit(model::CutRule &r) {
        int64_t &value = accept("min=") ? r.min : accept("max=") ? r.max : r.multiple;
        if (&value == &r.multiple && !accept("multiple="))
            wrong("min=, max= or multiple=");
        value = number<int64_t>(0, "a limit");
    }

    void check_sizes(const model::CutRule &r, int64_t size) const {
        int64_t rest = size;
        for (const int64_t s : r.sizes)
            rest = s <= rest ? rest - s : -1;
        if (rest != 0)
            wrong("sizes that add up to " + std::to_string(size) + " before this place");
    }

    // 0-3:9; from_line gives the list its short form.
    model::IndexList list() {
        model::IndexList indices;
        while (!next_is("|,)")) {
            const auto first = number<int64_t>(0, "an index"),
                       last = accept("-") ? number<int64_t>(first, "a later index") : first;
            indices.push_back({.global = first, .size = last - first + 1});
            accept(":");
        }
        return indices;
    }

    model::Overlap overlap() {
        model::Overlap o;
        if (!all_ || !accept("<"))
            return o;
        o.left = number<int64_t>(0, "a width");
        o.left_edge = edge();
        expect(":");
        o.right = number<int64_t>(0, "a width");
        o.right_edge = edge();
        expect(">");
        return o;
    }

    model::Edge edge() {
        return accept("w")   ? model::Edge::wrap
               : accept("z") ? model::Edge::pad_zero
               : accept("r") ? model::Edge::pad_replicate
                             : model::Edge::truncate;
    }

    model::Layout layout(size_t ndims) {
        model::Layout l;
        if (accept("cm")) {
            l.kind = model::LayoutKind::col_major;
        } else if (all_ && accept("s")) {
            l.kind = model::LayoutKind::strided;
            const auto strides = numbers(std::numeric_limits<int64_t>::min(), "a stride", ":");
            l.strides = {strides.begin(), strides.end()};
        } else if (!accept("rm") && !(ndims == 0 && accept("-"))) {
            l.kind = model::LayoutKind::packed;
            l.order = order(ndims);
        }
        while (all_ && accept("/"))
            if (accept("split"))
                l.format = model::ComplexFormat::split;
            else if (accept("auto"))
                l.pitch = model::pitch_auto;
            else {
                expect("p");
                l.pitch = number<int64_t>(0, "a pitch");
            }
        return l;
    }

    Dims order(size_t ndims) {
        Dims digits;
        const auto take_digit = [&] {
            for (size_t d = 0; d < ndims; ++d) {
                const auto dim = static_cast<int64_t>(d);
                if (std::find(digits.begin(), digits.end(), dim) == digits.end() && accept(std::to_string(d))) {
                    digits.push_back(dim);
                    return true;
                }
            }
            return false;
        };
        while (take_digit()) {
        }
        if (digits.size() < ndims)
            wrong("the order in memory: each of the " + std::to_string(ndims) +
                  " dimensions once, counted from 0, slowest first");
        return digits;
    }

    std::vector<int> ranks() {
        std::vector<int> found;
        do {
            const int first = number(0, "a rank"), last = accept("-") ? number(0, "a rank") : first;
            for (int r = first; r != last; r += first < last ? 1 : -1)
                found.push_back(r);
            found.push_back(last);
        } while (accept(","));
        return found;
    }

    std::vector<int> all_ranks() const {
        if (job_ == 0)
            wrong("ranks before this place: no job is known whose processes could be meant");
        std::vector<int> found(static_cast<size_t>(job_));
        std::iota(found.begin(), found.end(), 0);
        return found;
    }

    std::vector<int> usual_ranks(const SideSpec &s) const {
        const bool open =
            std::any_of(s.rules.begin(), s.rules.end(), [](const model::CutRule &r) { return r.chooses_parts(); });
        if (job_ > 0 && s.boxes.empty() && open)
            return all_ranks();
        int64_t parts = s.boxes.empty() ? 1 : std::ssize(s.boxes);
        for (const model::CutRule &r : s.rules)
            parts *= r.fixed_parts();
        std::vector<int> found(static_cast<size_t>(parts));
        std::iota(found.begin(), found.end(), 0);
        return found;
    }

    // Words behind the sides, in any order.
    void word(TransferCase &c) {
        if (accept("no-self")) {
            c.self_way = false;
        } else if (accept("direct")) {
            c.direct_way = true;
        } else if (accept("nodes=")) {
            c.nodes = numbers(0, "a node", ",");
        } else if (accept("limit=")) {
            c.message_bytes = number<int64_t>(1, "bytes of a message");
        } else if (accept("chunk=")) {
            c.chunk_bytes = number<int64_t>(1, "bytes of a chunk");
        } else if (accept("to=")) {
            c.sink.type = type();
        } else if (accept("scale=")) {
            c.sink.scale = number(std::numeric_limits<double>::lowest(), "a scale");
        } else if (accept("plain=")) {
            c.gathering.plain_copies = number<int64_t>(0, "a number of copies");
        } else if (accept("even=")) {
            c.gathering.even_tables = number<int64_t>(0, "a number of tables");
        } else if (accept("frames=")) {
            c.frames = number(0, "a number of frames");
        } else if (accept("buffers=")) {
            const auto values = numbers(0, "a number of buffers", ",");
            c.source.buffers = values.front();
            c.sink.buffers = values.back();
        } else if (accept("memory=")) {
            c.source.memory = c.sink.memory = memory();
            if (accept(","))
                c.sink.memory = memory();
        } else {
            wrong("a word of a case line");
        }
        if (!at_end() && !next_is(" \t"))
            wrong("a space behind a word");
    }

    Memory memory() {
        for (size_t k = 0; k < memory_names.size(); ++k)
            if (accept(memory_names[k]))
                return static_cast<Memory>(k);
        wrong("a kind of memory");
    }

    bool all_;
    int job_; // number of processes, or 0
};

} // namespace

TransferCase parse_case(std::string_view line, CaseWords accepted, int job) {
    return Parser(line, accepted, job).parse();
}

} // namespace dri::test
