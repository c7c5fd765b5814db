#!/usr/bin/env python3
"""No file that a merge or a patch leaves behind is tracked. usage: leftovers.py ROOT | --self-test

Without git, or outside a repository, the lint is skipped with exit code 77.
"""

import os
import shutil
import subprocess
import sys

from sources import main

SKIPPED = 77
LEFTOVERS = ("*.orig", "*.rej")


def git(root, *arguments):
    # Environment variables of a git hook would redirect these calls to the hook's repository. Containers often build
    # as another user. The user's global ignore file does not belong to the project.
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
    """Makes the tree a repository that tracks all files except ignored ones."""
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
