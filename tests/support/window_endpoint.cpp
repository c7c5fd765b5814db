#include "support/window_endpoint.hpp"

#include "support/world.hpp"

#include <algorithm>

namespace dri::test {

WindowBox common_box(const WindowBox &a, const WindowBox &b) {
    WindowBox common;
    for (size_t d = 0; d < a.offset.size(); ++d) {
        common.offset.push_back(std::max(a.offset[d], b.offset[d]));
        common.sizes.push_back(std::max<int64_t>(0, std::min(a.end(d), b.end(d)) - common.offset[d]));
    }
    return common;
}

std::pair<int64_t, int64_t> offsets_within(const WindowBox &array, const WindowBox &window, size_t d) {
    return {array.offset[d] - window.offset[d], array.end(d) - window.end(d)};
}

WindowEndpoint::WindowEndpoint(const std::string &name, DRI_Role role, const TransferCase &c, int64_t slides)
    : data_(std::make_unique<CaseData>(c)) {
    const bool is_source = role == DRI_SOURCE;
    const dri::planner::Side &side = is_source ? data_->source() : data_->sink();
    const SideSpec &spec = is_source ? c.source : c.sink;
    const auto position = side.dist->group().position(world().rank);
    if (!position)
        return;
    part_ = is_source ? data_->source_part(*position) : data_->sink_part(*position);
    part_.elements.clear();
    (is_source ? data_->source_oracle() : data_->sink_oracle())
        .for_each_offset(*position, c.root, [&](int64_t number, int64_t offset, bool) {
            part_.elements.push_back({number, offset});
        });
    made_ = make_case_endpoint(c, spec, side, *position);
    buffers_ = std::make_unique<Buffers>(spec.buffers, spec.memory, part_.bytes);
    declare_case_endpoint(made_, name, role, c, spec, side, *position, buffers_->given());
    set(DRI_ATTR_REBASE, slides);
}

void WindowEndpoint::set(DRI_Attr attribute, int64_t value) const {
    if (made_.xfer)
        expect_success(DRI_xfer_set_attr(xfer(), attribute, value), "DRI_xfer_set_attr");
}

void WindowEndpoint::begin() {
    if (!made_.xfer)
        return;
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(xfer(), &bytes), "DRI_xfer_buffer_bytes");
    ASSERT_EQ(static_cast<int64_t>(bytes), part_.bytes);
    buffers_->take(xfer());
    for (int i = 0; i < buffers_->count(); ++i) {
        buffers_->poison_all(buffers_->at(i));
        expected_.emplace_back(bytes, poison);
    }
}

void WindowEndpoint::fill(int64_t frame) const { data_->fill_source(part_, frame, buffer_of<std::byte>(xfer())); }

void WindowEndpoint::expect(int64_t at, int64_t frame, const Dims &source_offset, const Dims &sink_offset) {
    const TransferCase &c = data_->transfer();
    std::vector<std::byte> &expected = expected_[static_cast<size_t>(at % buffers_->count())];
    const WindowBox window = common_box(box_of(c.source), box_of(c.sink));
    CaseData::Held moved{.elements = {}, .bytes = part_.bytes, .split = part_.split}, pads = moved;
    for (const auto &[number, offset] : part_.elements) {
        if (number == CaseData::Element::zeros) {
            pads.elements.push_back({number, offset});
            continue;
        }
        // Along each dimension, from the element of the sink to that of the source.
        int64_t rest = number, from = 0, step = 1;
        bool in_window = true;
        for (size_t d = c.root.size(); d-- > 0;) {
            const int64_t index = rest % c.root[d] - sink_offset[d]; // the index that the plan assumed
            in_window = in_window && index >= window.offset[d] && index < window.end(d);
            from += (index + source_offset[d]) * step;
            step *= c.root[d];
            rest /= c.root[d];
        }
        if (in_window)
            moved.elements.push_back({from, offset});
    }
    data_->fill_source(moved, frame, expected.data());
    data_->fill_zeros(pads, expected.data());
    const auto *const got = buffer_of<std::byte>(xfer());
    EXPECT_EQ(got, buffers_->at(at));
    int64_t wrong = 0;
    for (size_t i = 0; i < expected.size(); ++i)
        wrong += got[i] != expected[i];
    const auto joined = [](const Dims &offset) { return fmt::join(offset.begin(), offset.end(), ","); };
    EXPECT_EQ(wrong, 0) << "bytes of " << part_.bytes << " in frame " << at << ", the source's " << frame
                        << fmt::format(", whose window is at {} there and {} here", joined(source_offset),
                                       joined(sink_offset));
    buffers_->expect_canaries();
}

void WindowEndpoint::rebase(const Dims &offset) const {
    expect_success(DRI_xfer_rebase(xfer(), offset.data()), "DRI_xfer_rebase");
}

} // namespace dri::test
