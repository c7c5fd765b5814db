#!/usr/bin/env python3
"""A file of src uses only the modules that its own module may include, includes a header of each, and declares its
names in its own module's namespace. No two modules, and no two files in one namespace, have a type of one name. usage: uses.py ROOT | --self-test

A file uses a module if it writes one of its names (plan::Plan), or reads a member that only classes in headers of that
module have. Therefore it is seen, too, if it reaches a module through a header of a third one. Members whose name two
modules have, or the standard library, are left out."""

import re
import sys

from cxx import classes, data_names, plain, readable, scopes
from debts import Debts, listed
from layers import MODULES, OUTER, includes
from sources import c_files, main, without_comments

NAME = re.compile(r"(?<![\w:])(?:dri::)?(%s)::(?=\w)" % "|".join(MODULES))
TYPE = re.compile(r"(?:class|struct|union|enum(?:\s+class)?)\s+(\w+)\b(?!\s*::)|using\s+(\w+)\s*=")
MEMBER = re.compile(r"(?:\.|->)\s*([a-zA-Z]\w*[a-zA-Z0-9])\b")
# Members of the standard library, of Highway and of the formatter. Classes of src may have them, too.
FOREIGN = """
all any append assign at back begin bits c_str capacity cbegin cend clear close code compare compare_exchange_strong
compare_exchange_weak contains count data detach emplace emplace_back empty end ends_with eof equal_range erase
exchange extract fail fetch_add fetch_sub fill find first flip flush front get good has_value id insert is_open join
joinable key_comp last length load lock lower_bound max merge message min name node none notify_all notify_one now
open owner pop pop_back pop_front push push_back push_front rbegin read rehash release rend replace request_stop
reserve reset resize rfind second seed shrink_to_fit size splice start starts_with stop stop_requested store str
subspan substr swap test top try_emplace try_lock type unlock upper_bound use_count value value_or wait wait_for
wait_until what write
""".split()


def lint(root):
    raw = {path.as_posix(): (root / path).read_text() for path in c_files(root) if path.parts[0] == "src"}
    texts = {name: readable(text) for name, text in raw.items()}
    included = {name: {header.split("/")[0] for _, header in includes(without_comments(raw[name]))} for name in raw}
    public = [(root / path).read_text() for path in c_files(root) if path.parts[0] == "include"]
    owners = owners_of_members(texts, {word for text in public for word in re.findall(r"\w+", text)})
    debts = Debts(root, "uses")
    for name, text in texts.items():
        module = name.split("/")[1]
        if module not in MODULES:
            continue
        used = uses(text, owners)
        known = included[name] | included.get(re.sub(r"\.cpp$", ".hpp", name), set())
        for other, (at, what) in sorted(used.items()):
            where = f"{name}:{text.count(chr(10), 0, at) + 1}"
            if other in (module, "base") or debts.rest_of(name, other) is not None:
                continue
            if other not in MODULES[module]:
                yield f"{where}: {module} must not use {other}, but has {what}"
            elif what.endswith("::") and other not in known:
                yield f"{where}: has {what} and includes no header of {other}"
        yield from wrong_namespaces(name, module, text)
    yield from debts.stale()
    yield from same_types(root, texts)


def same_types(root, texts):
    """Types that a reader could take for each other: of two modules, whatever their namespace inside it, or of two files
    in one namespace, which the linker takes for one type. Unnamed namespaces do not count, nor do declarations without a
    body, specialisations and types inside classes."""
    debts, places = Debts(root, "type"), {}
    for name, text in texts.items():
        for namespace, found in scopes(text):
            type_name = TYPE.match(plain(found.head))
            if not type_name or "" in namespace or not (found.body or type_name.group(2)):
                continue
            word = type_name.group(1) or type_name.group(2)
            if not re.search(rf"\b{word}\s*<", found.head):
                places.setdefault(word, []).append((name, namespace))
    for type_name, found in sorted(places.items()):
        clashing = {
            file
            for file, namespace in found
            for other, others in found
            if other != file and (other.split("/")[1] != file.split("/")[1] or others == namespace)
        }
        if clashing and debts.rest_of(type_name) is None:
            yield f"{' and '.join(sorted(clashing))}: two types have the name {type_name}"
    yield from debts.stale()


