"""Drawings of arrays: the corner turn, partitions, overlap and layouts."""

from style import GHOST, GREY, PROCESSES, arrow, cell, frame, label, mono, save, sheet


def corner_turn(folder):
    """An 8 x 8 matrix cut by rows becomes the same matrix cut by columns."""
    axes = sheet(29, 12.4)
    for left, title, owner in (
        (1.5, "source: cut by rows, rows contiguous", lambda row, column: row // 2),
        (19.5, "sink: cut by columns, columns contiguous", lambda row, column: column // 2),
    ):
        label(axes, left + 4, 0.9, title, "center", weight="bold")
        for row in range(8):
            for column in range(8):
                cell(axes, left + column, 2 + row, colour=PROCESSES[owner(row, column)], edge=GREY)
    for k in range(4):
        frame(axes, 1.5, 2 + 2 * k, 8, 2)
        frame(axes, 19.5 + 2 * k, 2, 2, 8)
        label(axes, 1.2, 3 + 2 * k, f"{k}", "right", weight="bold")
        label(axes, 20.5 + 2 * k, 10.6, f"{k}", "center", weight="bold")
        for line in (0.5, 1.5):
            arrow(axes, (1.8, 2 + 2 * k + line), (9.2, 2 + 2 * k + line), thickness=0.7, head=6)
            arrow(axes, (19.5 + 2 * k + line, 2.3), (19.5 + 2 * k + line, 9.7), thickness=0.7, head=6)
    label(axes, 5.5, 10.6, "process", "center", colour=GREY)
    label(axes, 23.5, 11.6, "process", "center", colour=GREY)
    label(axes, 5.5, 11.6, "arrows: order in memory", "center", colour=GREY)
    arrow(axes, (11, 6), (18, 6), thickness=2.5, head=18)
    mono(axes, 14.5, 5.1, "DRI_do", "center")
    save(axes, folder, "corner_turn")


ONE_DIMENSION = (  # label, owner of each of ten indices
    ("DRI_WHOLE", "0000000000"),
    ("DRI_BLOCK, DRI_BALANCED", "0001112233"),
    ("DRI_BLOCK, DRI_BALANCED_LAST", "0011222333"),
    ("DRI_BLOCK, DRI_CEIL", "0001112223"),
    ("DRI_BLOCK, DRI_PROPORTIONAL", "0001122233"),
    ("DRI_BLOCK_CYCLIC, block 1", "0123012301"),
    ("DRI_BLOCK_CYCLIC, block 2", "0011223300"),
    ("DRI_SIZES 1, 4, 0, 5", "0111133333"),
    ("DRI_WEIGHTS 1, 2, 3, 4", "0112223333"),
    ("DRI_INDICES", "3102210332"),
)


def partitions(folder):
    """Ten indices over four parts by every rule; a grid of parts; exact pieces."""
    axes = sheet(33, 17)
    label(axes, 1, 0.9, "One dimension: 10 indices over 4 parts", weight="bold")
    for index in range(10):
        label(axes, 10.5 + index, 1.9, f"{index}", "center", colour=GREY)
    for line, (name, owners) in enumerate(ONE_DIMENSION):
        y = 2.4 + 1.4 * line
        mono(axes, 9.6, y + 0.5, name, "right", size=7.5)
        for index, owner in enumerate(owners):
            cell(axes, 10 + index, y, owner, PROCESSES[int(owner)])
    label(axes, 23, 0.9, "Two dimensions: a 2 x 2 grid", weight="bold")
    for row in range(6):
        for column in range(8):
            part = row // 3 * 2 + column // 4
            cell(axes, 23 + column, 1.6 + row, colour=PROCESSES[part], edge=GREY)
    for part in range(4):
        frame(axes, 23 + part % 2 * 4, 1.6 + part // 2 * 3, 4, 3)
        label(axes, 25 + part % 2 * 4, 3.1 + part // 2 * 3, f"part {part}", "center", weight="bold")
    label(axes, 23, 9, "Exact pieces: no grid needed", weight="bold")
    for part, (x, y, width, height) in enumerate(((0, 0, 3, 6), (3, 0, 5, 2), (3, 2, 2, 4), (5, 2, 3, 4))):
        cell(axes, 23 + x, 9.7 + y, f"piece {part}", PROCESSES[part], width, height, bold=True)
        frame(axes, 23 + x, 9.7 + y, width, height)
    save(axes, folder, "partitions")


MAPS = (  # title, call, owner of an index of 9 x 9 from (1, 1) over four processes
    ("blocks", "block_map(box)", lambda i, j: (i - 1) * 2 // 9 * 2 + (j - 1) * 2 // 9),
    ("cyclic", "cyclic_map({1, 1})", lambda i, j: (i - 1) % 2 * 2 + (j - 1) % 2),
    ("cyclic blocks", "block_cyclic_map({1, 1}, {2, 3})", lambda i, j: (i - 1) // 2 % 2 * 2 + (j - 1) // 3 % 2),
    ("your own", "int owner(Index<2> at)", lambda i, j: max(i, j) % 4),
)


def maps(folder):
    """The owners that four maps give to the same domain, one of them a user's."""
    axes = sheet(44, 13.2)
    for number, (title, call, owner) in enumerate(MAPS):
        left = 1.6 + 10.8 * number
        label(axes, left + 4.5, 0.8, title, "center", weight="bold")
        mono(axes, left + 4.5, 1.8, call, "center", size=7)
        for i in range(1, 10):
            label(axes, left - 0.5, 2.4 + i, f"{i}", "center", size=7, colour=GREY)
            label(axes, left + i - 0.5, 12.4, f"{i}", "center", size=7, colour=GREY)
            for j in range(1, 10):
                cell(axes, left + j - 1, 1.9 + i, f"{owner(i, j)}", PROCESSES[owner(i, j)], edge=GREY)
    save(axes, folder, "maps")


EDGES = (  # edge, what stands behind column 4 in part 2
    ("DRI_TRUNCATE", None, "nothing"),
    ("DRI_WRAP", "0", "the array's other end"),
    ("DRI_PAD_ZERO", "zero", "zeros"),
    ("DRI_PAD_REPLICATE", "4", "the element at the edge"),
)


def overlap(folder):
    """Five columns over four parts with overlap 2: what part 2 holds, by kind of edge."""
    axes = sheet(27, 11.4)
    label(axes, 1, 0.9, "The array: 5 columns over 4 parts", weight="bold")
    for column, owner in enumerate((0, 0, 1, 2, 3)):
        cell(axes, 11 + 1.4 * column, 0.4, f"{column}", PROCESSES[owner], 1.4, 1)
        label(axes, 11.7 + 1.4 * column, 1.8, f"part {owner}", "center", size=7, colour=GREY)
    label(axes, 1, 3.2, "Part 2 with 2 columns of overlap at each side", weight="bold")
    for line, (name, beyond, meaning) in enumerate(EDGES):
        y = 4 + 1.7 * line
        mono(axes, 8.6, y + 0.5, name, "right", size=8)
        for k, (column, owner) in enumerate(((1, 0), (2, 1), (3, 2), (4, 3))):
            cell(axes, 9.6 + 1.4 * k, y, f"{column}", PROCESSES[owner], 1.4, 1, bold=column == 3)
        if beyond is not None:
            pad = name.startswith("DRI_PAD")
            cell(axes, 9.6 + 5.6, y, beyond, GHOST if pad else PROCESSES[0], 1.4, 1, hatch="////" if pad else None)
        frame(axes, 9.6 + 2.8, y, 1.4, 1)
        label(axes, 17.8, y + 0.5, f"beyond the edge: {meaning}", colour=GREY)
    label(axes, 1, 10.9, "Thick frame: owned. Coloured: real overlap, in its owner's colour. Hatched: pad.", colour=GREY)
    save(axes, folder, "overlap")


def layouts(folder):
    """How a part of 3 rows and 4 columns lies in memory."""
    axes = sheet(30, 14.6)
    label(axes, 1, 0.9, "A part of 3 rows and 4 columns", weight="bold")
    for row in range(3):
        for column in range(4):
            cell(axes, 12 + 1.2 * column, 0.4 + row, f"{row}{column}", PROCESSES[row], 1.2, 1)
    rows = [(row, column) for row in range(3) for column in range(4)]
    columns = [(row, column) for column in range(4) for row in range(3)]

    def memory(y, name, cells, note):
        mono(axes, 1, y + 0.5, name)
        for k, at in enumerate(cells):
            gap = at is None
            cell(axes, 12 + k, y, "" if gap else at[1], GHOST if gap else PROCESSES[at[0]], hatch="////" if gap else None)
        label(axes, 12, y + 1.5, note, size=7.5, colour=GREY)

    memory(4.4, "DRI_ROW_MAJOR", [(r, f"{r}{c}") for r, c in rows], "strides 4, 1: the elements of a row are contiguous")
    memory(6.9, "DRI_COL_MAJOR", [(r, f"{r}{c}") for r, c in columns], "strides 1, 3: the elements of a column are contiguous")
    padded = [at for row in range(3) for at in [(row, f"{row}{c}") for c in range(4)] + [None, None]]
    memory(9.4, "pitch 6, row-major", padded, "strides 6, 1: each row is padded to 6 elements")
    split = [(r, "re") for r, c in rows[:6]] + [(r, "im") for r, c in rows[:6]]
    memory(11.9, "DRI_SPLIT, 2 rows of 3", [(k // 3 % 2, text) for k, (_, text) in enumerate(split)],
           "all real parts, then all imaginary parts; strides count components: 3, 1")
    save(axes, folder, "layouts")


DRAWINGS = (corner_turn, partitions, maps, overlap, layouts)
