// Arrays over memory of the caller. They are pieces until all processes call something together.
#pragma once

#include "array/piece.hpp"
#include "outer/any_array.hpp"

namespace dri::array {

class InitArray final : public ArrayPiece {
public:
    InitArray(HeldParts holding, std::vector<int> ranks)
        : ArrayPiece(std::move(holding)), ranks_(std::move(ranks)) {}

    ~InitArray() override;

    bool is_callers_memory() const override { return true; }
    std::shared_ptr<outer::AnyArray> whole() override;
    std::shared_ptr<const outer::Storage> storage() const override;
    outer::StorageSlice slice(const DRI_Range ranges[], const std::string &what) const override;

protected:
    std::shared_ptr<Halos> ready_halos() override;

private:
    std::vector<int> ranks_;
    std::shared_ptr<outer::AnyArray> whole_;
    std::shared_ptr<Halos> halos_;
    bool has_halos_ = false;
    mutable std::shared_ptr<const outer::Storage> single_; // without dimensions
};

// Checks the parts and describes them. Fails as DRI_array_init.
HeldParts checked_parts(DRI_Gdo gdo, const int64_t loffs[], int nparts, const DRI_View parts[]);

} // namespace dri::array
