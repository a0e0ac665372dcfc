"""The parameters of a `def`: those of functions beside it, and annotations; and the base of an exception."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from .....common.possessive import compiled
from .cursor import DEF, MAX_ABOVE, MAX_CHARS, Cursor, indent_of, parts_of

_SIGNATURE = re.compile(r"(?P<parameters>[^()]*)\)[^()]*:")
_NO_SELF = ("@staticmethod", "@classmethod")
_TO_ANNOTATE = compiled(
    r"[ \t]*+(?:async[ \t]++)?+def[ \t]++\w++[ \t]*+\((?:.*,)?[ \t]*(?P<name>[^\W\d]\w*+)[ \t]*+:[ \t]$"
)
_ERRORS = ("Error", "Exception")
_ERROR = re.compile(r"class[ \t]+\w*(?:Error|Exception)(?P<opened>\(?)")
_ERROR_ABOVE = re.compile(r"class[ \t]+\w*(?:Error|Exception)\(([\w.]+)\):")
_BRINGS = re.compile(r"^(?:from[ \t][^\n(]*\([^)]*\)|(?:from|import|class)[ \t].*)", re.MULTILINE)
_MADE = re.compile(r"class[ \t]+([A-Z]\w*)|from[ \t]+[\w.]+[ \t]+import[ \t]+(.*)")


def error_base(cursor: Cursor) -> str | None:
    """`class RoomError` or `class RoomError(`: the base of the two such classes above, or `Exception` for the first where no other is imported."""
    match = _ERROR.fullmatch(cursor.line)
    if match is None or cursor.rest.strip() not in ("", ")", "):", ":"):
        return None
    bases = [found[1] for line in cursor.above if (found := _ERROR_ABOVE.match(line))][-2:]
    if len(bases) == 2 and bases[0] == bases[1]:
        base = bases[0]
    elif bases or any(name.endswith(_ERRORS) for name in _brought(cursor.left[-MAX_CHARS:].removesuffix(cursor.line))):
        return None
    else:
        base = "Exception"
    return base if match["opened"] else f"({base})"


def _brought(text: str) -> Iterator[str]:
    """The words of the import lines and the headers of classes at the margin of a text."""
    for match in _BRINGS.finditer(text):
        yield from re.findall(r"\w+", match[0])


def annotated_before(cursor: Cursor) -> str | None:
    """After `name: ` in a header: how the last parameter of that name is annotated above."""
    name = _parameter_annotated(cursor)
    return _annotation_of(name, cursor) if name else None


def annotated_as_named(cursor: Cursor) -> str | None:
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


def _parameter_annotated(cursor: Cursor) -> str:
    """The parameter of a header whose annotation comes next; "" for none."""
    match = _TO_ANNOTATE.match(cursor.line)
    return match["name"] if match and cursor.rest.strip()[:1] in ("", ")", ",", "=") else ""


def _annotation_of(name: str, cursor: Cursor) -> str | None:
    found = re.compile(
        rf"[(,][ \t]*{name}[ \t]*:[ \t]*(?P<annotation>[\w.]+(?:\[[^\[\]\n=]*\])*(?:[ ]\|[ ][\w.]+)*)[ \t]*[,)=]"
    )
    headers = (line for line in reversed((*cursor.above, cursor.line)) if DEF.match(line))
    return next((match["annotation"] for line in headers if (match := found.search(line))), None)


def same_signature(cursor: Cursor) -> str | None:
    """`def name(` below three functions of a block that take the same parameters: these."""
    above = _signatures_above(cursor, 3)
    return _not_typed(above[0], cursor) if len(above) == 3 and len(set(above)) == 1 else None


def begun_signature(cursor: Cursor) -> str | None:
    """`def name(` below two methods: the parameters that these have in common at their start, if there are more than `self`."""
    common = _common_parameters(cursor) if indent_of(cursor.line) else []
    return _not_typed(", ".join(common), cursor) if len(common) > 1 else None


def begun_alike(cursor: Cursor) -> str | None:
    """`def name(` at the margin below two functions: the parameters that these have in common at their start."""
    named = DEF.match(cursor.line)
    if named is None or named["indent"] or named["name"].startswith("test_"):  # tests have a rule of their own
        return None
    return _not_typed(", ".join(_common_parameters(cursor)), cursor)


def receiver(cursor: Cursor) -> str | None:
    """`def name(` below two methods that have only `self` in common."""
    common = _common_parameters(cursor)
    return _not_typed(common[0], cursor) if len(common) == 1 and common[0] in ("self", "cls") else None


def _not_typed(parameters: str, cursor: Cursor) -> str | None:
    """What is left to type of the parameters behind `def name(`."""
    typed = cursor.line.partition("(")[2].lstrip()
    return parameters[len(typed) :] if parameters.startswith(typed) and len(parameters) > len(typed) else None


def _common_parameters(cursor: Cursor) -> list[str]:
    """How the parameters of the two functions above begin alike."""
    above = [list(parts_of(signature)) for signature in _signatures_above(cursor, 2)]
    if len(above) < 2:
        return []
    common = [one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*above, strict=False))]
    while common and common[-1] in ("*", "/"):  # what they stand between is not common
        common.pop()
    # A text with a comma is cut at it.
    return list(itertools.takewhile(lambda part: part.count('"') % 2 == part.count("'") % 2 == 0, common))


def _signatures_above(cursor: Cursor, most: int) -> list[str]:
    """The parameters of the functions above in the cursor's block, each on one line, the nearest first; none elsewhere than behind `def name(`."""
    match = DEF.match(cursor.line)
    if match is None or "(" in cursor.line[match.end() :] or cursor.rest.strip()[:1] not in ("", ")"):
        return []
    found: list[str] = []
    above = list(reversed(cursor.above))
    if above and above[0].strip().startswith(_NO_SELF):
        return []
    for at, line in enumerate(above):
        if not line.strip():
            continue
        if indent_of(line) < len(match["indent"]) and line.lstrip()[:1] not in ("#", *")]}"):
            break
        header = DEF.match(line)
        if header is None or header["indent"] != match["indent"]:
            continue
        closed = _SIGNATURE.match(line, header.end())
        if closed is None or (at + 1 < len(above) and above[at + 1].strip().startswith(_NO_SELF)):
            break
        found.append(closed["parameters"].strip())
        if len(found) == most:
            break
    return found


