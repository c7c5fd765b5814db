"""Writes and reads SigMF recordings without code of the programs."""

import array
import json
import math
import os


def write_recording(folder, name, samples, datatype="ci16_le", frequency=10e9, **changes):
    """samples: complex numbers with full scale 1, channels interleaved. changes: core fields; None omits one.
    Returns the name to pass to the programs."""
    path = os.path.join(folder, name)
    fields = {"datatype": datatype, "version": "1.0.0", "sample_rate": 25e6, "num_channels": 1, **changes}
    fields = {"core:" + key: value for key, value in fields.items() if value is not None}
    meta = {"global": fields, "captures": [{"core:sample_start": 0, "core:frequency": frequency}], "annotations": []}
    with open(path + ".sigmf-meta", "w") as file:
        json.dump(meta, file)
    parts = [part for sample in samples for part in (sample.real, sample.imag)]
    numbers = array.array("f", parts) if datatype == "cf32_le" else array.array("h", [round(32768 * p) for p in parts])
    with open(path + ".sigmf-data", "wb") as file:
        numbers.tofile(file)
    return path


def read_recording(path):
    """The global fields without their prefix, the first capture, and the raw numbers."""
    with open(path + ".sigmf-meta") as file:
        meta = json.load(file)
    assert set(meta) == {"global", "captures", "annotations"}, meta
    fields = {key.removeprefix("core:"): value for key, value in meta["global"].items()}
    numbers = array.array({"ci16_le": "h", "cf32_le": "f"}[fields["datatype"]])
    with open(path + ".sigmf-data", "rb") as file:
        numbers.frombytes(file.read())
    return fields, meta["captures"][0], numbers


def bad_recordings(folder, samples, channels):
    """For each of several faults: the name of a faulty recording, and the words of the message that it must cause."""

    def changed(name, **changes):
        return write_recording(folder, name, samples, num_channels=channels, **changes)

    def cut(name, suffix, length):
        path = changed(name) + suffix
        with open(path, "r+b") as file:
            file.truncate(length)

    def rewritten(name, text):
        path = changed(name) + ".sigmf-meta"
        with open(path, "w") as file:
            file.write(text)

    yield os.path.join(folder, "missing"), ["missing.sigmf-meta", "cannot be read"]
    os.remove(changed("no_data") + ".sigmf-data")
    yield os.path.join(folder, "no_data"), ["no_data.sigmf-data", "cannot be read"]
    cut("odd", ".sigmf-data", 4 * channels * 100 - 2)
    yield os.path.join(folder, "odd"), ["odd.sigmf-data", "truncated"]
    cut("short", ".sigmf-data", 4 * channels * 100)
    yield os.path.join(folder, "short"), ["short.sigmf-data", "holds 100 samples"]
    cut("half", ".sigmf-meta", 60)
    yield os.path.join(folder, "half"), ["half.sigmf-meta", "not JSON, or is truncated"]
    rewritten("list", "[1, 2]")
    yield os.path.join(folder, "list"), ["list.sigmf-meta", "not SigMF metadata"]
    rewritten("no_captures", '{"global": {"core:datatype": "ci16_le", "core:version": "1.0.0", "core:sample_rate": 1}}')
    yield os.path.join(folder, "no_captures"), ["captures are missing"]
    yield changed("real", datatype="ri16_le"), ["core:datatype is ri16_le"]
    yield changed("untyped", datatype=None), ["core:datatype is missing"]
    yield changed("unversioned", version=None), ["core:version is missing"]
    yield changed("no_rate", sample_rate=None), ["core:sample_rate is missing"]
    for name, rate in (("negative", -1), ("slow", 1e-300), ("fast", 1e13)):
        yield changed(name, sample_rate=rate), [f"core:sample_rate is {rate:g} Hz"]
    for name, frequency in (("far", 1e300), ("below", -1e300)):
        yield changed(name, frequency=frequency), [f"core:frequency is {frequency:g} Hz"]
    yield changed("worded", sample_rate="fast"), ["core:sample_rate is not a number"]
    yield changed("elsewhere", dataset="other.bin"), ["only data in elsewhere.sigmf-data are supported"]
    unchanneled = changed("channels")
    with open(unchanneled + ".sigmf-meta") as file:
        text = file.read()
    rewritten("channels", text.replace(f'"core:num_channels": {channels}', '"core:num_channels": 0'))
    yield unchanneled, ["core:num_channels is 0"]


def unusable_recordings(folder, samples, channels):
    """The same for floats that are infinite, NaN or far too large: one in the middle, more near the end."""
    count = len(samples) // channels
    for name, value in (("nan", complex(0.1, math.nan)), ("inf", complex(-math.inf, 0)), ("huge", complex(0, 5e9))):
        wrong = list(samples)
        for sample in (count // 2, count - 2, count - 1):
            wrong[sample * channels + 1] = value
        words = [name + ".sigmf-data", f"sample {count // 2} of channel 1 is ({value.real:g}, {value.imag:g})"]
        yield write_recording(folder, name, wrong, "cf32_le", num_channels=channels), words


def bytes_of(path):
    """The contents of all files of a recording, to find out whether it changes."""
    contents = []
    for suffix in (".sigmf-meta", ".sigmf-data"):
        with open(path + suffix, "rb") as file:
            contents.append(file.read())
    return contents
