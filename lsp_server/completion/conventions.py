"""What Python's conventions say comes next, without a model: the variable just built after `return`, parameters passed on, imports.

Each rule reads the text around the cursor and gives at most one text; it says nothing wherever it is not plain what is meant. How often
a rule is right was counted in projects that the benchmarks do not use (`python -m benchmarks.conventions`); that number competes with
the model's own certainty. Whether a text fits is the parser's to say, as for any other.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ...common.possessive import compiled
from .alike import Pattern, follows, goes_on, name_in, next_name, pattern_in, pattern_of

_MAX_LINES = 200  # above the cursor, in which the function's header is looked for
_LONGEST_WORD = 80
_MOST_PARAMETERS = 5
_NEARBY = 30  # lines above in which the same is said of other members
_FEW = 4  # functions and classes of a module
_MANY = 12  # in a module of which one is the only one that it does not use
_MAX_ABOVE = 20_000  # characters that these are taken from
_MAX_CHARS = 100_000  # of a file that is parsed for the names that it lacks
_MAX_LISTED = 20_000  # characters of a file whose listings are read
_RECENT = 10  # lines on either side of the cursor that are not said again

_DEF = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)[ \t]*\(")
_SIGNATURE = re.compile(r"(?P<parameters>[^()]*)\)[^()]*:")
_NO_SELF = ("@staticmethod", "@classmethod")
# Possessive wherever two parts can take the same characters: a hostile line is read once.
_ASSIGNED = compiled(r"(?P<name>[^\W\d]\w*+)(?:\s*+:[^=]++)?+\s*+(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)")
_BUILT = re.compile(
    r"(?P<name>[^\W\d]\w*)(?:\.(?:append|extend|add|update|insert|sort|reverse|write|setdefault|appendleft)\(|\[.*\]\s*[-+*/|]?=(?!=))"
)
_EMPTY = compiled(
    r"(?P<name>[^\W\d]\w*+)(?:\s*+:[^=]++)?+\s*+=\s*+(?:\[.*\]|\{.*\}|\(\)|\"\"|''|-?\d+|None|False|True|\w*(?:list|dict|set|str|Counter|OrderedDict|StringIO|BytesIO|deque|defaultdict)\(.*\))\s*$"
)
# What a value written in a file is, and how functions are annotated that give such a value.
_KINDS = {
    "collection": (
        re.compile(r"[\[{]|\(\)|(?:\w+\.)?(?:list|dict|set|Counter|OrderedDict|deque|defaultdict)\("),
        re.compile(
            r"(?:\w+\.)*(?:[Ll]ist|[Dd]ict|[Ss]et|[Ff]rozen[Ss]et|[Tt]uple|(?:Mutable)?(?:Sequence|Mapping)|Iterable|Iterator|Collection"
            r"|Counter|OrderedDict|[Dd]efault[Dd]ict|[Dd]eque)\b"
        ),
    ),
    "number": (re.compile(r"-?\d"), re.compile(r"(?:int|float)$")),
    "text": (re.compile(r"[\"']"), re.compile(r"str$")),
    "truth": (re.compile(r"(?:True|False)$"), re.compile(r"bool$")),
}
_CLASS_NAME = compiled(r"(?:\w++\.)*+[A-Z]\w+$")
_RETURN = re.compile(r"[ \t]+return[ \t]$")
_SELF = compiled(r"[ \t]++self\.(?P<name>\w++)(?:[ \t]*+:[^=()]++)?+[ \t]*+=[ \t]$")
_KEPT = re.compile(r"[ \t]+self\.(?P<name>\w+)(?:[ \t]*:[^=]+)?[ \t]*=[ \t]*(?P<value>\w+)[ \t]*")
_KEYWORD = re.compile(r"[(,][ \t]*(?P<name>[^\W\d]\w*)=$|^[ \t]+(?P<alone>[^\W\d]\w*)=$")
_BLOCK = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)\b")
_TO_ANNOTATE = compiled(
    r"[ \t]*+(?:async[ \t]++)?+def[ \t]++\w++[ \t]*+\((?:.*,)?[ \t]*(?P<name>[^\W\d]\w*+)[ \t]*+:[ \t]$"
)
_MADE = re.compile(r"class[ \t]+([A-Z]\w*)|from[ \t]+[\w.]+[ \t]+import[ \t]+(.*)")
_SUPER = re.compile(r"super\([^()]*\)\.(?P<name>\w+)\($")
_CLASS = re.compile(r"[ \t]*class[ \t]+\w+\((?:[\w.]*\.)?(?P<base>\w+)[,)\[]")
_EXCEPTION = re.compile(r"class[ \t]+\w+\([\w., ]*(?:Error|Exception|Warning)\)")
_FROM = re.compile(r"from[ \t]++(?P<module>\.*+[\w.]*+)[ \t]++import[ \t]$")
_ASSIGNED_IN_MODULE = re.compile(r"^[^\W\d_]\w*[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_BEGUN = re.compile(r"[^\W\d]\w*$")
_CALL = re.compile(r"(?P<own>(?<![\w.])self\.)?(?P<name>(?<![\w.])[^\W\d]\w*|(?<=self\.)[^\W\d]\w*)\($")
_FOR = re.compile(r"\bfor[ \t]+(?P<name>[^\W\d]\w*)[ \t]+in[ \t]$")
_BINDS = re.compile(r"(?:^|[ \t:(,])(?P<by>for|as)[ \t]+\(?(?P<names>[\w, \t]+)")
_MEMBER = re.compile(r"(?<![\w.])_*[A-Z]\w*\.$")
_MEMBERS = re.compile(r"^(?P<blank>[ \t]+)[^\W_]\w*[ \t]*=(?!=)", re.MULTILINE)
_OF_MAPPINGS = ("items", "keys", "values")
_IMPORT = re.compile(r"import[ \t]$")
_FIELD = re.compile(
    r"[ \t]+\w+[ \t]*:[ \t]*(?:typing\.)?(?P<kind>[Ll]ist|[Dd]ict|[Ss]et)\b(?:\[[^=]*\])?[ \t]*=[ \t]*(?:\w+\.)?[fF]ield\($"
)
_TO_COLLECTION = re.compile(r"\b_*(?P<many>[^\W\d_]\w*)\.(?:append|appendleft|add|remove|discard)\($")
_IF_MAIN = re.compile(r"if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"'][ \t]*:")
_MAIN = compiled(
    r"^(?P<async>async[ \t]++)?+def[ \t]++main\((?P<parameters>[^()\n]*+)\)(?P<gives>[^:\n]*+):", re.MULTILINE
)
_RAISES = re.compile(r"\b(?:pytest\.raises|self\.assertRaises)\((?P<error>[\w.]*)")


@dataclass(frozen=True)
class Convention:
    """A text that a convention suggests, and how often such a text is right."""

    rule: str
    text: str
    probability: float


@dataclass(frozen=True)
class _Cursor:
    """The text around a cursor, as the rules read it."""

    left: str
    right: str
    line: str  # before the cursor
    rest: str  # of the line, behind it
    above: tuple[str, ...]  # lines, the nearest last
    others: tuple[tuple[str, str], ...]  # path and text of other files


# How often what a rule says was right: `python -m benchmarks.conventions`.
PROBABILITIES: dict[str, float] = {
    "receiver below": 0.99,
    "receiver": 0.98,
    "imported": 0.95,
    "module": 0.95,
    "kept": 0.9,
    "keeps next": 0.69,
    "next member": 0.69,
    "next alike": 0.75,
    "next listed": 0.6,
    "analogous once": 0.58,
    "next begun": 0.5,
    "as annotated": 0.68,
    "main": 0.93,
    "analogous": 0.87,
    "default factory": 0.9,
    "passed": 0.88,
    "only name": 0.85,
    "same signature": 0.8,
    "first alike": 0.8,
    "plural of": 0.45,
    "member": 0.79,
    "annotated before": 0.83,
    "passed variable": 0.79,
    "annotated as named": 0.78,
    "namesake": 0.78,
    "raised above": 0.74,
    "taken by base": 0.74,
    "named alike": 0.73,
    "plural": 0.69,
    "used below": 0.57,
    "handed up": 0.62,
    "begun signature": 0.57,
    "test above": 0.54,
    "sibling": 0.45,
    "collected": 0.38,
    "only unused": 0.5,
    "returned": 0.21,
}

MODULES = frozenset(sys.stdlib_module_names)
_ALWAYS_THERE = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__all__", "__path__", "__version__"}


def conventional(left: str, right: str, others: Sequence[tuple[str, str]] = ()) -> Convention | None:
    """Give the text that a convention suggests at a place, if one does; `others`: path and text of the open files.

    A word that is begun must be how the text begins.
    """
    begun = _BEGUN.search(left, max(left.rfind("\n") + 1, len(left) - _LONGEST_WORD))
    for written in ("", begun[0]) if begun else ("",):
        found = _at(left[: len(left) - len(written)], right, others)
        if found is not None and found.text.startswith(written) and len(found.text) > len(written):
            return replace(found, text=found.text[len(written) :])
    return None


def _at(left: str, right: str, others: Sequence[tuple[str, str]]) -> Convention | None:
    line = left[left.rfind("\n") + 1 :]
    end = right.find("\n")
    rest = (right if end < 0 else right[:end]).rstrip("\r")
    above = left[max(0, len(left) - len(line) - _MAX_ABOVE) : len(left) - len(line)].splitlines()[-_MAX_LINES:]
    cursor = _Cursor(left, right, line, rest, tuple(above), tuple(others))
    for name, rule in _RULES.items():
        text = rule(cursor)
        if text:
            return Convention(name, text, PROBABILITIES.get(name, 0.0))
    return None


def _returned(cursor: _Cursor) -> str | None:
    """After `return`: what the statement before has assigned or filled."""
    if cursor.rest.strip() or not _RETURN.match(cursor.line):
        return None
    previous = next((line for line in reversed(cursor.above) if line.strip()), "")
    indent = _indent(cursor.line)
    if _indent(previous) != indent:
        return None
    bare = previous.strip()
    match = _ASSIGNED.match(bare) or _BUILT.match(bare)
    if match is None or match["name"] == "self" or _annotated_as_it(match["name"], cursor) is False:
        return None
    return match["name"]


def _as_annotated(cursor: _Cursor) -> str | None:
    """The same as `_collected`, where the function is annotated to give what the variable is."""
    name = _filled(cursor)
    return name if name and _annotated_as_it(name, cursor) else None


def _collected(cursor: _Cursor) -> str | None:
    """After `return` behind a loop or another block: what was empty before it and is named in it.

    Nothing where the function is annotated to give something else.
    """
    name = _filled(cursor)
    return name if name and _annotated_as_it(name, cursor) is None else None


def _filled(cursor: _Cursor) -> str | None:
    """After `return` behind a loop or another block: what was empty before it and is named in it."""
    if cursor.rest.strip() or not _RETURN.match(cursor.line):
        return None
    indent = _indent(cursor.line)
    inside: list[str] = []
    for line in reversed(cursor.above):
        if line.strip() and _indent(line) > indent:
            inside.append(line)
        elif line.strip() and _indent(line) < indent:
            return None
        elif line.strip() and inside:
            match = _EMPTY.match(line.strip())
            if match and re.search(rf"\b{match['name']}\b", "\n".join(inside)):
                return match["name"]
            inside.append(line)
        elif line.strip():
            return None
    return None


def _annotated_as_it(name: str, cursor: _Cursor) -> bool | None:
    """Whether the function is annotated to give what a variable was bound to last; None: not known."""
    bound = re.compile(rf"[ \t]+{name}(?:[ \t]*:[^=]+)?[ \t]*=(?!=)[ \t]*(?P<value>.+)")
    last = next((match["value"].strip() for line in reversed(cursor.above) if (match := bound.match(line))), "")
    _, arrow, result = (_header(cursor) or "").partition("#")[0].rpartition("->")
    given = result.strip(" \t:\"'") if arrow else ""
    kind = next((kind for kind, (value, _) in _KINDS.items() if value.match(last)), None)
    wanted = next((kind for kind, (_, annotated) in _KINDS.items() if annotated.match(given)), None)
    if kind is None:
        return None
    if wanted is None:
        return False if kind == "collection" and _CLASS_NAME.match(given) and given != "Any" else None
    return wanted == kind


def _kept(cursor: _Cursor) -> str | None:
    """`self.name = ` in a method that has such a parameter."""
    match = _SELF.match(cursor.line)
    if match is None or cursor.rest.strip():
        return None
    names = _parameters(cursor)
    return next((name for name in (match["name"], match["name"].lstrip("_")) if name in names), None)


def _keeps_next(cursor: _Cursor) -> str | None:
    """A line of `__init__` behind `self.name = name`: the same for the next parameter."""
    start = cursor.line.strip()
    if start not in ("", "self.") or not _indent(cursor.line) or cursor.rest.strip():
        return None
    last = _KEPT.fullmatch(next((line for line in reversed(cursor.above) if line.strip()), ""))
    header = _header(cursor) if last is not None and _indent(last[0]) == _indent(cursor.line) else None
    match = _DEF.match(header) if header else None
    if last is None or header is None or match is None or match["name"] != "__init__":
        return None
    names = [re.split(r"[:=]", part)[0].strip() for part in _parts(header[match.end() :])]
    mark = last["name"].removesuffix(last["value"])
    if last["value"] not in names or last["name"] != mark + last["value"] or mark not in ("", "_"):
        return None
    name = next(iter(names[names.index(last["value"]) + 1 :]), "")
    if not name.isidentifier() or re.search(
        rf"^[ \t]+self\._?{name}\b[ \t]*[:=]", cursor.right[:_MAX_ABOVE], re.MULTILINE
    ):
        return None
    return f"{'' if start else 'self.'}{mark}{name} = {name}"


def _passed(cursor: _Cursor) -> str | None:
    """`name=` in a call, where the function has something of that name."""
    name = _keyword_called(cursor)
    return name if name in _parameters(cursor) else None


def _passed_variable(cursor: _Cursor) -> str | None:
    """The same, where a variable of that name is bound above."""
    name = _keyword_called(cursor)
    if not name or name not in _variables(cursor):
        return None
    # Keywords of other calls look like variables that are bound, but for the blanks.
    bound = re.compile(rf"[ \t]*(?:{name}(?:[ \t]*:[^=]+)?[ \t]+=[ \t]|(?:async[ \t]+)?(?:for|with)\b.*\b{name}\b)")
    return name if any(bound.match(line) for line in reversed(cursor.above)) else None


def _keyword_called(cursor: _Cursor) -> str:
    """The name of the keyword argument whose value comes next; "" for none."""
    match = _KEYWORD.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")", ","):
        return ""
    if _BLOCK.match(cursor.line) or (match["alone"] and _open_brackets(cursor) < 1):
        return ""
    return match["name"] or match["alone"]


def _annotated_before(cursor: _Cursor) -> str | None:
    """After `name: ` in a header: how the last parameter of that name is annotated above."""
    name = _parameter_annotated(cursor)
    return _annotation_of(name, cursor) if name else None


def _annotated_as_named(cursor: _Cursor) -> str | None:
    """The same, where none is: the class of that name, `Shift` for `shift`, that is made or imported above."""
    name = _parameter_annotated(cursor)
    if not name or _annotation_of(name, cursor) is not None:
        return None
    wanted = name.replace("_", "")
    known = (
        one
        for line in cursor.above
        if (made := _MADE.match(line))
        for one in re.findall(r"[A-Z]\w+", made[1] or made[2])
    )
    return next((one for one in known if one.lower() == wanted), None)


def _parameter_annotated(cursor: _Cursor) -> str:
    """The parameter of a header whose annotation comes next; "" for none."""
    match = _TO_ANNOTATE.match(cursor.line)
    return match["name"] if match and cursor.rest.strip()[:1] in ("", ")", ",", "=") else ""


def _annotation_of(name: str, cursor: _Cursor) -> str | None:
    found = re.compile(
        rf"[(,][ \t]*{name}[ \t]*:[ \t]*(?P<annotation>[\w.]+(?:\[[^\]\n=]*\])*(?:[ ]\|[ ][\w.]+)*)[ \t]*[,)=]"
    )
    headers = (line for line in reversed((*cursor.above, cursor.line)) if _DEF.match(line))
    return next((match["annotation"] for line in headers if (match := found.search(line))), None)


def _handed_up(cursor: _Cursor) -> str | None:
    """`super().name(` in the method of that name, where nothing is known of the base class: the method's own parameters."""
    method = _method_handed_up(cursor)
    if method is None or _taken_by_base(cursor, method[0]) is not None:
        return None
    outermost = next((line for line in reversed(cursor.above) if line.strip() and not _indent(line)), "")
    if _EXCEPTION.match(outermost):
        return None  # exceptions mostly make a message of their parameters
    return _call_with(method[1], cursor)


