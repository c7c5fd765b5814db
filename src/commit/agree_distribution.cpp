// How the processes of a group agree on a distribution that they create.
#include "commit/agree_distribution.hpp"

#include "base/wire.hpp"
#include "transport/collective.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace dri::commit {

namespace {

// What a process sends to the others of a group about the distribution that it requests.
struct Proposal {
    DRI_Code code = DRI_SUCCESS;
    Digest id;
    Bytes piece; // this process's own piece, if each process brings one
};

Bytes to_bytes(const Proposal &p) {
    Writer out;
    out.put(p.code);
    put(out, p.id);
    out.put(std::span<const std::byte>(p.piece));
    return out.take();
}

Proposal to_proposal(const Bytes &bytes) {
    Reader in(bytes);
    Proposal p;
    p.code = in.get<DRI_Code>();
    p.id = get_digest(in);
    p.piece = in.get_bytes();
    return p;
}

} // namespace

// One gather carries the digests of all requests, and the pieces if each process brings its own. Texts are sent
// only if the digests differ, because only the error message needs them.
std::shared_ptr<const model::Distribution> agree_on_distribution(const Party &party, const model::Group &asked,
                                                                 const std::function<model::Request()> &make) {
    const model::Group &group = party.group;
    const int rank = party.transport.rank();
    std::optional<model::Request> request;
    std::shared_ptr<const model::Distribution>
        dist; // without pieces the request alone determines the distribution
    Proposal proposal;
    const auto propose = [&] {
        request = make();
        if (model::brings_pieces(*request)) {
            model::check_request(*request);
            proposal.id = model::common_digest(*request);
            proposal.piece = model::piece_of(*request);
        } else {
            dist = std::make_shared<model::Distribution>(request->gdo, request->partition, request->group);
            proposal.id = dist->id();
        }
    };
    const transport::Outcome mine = outcome_of(propose, rank);
    proposal.code = mine.code;
    const Bytes content = to_bytes(proposal);
    std::vector<Proposal> proposals;
    for (const Bytes &b : transport::all_gather(party.transport, party.step("compare arguments"), content))
        proposals.push_back(to_proposal(b));
    const bool failed =
        std::any_of(proposals.begin(), proposals.end(), [](const Proposal &p) { return p.code != DRI_SUCCESS; });
    if (failed)
        agree_or_fail(party, mine);
    const auto other = std::find_if(proposals.begin(), proposals.end(),
                                    [&](const Proposal &p) { return p.id != proposals[0].id; });
    if (other == proposals.end() && dist)
        return dist;
    if (other == proposals.end()) {
        std::vector<Bytes> pieces;
        for (const int member : asked.ranks())
            pieces.push_back(proposals[static_cast<size_t>(*group.position(member))].piece);
        const auto put_together = [&] {
            dist = std::make_shared<model::Distribution>(model::assemble(*request, pieces));
        };
        agree_or_fail(party, outcome_of(put_together, rank));
        return dist;
    }
    // All processes know that they disagree. They now exchange texts for the message.
    Writer text;
    text.put(std::string_view(dist ? model::to_text(*dist) : model::to_text(*request)));
    const auto texts = transport::all_gather(party.transport, party.step("explain a mismatch"), text.take());
    const auto text_of = [&](size_t position) { return Reader(texts[position]).get_string(); };
    const auto at = static_cast<size_t>(other - proposals.begin());
    fail(DRI_ERR_MISMATCH,
         "processes request different distributions: process {} requests {}, process {} requests {}",
         group.rank(0), text_of(0), group.rank(static_cast<int>(at)), text_of(at));
}

} // namespace dri::commit
