"""Wisdom, pictures and tables: they show what the distribution says."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import dri


def test_wisdom_goes_round(world):
    dist = dri.Distribution((64, 64), "c8", ("block", None))
    sink = dri.Sink(dist.like(partition=(None, "block")), layout="F", plan="measure")
    with dri.Transfer("measured", dri.Source(dist, plan="measure"), sink) as moved:
        moved.do()
    text = dri.wisdom.dumps()
    dri.wisdom.loads(text)
    assert dri.wisdom.dumps() == text and text.startswith("dri-wisdom")
    with pytest.raises(dri.ArgumentError, match="line|version"):
        dri.wisdom.loads(text + "no line of wisdom\n")


@pytest.mark.parametrize("shape, partition", [((6, 8), ("block", "block")), ((7,), ("cyclic",)), ((), ()), ((100, 90), ("cyclic", None))])
def test_tables_with_pictures(world, shape, partition):
    dist = dri.Distribution(shape, "f4", partition)
    for one in (dist, dri.zeros(dist)):
        page = ET.fromstring(one._repr_html_())
        assert str(shape) in "".join(page.itertext())
        boxes = page.findall(".//{http://www.w3.org/2000/svg}rect")
        assert len(boxes) <= 64 * 64
        everywhere = np.array(list(np.ndindex(*shape)), np.int64).reshape(int(np.prod(shape)), len(shape))
        assert {box[0].text for box in boxes} == {f"process {rank}" for rank in dist.owner(everywhere)}
    with dri.Transfer("shown", dist, dist) as moved:
        assert "source" in "".join(ET.fromstring(moved._repr_html_()).itertext())
    ET.fromstring(dri.zeros(dist)[...]._repr_html_())


def key_of(image):
    """What a picture's colour bar says: its label, and its ticks."""
    bar = image.colorbar
    assert bar is not None and bar.ax in image.figure.axes
    return bar.ax.get_ylabel(), [round(one, 3) for one in bar.get_ticks()]


@pytest.mark.parametrize("shape", [(), (4,), (4, 5), (4, 5, 6)])
def test_the_colour_bar_names_the_processes_of_a_group(world, shape):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    last = world[len(world) - 1 :]
    dist = dri.Distribution(shape, "f4", ("block",) * len(shape), last)
    if dist.here:
        axes = dri.plot.distribution(dist)
        assert key_of(axes.images[0]) == ("process", [len(world) - 1])
        assert (axes.images[0].get_array() == len(world) - 1).all()
        assert axes.get_xlabel() == ("dimension 1" if len(shape) > 1 else "dimension 0")
    pyplot.close("all")


def test_plots(world, rank):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert dri.plot is __import__("dri.plot").plot

    dist = dri.Distribution((6, 8), "f4", ("block", "block"), overlap=1, edge="zero")
    image = dri.plot.distribution(dist).images[0]
    assert key_of(image) == ("process", list(range(len(world))))
    assert len({image.to_rgba(one) for one in world}) == len(world), "each process has a colour"
    cells = image.get_array()
    assert cells.tolist() == [[dist.owner((i, j)) for j in range(8)] for i in range(6)]
    image = dri.plot.overlap(dist).images[0]
    assert [text.get_text() for text in image.colorbar.ax.get_yticklabels()] == ["owned", "overlap", "zeros"]
    owned = image.get_array()
    wanted = np.full(dist.local_shape, 1)
    i, j = dist.ogrid()
    wanted[(i < 0) | (j < 0)] = 2
    wanted[dist.owned] = 0
    assert (owned == np.where(wanted == 1, np.maximum(1, wanted), wanted)).all()
    rows = dist.like(overlap=None, partition=("block", None))
    with dri.Transfer("pictured", rows, rows.like(partition=(None, "block"))) as moved:
        moved.do()
        axes, found = dri.plot.times(moved.sink), moved.sink.times()
        copying, waiting = found["copy_seconds"][0] * 1e6, found["wait_seconds"][0] * 1e6
        drawn = [(line.get_marker(), line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines]
        assert drawn == [("o", [0], [copying]), ("o", [0], [copying + waiting])], "a single frame has no area"
        moved.do()
        axes = dri.plot.times(moved.sink)
        assert axes.get_xlabel() == "frame" and not axes.lines and len(axes.collections) == 2
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["copying", "waiting"]
        axes = dri.plot.traffic(moved)
        assert (axes is None) == (rank != 0)
        if axes is not None:
            label, ticks = key_of(axes.images[0])
            assert label == "KiB in a frame" and ticks[0] <= 0 and ticks[-1] * 1024 >= rows.count(0)[0] * 4 / len(world)
            sums = axes.images[0].get_array().sum(axis=1) * 1024
            assert sums.tolist() == [rows.count(one)[0] * 4 for one in world]
    with pytest.raises(dri.ArgumentError):
        dri.plot.distribution(dist, dims=(0, 2))
    matplotlib.pyplot.close("all")