def _taken(cursor: _Cursor) -> str | None:
    """`super().name(` in the method of that name: those of its parameters that the base class's method has, too."""
    method = _method_handed_up(cursor)
    taken = _taken_by_base(cursor, method[0]) if method else None
    if method is None or taken is None:
        return None
    return _call_with([part for part in method[1] if part.split("=")[0].lstrip("*") in taken], cursor)


def _method_handed_up(cursor: _Cursor) -> tuple[str, list[str]] | None:
    """The name of the method that the cursor is in and how its parameters are passed on, in a call of the base class's."""
    match = _SUPER.search(cursor.line)
    header = _header(cursor) if match else None
    found = _DEF.match(header) if header else None
    if match is None or header is None or found is None or cursor.rest.strip() not in ("", ")"):
        return None
    return (found["name"], list(_passing(header[found.end() :]))) if found["name"] == match["name"] else None


def _call_with(passed: Sequence[str], cursor: _Cursor) -> str | None:
    return ", ".join(passed) + ("" if cursor.rest.strip() else ")") if passed else None


def _taken_by_base(cursor: _Cursor, method: str) -> frozenset[str] | None:
    """The parameters of the method in the base class; None where that is in no file that is open."""
    classes = [_CLASS.match(line) for line in reversed(cursor.above) if _indent(line) < _indent(cursor.line)]
    base = next((found["base"] for found in classes if found), None)
    if base is None:
        return None
    nearby = (cursor.left[-_MAX_CHARS:], cursor.right[:_MAX_CHARS])
    for text in (*nearby, *(text[:_MAX_CHARS] for _, text in cursor.others)):
        start = re.search(rf"^class[ \t]+{base}\b.*:$", text, re.MULTILINE)
        body = re.split(r"^\S", text[start.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0] if start else ""
        found = re.search(rf"^[ \t]+def[ \t]+{method}\(", body, re.MULTILINE)
        if found:
            return frozenset(part.split("=")[0].lstrip("*") for part in _passing(body[found.end() :][:2000]))
    return None


def _named_alike(cursor: _Cursor) -> str | None:
    """`name(` of a function that is defined nearby, and whose required parameters all have the names of variables here: these."""
    wanted = _parameters_called(cursor)
    if not wanted or not _variables(cursor).issuperset(wanted):
        return None
    return ", ".join(wanted) + ("" if cursor.rest.strip() else ")")


def _first_alike(cursor: _Cursor) -> str | None:
    """The same where only the first of several required parameters has the name of a variable: that one."""
    wanted = _parameters_called(cursor)
    return wanted[0] if len(wanted) > 1 and wanted[0] in _variables(cursor) else None


def _parameters_called(cursor: _Cursor) -> list[str]:
    """The required parameters of the function whose call has just been opened; none of the one around it, which passes on other values."""
    match = _CALL.search(cursor.line)
    if match is None or _DEF.match(cursor.line) or cursor.rest.strip()[:1] not in ("", ")", ","):
        return []
    around = _DEF.match(_header(cursor) or "")
    if around and around["name"] == match["name"]:
        return []
    return _required(match["name"], bool(match["own"]), cursor)


def _required(function: str, own: bool, cursor: _Cursor) -> list[str]:
    """The parameters of a function without defaults, if it is defined once in this file or an open one, and takes at least one."""
    indent = r"[ \t]+" if own else ""
    header = re.compile(rf"^{indent}(?:async[ \t]+)?def[ \t]+{function}\(", re.MULTILINE)
    nearby = (cursor.left[-_MAX_CHARS:], cursor.right[:_MAX_CHARS])
    if function[:1].isupper() and not own:
        return _constructed(function, cursor)
    for texts in (nearby,) if own else (nearby, tuple(text[:_MAX_CHARS] for _, text in cursor.others)):
        found = [(text, one.end()) for text in texts for one in itertools.islice(header.finditer(text), 2)]
        if found:
            text, start = found[0]
            parts = list(itertools.takewhile(lambda part: part[:1] != "*", _parts(text[start : start + 500])))
            names = [re.split(r"[:=]", part)[0].strip() for part in parts if "=" not in part]
            return [name for name in names if name not in ("self", "cls", "/")] if len(found) == 1 else []
    return []


def _constructed(name: str, cursor: _Cursor) -> list[str]:
    """What a class is called with, without defaults: the parameters of its `__init__`, or the fields of a dataclass without bases."""
    header = re.compile(rf"^(?P<above>(?:@.*\n)*)class[ \t]+{name}\b(?P<bases>[^:\n]*):.*$", re.MULTILINE)
    texts = (cursor.left[-_MAX_CHARS:], cursor.right[:_MAX_CHARS], *(text[:_MAX_CHARS] for _, text in cursor.others))
    found = [(text, one) for text in texts for one in itertools.islice(header.finditer(text), 2)]
    if len(found) != 1:
        return []
    text, match = found[0]
    body = re.split(r"^[^\s#)\]}]", text[match.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0]
    made = re.search(r"^[ \t]+def[ \t]+__init__\(", body, re.MULTILINE)
    if made:
        parts = itertools.takewhile(lambda part: part[:1] != "*", _parts(body[made.end() : made.end() + 500]))
    elif ("dataclass" in match["above"] and match["bases"] in ("", "()")) or match["bases"] == "(NamedTuple)":
        indent = re.match(r"[ \t]*", body.lstrip("\r\n"))
        blank = indent[0] if indent else ""
        parts = (
            one[0].strip() for one in re.finditer(rf"^{blank}[^\W\d]\w*[ \t]*:(?!.*ClassVar).*$", body, re.MULTILINE)
        )
    else:
        return []
    names = [re.split(r"[:=]", part)[0].strip() for part in parts if "=" not in part]
    return [name for name in names if name not in ("self", "/")]


def _receiver_below(cursor: _Cursor) -> str | None:
    """`def name(` above a body that uses `self`, and no other name that nothing binds."""
    names = _free_below(cursor)
    return names[0] if len(names) == 1 and names[0] in ("self", "cls") else None


def _used_below(cursor: _Cursor) -> str | None:
    """`def name(` above a body: the names that the body uses and nothing binds; those of a function only where there is one."""
    names = _free_below(cursor)
    return ", ".join(names) if len(names) == 1 or names[:1] in (["self"], ["cls"]) else None


def _free_below(cursor: _Cursor) -> list[str]:
    """The names that the body below a begun `def name(` uses and nothing binds: the receiver, and others in the order of their first use."""
    match = _DEF.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return []
    body = itertools.takewhile(
        lambda line: not line.strip() or _indent(line) > len(match["indent"]),
        cursor.right[:_MAX_CHARS].splitlines()[1:],
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(textwrap.dedent("\n".join(body)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    used, bound = _names_in(tree)
    around = set(re.findall(r"^(?:from\b.*\bimport\b|import\b|(?:async[ \t]+)?def\b|class\b).*|^\w+(?=[ \t]*[:=])",
                            f"{cursor.left[-_MAX_CHARS:]}\n{cursor.right[:_MAX_CHARS]}", re.MULTILINE))  # fmt: skip
    known = bound | _ALWAYS_THERE | {word for line in around for word in re.findall(r"\w+", line.split("(")[0])}
    free = [name for name in used if name not in known]
    if not free or len(free) > _MOST_PARAMETERS or "import *" in cursor.left:
        return []
    own = [name for name in ("self", "cls") if name in free and match["indent"]]
    return [*own, *(name for name in free if name not in own)]


def _names_in(tree: ast.AST) -> tuple[list[str], set[str]]:
    """The names that are read, in the order of the text, and those that are bound."""
    used: list[tuple[int, int, str]] = []
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.append((node.lineno, node.col_offset, name))
            case ast.Name(id=name):
                bound.add(name)
            case (
                ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
            ):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.split(".")[0])
            case _:
                pass
    return list(dict.fromkeys(name for _, _, name in sorted(used))), bound


def _plural(cursor: _Cursor) -> str | None:
    """`for room in `: the variable or the own attribute that is called `rooms`."""
    match = _FOR.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ":", *")]}"):
        return None
    name = match["name"]
    here = _variables(cursor)
    for many in _plurals(name):
        if many in here:
            return many
        if re.search(rf"\bself\.{many}\b(?!\()", cursor.left) and "self" in (_header(cursor) or ""):
            return f"self.{many}"
    return None


def _plurals(name: str) -> tuple[str, ...]:
    """How several of something are called."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return (f"{name[:-1]}ies",)
    irregular = {"person": "people", "child": "children", "index": "indices", "man": "men", "woman": "women"}
    known = (irregular[name],) if name in irregular else ()
    return (*known, f"{name}es") if name.endswith(("s", "x", "ch", "sh")) else (*known, f"{name}s")


def _variables(cursor: _Cursor) -> frozenset[str]:
    """What the function around the cursor binds before its line: parameters, assigned names, loops' variables."""
    found = set(_parameters(cursor))
    own = depth = _indent(cursor.line)
    for line in reversed(cursor.above):
        indent = _indent(line)
        if not line.strip() or (not depth and indent):  # at module level, lines of functions and classes bind nothing
            continue
        if indent < own and _DEF.match(line):
            break
        depth = min(depth, indent)
        assigned = _ASSIGNED.match(line.strip())
        if assigned:
            found.add(assigned["name"])
        found.update(_bound_by(line, "for"), _bound_by(line, "as"))
    return frozenset(found)


def _bound_by(line: str, keyword: str) -> set[str]:
    """What a line binds by `for` or `as`."""
    bound = (one["names"] for one in _BINDS.finditer(line) if one["by"] == keyword)
    return {name.strip() for names in bound for name in re.split(r"\bin\b", names)[0].split(",")}


def _same_signature(cursor: _Cursor) -> str | None:
    """`def name(` below three functions of a block that take the same parameters: these."""
    above = _signatures_above(cursor, 3)
    return _not_typed(above[0], cursor) if len(above) == 3 and len(set(above)) == 1 else None


def _begun_signature(cursor: _Cursor) -> str | None:
    """`def name(` below two methods: the parameters that these have in common at their start, if there are more than `self`."""
    common = _common_parameters(cursor)
    return _not_typed(", ".join(common), cursor) if len(common) > 1 else None


def _receiver(cursor: _Cursor) -> str | None:
    """`def name(` below two methods that have only `self` in common."""
    common = _common_parameters(cursor)
    return _not_typed(common[0], cursor) if len(common) == 1 and common[0] in ("self", "cls") else None


def _not_typed(parameters: str, cursor: _Cursor) -> str | None:
    """What is left to type of the parameters behind `def name(`."""
    typed = cursor.line.partition("(")[2].lstrip()
    return parameters[len(typed) :] if parameters.startswith(typed) and len(parameters) > len(typed) else None


def _common_parameters(cursor: _Cursor) -> list[str]:
    """How the parameters of the two functions above begin alike."""
    above = [list(_parts(signature)) for signature in _signatures_above(cursor, 2)] if _indent(cursor.line) else []
    if len(above) < 2:
        return []
    return [one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*above, strict=False))]


def _signatures_above(cursor: _Cursor, most: int) -> list[str]:
    """The parameters of the functions above in the cursor's block, each on one line, the nearest first; none elsewhere than behind `def name(`."""
    match = _DEF.match(cursor.line)
    if match is None or "(" in cursor.line[match.end() :] or cursor.rest.strip()[:1] not in ("", ")"):
        return []
    found: list[str] = []
    above = list(reversed(cursor.above))
    if above and above[0].strip().startswith(_NO_SELF):
        return []
    for at, line in enumerate(above):
        if not line.strip():
            continue
        if _indent(line) < len(match["indent"]) and line.lstrip()[:1] not in ("#", *")]}"):
            break
        header = _DEF.match(line)
        if header is None or header["indent"] != match["indent"]:
            continue
        closed = _SIGNATURE.match(line, header.end())
        if closed is None or (at + 1 < len(above) and above[at + 1].strip().startswith(_NO_SELF)):
            break
        found.append(closed["parameters"].strip())
        if len(found) == most:
            break
    return found


def _imported(cursor: _Cursor) -> str | None:
    """`from module import `: names that the file uses, lacks, and that the module has."""
    match = _FROM.fullmatch(cursor.line.strip() + " ") if cursor.line.endswith((" ", "\t")) else None
    if match is None or cursor.rest.strip():
        return None
    there = _names_of(match["module"], cursor)
    missing = sorted(_missing(cursor) & there, key=_import_order) if there else []
    return ", ".join(missing) if 0 < len(missing) <= 8 else None


def _only_name(cursor: _Cursor) -> str | None:
    """`from module import `, where the module is an open file with one public function or class, and no other public name: this."""
    text = _imported_text(cursor)
    defined = _public_functions(text)
    if len(defined) != 1 or _ASSIGNED_IN_MODULE.search(text) or re.search(rf"\b{defined[0]}\b", cursor.left):
        return None
    return defined[0]


def _only_unused(cursor: _Cursor) -> str | None:
    """The same, where it has several: the only function or class that it does not use itself."""
    text = _imported_text(cursor)
    defined = _public_functions(text)
    unused = (
        [name for name in defined if len(re.findall(rf"\b{name}\b", text)) == 1] if 1 < len(defined) <= _MANY else []
    )
    return unused[0] if len(unused) == 1 and not re.search(rf"\b{unused[0]}\b", cursor.left) else None


def _imported_text(cursor: _Cursor) -> str:
    """Behind `from module import `: the module's text, if it is an open file."""
    match = _FROM.fullmatch(cursor.line.strip() + " ") if cursor.line.endswith((" ", "\t")) else None
    module = match["module"].lstrip(".") if match else ""
    return (_module_text(module, cursor, packages=False) or "") if module and not cursor.rest.strip() else ""


def _public_functions(text: str) -> list[str]:
    return re.findall(r"^(?:(?:async[ \t]+)?def|class)[ \t]+([^\W_]\w*)", text, re.MULTILINE)


def _namesake(cursor: _Cursor) -> str | None:
    """`from module import `, where an open file of that name has few functions and classes: the class that is called as the module is.

    Or the class `Reading` of the module `readings`.
    """
    text = _imported_text(cursor)
    match = _FROM.fullmatch(cursor.line.strip() + " ") if text else None
    name = match["module"].rpartition(".")[2].replace("_", "").lower() if match else ""
    classes = re.findall(r"^class[ \t]+(\w+)", text, re.MULTILINE) if name else []
    same = [one for one in classes if one.lower() == name] or [one for one in classes if name in _plurals(one.lower())]
    if len(same) != 1 or len(_public_functions(text)) > _FEW or re.search(rf"\b{same[0]}\b", cursor.left):
        return None
    return same[0]


def _plural_of(cursor: _Cursor) -> str | None:
    """`for room in `: `house.rooms`, where a variable `house` has such an attribute, by its use above or its class's name."""
    match = _FOR.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ":", *")]}"):
        return None
    here = _variables(cursor) - {"self", "cls", match["name"]}
    texts = (cursor.left[-_MAX_CHARS:], cursor.right[:_MAX_CHARS], *(text[:_MAX_CHARS] for _, text in cursor.others))
    for many in _plurals(match["name"]):
        if many in _OF_MAPPINGS:
            continue
        used = {
            one for one in re.findall(rf"(?<![\w.])(\w+)\.{many}\b(?!\()", cursor.left[-_MAX_ABOVE:]) if one in here
        }
        if len(used) == 1:
            return f"{used.pop()}.{many}"
        owners = {
            f"{name}.{many}{call}"
            for name in here
            for text in texts
            if (call := _of_class(text, name, many)) is not None
        }
        if len(owners) == 1:
            return owners.pop()
    return None


