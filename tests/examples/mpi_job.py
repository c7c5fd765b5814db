"""Starts a program on some processes and returns how each of them exited."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

DEADLINE = 100  # seconds; a longer run counts as hung

# mpirun returns one exit code for all. Each process therefore writes its own to standard error.
REPORT = '"$@"; echo "exit code $?" >&2'


def run_job(mpirun, processes, program, *arguments):
    """Returns the exit codes of all processes, standard output, and standard error without the lines of the codes."""
    command = [mpirun, "-n", str(processes), "sh", "-c", REPORT, "sh", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    lines = done.stderr.splitlines()
    codes = [int(line.split()[-1]) for line in lines if line.startswith("exit code ")]
    errors = "\n".join(line for line in lines if not line.startswith("exit code "))
    assert len(codes) == processes, done.stderr
    return codes, done.stdout, errors


def expect_refused(mpirun, processes, program, exit_code, words, *arguments):
    """All processes exit with the code. Standard error has each word once, in at most two lines; output is empty."""
    codes, output, errors = run_job(mpirun, processes, program, *arguments)
    assert codes == [exit_code] * processes and not output, (words, codes, output, errors)
    for word in words:
        assert errors.count(word) == 1, (word, errors)
    assert len(errors.splitlines()) <= 2, errors


def side_by_side(check, rows):
    """Calls check(*row) for every row, several at a time: a small job starts slowly and needs no core meanwhile."""
    with ThreadPoolExecutor(4) as pool:
        for outcome in [pool.submit(check, *row) for row in rows]:
            outcome.result()


def without(words, others):
    """The options and values `words` without the options that `others` contain, because none may be given twice."""
    return [word for pair in zip(words[::2], words[1::2]) if pair[0] not in others for word in pair]