def sibling(cursor: Cursor) -> str | None:
    """`def run_top(` below the only other function that begins so, or above it: its parameters."""
    match = DEF.fullmatch(cursor.line)
    if match is None or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    first = match["name"].split("_")[0]
    if not first or first == match["name"] or first == "test":
        return None
    pattern = re.compile(rf"^{match['indent']}(?:async[ \t]+)?def[ \t]+{first}_\w*\(([^()]*)\)", re.MULTILINE)
    above = pattern.findall(cursor.left[-MAX_ABOVE:])
    if not above or (len(above) > 1 and above[-1] != above[-2]) or not above[-1].strip() or "\n" in above[-1]:
        return None
    return above[-1].strip() if above[-1].strip() not in ("self", "cls") else None


def test_above(cursor: Cursor) -> str | None:
    """`def test_b(` below the test `test_a`: its fixtures, unless it is parametrized."""
    match = DEF.fullmatch(cursor.line)
    if match is None or not match["name"].startswith("test_") or cursor.rest.strip()[:1] not in ("", ")"):
        return None
    for at in range(len(cursor.above) - 1, -1, -1):
        header = DEF.match(cursor.above[at])
        if header is None or header["indent"] != match["indent"] or not header["name"].startswith("test_"):
            continue
        closed = _SIGNATURE.match(cursor.above[at], header.end())
        if closed is None or (at and "parametrize" in cursor.above[at - 1]) or cursor.above[at - 1].strip() == ")":
            return None
        return closed["parameters"].strip() or None
    return None
