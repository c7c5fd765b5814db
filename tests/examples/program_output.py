"""Reads the output of the example programs: pictures, and tables on standard output."""

import struct
import zlib


def check_png(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, pixels = 8, b""
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        kind, body = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        assert struct.unpack(">I", data[position + 8 + length : position + 12 + length]) == (zlib.crc32(kind + body),)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            pixels += body
        position += 12 + length
    assert kind == b"IEND" and (depth, colour) == (8, 0)
    assert width > 500 and height > 500 and len(zlib.decompress(pixels)) == (width + 1) * height


def table(output, title):
    """The rows of numbers below the title and the column names of a table."""
    lines = iter(output.splitlines())
    assert any(line.startswith(title) for line in lines), output
    next(lines)
    rows = []
    for line in lines:
        if not line.strip():
            break
        rows.append([float(word) for word in line.split()])
    return rows
