#pragma once

namespace fft {

// A bar on standard error, drawn by one process and only where that ends on a terminal.
class ProgressBar {
public:
    // wanted: whether this process is the one that draws.
    ProgressBar(int steps, bool wanted);
    ~ProgressBar();
    ProgressBar(const ProgressBar &) = delete;
    ProgressBar &operator=(const ProgressBar &) = delete;

    void show(int steps_done);

private:
    int steps_;
    bool visible_;
    int shown_percent_ = -1;
};

} // namespace fft
