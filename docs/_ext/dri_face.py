"""Shows the headers of the C++ interface as synopses: their comments and declarations, without bodies.

The directive `.. dri-face:: view.hpp` shows one header of include/dri/cpp. What stands in the namespace detail, and the
private and protected parts of classes, are left out.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "include" / "dri" / "cpp"
TOKEN = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[{};:]|\n|[^\S\n]+|[^\s{};:"\'/]+|/')


def synopsis(text):
    """The public declarations of a header, and the comments above them."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    _, _, text = text.partition("inline namespace v1 {\n")
    done = Reader(TOKEN.findall(text)).scope()
    done = re.sub(r"^ *// namespace.*\n|[ \t]+$", "", done, flags=re.MULTILINE)
    return re.sub(r"\n{2,}(?=\n|\s*};)", "\n", done).strip("\n") + "\n"


class Reader:
    """Walks over the tokens of a header that clang-format has formatted."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def scope(self):
        """What the scope declares whose opening brace is taken, without the closing one."""
        shown, code, public = "", "", True
        while self.at < len(self.tokens):
            token = self.take()
            if token == "}":
                break
            if token == ":" and re.search(r"\b(public|private|protected)\s*$", code):
                public = code.split()[-1] == "public"
                shown += code + token if public else ""
                code = ""
                continue
            if token == "{":
                code = self.braces(code)
                token = ""
            code += token
            if self.ends(code, token):
                shown += code if public else ""
                code = ""
        return shown + (code if public else re.search(r"[ \t]*$", code)[0])

    def ends(self, code, token):
        """Whether a declaration, a comment or a line is complete."""
        bare = "\n".join(line for line in code.split("\n") if not line.strip().startswith("//"))
        return token == ";" or (token == "" and bare.rstrip().endswith((";", "}"))) or (token == "\n" and not bare.strip())

    def braces(self, code):
        """The code with what its opening brace begins: a scope, an initialiser, or `;` for the body of a function."""
        head = re.sub(r"//[^\n]*", "", code).strip()
        if re.match(r"namespace detail\b", head):
            self.skip()
            return ""
        if re.match(r"(namespace|inline namespace)\b", head):
            return self.scope()
        template = r"(template <.*>\s*)?(\s*requires\s*\(.*\)\s*)?"
        if re.match(template + r"(class|struct)\b[^()]*$", head, re.DOTALL):
            bases = re.sub(r"\s*:\s*(public |private )?detail::[^{]*$", " ", code)
            inside = self.scope()
            return f"{bases.rstrip()} {{{inside}}}"
        if head.startswith("enum") or "=" in head.split(")")[-1] or "(" not in head:
            return code + "{" + self.rest() + "}"
        self.skip()
        return re.sub(r"\s*(?<!:):(?!:)\s*[A-Za-z_][\w:<>, ]*(\(|$).*$", "", code.rstrip(), flags=re.DOTALL) + ";"

    def rest(self):
        """The text up to the closing brace."""
        text, depth = "", 0
        while True:
            token = self.take()
            if token == "}" and depth == 0:
                return text
            depth += (token == "{") - (token == "}")
            text += token

    def skip(self):
        self.rest()

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]


class Face(Directive):
    required_arguments = 1

    def run(self):
        path = FOLDER / self.arguments[0]
        self.state.document.settings.env.note_dependency(str(path))
        text = synopsis(path.read_text())
        return [nodes.literal_block(text, text, language="cpp")]


def setup(app):
    app.add_directive("dri-face", Face)
    return {"parallel_read_safe": True}
