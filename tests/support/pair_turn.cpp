#include "support/pair_turn.hpp"

#include "support/pair_end.hpp"
#include "support/world.hpp"

#include <cstring>

namespace dri::test {
namespace {

constexpr int64_t frames = 3;

class PairTurn {
public:
    explicit PairTurn(const PairForm &form) : form_(form) {
        ends_.emplace_back(form, at_source, false);
        ends_.emplace_back(form, at_sink, false);
        if (form.has_second_sink)
            ends_.emplace_back(form, at_sink, true);
    }
    // An end may use the memory of another one, so all are destroyed before any memory is.
    ~PairTurn() {
        for (PairEnd &end : ends_)
            end.destroy();
    }
    PairOutcome run();

private:
    bool succeeds(const char *call, int code);
    void set_least_limit();
    void move_frame(int64_t frame);
    void take_frame(PairEnd &sink, int64_t frame);
    void move_in_place(int64_t frame);
    void move_end(PairEnd &end, int64_t frame);
    void end_stream();
    void fill(PairEnd &end, int64_t strip, int64_t frame);
    void check(PairEnd &end, const void *buffer, int64_t strip, int64_t frame);

    // Calls f(byte, row, column, component) for each component of a strip that the process holds.
    template <class F> void for_each(const PairEnd &end, int64_t strip, F f) const {
        const PairView &view = end.views()[static_cast<size_t>(strip)];
        const int64_t components = form_.arranged ? 2 : 1;
        for (size_t i = 0; i < view.rows.size(); ++i)
            for (size_t j = 0; j < view.columns.size(); ++j)
                for (int64_t c = 0; c < components; ++c)
                    f(view.at(static_cast<int64_t>(i), static_cast<int64_t>(j), c, components,
                              bytes_of(end.number())),
                      view.rows[i], view.columns[j], c);
    }
    // Where the windows are in the source's columns and in the sink's rows.
    int64_t source_offset(int64_t frame) const { return (form_.slides & at_source) ? frame * 7 % 25 : 0; }
    int64_t sink_offset(const PairEnd &end, int64_t frame) const { return end.slides() ? frame * 5 % 25 : 0; }
    // Every type of a case holds these numbers.
    static double value(int64_t frame, int64_t row, int64_t column, int64_t component) {
        const auto number = static_cast<double>(frame * 5000 + row * pair_long_size + column + 1);
        return component == 0 ? number : -number;
    }

