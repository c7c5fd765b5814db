// How the processes of a call agree: each gives two numbers to all, in one frame of a transfer of their own.
#pragma once

#include "calls.hpp"

namespace dri_python {

class Accord {
public:
    // source: this process's two numbers. sink: those of all, in the order of the group.
    Accord(const std::string &name, const py::object &source, const py::object &sink)
        : owners_{source, sink}, source_(source.cast<End &>()), sink_(sink.cast<End &>()),
          calls_(name, py::list(py::make_tuple(source, sink)), false) {
        size_t bytes = 0;
        check(DRI_xfer_buffer_bytes(sink_.handle(), &bytes));
        all_.resize(bytes / sizeof(int64_t));
    }

    // What all processes give. After a failure the accord can only be destroyed.
    const std::vector<int64_t> &exchange(int64_t number, int64_t next) {
        give(number, next);
        calls_.move();
        void *found = nullptr;
        check(DRI_xfer_get_buffer(sink_.handle(), &found));
        std::copy_n(static_cast<const int64_t *>(found), all_.size(), all_.begin());
        return all_;
    }

    bool is_open() const { return is_open_; }
    void close() { is_open_ = false; } // its endpoints are destroyed

    // Whether all gave this number.
    bool is(int64_t number) const {
        for (size_t i = 0; i < all_.size(); i += 2)
            if (all_[i] != number)
                return false;
        return true;
    }

    py::list pairs() const {
        py::list made;
        for (size_t i = 0; i < all_.size(); i += 2)
            made.append(py::make_tuple(all_[i], all_[i + 1]));
        return made;
    }

    // Gives a last number, which the others find in their next exchange, and waits for none.
    void leave(int64_t number) {
        give(number, 0);
        check(unlocked([this] { return DRI_insert(source_.handle(), nullptr); }));
    }

private:
    void give(int64_t number, int64_t next) {
        void *mine = nullptr;
        check(DRI_xfer_get_buffer(source_.handle(), &mine));
        static_cast<int64_t *>(mine)[0] = number;
        static_cast<int64_t *>(mine)[1] = next;
    }

    std::vector<py::object> owners_;
    End &source_, &sink_;
    Calls calls_;
    std::vector<int64_t> all_;
    bool is_open_ = true;
};

} // namespace dri_python
