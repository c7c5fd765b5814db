// One endpoint of a pair_turn.hpp transfer: how its part is cut and lies in memory, and the user's memory.
#pragma once

#include "support/pair_turn.hpp"

#include <map>
#include <utility>

namespace dri::test {

inline constexpr int64_t pair_size = 24;      // of the window, along both dimensions
inline constexpr int64_t pair_long_size = 48; // of an array in which the window slides
inline constexpr int64_t pair_zeros = -1;     // in place of an index
inline constexpr double pair_scale = 0.5;     // of what is converted

enum class Number { int16, int32, real };

inline int64_t bytes_of(Number number) { return number == Number::int16 ? 2 : 4; }
void store(std::byte *to, Number number, double value);

// What a process holds of one strip, or of the array, and where each element lies.
struct PairView {
    std::vector<int64_t> rows, columns; // global indices, in local order
    int64_t row_step = 0, column_step = 0, plane = 0;
    bool split = false;

    // The byte of a component of an element.
    int64_t at(int64_t i, int64_t j, int64_t component, int64_t components, int64_t bytes) const {
        const int64_t element = i * row_step + j * column_step;
        return (split ? component * plane + element : element * components + component) * bytes;
    }
};

// Memory of the user, filled with zeros.
class PairMemory {
public:
    PairMemory(size_t bytes, bool reserved);
    PairMemory(PairMemory &&other) noexcept
        : words_(std::move(other.words_)), data_(other.data_), reserved_(std::exchange(other.reserved_, nullptr)) {
    }
    ~PairMemory() { expect_success(DRI_free(reserved_), "DRI_free"); }
    void *data() const { return data_; }

private:
    std::vector<double> words_;
    void *data_ = nullptr, *reserved_ = nullptr;
};

class PairEnd {
public:
    // The second sink has no feature of its own.
    PairEnd(const PairForm &form, int end, bool second);

    // Sets call to the function that it calls for that. In place it has the buffers of the other end, if that end
    // has some of the user's. Collective over the world.
    int declare(const PairForm &form, DRI_Group all, const char *&call, const PairEnd *other);
    int set_attributes(const PairForm &form) const;

    bool is_source() const { return end_ == at_source; }
    bool has(int ends) const { return !second_ && (ends & end_) != 0; }
    DRI_Xfer xfer() const { return xfer_; }
    void destroy() { expect_success(xfer_.reset(), "DRI_xfer_destroy"); }
    Number number() const { return number_; }
    bool is_converted() const { return converted_; }
    bool slides() const { return slides_; }
    // Whether a sink takes that frame of the source.
    bool takes(const PairForm &form, int64_t frame) const {
        return second_ || frame % form.every == form.every - 1;
    }
    // Where the buffer is rebound to for a frame; NULL if it is not.
    void *other(int64_t frame) const;
    const std::vector<PairView> &views() const { return views_; } // per strip
    std::vector<std::byte> &image(const void *buffer) { return images_[buffer]; }

private:
    Rule cut(const PairForm &form, int64_t extent);
    PairView view(const PairForm &form, int64_t first, int64_t across) const;

    int end_;
    bool second_, converted_, slides_, column_major_, overlaps_;
    Number number_;
    size_t along_;                     // the dimension that is cut
    std::vector<int64_t> list_, held_; // of a strip: the user's list, and what the process holds
    std::vector<PairView> views_;
    std::vector<PairMemory> memory_, others_;
    std::vector<void *> addresses_; // of the user's buffers
    Dist dist_;
    Xfer xfer_;
    std::map<const void *, std::vector<std::byte>> images_; // what buffers must hold, by address
};

} // namespace dri::test
