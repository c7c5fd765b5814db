#!/usr/bin/env python3
"""What a merge or a patch leaves beside a file is not tracked. usage: leftovers.py ROOT | --self-test

Skipped, with exit code 77, where there is no git, or no repository of it.
"""

import os
import shutil
import subprocess
import sys

from sources import main

SKIPPED = 77
LEFTOVERS = ("*.orig", "*.rej")


def git(root, *arguments):
    # A hook of git's would turn these calls to its own repository. Containers often build as another user. What
    # the user ignores everywhere is no matter of the project.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "safe.directory=*", "-c", f"core.excludesFile={os.devnull}", *arguments]
    return subprocess.run(command, cwd=root, env=own, capture_output=True, text=True)


def lint(root):
    if shutil.which("git") is None or not (root / ".git").exists():
        print("no repository")
        sys.exit(SKIPPED)
    done = git(root, "ls-files", "-z", "--", *LEFTOVERS)
    if done.returncode:
        yield f"git ls-files failed: {done.stderr}"
    yield from (f"{name}: left over from a merge or a patch" for name in done.stdout.split("\0")[:-1])


def track(root):
    """Makes the tree a repository that tracks what it does not ignore."""
    if shutil.which("git"):
        git(root, "init", "-q")
        git(root, "add", "-A")


GOOD = {".gitignore": "*.orig\n*.rej\n", "src/base/a.cpp": "", "src/base/a.cpp.orig": "", "docs/a.md.rej": ""}
BAD = [
    (".gitignore", "*.rej\n", "src/base/a.cpp.orig:"),
    (".gitignore", "*.orig\n", "docs/a.md.rej:"),
    (".gitignore", "", "docs/a.md.rej:"),
    (".git/index", "no index", "ls-files failed"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD, track))
