"""Starts a program on some processes and tells how each of them ended."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

DEADLINE = 100  # seconds until a run counts as hung

# mpirun gives one exit code for all: each process writes its own to standard error.
REPORT = '"$@"; echo "exit code $?" >&2'


def run_job(mpirun, processes, program, *arguments):
    """The exit codes of all processes, standard output, and standard error without the lines about the codes."""
    command = [mpirun, "-n", str(processes), "sh", "-c", REPORT, "sh", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    lines = done.stderr.splitlines()
    codes = [int(line.split()[-1]) for line in lines if line.startswith("exit code ")]
    errors = "\n".join(line for line in lines if not line.startswith("exit code "))
    assert len(codes) == processes, done.stderr
    return codes, done.stdout, errors


def expect_refused(mpirun, processes, program, exit_code, words, *arguments):
    """All processes end with the code, each word is told once, in two lines at most, and nothing is printed."""
    codes, output, errors = run_job(mpirun, processes, program, *arguments)
    assert codes == [exit_code] * processes and not output, (words, codes, output, errors)
    for word in words:
        assert errors.count(word) == 1, (word, errors)
    assert len(errors.splitlines()) <= 2, errors


def side_by_side(check, rows):
    """Calls check(*row) for every row, some at a time: a small job takes long to start, and no core while it does."""
    with ThreadPoolExecutor(4) as pool:
        for outcome in [pool.submit(check, *row) for row in rows]:
            outcome.result()


def without(words, others):
    """The options and values `words` but for the options that are among the others, too: none may be given twice."""
    return [word for pair in zip(words[::2], words[1::2]) if pair[0] not in others for word in pair]