def uses(text, owners):
    """Each module that the text uses, with the first place and what is used there. Names go before members."""
    used = {}
    for found in NAME.finditer(text):
        used.setdefault(found.group(1), (found.start(), f"{found.group(1)}::"))
    for found in MEMBER.finditer(text):
        if found.group(1) in owners:
            used.setdefault(owners[found.group(1)], (found.start(), f"the member {found.group(1)}"))
    return used


def owners_of_members(texts, public_words):
    """The module of each member that only one module's classes have."""
    modules, in_headers = {}, set()
    for name, text in texts.items():
        for one in classes(text):
            for member in one.functions + one.data:
                modules.setdefault(member, set()).add(name.split("/")[1])
                if name.endswith(".hpp"):
                    in_headers.add(member)
    return {
        member: min(owners)
        for member, owners in modules.items()
        if len(owners) == 1 and member in in_headers and member not in public_words and member not in FOREIGN
    }


def wrong_namespaces(name, module, text):
    right = ("dri", "inline base" if module == "base" else module)
    for namespace, found in scopes(text):
        head, where = plain(found.head), f"{name}:{text.count(chr(10), 0, found.first) + 1}"
        is_public = module in {"api", *OUTER} and namespace == ('extern "C"',)
        if re.match(r"using\s+namespace\b", head):
            yield f"{where}: using namespace"
        elif head.startswith("using") and "=" not in head and name.endswith(".hpp"):
            yield f"{where}: a header has a using-declaration"
        elif is_public and not re.match(r"using\b", head):
            if not any(word.startswith("DRI_") for word in [*data_names(head), *re.findall(r"(\w+)\s*\(", head)]):
                yield f"{where}: only names that start with DRI_ are declared outside the namespace {'::'.join(right)}"
        elif not is_public and namespace[:2] != right and not re.match(r"HWY_\w+_NAMESPACE\s*\(", head):
            yield f"{where}: declared outside the namespace {'::'.join(right)}"


INSIDE = "namespace dri::{} {{\n{}\n}} // namespace dri::{}\n"


def inside(module, text):
    return INSIDE.format(module, text, module)


