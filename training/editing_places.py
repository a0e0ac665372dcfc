"""The places in a file where people pause: behind a bracket, `return`, a dot, an import, a block's header.

`choose` takes equally many of each kind, spread over projects and files. The true text at a place judges a model's text there
(`benchmarks.places`) and calibrates its confidence (`fit_calibration`).
"""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

KINDS = 14
_MOST_PER_FILE = 2  # places of a kind


@dataclass(frozen=True)
class File:
    """A file of a project."""

    project: str
    path: str
    text: str


@dataclass(frozen=True)
class EditingPlace:
    """A place in a file, with the removed text, and its kind."""

    kind: str
    file: File
    start: int  # the cursor
    end: int  # of the removed text
    first: int  # the end of its first line

    @property
    def taken(self) -> str:
        """The person's text here."""
        return self.file.text[self.start : self.end]


def spans(file: File, rng: random.Random) -> Iterator[EditingPlace]:
    """All places in a file, in no particular order."""
    text = file.text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    yield from _by_tokens(file, tokens, lines)
    yield from _by_tree(file, tree, lines, rng)
    for match in re.finditer(r"^[ \t]*(?:from|import) .*$", text, re.MULTILINE):
        if not match[0].endswith(("(", "\\")):
            cut = re.match(r"[ \t]*(?:from [\w.]+ import |import |from )", match[0])
            if cut:
                yield _rest("import", file, match.start() + cut.end())


def _by_tokens(file: File, tokens: Sequence[tokenize.TokenInfo], lines: Sequence[int]) -> Iterator[EditingPlace]:
    text = file.text
    depth: list[int] = []
    in_def = False

    def at(position: tuple[int, int]) -> int:
        return lines[position[0] - 1] + position[1]

    previous: tokenize.TokenInfo | None = None
    start_of_line: tokenize.TokenInfo | None = None
    for token in tokens:
        end = at(token.end)
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            start_of_line = None if token.type in (tokenize.NEWLINE, tokenize.NL) else start_of_line
            previous = token
            continue
        start_of_line = start_of_line or token
        word = start_of_line.string
        if token.type == tokenize.OP:
            if token.string in "([{":
                depth.append(end)
                if token.string == "(" and previous is not None and previous.type == tokenize.NAME:
                    close = _closing(text, end)
                    in_def = word in ("def", "async")
                    if close is not None and "\n" not in text[end:close] and text[end:close].strip():
                        if word in ("def", "async") and len(depth) == 1:
                            yield EditingPlace("parameters", file, end, close, close)
                        elif word != "class":
                            yield EditingPlace("argument", file, end, close, close)
            elif token.string in ")]}" and depth:
                depth.pop()
            elif (
                token.string == ","
                and len(depth) == 1
                and not in_def
                and word not in ("def", "from", "import", "class")
            ):
                close = _closing(text, end)
                if close is not None and "\n" not in text[end:close] and text[depth[-1] - 1] == "(":
                    gap = end + (text[end : end + 1] == " ")
                    if text[gap:close].strip():
                        yield EditingPlace("argument", file, gap, close, close)
            elif token.string == "=" and not depth and text[end : end + 1] == " ":
                yield _rest("assignment", file, end + 1)
            elif token.string == "." and word not in ("from", "import"):
                yield _rest("attribute", file, end)
            elif token.string == "@" and token is start_of_line:
                yield _rest("decorator", file, end)
        elif token.type == tokenize.NAME and text[end : end + 1] == " ":
            if token.string == "return":
                yield _rest("return", file, end + 1)
            elif token.string in ("if", "elif", "while") and token is start_of_line:
                yield _rest("condition", file, end + 1)
            elif token.string == "assert" and token is start_of_line:
                yield _rest("assertion", file, end + 1)
        elif token.type == tokenize.STRING and token.string[:1] in "fF" and "\n" not in token.string:
            for field in re.finditer(r"(?<!\{)\{(?!\{)([^{}\n]+)\}", token.string):
                start = at(token.start) + field.start(1)
                yield EditingPlace("f-string", file, start, start + len(field[1]), start + len(field[1]))
        if token.type == tokenize.NAME and token is start_of_line and word == "self":
            match = re.match(r"self\.assert\w+\(", token.line[token.start[1] :])
            if match:
                start = at(token.start) + match.end()
                close = _closing(text, start)
                if close is not None and "\n" not in text[start:close] and text[start:close].strip():
                    yield EditingPlace("assertion", file, start, close, close)
        previous = token