    const PairForm form_;
    const Group all_ = make_world();
    std::vector<PairEnd> ends_; // the source, then the sinks
    PairOutcome outcome_;
};

PairOutcome PairTurn::run() {
    for (PairEnd &end : ends_) {
        const char *call = nullptr;
        const int code = end.declare(form_, all_, call, &end == &ends_[0] ? nullptr : &ends_[0]);
        if (!succeeds(call, code) || !succeeds("DRI_xfer_set_attr", end.set_attributes(form_)))
            return outcome_;
    }
    if (form_.has_least_limit)
        set_least_limit();
    if (!succeeds("DRI_commit", DRI_commit(all_)))
        return outcome_;
    for (int64_t frame = 0; frame < frames * form_.every; ++frame)
        if (form_.in_place)
            move_in_place(frame);
        else
            move_frame(frame);
    if (form_.stream)
        end_stream();
    return outcome_;
}

bool PairTurn::succeeds(const char *call, int code) {
    if (code != DRI_SUCCESS)
        outcome_ = {.code = code, .call = call, .message = DRI_error_message()};
    return code == DRI_SUCCESS;
}

// What the commit refuses, the query refuses as well. The commit then reports it.
void PairTurn::set_least_limit() {
    std::vector<DRI_Xfer> xfers;
    for (const PairEnd &end : ends_)
        xfers.push_back(end.xfer());
    std::vector<DRI_Memory> memory(xfers.size());
    if (DRI_xfer_query(all_, static_cast<int>(xfers.size()), xfers.data(), memory.data()) != DRI_SUCCESS)
        return;
    expect_success(DRI_xfer_set_attr(xfers[0], DRI_ATTR_WORKSPACE_LIMIT, memory[0].least_bytes),
                   "DRI_xfer_set_attr");
}

// Moves the window, and the buffer, of an end for a frame.
void PairTurn::move_end(PairEnd &end, int64_t frame) {
    if (end.slides()) {
        const int64_t offset[2] = {end.is_source() ? 0 : sink_offset(end, frame),
                                   end.is_source() ? source_offset(frame) : 0};
        expect_success(DRI_xfer_rebase(end.xfer(), offset), "DRI_xfer_rebase");
    }
    if (void *const other = end.other(frame))
        expect_success(DRI_xfer_rebind(end.xfer(), other), "DRI_xfer_rebind");
}

// The sinks are started first, because the source of a process may wait for its own sink.
void PairTurn::move_frame(int64_t frame) {
    if (form_.drops) // none, because no process is far ahead
        barrier();
    for (PairEnd &end : ends_)
        if (!end.is_source() && end.takes(form_, frame)) {
            move_end(end, frame);
            expect_success(DRI_start(nullptr, end.xfer()), "DRI_start");
        }
    PairEnd &source = ends_[0];
    move_end(source, frame);
    for (int64_t strip = 0; strip < std::ssize(source.views()); ++strip) {
        fill(source, strip, frame);
        DRI_Frame with{};
        with.bytes = 1;
        with.data[0] = static_cast<unsigned char>(frame + 1);
        expect_success(DRI_insert(source.xfer(), form_.stream ? &with : nullptr), "DRI_insert");
        expect_success(DRI_acquire(source.xfer(), nullptr), "DRI_acquire");
    }
    for (PairEnd &end : ends_)
        if (!end.is_source() && end.takes(form_, frame))
            take_frame(end, frame);
}

void PairTurn::take_frame(PairEnd &sink, int64_t frame) {
    for (int64_t strip = 0; strip < std::ssize(sink.views()); ++strip) {
        if (strip > 0)
            expect_success(DRI_release(sink.xfer()), "DRI_release");
        void *buffer = nullptr;
        DRI_Frame with{};
        const int code = DRI_extract(sink.xfer(), &buffer, &with);
        expect_success(code, "DRI_extract");
        if (code == DRI_SUCCESS)
            check(sink, buffer, strip, frame);
        EXPECT_EQ(with.number, frame * std::ssize(sink.views()) + strip);
        if (form_.stream) {
            EXPECT_TRUE(with.bytes == 1 && with.data[0] == frame + 1) << "the user's byte";
        }
    }
}

void PairTurn::move_in_place(int64_t frame) {
    fill(ends_[0], 0, frame);
    expect_success(DRI_do("pair", DRI_XFER_NULL), "DRI_do");
    check(ends_[1], buffer_of<void>(ends_[1].xfer()), 0, frame);
}

void PairTurn::end_stream() {
    expect_success(DRI_xfer_close(ends_[0].xfer()), "DRI_xfer_close");
    for (PairEnd &end : ends_)
        if (!end.is_source()) {
            expect_success(DRI_release(end.xfer()), "DRI_release");
            EXPECT_EQ(DRI_extract(end.xfer(), nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
        }
}

void PairTurn::fill(PairEnd &end, int64_t strip, int64_t frame) {
    auto *const buffer = buffer_of<std::byte>(end.xfer());
    for_each(end, strip, [&](int64_t byte, int64_t row, int64_t column, int64_t component) {
        store(buffer + byte, end.number(), value(frame, row, column, component));
    });
}

// Elements outside the window, and padding, keep what they had: zeros, and in place whatever it is.
void PairTurn::check(PairEnd &end, const void *buffer, int64_t strip, int64_t frame) {
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(end.xfer(), &bytes), "DRI_xfer_buffer_bytes");
    std::vector<std::byte> &image = end.image(buffer);
    image.resize(bytes);
    if (form_.in_place)
        std::memcpy(image.data(), buffer, bytes);
    const double scale = end.is_converted() ? pair_scale : 1;
    const int64_t down = sink_offset(end, frame), across = source_offset(frame);
    for_each(end, strip, [&](int64_t byte, int64_t row, int64_t column, int64_t component) {
        if (row < down || row >= down + pair_size)
            return;
        const bool zero = row == pair_zeros || column == pair_zeros;
        store(image.data() + byte, end.number(),
              zero ? 0 : scale * value(frame, row - down, column + across, component));
    });
    for (size_t i = 0; i < bytes; ++i)
        outcome_.wrong += image[i] == static_cast<const std::byte *>(buffer)[i] ? 0 : 1;
}

} // namespace

PairOutcome try_turn(const PairForm &form) { return PairTurn(form).run(); }

} // namespace dri::test
