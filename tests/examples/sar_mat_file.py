"""Writes small MATLAB 5 files that look like the Gotcha files, both valid and faulty."""

import cmath
import math
import struct

INT8, INT32, UINT32, DOUBLE, MATRIX = 1, 5, 6, 9, 14
STRUCT_CLASS, DOUBLE_CLASS = 2, 6
COMPLEX = 0x0800


def element(kind, body):
    return struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)


def array_head(array_class, flags, shape, name):
    return (
        element(UINT32, struct.pack("<II", array_class | flags, 0))
        + element(INT32, struct.pack("<%di" % len(shape), *shape))
        + element(INT8, name.encode())
    )


def number_array(values, shape):
    is_complex = any(isinstance(value, complex) for value in values)
    body = array_head(DOUBLE_CLASS, COMPLEX if is_complex else 0, shape, "")
    body += element(DOUBLE, struct.pack("<%dd" % len(values), *(value.real for value in values)))
    if is_complex:
        body += element(DOUBLE, struct.pack("<%dd" % len(values), *(value.imag for value in values)))
    return element(MATRIX, body)


def structure(name, fields):
    name_length = 32
    body = array_head(STRUCT_CLASS, 0, (1, 1), name)
    body += struct.pack("<HHi", INT32, 4, name_length)
    body += element(INT8, b"".join(field.encode().ljust(name_length, b"\0") for field in fields))
    return element(MATRIX, body + b"".join(fields.values()))


def gotcha_file(variable="data", changes=None):
    """A scene with one point in its middle. changes: replaced values of fields; None omits a field."""
    pulses, frequencies = 8, 32
    azimuth = [math.radians(4 * n / (pulses - 1)) for n in range(pulses)]
    values = {
        "fp": [cmath.rect(1, 0)] * (frequencies * pulses),
        "freq": [9.3e9 + 1.4e6 * i for i in range(frequencies)],
        "x": [7000 * math.cos(angle) for angle in azimuth],
        "y": [7000 * math.sin(angle) for angle in azimuth],
        "z": [7000.0] * pulses,
        "r0": [math.hypot(7000, 7000)] * pulses,
    }
    values.update(changes or {})
    fields = {}
    for field, numbers in values.items():
        if numbers is not None:
            rows = min(frequencies, len(numbers)) if field in ("fp", "freq") else 1
            fields[field] = number_array(numbers, (rows, len(numbers) // rows if rows else 0))
    header = b"MATLAB 5.0 MAT-file, a test".ljust(124) + struct.pack("<H2s", 0x0100, b"IM")
    return header + structure(variable, fields)


def with_fields(**changes):
    return gotcha_file(changes=changes)
