"""Candidates from facts of the code around a cursor: parameters, arguments, missing names, kinds of methods."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from .....common.possessive import compiled
from .around import Around, Candidate, indent_of

_KEPT = compiled(r"[ \t]++(?P<of>\w++)\.(?P<name>\w++)(?:[ \t]*+:[^=()]++)?+[ \t]*+=[ \t]*+(?P<value>\w*+)[ \t]*+")
_WORD = re.compile(r"[^\W\d]\w*")
_ARGUMENT = re.compile(r"[(,=]\s*\Z")
_HEADER = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)[ \t]*\(\Z")
_PROPERTY = re.compile(r"[ \t]*@(?:[\w.]*property|\w+\.getter)\b")
_STARRED = r"(?<![\w)\]])(\*{{1,2}}){0}[ \t]*[,)]"
_ARGUMENTS = re.compile(r"\w*(?:args|kwargs|kw|kwds)")
_MOST_NAMES = 8
_FROM = compiled(r"[ \t]*+from[ \t]++(?P<module>\.*+[\w.]*+)[ \t]++import[ \t]++")
_MODULES = frozenset(sys.stdlib_module_names)
_METHOD = re.compile(
    r"\n(?P<indent>[ \t]+)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)\([ \t]*(?P<first>\w*)[ \t]*(?P<end>[),]?)"
)
_OWN_KIND = ("__new__", "__init_subclass__", "__class_getitem__")  # which need no decorator
_RECEIVERS = re.compile(r"_?self|this|metacls|mcs|mcls|klass|_?cls_?")  # by other names
_OTHER_CLASS = re.compile(r"type\b|\w*(?:Meta|Interface)\b")  # whose methods often have `cls` or no receiver
_FAILED = re.compile(r"[ \t]*if (?:.*; )?err != nil \{\s*\Z")


def attributes(around: Around) -> Iterator[Candidate]:
    """The parameter for `self.name = ` to keep; the next parameter below a line that keeps one."""
    if around.rest.strip() or not around.indent:
        return
    now = _KEPT.fullmatch(around.line)
    if now is not None and not now["value"]:
        own = _own_names(around)
        yield from (Candidate("kept", name) for name in (now["name"], now["name"].lstrip("_")) if name in own)
    last = _KEPT.fullmatch(around.last)
    if around.line.strip() in ("", "self.") and last is not None and last["of"] == "self" and last["value"]:
        own = _own_names(around) if around.facts.function == "__init__" else []
        mark = last["name"].removesuffix(last["value"])
        if last["value"] in own[:-1] and mark in ("", "_") and indent_of(last[0]) == around.indent:
            name = own[own.index(last["value"]) + 1]
            if not re.search(rf"\n[ \t]+self\._?{name}\b[ \t]*[:=]", around.below):
                yield Candidate("keeps next", f"{'' if around.line.strip() else 'self.'}{mark}{name} = {name}")


def _own_names(around: Around) -> list[str]:
    return [parameter.lstrip("*").partition("=")[0] for parameter in around.facts.parameters]


def arguments(around: Around) -> Iterator[Candidate]:
    """A call's arguments among the names in scope: those named like its parameters."""
    if _ARGUMENT.search(around.line) is None or around.rest.strip()[:1] not in ("", ")", ","):
        return
    facts, call = around.facts, around.facts.call
    if call is None:
        return
    end = "" if around.rest.strip() else ")"
    if call.keyword:
        own = call.keyword in _own_names(around)
        if own or facts.binds(call.keyword):
            yield Candidate("passed" if own else "passed variable", call.keyword)
    elif call.called == facts.function:  # of the base class, or of itself without end
        taken = [parameter for parameter in facts.parameters if parameter.lstrip("*").partition("=")[0] in call.takes]
        if call.is_first and taken and "super(" in around.line:
            yield Candidate("taken by base", ", ".join(taken) + end)
    elif call.lacks:
        if all(facts.binds(name.rstrip("=")) for name in call.lacks):
            said = ", ".join(f"{name}{name[:-1]}" if name[-1] == "=" else name for name in call.lacks)
            yield Candidate("named alike" if call.is_first else "others alike", said + end)


