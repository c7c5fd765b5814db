"""What the project does not keep to yet, from tests/lint/debts.txt. The list only shrinks: a line that no longer holds
is a complaint, too. A line is a kind, a colon, and words."""

PATH = "tests/lint/debts.txt"


class Debts:
    def __init__(self, root, kind):
        file = root / PATH
        text = file.read_text() if file.exists() else ""
        found = [line.partition(":") for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self.left = [words.split() for key, _, words in found if key.strip() == kind]
        self.seen = []

    def rest_of(self, *words):
        """The rest of the line that starts with these words, or None. Such a line holds."""
        for line in self.left:
            if line[: len(words)] == list(words):
                self.seen.append(line)
                return line[len(words) :]
        return None

    def stale(self):
        for line in self.left:
            if line not in self.seen:
                yield f"{PATH}: paid, take the line away: {' '.join(line)}"


def listed(root, *kinds):
    """For the output of a lint."""
    return [f"debt: {' '.join(line)}" for kind in kinds for line in Debts(root, kind).left]