MATCH = '#include "commit/match.hpp"\n'
GOOD = {
    "include/dri/info.h": "struct DRI_Info { int strips; };\n",
    "src/base/wire.hpp": inside("inline base", "struct Writer { int put(int a) const { return a; } };"),
    "src/plan/plan.hpp": '#include "base/wire.hpp"\n'
    + inside("plan", "struct Plan {\n    int pulls, strips, count;\n    int shared;\n    int f() const;\n};"),
    "src/exec/link.hpp": '#include "plan/plan.hpp"\n' + inside("exec", "struct Link { plan::Plan plan; int shared; };"),
    "src/exec/link.cpp": '#include "exec/link.hpp"\n'
    + inside("exec", "namespace {\nint f(const plan::Plan &p) { return p.pulls + Writer{}.put(1); }\n}"),
    "src/commit/match.hpp": '#include "exec/link.hpp"\n' + inside("commit", "struct Match { exec::Link link; };"),
    "src/api/xfer.cpp": '#include "commit/match.hpp"\nnamespace dri::api {\nint g() { return 0; }\n}\nextern "C" {\n'
    "int DRI_f(void) { return dri::commit::Match{}.shared; } // plan::Plan\n"
    "using dri::commit::Match;\nconst Match DRI_A = {1};\n}\n",
    "src/dap/maps.cpp": inside("dap", "int g();") + 'extern "C" {\nint DRI_dap_g(void) { return 0; }\n}\n',
    "src/api/old.cpp": MATCH + inside("api", "int h(commit::Match m) { return m.f().pulls; }"),
    "src/kernel/fast.cpp": "HWY_BEFORE_NAMESPACE();\n"
    + inside("kernel::HWY_NAMESPACE", "int v;\ntemplate <class T> using Tag = T;\ntemplate <class T> struct Step { };"),
    "src/kernel/steps.cpp": inside("kernel::HWY_NAMESPACE", "template <> struct Step<int> { };\nstruct Tag;")
    + inside("kernel", "struct Tag { };"),
    "src/exec/two.cpp": inside("exec", "struct Spread { int b; };"),
    "src/exec/named.cpp": inside("exec", "struct Spread;\nstruct Holder {\n    struct Spread { };\n};"),
    "src/exec/old.hpp": inside("exec", "struct Old { };"),
    "src/plan/old.hpp": inside("plan", "struct Old { };\nnamespace {\nstruct Link { };\n}\nclass Plan::Linker { };"),
    "src/exec/linker.hpp": inside("exec", "struct Linker { };\nclass Pla { };"),
    "tests/lint/debts.txt": "uses: src/api/old.cpp plan\ntype: Old\n",
}
BAD = [
    ("src/api/peers.cpp", MATCH + inside("api", "int h(plan::Plan p);"), "api must not use plan, but has plan::"),
    ("src/api/peers.cpp", MATCH + "int DRI_f(const dri::plan::Plan &p);\n", "api must not use plan, but has plan::"),
    ("src/api/peers.cpp", MATCH + inside("api", "int h(M m) { return m.f().pulls; }"), "but has the member pulls"),
    ("src/api/peers.cpp", MATCH + inside("api", "int h(M *m) { return m->pulls; }"), "but has the member pulls"),
    ("src/api/old.cpp", MATCH + inside("api", "int h(commit::Match m);"), "take the line away"),
    ("src/exec/frame.cpp", inside("exec", "int f(const plan::Plan &p);"), "has plan:: and includes no header of plan"),
    ("src/plan/plan.cpp", inside("plan", "int f(model::Gdo g);"), "plan must not use model"),
    ("src/plan/plan.cpp", inside("planner", "int f();"), "outside the namespace dri::plan"),
    ("src/plan/plan.cpp", inside("plan", "int g();") + "static int f();\n", "outside the namespace dri::plan"),
    ("src/plan/plan.cpp", "namespace dri {\nint f();\n}\n", "outside the namespace dri::plan"),
    ("src/plan/plan.cpp", "namespace {\nint f();\n}\n", "outside the namespace dri::plan"),
    ("src/base/wire.cpp", inside("base", "int f();"), "outside the namespace dri::inline base"),
    ("src/api/gdo.cpp", 'extern "C" {\nint f(int DRI_a) { return DRI_a; }\n}\n', "only names that start with DRI_"),
    ("src/dap/maps.cpp", 'extern "C" {\nint f(int DRI_a) { return DRI_a; }\n}\n', "only names that start with DRI_"),
    ("src/exec/run.cpp", "using namespace dri::plan;\n", "using namespace"),
    ("src/exec/run.hpp", '#include "plan/plan.hpp"\n' + inside("exec", "using plan::Plan;"), "a using-declaration"),
    ("src/exec/old.hpp", "", "take the line away: Old"),
    ("src/exec/run.hpp", inside("exec", "class Plan { };"), "plan.hpp: two types have the name Plan"),
    ("src/exec/run.hpp", inside("exec", "enum class Plan { a };"), "plan.hpp: two types have the name Plan"),
    ("src/exec/run.hpp", inside("exec", "using Plan = int;"), "plan.hpp: two types have the name Plan"),
    ("src/exec/one.cpp", inside("exec", "struct Spread { int a; };"), "two.cpp: two types have the name Spread"),
    ("src/kernel/slow.cpp", inside("kernel::HWY_NAMESPACE", "template <class T> using Tag = T;"), "have the name Tag"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD, notes=lambda root: listed(root, "uses", "type")))
