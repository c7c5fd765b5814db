"""Drawings of frames that move: buffers of a stream, strips, windows, in place."""

from style import GREY, NOBODY, PROCESSES, arrow, cell, frame, label, mono, save, sheet

CALLER, LIBRARY = PROCESSES[1], PROCESSES[0]


def stream_buffers(folder):
    """Who holds which buffer of a source and of a sink with three buffers each."""
    axes = sheet(32, 13.2)
    label(axes, 5.5, 0.9, "source, nbuffs = 3", "center", weight="bold")
    label(axes, 26.5, 0.9, "sink, nbuffs = 3", "center", weight="bold")
    source = (("buffer 0", "frame 3: on its way", LIBRARY), ("buffer 1", "frame 4: on its way", LIBRARY),
              ("buffer 2", "frame 5: the caller fills it", CALLER))
    sink = (("buffer 0", "frame 0: the caller works on it", CALLER), ("buffer 1", "frame 1: has arrived", LIBRARY),
            ("buffer 2", "frame 2: has arrived", LIBRARY))
    for left, buffers in ((1, source), (22, sink)):
        for k, (name, state, colour) in enumerate(buffers):
            cell(axes, left, 1.8 + 2.2 * k, "", colour, 9, 1.8)
            label(axes, left + 4.5, 2.3 + 2.2 * k, name, "center", weight="bold")
            label(axes, left + 4.5, 3.1 + 2.2 * k, state, "center", size=8)
    arrow(axes, (10.6, 4.9), (21.4, 4.9), thickness=2.5, head=18)
    label(axes, 16, 3.7, "waits until the sink", "center", size=8)
    label(axes, 16, 4.4, "has a free buffer", "center", size=8)
    mono(axes, 1, 9.4, "DRI_acquire", size=8.5)
    label(axes, 6, 9.4, "gives the caller the next free buffer; waits", size=8)
    mono(axes, 1, 10.4, "DRI_insert", size=8.5)
    label(axes, 6, 10.4, "hands the oldest one over", size=8)
    mono(axes, 17.4, 9.4, "DRI_extract", size=8.5)
    label(axes, 22.2, 9.4, "gives the caller the next frame; waits", size=8)
    mono(axes, 17.4, 10.4, "DRI_release", size=8.5)
    label(axes, 22.2, 10.4, "gives the oldest buffer back", size=8)
    cell(axes, 1, 11.8, "", CALLER, 1, 0.8)
    label(axes, 2.4, 12.2, "held by the caller", size=8)
    cell(axes, 10, 11.8, "", LIBRARY, 1, 0.8)
    label(axes, 11.4, 12.2, "held by the library", size=8)
    save(axes, folder, "stream_buffers")


def strips(folder):
    """Strips of rows come in, a store keeps the array, strips of columns go out."""
    axes = sheet(32, 12)
    titles = ((1, "source: 4 strips of 2 rows"), (12, "store, in the sink's memory"), (23, "sink: 4 strips of 2 columns"))
    for left, title in titles:
        label(axes, left + 4, 0.9, title, "center", weight="bold")
    for row in range(8):
        for column in range(8):
            cell(axes, 1 + column, 1.8 + row + 0.3 * (row // 2), colour=PROCESSES[row // 2], edge=GREY)
            cell(axes, 12 + column, 2.25 + row, colour=PROCESSES[row // 2], edge=GREY)
            cell(axes, 22.5 + column + 0.3 * (column // 2), 2.25 + row, colour=PROCESSES[row // 2], edge=GREY)
    for k in range(4):
        frame(axes, 1, 1.8 + 2.3 * k, 8, 2)
        frame(axes, 12 + 2 * k, 2.25, 2, 8, style="--", thickness=1.5)
        frame(axes, 22.5 + 2.3 * k, 2.25, 2, 8)
        label(axes, 0.7, 2.8 + 2.3 * k, f"{k}", "right", weight="bold")
        label(axes, 23.5 + 2.3 * k, 10.8, f"{k}", "center", weight="bold")
    arrow(axes, (9.3, 6.2), (11.7, 6.2), thickness=2.0, head=15)
    arrow(axes, (20.2, 6.2), (22.3, 6.2), thickness=2.0, head=15)
    mono(axes, 5, 11.5, "DRI_insert, 4 times", "center", size=8)
    mono(axes, 27, 11.7, "DRI_extract, 4 times", "center", size=8)
    save(axes, folder, "strips")


def window(folder):
    """A window of 8 samples slides by 4 along a recording."""
    axes = sheet(30, 11)
    label(axes, 1, 0.9, "The source's array: a long recording", weight="bold")
    for k in range(24):
        cell(axes, 1 + k, 1.6, f"{k}", PROCESSES[0] if k < 16 else NOBODY)
    label(axes, 26, 2.1, "...", weight="bold")
    for number, offset in enumerate((0, 4, 8)):
        y = 3.7 + 1.5 * number
        for k in range(8):
            cell(axes, 1 + offset + k, y, f"{offset + k}", PROCESSES[1], edge=GREY)
        frame(axes, 1 + offset, y, 8, 1)
        label(axes, 1.6 + offset + 8, y + 0.5, f"frame {number}: offset {offset}")
    label(axes, 1, 8.9, "The sink's array is as long as the window; the plan is the same for each frame.", colour=GREY)
    mono(axes, 1, 9.9, "DRI_xfer_rebase(source, offset); DRI_do(name, DRI_XFER_NULL);", size=8.5)
    save(axes, folder, "window")


def in_place(folder):
    """One buffer holds the source's rows before the frame and the sink's columns after it."""
    axes = sheet(31, 11.4)
    label(axes, 5, 0.9, "before: rows 0 to 3", "center", weight="bold")
    label(axes, 26, 0.9, "after: columns 0 to 3", "center", weight="bold")
    for left, top in ((1, True), (22, False)):
        for row in range(4 if top else 8):
            for column in range(8 if top else 4):
                other = column // 4 if top else row // 4
                cell(axes, left + column, 2 + row, colour=PROCESSES[other], edge=GREY)
    frame(axes, 1, 2, 8, 4)
    frame(axes, 22, 2, 4, 8)
    label(axes, 3, 6.6, "stays here", "center", size=8)
    label(axes, 7, 6.6, "goes to process 1", "center", size=8)
    label(axes, 26.4, 4, "was here", size=8)
    label(axes, 26.4, 8, "from process 1", size=8)
    arrow(axes, (10, 5), (20.5, 5), thickness=2.5, head=18)
    label(axes, 15.2, 3.4, "one buffer of", "center", size=8)
    label(axes, 15.2, 4.1, "32 elements", "center", size=8)
    label(axes, 1, 8.9, "Process 0 of 2, matrix 8 x 8.", colour=GREY)
    label(axes, 1, 9.8, "What leaves is packed before what arrives overwrites it.", colour=GREY)
    save(axes, folder, "in_place")


DRAWINGS = (stream_buffers, strips, window, in_place)
