// A map and ranges: what a domain is between two changes. An immutable value, which keeps what it has found out.
#pragma once

#include "domain/domain_map.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace dri::domain {

class Space {
public:
    // Overlap belongs to domains, not to slices of them.
    enum class Rims { none, of_map };
    // Fails with DRI_ERR_ARG for ranges that the map does not allow, and with DRI_ERR_OVERFLOW.
    Space(std::shared_ptr<const DomainMap> map, const Ranges &ranges, Rims rims = Rims::of_map);
    // A slice of a domain: these ranges, without overlap. What a user's map owns of it follows from the boxes of
    // the domain, so that the map is not asked again.
    Space(std::shared_ptr<const Space> whole, const Ranges &ranges);
    Space(const Space &) = delete;
    Space &operator=(const Space &) = delete;

    const DomainMap &map() const { return *map_; }
    const std::shared_ptr<const DomainMap> &shared_map() const { return map_; }
    const Ranges &ranges() const { return ranges_; }
    const Dims &sizes() const { return sizes_; }
    size_t ndims() const { return ranges_.size(); }
    int64_t size() const { return size_; }

    // The dense index of a member, or false for an index that is none.
    bool densify(const int64_t index[], Dims &dense) const;
    // The same. Fails with DRI_ERR_ARG, with the index and the domain.
    Dims checked_dense(const int64_t index[]) const;
    // -1: no member.
    int64_t order_of(const int64_t index[]) const;
    int64_t order_of(const Dims &dense) const;
    // The dense index at a place of the order.
    Dims dense_at(int64_t order) const;
    // The member of a dense index.
    void get_index(const Dims &dense, int64_t index[]) const;

    // What a position holds. Stays valid as long as the space.
    const Holding &holding(int position) const;
    // Of a user's map.
    const UserHoldings &user_holdings() const;

    // "{1..2, 1..9 by 2}".
    std::string text() const { return text_of(ranges_); }
    std::string describe() const;

private:
    const Holding *make_holding(int position) const;
    Holding found_holding(int position) const;
    Holding cut_evenly(const Holding &own, int position) const;
    // Whether a process may own members of this slice that lie unevenly in memory.
    bool may_be_uneven(const Holding &whole, size_t d) const;
    // The domain of which this is a slice, or this one.
    const Space &root() const { return whole_ ? whole_->root() : *this; }
    std::vector<std::vector<Ranges>> user_boxes() const;

    std::shared_ptr<const DomainMap> map_;
    std::shared_ptr<const Space> whole_; // of a slice
    Ranges ranges_;
    Dims sizes_;
    int64_t size_ = 0;
    Rims rims_;

    // Found when they are asked for.
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<const Holding>> kept_;
    mutable std::vector<std::atomic<const Holding *>> found_; // by position
    mutable std::unique_ptr<const UserHoldings> user_;
};

bool are_equal(const Space &a, const Space &b);

// Checks the map on all members, see DRI_domain_check.
void check_members(const Space &space);
// Checks that the boxes of a user's map tile the domain, and that their corners have that owner. Fails with
// DRI_ERR_GAP, DRI_ERR_OVERLAP or DRI_ERR_MISMATCH.
void check_boxes(const Space &space);

} // namespace dri::domain
