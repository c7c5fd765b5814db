#!/usr/bin/env python3
"""Tests of kernel_bench.

usage: kernel_bench.py CASE PROGRAM MPIRUN

CASE is table or bad_input.
"""

import re
import subprocess
import sys

TURN = "8B x[64: 8->512] x[48: 512->8]"
CONVERSION = "64B int16->float x[30: 64->128]"


def run(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=100)


def table(program):
    """For each copy two plain copies and three kinds of stores. The library chooses one of these kinds."""
    copies = ["--copy", TURN, "--copy", CONVERSION]
    done = run(program, *copies, "--threads", "2", "--repetitions", "3", "--min-time", "0.0001")
    assert done.returncode == 0, done.stderr
    blocks = re.findall(r"^(\S.*?)   (\S+) MB per thread\n((?:  .*\n)+)", done.stdout, re.MULTILINE)
    heads = [(head, float(megabytes)) for head, megabytes, _ in blocks]
    # For a conversion this is the mean of the bytes read and written. Adjacent runs count as one run.
    assert heads == [
        ("8B @0->@0 x[64: 8->512] x[48: 512->8]", 0.0246),
        ("1920B int16->float @0->@0", 0.00288),
    ], done.stdout
    for _, _, rows in blocks:
        rows = [re.split(r"  +", row.strip()) for row in rows.splitlines()]
        names = [row[0] for row in rows]
        assert names[:2] == ["non-temporal copy", "memcpy"] and len(names) == 5, names
        kernel = names[2].split(",")[0]
        ways = [name.removesuffix(" *") for name in names[2:]]
        assert ways == [f"{kernel}, {stores}" for stores in ("cached", "fetched", "streaming")], names
        assert sum(name.endswith(" *") for name in names) == 1, names
        for row in rows:
            assert float(row[1].split()[0]) > 0, row


def bad_input(program):
    for options, word in [
        ([], "--copy"),
        (["--copy", "8 bytes"], "is not a copy"),
        (["--copy", "8B x[4: 8->-16]"], "is not a copy"),
        (["--copy", "0B x[4: 8->16]"], "copies nothing"),
        (["--copy", "8B x[0: 8->16]"], "copies nothing"),
        (["--copy", "7B int16->float"], "splits a number"),
        (["--copy", "8B word->float"], "'word'"),
        (["--copy", "8B" + " x[2: 8->8]" * 40], "more loops"),
        (["--copy", TURN, "--threads", "0"], "--threads"),
        (["--copy", TURN, "--repetitions", "0"], "--repetitions"),
        (["--copy", TURN, "--min-time", "-1"], "--min-time"),
    ]:
        done = run(program, *options)
        assert done.returncode != 0 and not done.stdout and word in done.stderr, (options, done)


if __name__ == "__main__":
    {"table": table, "bad_input": bad_input}[sys.argv[1]](sys.argv[2])
