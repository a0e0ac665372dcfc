"""The grammar of one dialect, selected from typescript.lark, which has all of them."""

from __future__ import annotations

import re

DIALECTS = ("js", "ts", "tsx")
_PARTS = {"js": ("js", "jsx"), "ts": ("ts", "plain"), "tsx": ("ts", "jsx")}

_PART = re.compile(r"<\?(\w+)\s((?:(?!<\?).)*?)\?>", re.DOTALL)
"""The innermost ones first."""
_RULE = re.compile(r"^(\w+(?:%\w+)?):(.*(?:\n[ \t]+\|.*|\n[ \t]+\S.*)*)", re.MULTILINE)
_FIRST = ("", "_s", "_b", "_d")
_IN = ("", "_n")
_BOTH = tuple((v, n) for v in _FIRST for n in _IN if not n or v in ("", "_b"))


def grammar_text(template: str, dialect: str) -> str:
    """The grammar of a dialect, for Lark's loader."""
    parts = _PARTS[dialect]
    text = "\n".join(line for line in template.split("\n") if not line.startswith("//"))
    while _PART.search(text):
        text = _PART.sub(lambda part: part[2] if part[1] in parts else "", text)
    rules: dict[str, list[str]] = {}
    for rule in _RULE.finditer(text):
        if rule[1].isupper() or rule[1].split(".")[0].isupper():
            continue
        for name, body in _variants(rule[1], rule[2]):
            rules.setdefault(name, []).append(body.strip())
    head = text[: text.index("\nstart:")]
    return head + "\n" + "".join(f"{name}: {' | '.join(bodies)}\n" for name, bodies in rules.items())


def _variants(name: str, body: str) -> list[tuple[str, str]]:
    """The variants of a rule."""
    if "%vn" in name:
        return [(_filled(name, v, n), _filled(body, v, n)) for v, n in _BOTH]
    if "%v" in name:
        return [(_filled(name, v, ""), _filled(body, v, "")) for v in _FIRST]
    if "%n" in name:
        return [(_filled(name, "", n), _filled(body, "", n)) for n in _IN]
    return [(name, body)]


def _filled(text: str, first: str, in_: str) -> str:
    return text.replace("%vn", first + in_).replace("%v", first).replace("%n", in_)
