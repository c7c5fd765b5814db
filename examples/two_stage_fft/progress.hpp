#pragma once

namespace fft {

// A progress bar on standard error. One process draws it, and only if standard error ends at a terminal.
class ProgressBar {
public:
    // wanted: whether this process draws the bar.
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