def _of_class(text: str, variable: str, attribute: str) -> str | None:
    """What follows an attribute of a variable to read it, where a text defines a class that is called as the variable is: "()" of a method."""
    name = variable.replace("_", "").lower()
    for match in re.finditer(r"^class[ \t]+(\w+).*:$", text, re.MULTILINE):
        if match[1].lower() == name:
            body = re.split(r"^\S", text[match.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0]
            if re.search(rf"^[ \t]+def[ \t]+{attribute}\(self\)", body, re.MULTILINE):
                made = re.search(rf"@(?:cached_)?property\b.*\n[ \t]+def[ \t]+{attribute}\(", body)
                return "" if made else "()"
            if re.search(rf"\bself\.{attribute}[ \t]*[:=]|^[ \t]+{attribute}[ \t]*:", body, re.MULTILINE):
                return ""
    return None


def _sibling(cursor: _Cursor) -> str | None:
    """`def run_top(` below the only other function that begins so, or above it: its parameters."""
    match = _DEF.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    first = match["name"].split("_")[0]
    if not first or first == match["name"] or first == "test":
        return None
    pattern = re.compile(rf"^{match['indent']}(?:async[ \t]+)?def[ \t]+{first}_\w*\(([^()]*)\)", re.MULTILINE)
    above = pattern.findall(cursor.left[-_MAX_ABOVE:])
    if not above or (len(above) > 1 and above[-1] != above[-2]) or not above[-1].strip() or "\n" in above[-1]:
        return None
    return above[-1].strip() if above[-1].strip() not in ("self", "cls") else None


def _test_above(cursor: _Cursor) -> str | None:
    """`def test_b(` below the test `test_a`: its fixtures, unless it is parametrized."""
    match = _DEF.fullmatch(cursor.line)
    if match is None or not match["name"].startswith("test_") or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    for at in range(len(cursor.above) - 1, -1, -1):
        header = _DEF.match(cursor.above[at])
        if header is None or header["indent"] != match["indent"] or not header["name"].startswith("test_"):
            continue
        closed = _SIGNATURE.match(cursor.above[at], header.end())
        if closed is None or (at and "parametrize" in cursor.above[at - 1]) or cursor.above[at - 1].strip() == ")":
            return None
        return closed["parameters"].strip() or None
    return None


def _analogous(cursor: _Cursor) -> str | None:
    """The rest of a line that is begun as the two above are, each with one name of its own, where that rest has the name again."""
    pattern = _pattern_above(cursor)
    text = goes_on(pattern, cursor.line) if pattern is not None else None
    return _before_rest(text.removesuffix(","), cursor) if text is not None else None


def _analogous_once(cursor: _Cursor) -> str | None:
    """The same below one such line, where its name and this line's follow each other in a listing."""
    line = cursor.above[-1] if cursor.above else ""
    two = _pattern_above(cursor)
    is_alone = _indent(line) == _indent(cursor.line) and (two is None or not two.is_whole)
    pattern = pattern_in(line) if is_alone else None
    text = goes_on(pattern, cursor.line) if pattern is not None else None
    if pattern is None or text is None or not follows(pattern.lower, name_in(pattern, cursor.line), _near(cursor)):
        return None
    return _before_rest(text.removesuffix(","), cursor)


def _next_alike(cursor: _Cursor) -> str | None:
    """A line like the two above, which have one name each at two places or more, with the name that follows theirs in a listing."""
    pattern = _pattern_above(cursor)
    return _next_of(pattern, cursor) if pattern is not None and pattern.is_whole and pattern.times > 1 else None


def _next_listed(cursor: _Cursor) -> str | None:
    """The same where each line has its name once."""
    pattern = _pattern_above(cursor)
    return _next_of(pattern, cursor) if pattern is not None and pattern.is_whole and pattern.times == 1 else None


def _next_begun(cursor: _Cursor) -> str | None:
    """The beginning of such a line, where the two above begin alike, each with one name at two places or more."""
    pattern = _pattern_above(cursor)
    text = _next_of(pattern, cursor) if pattern is not None and not pattern.is_whole and pattern.times > 1 else None
    return text.rstrip(" ,(.[") or None if text is not None else None


def _pattern_above(cursor: _Cursor) -> Pattern | None:
    """What the two lines directly above have in common."""
    upper, lower = cursor.above[-2:] if len(cursor.above) > 1 else ("", "")
    alike = _indent(upper) == _indent(lower) == _indent(cursor.line) and not upper.lstrip().startswith("#")
    return pattern_of(upper, lower) if alike and upper.strip() and lower.strip() else None


def _next_of(pattern: Pattern, cursor: _Cursor) -> str | None:
    name = next_name(pattern, _near(cursor))
    whole = pattern.with_name(name) if name is not None else ""
    around = (*cursor.above[-_RECENT:], *cursor.right[:_MAX_LISTED].split("\n")[1 : _RECENT + 1])
    if not whole.startswith(cursor.line) or whole.strip() in (line.strip() for line in around):
        return None
    return _before_rest(whole[len(cursor.line) :], cursor)


def _near(cursor: _Cursor) -> tuple[str, ...]:
    """The texts whose listings are read."""
    above = cursor.left[-_MAX_LISTED - len(cursor.line) : len(cursor.left) - len(cursor.line)]
    return above, cursor.right[:_MAX_LISTED], *(text[:_MAX_LISTED] for _, text in cursor.others)


def _before_rest(text: str, cursor: _Cursor) -> str | None:
    """A text without the brackets and quotes that stand behind the cursor already; None where it does not end with them."""
    closed = cursor.rest.strip()
    text = text.rstrip()
    if closed:
        text = text.rstrip(",") if not closed.endswith(",") else text
        text = text.removesuffix(closed) if text.endswith(closed) else ""
    return text or None


def _default_factory(cursor: _Cursor) -> str | None:
    """`rooms: list[Room] = field(`: `default_factory=list`."""
    match = _FIELD.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    return f"default_factory={match['kind'].lower()}" + ("" if cursor.rest.strip() else ")")


def _member(cursor: _Cursor) -> str | None:
    """`rooms.append(`: the variable `room`, where one of the two lines above has it.

    Not that of a loop, which is mostly for something else.
    """
    match = _TO_COLLECTION.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    name = next((one for one in sorted(_variables(cursor)) if match["many"] in _plurals(one)), None)
    if name is None:
        return None
    near = itertools.islice((line for line in reversed(cursor.above) if line.strip()), 2)
    if not any(re.search(rf"(?<![\w.]){name}\b", line) for line in near):
        return None
    own = _indent(cursor.line)
    function = itertools.takewhile(
        lambda line: _indent(line) >= own or _DEF.match(line) is None, reversed(cursor.above)
    )
    if any(name in _bound_by(line, "for") for line in function):
        return None
    return name + ("" if cursor.rest.strip() else ")")


def _next_member(cursor: _Cursor) -> str | None:
    """`return Level.` below `return Level.LOW`: the next member in the direction of the lines above, or the only one left."""
    match = _MEMBER.search(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", *")]},:"):
        return None
    start, own = cursor.line.strip(), _indent(cursor.line)
    function = itertools.takewhile(
        lambda line: _indent(line) >= own or _DEF.match(line) is None, reversed(cursor.above[-_NEARBY:])
    )
    after = (line.strip()[len(start) :] for line in function if line.strip().startswith(start))
    used = [word[0] for rest in after if (word := re.match(r"\w+", rest))]
    members = _members_of(match.group().rstrip("."), cursor) if used else []
    left = [name for name in members if name not in used]
    if used and len(left) == 1:
        return left[0]
    at = [members.index(name) for name in used[:2] if name in members]
    if len(at) != min(len(used), 2) or not left:
        return None
    ends = {0: 1, len(members) - 1: -1}
    step = at[0] - at[1] if len(at) == 2 else ends.get(at[0], 0)
    following = at[0] + step
    known = abs(step) == 1 and 0 <= following < len(members) and members[following] in left
    return members[following] if known else None