def parameters(around: Around) -> Iterator[Candidate]:
    """The parameters of a begun header: names used by the body below and bound nowhere."""
    header = _HEADER.fullmatch(around.line)
    if header is None or around.rest.strip()[:1] not in ("", ")"):
        return
    body: list[str] = []
    for line in around.below.split("\n")[1:]:
        if line.strip() and indent_of(line) <= around.indent:
            break
        body.append(line)
    text = "\n".join(body)
    free = around.facts.lacking(frozenset(_WORD.findall(text))) - {"_"}
    receiver, is_property = around.facts.receiver, any(map(_PROPERTY.match, _decorators(around)))
    named = [] if is_property else [name for name in free if name != receiver and not name[0].isupper()]
    if len(named) == 1 or (not named and receiver in free):
        said = ", ".join(([receiver] if receiver else []) + [_starred(name, text) for name in named])
        yield Candidate("used below" if named else "receiver below", said)


def _starred(name: str, body: str) -> str:
    """A parameter, with the stars that a body passes it on with, if any."""
    stars = re.search(_STARRED.format(name), body) if _ARGUMENTS.fullmatch(name) else None
    return name if stars is None else stars[1] + name


def _decorators(around: Around) -> Iterator[str]:
    for line in reversed(around.above):
        if not line.lstrip().startswith("@"):
            break
        yield line


def imports(around: Around) -> Iterator[Candidate]:
    """The unbound names used in the file, of the module imported from; or a missing standard module."""
    match = _FROM.fullmatch(around.line)
    if around.rest.strip():
        return
    if match is not None:
        there = around.facts.importable(match["module"])
        lacking = sorted(around.facts.lacking(_words(around).intersection(there)), key=_import_order)
        own = [name for name, is_own in there.items() if is_own and name[0] != "_"]
        if 0 < len(lacking) <= _MOST_NAMES:
            yield Candidate("imported", ", ".join(lacking))
        elif len(own) == 1 and not any(own[0] in _WORD.findall(line) for line in around.above):
            yield Candidate("only name", own[0])
    elif around.line == "import ":
        yield from (Candidate("module", name) for name in sorted(around.facts.lacking(_MODULES & _words(around))))


def _words(around: Around) -> frozenset[str]:
    return frozenset(_WORD.findall("\n".join((*around.above, around.below))))


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each in alphabetical order, as isort and ruff sort them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name


def decorators(around: Around) -> Iterator[Candidate]:
    """After `@` above a method: the decorator implied by its parameters."""
    if around.line.strip() != "@" or not around.indent or around.rest.strip():
        return
    method = _METHOD.match(around.below)
    around_it = next((line for line in reversed(around.above) if line.strip() and indent_of(line) < around.indent), "")
    is_method = (
        method is not None and len(method["indent"]) == around.indent and around_it.lstrip().startswith("class ")
    )
    if method is None or not is_method or (around.above and around.above[-1].lstrip()[:1] in ("@", ")")):
        return
    if method["name"] in _OWN_KIND or _OTHER_CLASS.search(around_it.partition("(")[2]):
        return
    if method["first"] == "cls":
        yield Candidate("kind of method", "classmethod")
    elif method["first"] == "self" and method["end"] == ",":
        blank, name = method["indent"], method["name"]
        made = re.compile(rf"{blank}@(?:[\w.]*property|{name}\.\w+)[^\n]*\n{blank}def[ \t]+{name}\(")
        own = "\n".join(("", *around.above, "")).rpartition(f"\n{around_it}\n")[2]
        yield from [Candidate("kind of method", f"{name}.setter")] if made.search(own) else []
    elif not _RECEIVERS.fullmatch(method["first"]) and (method["first"] or method["end"] == ")"):
        yield Candidate("kind of method", "staticmethod")


def failures(around: Around) -> Iterator[Candidate]:
    """After `return` below a check of an error in Go: the values to return with the error."""
    if re.fullmatch(r"[ \t]+return[ \t]", around.line) and not around.rest.strip() and _FAILED.match(around.last):
        yield from [Candidate("failed", ", ".join(failure))] if (failure := around.facts.failure) else []
