#include "support/case_part.hpp"

#include "support/world.hpp"

namespace dri::test {

TransferCase case_of(const std::string &line) { return from_line(line, world().size); }

CasePart::CasePart(const TransferCase &c, DRI_Role role) : is_source_(role == DRI_SOURCE) {
    auto data = std::make_shared<const CaseData>(c);
    const auto position = (is_source_ ? data->source() : data->sink()).dist->group().position(world().rank);
    if (!position)
        return;
    position_ = *position;
    held_ = is_source_ ? data->source_part(position_) : data->sink_part(position_);
    (is_source_ ? data->source_oracle() : data->sink_oracle())
        .for_each_offset(position_, c.root, [&](int64_t, int64_t, bool owned) { owned_ += owned; });
    data_ = std::move(data);
}

CaseEndpoint CasePart::make() const { return make_case_endpoint(transfer(), spec(), side(), position_); }

CaseEndpoint CasePart::declare(const std::string &name, void *const *buffers) const {
    CaseEndpoint endpoint = make();
    declare_case_endpoint(endpoint, name, role(), transfer(), spec(), side(), position_, buffers);
    return endpoint;
}

CaseEndpoint CasePart::declare_strips(const std::string &name, int dim) const {
    CaseEndpoint endpoint = make();
    const DRI_Layout layout = make_layout(side().layout(position_), endpoint);
    expect_success(DRI_xfer_create_strips(name.c_str(), role(), endpoint.root, dim, endpoint.dist, layout,
                                          spec().buffers, nullptr, endpoint.xfer.out()),
                   "DRI_xfer_create_strips");
    set_attributes(endpoint.xfer, role(), transfer());
    return endpoint;
}

void CasePart::fill(void *buffer, int64_t frame) const {
    data_->fill_source(held_, frame, static_cast<std::byte *>(buffer));
}

int64_t CasePart::wrong(const void *buffer, int64_t frame) const {
    return data_->count_wrong(held_, frame, static_cast<const std::byte *>(buffer));
}

} // namespace dri::test