def _by_tree(file: File, tree: ast.Module, lines: Sequence[int], rng: random.Random) -> Iterator[EditingPlace]:
    text = file.text
    for node in ast.walk(tree):
        body: list[ast.stmt] | ast.expr | None = getattr(node, "body", None)
        if not isinstance(body, list) or not body or isinstance(node, ast.Module):
            continue
        first, last = body[0], body[-1]
        header_end = lines[first.lineno - 1] - 1
        if header_end > 0 and text[:header_end].endswith(":") and not getattr(first, "decorator_list", None):
            start = lines[first.lineno - 1] + first.col_offset
            end = lines[(last.end_lineno or last.lineno) - 1] + len(
                text[lines[(last.end_lineno or 1) - 1] :].split("\n", 1)[0]
            )
            if start < end and text[lines[first.lineno - 1] : start].isspace():
                yield EditingPlace("new block", file, start, end, _line_end(text, start))
        if len(body) > 1 and last.lineno == last.end_lineno and body[-2].lineno < last.lineno:
            start = lines[last.lineno - 1] + last.col_offset
            if text[lines[last.lineno - 1] : start].isspace():
                yield _rest("last line", file, start)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(first, ast.Expr):
            value = first.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                start = lines[first.lineno - 1] + first.col_offset
                end = _line_end(text, start)
                words = [start + match.end() for match in re.finditer(r"[\w\"'] +(?=\w)", text[start:end])]
                if words:
                    yield _rest("docstring", file, rng.choice(words))
    for number in range(1, len(lines) - 1):
        line = text[lines[number - 1] : lines[number]].rstrip("\n")
        bare = line.strip()
        if (
            len(bare) > 8
            and any(sign in bare for sign in "(=.:[")
            and not bare.startswith(("#", '"', "'"))
            and not bare.endswith(".")
        ):
            cut = lines[number - 1] + len(line) - len(line.lstrip()) + rng.randrange(1, len(bare))
            yield _rest("end of line", file, cut)


def _rest(kind: str, file: File, start: int) -> EditingPlace:
    end = _line_end(file.text, start)
    return EditingPlace(kind, file, start, end, end)


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _closing(text: str, start: int) -> int | None:
    """The offset that closes the bracket open at `start`; None beyond 300 characters."""
    depth, quote = 0, ""
    for offset in range(start, min(len(text), start + 300)):
        char = text[offset]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if not depth:
                return offset
            depth -= 1
    return None


def choose(files: Sequence[File], count: int, seed: int) -> list[EditingPlace]:
    """At most `count` places of each kind, spread over projects and files."""
    rng = random.Random(seed)
    projects: dict[str, list[File]] = defaultdict(list)
    for file in files:
        projects[file.project].append(file)
    for listed in projects.values():
        rng.shuffle(listed)
    chosen: dict[str, list[EditingPlace]] = defaultdict(list)
    order = sorted(projects)
    for turn in range(max(map(len, projects.values()), default=0)):
        rng.shuffle(order)
        for project in order:
            if turn < len(projects[project]):
                file = projects[project][turn]
                kinds: dict[str, list[EditingPlace]] = defaultdict(list)
                for where in spans(file, rng):
                    if where.taken.strip() and where.first - where.start <= 120:
                        kinds[where.kind].append(where)
                for kind, places in kinds.items():
                    rng.shuffle(places)
                    chosen[kind] += places[: min(_MOST_PER_FILE, max(0, count - len(chosen[kind])))]
        if len(chosen) >= KINDS and all(len(places) >= count for places in chosen.values()):
            break
    return [where for kind in sorted(chosen) for where in chosen[kind]]
