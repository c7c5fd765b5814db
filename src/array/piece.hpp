// Pieces: what one process holds of an array, in parts along dimension 0.
#pragma once

#include "array/boxes.hpp"
#include "outer/any_array.hpp"
#include "outer/owned.hpp"

#include <array>
#include <string>
#include <vector>

namespace dri::array {

// Elements at consecutive positions, and where they lie.
struct PiecePart {
    DRI_Box positions{};
    std::byte *data = nullptr;
    int64_t steps[DRI_MAX_DIMS]{}; // in elements
};

struct ElementBytes {
    int64_t pitch = 0, alignment = 1;
};
ElementBytes element_bytes(DRI_Type type);
// A handle of the same type that is this object's own.
std::shared_ptr<const outer::OwnedType> own_type(DRI_Type type);

// What the process holds of a slice. A value that names memory.
struct HeldParts {
    std::shared_ptr<const outer::OwnedType> type;
    int64_t pitch = 0;
    int ndims = 0;
    int64_t shape[DRI_MAX_DIMS]{};      // of the slice
    DRI_Range elements[DRI_MAX_DIMS]{}; // of the slice, as dense indices of the whole array
    std::array<PiecePart, 3> parts;     // parts[1] is the owned one; without dimensions the only one
    std::string device = "host";
    std::vector<std::shared_ptr<const void>> memory; // what must stay

    // All parts together.
    DRI_Box window() const;
    // Where the parts start: the position of the first element, or the offset of the target.
    DRI_Box start{};
};

// What refreshes the halos of the pieces of all processes.
class Halos {
public:
    Halos() = default;
    Halos(const Halos &) = delete;
    Halos &operator=(const Halos &) = delete;
    virtual ~Halos() = default;
    virtual void start() = 0;
    virtual void wait() = 0;
    // Where they lie if not beside the owned rows.
    virtual std::shared_ptr<const void> memory() const { return nullptr; }
};

class ArrayPiece : public outer::AnyArray {
public:
    explicit ArrayPiece(HeldParts holding) : holding_(std::move(holding)) {}
    // stays: the array that the parts lie in.
    ArrayPiece(const HeldParts &holding, std::shared_ptr<const outer::AnyArray> stays) : holding_(holding) {
        holding_.memory.push_back(std::move(stays));
    }

    const HeldParts &holding() const { return holding_; }
    void set_device(const std::string &device) { holding_.device = device; }
    // of: the array that the piece is of.
    void set_halos(std::shared_ptr<Halos> halos, std::shared_ptr<const outer::AnyArray> of);
    // origin: the piece that this one is a part of. It has the same array and the same halos.
    void set_origin(std::shared_ptr<ArrayPiece> origin) { origin_ = std::move(origin); }
    // Fails with DRI_ERR_STATE if the array has got another domain.
    void require_current() const;
    virtual bool is_callers_memory() const { return false; }

    DRI_Type type() const override { return holding_.type->get(); }
    std::string describe() const override;
    void update_overlap() override;
    void start_update() override;
    void wait_for_update() override;
    bool is_updating() const override { return updating_; }
    std::optional<int64_t> timeout_ms() const override { return {}; }
    std::vector<std::shared_ptr<const void>> memory() const override;
    std::shared_ptr<outer::AnyArray> whole() override;
    std::shared_ptr<outer::AnyArray> base() const override { return nullptr; }
    std::shared_ptr<const outer::Storage> storage() const override;
    outer::StorageSlice slice(const DRI_Range ranges[], const std::string &what) const override;

protected:
    // nullptr: there are none. Collective the first time.
    virtual std::shared_ptr<Halos> ready_halos() { return origin_ ? origin_->ready_halos() : halos_; }
    HeldParts holding_;

private:
    std::shared_ptr<ArrayPiece> origin_;
    std::shared_ptr<Halos> halos_;
    std::shared_ptr<const outer::AnyArray> of_;
    uint64_t storage_id_ = 0;
    bool updating_ = false;
    std::shared_ptr<Halos> updated_; // of the update under way
    bool whole_ = false;             // the update under way is one of update_overlap()
};

// What the calling process holds of an array. Fails with DRI_ERR_UNSUPPORTED if it has several boxes, and with
// DRI_ERR_STATE for an alias or a piece that is stale.
HeldParts holding_of(const std::shared_ptr<outer::AnyArray> &array);
// The same to look at, as long as both exist: it may lack the type and what must stay.
const HeldParts &places_of(const outer::AnyArray &array, HeldParts &room);
// A slice of an array, of members of its domain, as positions of the array.
void positions_of(const outer::AnyArray &array, const DRI_Range slice[], DRI_Range positions[]);
// What the slice has of it at a target. nullptr: everywhere.
HeldParts subview_of(const HeldParts &whole, const DRI_Range slice[], const DRI_Box *target);
// Fails with DRI_ERR_UNSUPPORTED if the elements are on a device.
void require_host(const std::string &device);

} // namespace dri::array