def _members_of(name: str, cursor: _Cursor) -> list[str]:
    """The members of an enumeration of this file or an open one, in their order."""
    header = re.compile(
        rf"^class[ \t]+{name}\([\w., \t]*\b(?:Enum|IntEnum|StrEnum|Flag|IntFlag)\)[ \t]*:.*$", re.MULTILINE
    )
    for text in (
        cursor.left[-_MAX_CHARS:],
        cursor.right[:_MAX_CHARS],
        *(text[:_MAX_CHARS] for _, text in cursor.others),
    ):
        start = header.search(text)
        if start:
            body = re.split(r"^\S", text[start.end() + 1 :], maxsplit=1, flags=re.MULTILINE)[0]
            blank = next((one["blank"] for one in _MEMBERS.finditer(body)), "")
            return re.findall(rf"^{blank}([^\W_]\w*)[ \t]*=(?!=)", body, re.MULTILINE) if blank else []
    return []


def _main(cursor: _Cursor) -> str | None:
    """Below `if __name__ == "__main__":` the call of `main`, if that needs no arguments and returns nothing."""
    if cursor.line.strip() or not cursor.line or cursor.rest.strip() or "main(" in cursor.right[:_MAX_ABOVE]:
        return None
    if not _IF_MAIN.match(next((line for line in reversed(cursor.above) if line.strip()), "")):
        return None
    match = _MAIN.search(cursor.left[-_MAX_CHARS:])
    if match is None or any(part[:1] != "*" and "=" not in part for part in _parts(match["parameters"])):
        return None
    if match["gives"].strip() not in ("", "-> None"):
        return None
    body = re.split(r"^\S", cursor.left[-_MAX_CHARS:][match.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    if re.search(r"^[ \t]+return[ \t]+\S", body, re.MULTILINE):
        return None
    if match["async"]:
        return "asyncio.run(main())" if re.search(r"^import asyncio$", cursor.left, re.MULTILINE) else None
    return "main()"


def _raised_above(cursor: _Cursor) -> str | None:
    """`pytest.raises(`: the exception of the last two above, or of the only one."""
    match = next((one for one in _RAISES.finditer(cursor.line) if one.end() == len(cursor.line)), None)
    if match is None or match["error"] or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    above = [one["error"] for one in _RAISES.finditer(cursor.left[-_MAX_ABOVE : len(cursor.left) - len(cursor.line)])]
    last = above[-2:]
    return last[0] or None if last and len(set(last)) == 1 else None


def _module(cursor: _Cursor) -> str | None:
    """`import `: a standard module that the file uses and does not import yet."""
    if not _IMPORT.fullmatch(cursor.line) or cursor.rest.strip():
        return None
    missing = sorted(name for name in _missing(cursor) if name in MODULES)
    return missing[0] if missing else None


_RULES: dict[str, Callable[[_Cursor], str | None]] = {
    "returned": _returned,
    "as annotated": _as_annotated,
    "collected": _collected,
    "kept": _kept,
    "keeps next": _keeps_next,
    "passed": _passed,
    "passed variable": _passed_variable,
    "annotated before": _annotated_before,
    "annotated as named": _annotated_as_named,
    "taken by base": _taken,
    "handed up": _handed_up,
    "imported": _imported,
    "only name": _only_name,
    "namesake": _namesake,
    "only unused": _only_unused,
    "module": _module,
    "receiver below": _receiver_below,
    "used below": _used_below,
    "same signature": _same_signature,
    "begun signature": _begun_signature,
    "receiver": _receiver,
    "named alike": _named_alike,
    "first alike": _first_alike,
    "plural": _plural,
    "plural of": _plural_of,
    "analogous": _analogous,
    "analogous once": _analogous_once,
    "next alike": _next_alike,
    "next listed": _next_listed,
    "next begun": _next_begun,
    "sibling": _sibling,
    "test above": _test_above,
    "default factory": _default_factory,
    "member": _member,
    "next member": _next_member,
    "main": _main,
    "raised above": _raised_above,
}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _header(cursor: _Cursor) -> str | None:
    """The header of the function that the cursor is in, on one line, from `def` to its colon."""
    depth = _indent(cursor.line)
    for at in range(len(cursor.above) - 1, -1, -1):
        line = cursor.above[at]
        if not line.strip() or _indent(line) >= depth:
            continue
        if _DEF.match(line):
            header = line.strip()
            for more in cursor.above[at + 1 :]:
                if _closed(header):
                    break
                header += " " + more.strip()
            return header
        if line.lstrip()[:1] in ")]}":  # the end of a header or call of several lines
            continue
        depth = _indent(line)
        if depth == 0:
            return None
    return None


def _closed(text: str) -> bool:
    return sum(map(text.count, "([{")) == sum(map(text.count, ")]}"))


def _open_brackets(cursor: _Cursor) -> int:
    text = "\n".join((*cursor.above[-30:], cursor.line))
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _parameters(cursor: _Cursor) -> frozenset[str]:
    header = _header(cursor)
    match = _DEF.match(header) if header else None
    if header is None or match is None:
        return frozenset()
    return frozenset(name.split("=")[-1].lstrip("*") for name in _passing(header[match.end() :]))


def _passing(parameters: str) -> Iterator[str]:
    """How the parameters behind an opening bracket are passed on, but for `self` and `cls`."""
    only_keywords = False
    for part in _parts(parameters):
        match = re.match(r"(\*{0,2})(\w*)", part)
        stars, name = (match[1], match[2]) if match else ("", "")
        if name in ("self", "cls") or part.startswith("/"):
            continue
        if stars == "*":
            only_keywords = True
        if name:
            yield f"{stars}{name}" if stars else f"{name}={name}" if only_keywords else name


def _parts(parameters: str) -> Iterator[str]:
    depth, part = 0, ""
    for char in parameters:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            break
        if char == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += char
    if part.strip():
        yield part.strip()


def _missing(cursor: _Cursor) -> frozenset[str]:
    """The names that the file, without the cursor's line, uses and does not have."""
    if len(cursor.left) + len(cursor.right) > _MAX_CHARS:
        return frozenset()
    line_start = len(cursor.left) - len(cursor.line)
    text = cursor.left[:line_start] + cursor.right[len(cursor.right.split("\n", 1)[0]) :]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    used: set[str] = set()
    bound: set[str] = set(_ALWAYS_THERE)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case (
                ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                if name == "*":
                    return frozenset()  # whatever it brings
                bound.add(other or name.split(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound.update(names)
            case _:
                pass
    return frozenset(used - bound)


def _names_of(module: str, cursor: _Cursor) -> frozenset[str]:
    """The names of a module: of an open file that it may be, or of a standard one that this process has loaded."""
    text = _module_text(module, cursor)
    if text is not None:
        defined = re.findall(r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)", text, re.MULTILINE)
        assigned = re.findall(r"^([^\W\d]\w*)[ \t]*(?::[^=\n]+)?=(?!=)", text, re.MULTILINE)
        return frozenset((*defined, *assigned))
    if not module.startswith(".") and module.split(".")[0] in MODULES:
        loaded = sys.modules.get(module)
        return frozenset(dir(loaded)) if loaded is not None else frozenset()
    return frozenset()


def _module_text(module: str, cursor: _Cursor, packages: bool = True) -> str | None:
    """The text of a module that is among the other files; packages: or of a package's first file."""
    wanted = "/".join(part for part in module.split(".") if part)
    for path, text in cursor.others if wanted else ():
        pure = PurePosixPath(path)
        if pure.name == "__init__.py" and not packages:
            continue
        stem = (pure.parent if pure.name == "__init__.py" else pure.with_suffix("")).as_posix()
        if stem == wanted or stem.endswith("/" + wanted):
            return text
    return None


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each by the alphabet, as isort and ruff sort them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name
