// Searches the grid of pieces from the last dimension on, whose parts are neighbours in the list.
#include "dap/pieces_grid.hpp"

#include <algorithm>

namespace dri::dap {

namespace {

bool are_equal(const DRI_Part_tuple &a, const DRI_Part_tuple &b) {
    return a.left_v == b.left_v && a.left_x == b.left_x && a.right_x == b.right_x && a.right_v == b.right_v;
}

class GridSearch {
public:
    GridSearch(std::span<const ExactPiece> pieces, std::span<const int64_t> sizes)
        : pieces_(pieces), sizes_(sizes), grid_(sizes.size(), 1) {}

    // Finds the parts of the dimensions up to d. stride: pieces from one part along d to the next one.
    bool find(size_t dims, size_t stride) {
        if (dims == 0)
            return stride == pieces_.size() && is_grid();
        const size_t d = dims - 1, most = pieces_.size() / stride;
        int64_t end = 0;
        for (size_t m = 1; m <= most; ++m) {
            const DRI_Part_tuple &next = pieces_[(m - 1) * stride][d];
            if (next.left_x != end)
                return false;
            end = next.right_x;
            grid_[d] = static_cast<int>(m);
            if (end == sizes_[d] && most % m == 0 && find(d, stride * m))
                return true;
        }
        return false;
    }
    std::vector<int> grid() const { return grid_; }

private:
    // Whether each piece lies along each dimension as the one at its coordinate does.
    bool is_grid() const {
        for (size_t q = 0; q < pieces_.size(); ++q) {
            size_t stride = 1;
            for (size_t d = grid_.size(); d-- > 0;) {
                const auto parts = static_cast<size_t>(grid_[d]);
                if (!are_equal(pieces_[q][d], pieces_[q / stride % parts * stride][d]))
                    return false;
                stride *= parts;
            }
        }
        return true;
    }

    std::span<const ExactPiece> pieces_;
    std::span<const int64_t> sizes_;
    std::vector<int> grid_;
};

} // namespace

std::optional<std::vector<int>> grid_of(std::span<const ExactPiece> pieces, std::span<const int64_t> sizes) {
    GridSearch search(pieces, sizes);
    if (!search.find(sizes.size(), 1))
        return {};
    return search.grid();
}

} // namespace dri::dap
