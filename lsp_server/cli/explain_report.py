"""The report about a place in a file: the possible texts there, and the reasons against others.

`gather` asks the engine, `as_lines` writes for people, `as_json` for programs.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ...common.line_ends import line_start
from ...common.words import rest_of_word
from ..session.documents import split_lines
from .judging import Judge

if TYPE_CHECKING:
    from ...parser import Hole, HoleState, Language
    from ...parser.explain import Accepted, Explainer, Explanation, HoleGrammar, Rejection

_WIDTH = 100
"""The most columns of lists and source lines."""
_MAX_RULES = 60
_INDENT = "  "
_SIDES = {
    (True, False): "the file is broken above; a part of what stands before does not count",
    (False, True): "the file is broken below; a part of what follows does not count",
    (True, True): "the file is broken on both sides; a part of each does not count",
    (False, False): "the file is broken elsewhere",
}
"""The part of a file that counts, by whether it is broken before the place, and behind it."""
_UNDEFINED = re.compile(r"name '(.+)' is not defined")
_LAST_WORD = re.compile(r"(?<!\w)\w++(?=\W*+\Z)")
_MAX_NAMES = 40
_MOST_HIDDEN = 5
"""The most hidden pieces named."""
_KINDS = {"pattern": "patterns", "name": "names", "keyword": "words", "operator": "operators", "bracket": "brackets"}


@dataclass(frozen=True)
class Middle:
    """A text for the hole, and the file's state with it."""

    text: str
    complete: bool
    rejection: Rejection | None
    """where it dies"""
    breaks: Rejection | None
    """where the right context breaks after it, if the middle itself survives"""
    refused: str | None = None
    """why a parsing text is refused: it does not compile or reads an unknown name"""
    nearest: tuple[str, ...] = ()
    """the existing names most like that one"""
    remains: str | None = None
    """the reason the file stays invalid with it, by faults it has without it, too; the names of packages and attributes count"""


@dataclass(frozen=True)
class Report:
    """The facts about a place."""

    name: str
    language: str
    text: str
    offset: int
    fallback: str
    left_breaks: Rejection | None
    """where the left context is broken"""
    right_breaks: Rejection | None
    """where the right context is broken, with the first of `bridges` in the hole"""
    right_length: int
    """the length of the right context taken into account"""
    explanation: Explanation | None
    breaks: Rejection | None
    """where the right context breaks with an empty hole"""
    bridges: tuple[str, ...]
    bridges_ms: float
    middle: Middle | None
    grammar: HoleGrammar | None
    problem: str | None = None
    """why the file cannot be judged, such as a missing file beside it"""
    names: tuple[str, ...] | None = None
    """the names in scope, those bound nearest first, without built-in ones; None where unknown"""
    attributes: tuple[str, ...] | None = None
    """the attributes, or names to import, possible next; None where unknown"""
    notes: tuple[str, ...] = ()
    """warnings for the author of the language's grammar"""
    types: str | None = None
    """the type checker with an answer, or a note that there is none; None: none is to be asked"""
    hidden: tuple[tuple[int, int], ...] = ()
    """see `Hole.hidden`"""


def gather(
    name: str, language: Language, text: str, offset: int, middle: str | None, *, grammar: bool, types: bool = False
) -> Report:
    """Ask the engine about a place in a text, about a middle, and for the grammar of the hole. types: see Judge."""
    before, session = text[:offset], language.session(path=name)
    hole, explainer = session.hole(text, offset), session.explainer()
    is_broken_before = hole.state is None or any(begin < offset for begin, _ in hole.hidden)
    left_breaks = explainer.why_left_breaks(before) if is_broken_before else None
    state = hole.state
    started = time.perf_counter()
    bridges = tuple(state.bridges()) if state is not None else ()
    bridges_ms = (time.perf_counter() - started) * 1000
    right_breaks = None
    if state is not None and bridges and any(begin >= offset for begin, _ in hole.hidden):
        connected = state.advance(bridges[0])
        assert connected is not None
        right_breaks = explainer.why_text_breaks(connected, text[offset:], before + bridges[0])
    judge = Judge(language, "names", name, attributes=True, types=types)
    refined = judge.hole(before, text[offset:], exact=False).state
    names = refined.names() if refined is not None else None
    attributes = refined.attributes() if refined is not None else None
    return Report(
        name,
        f"{language.name} {language.version}" if language.version else language.name,
        text,
        offset,
        hole.fallback,
        left_breaks,
        right_breaks,
        explainer.counted(state) if state is not None else 0,
        explainer.explain(state, before) if state is not None else None,
        explainer.why_not_complete(state, before) if state is not None else None,
        bridges,
        bridges_ms,
        _middle(explainer, hole, middle, before, text[offset:], judge, refined) if middle is not None else None,
        explainer.grammar(state, before) if state is not None and grammar else None,
        session.problem,
        names,
        attributes,
        language.notes,
        judge.said(before, text[offset:]) if types else None,
        hole.hidden,
    )


def _refusal(state: HoleState, text: str) -> tuple[str | None, tuple[str, ...]]:
    """(why a level above syntax refuses a text, the names most like the refused one)"""
    after = state
    refused, last, end = None, "", len(text)
    for offset, letter in enumerate(text):
        following = after.advance(letter)
        if following is None:
            refused, last, end = after.refusal(letter), letter, offset + 1
            break
        after = following
    else:
        refused = after.refusal("")
    name = _UNDEFINED.match(refused) if refused is not None else None
    if name is None:
        word = _LAST_WORD.search(text[:end])
        possible = after.possible(last) if refused is not None and word is not None else ()
        meant = word[0] + (rest_of_word(text, end) if word.end() == end else "") if word is not None else ""
        return refused, tuple(get_close_matches(meant, possible, 3, 0.5))
    return refused, tuple(get_close_matches(name[1], after.names() or (), 3, 0.5))


def _middle(
    explainer: Explainer, hole: Hole, text: str, before: str, behind: str, judge: Judge, refined: HoleState | None
) -> Middle | None:
    if hole.state is None:
        return None
    after = hole.state.advance(text)
    if after is None:
        return Middle(text, False, explainer.why_rejected(hole.state, text, before), None)
    refused, nearest = _refusal(refined, text) if refined is not None else (None, ())
    breaks = explainer.why_not_complete(after, before + text)
    remains = judge.problem_in_hole(before, text, behind) if after.complete and refused is None else None
    return Middle(text, after.complete, None, breaks, refused, nearest, remains)


def as_json(report: Report) -> str:
    """One object; positions are offsets in characters from the beginning of the file, of the middle, or of the right context."""
    data: dict[str, Any] = asdict(report)
    del data["text"]
    data["bridges_ms"] = round(report.bridges_ms, 3)
    return json.dumps(data)


# -- in words


def _counting(report: Report) -> str:
    """The part of the file that counts, in words."""
    if report.explanation is None:
        return "the file is broken here; nothing can be said about this place"
    if report.fallback == "none":
        return "the whole file counts"
    start = line_start(report.text, report.offset)
    if any(start <= begin < report.offset and end > begin for begin, end in report.hidden):
        return "this line is broken before this place; only its end counts"
    begins = [begin for begin, _ in report.hidden]
    return _SIDES[any(begin < report.offset for begin in begins), any(begin >= report.offset for begin in begins)]


def _hidden(report: Report) -> Iterator[str]:
    """The pieces of a broken file that are hidden or inserted."""
    for begin, end in report.hidden[:_MOST_HIDDEN]:
        piece = " ".join(report.text[begin:end].split())[: _WIDTH // 2]
        yield (
            f"{_at(report.text, begin)}, {_quoted(piece)} does not count."
            if piece
            else f"{_at(report.text, begin)}, something is missing."
        )
    if (more := len(report.hidden) - _MOST_HIDDEN) > 0:
        yield f"{more} pieces more do not count."


def as_lines(report: Report) -> Iterator[str]:
    """The report for a terminal."""
    text, offset = report.text, report.offset
    line, column = _place(text, offset)
    yield f"{report.name}:{line}:{column} ({report.language}): {report.problem or _counting(report)}"
    yield from _pointed(text, offset, offset + 1, offset)
    if report.left_breaks is not None:
        yield from _breaking("Before this place it breaks", report.left_breaks, text, 0)
    if report.right_breaks is not None:
        yield from _breaking("Behind it the file breaks", report.right_breaks, text, offset, len(report.bridges[0]))
    yield from _hidden(report)
    if report.types is not None:
        yield f"Types: {report.types}."
    explanation = report.explanation
    if explanation is None:
        return
    yield ""
    yield from _explanation(explanation, text, offset)
    yield ""
    if explanation.complete:
        yield "Complete as it is: yes" + ("" if report.fallback == "none" else ", as far as it counts")
    elif report.breaks is not None:
        yield from _breaking("Complete as it is: no; the file breaks", report.breaks, text, offset)
    else:
        yield "Complete as it is: no"
    if report.bridges != ("",):
        shown = "  ".join(_quoted(bridge) for bridge in report.bridges) or "none found"
        yield f"Shortest texts that connect: {shown}  ({report.bridges_ms:.1f} ms)"
    if report.attributes:
        yield from _list("Attributes here: ", list(report.attributes[:_MAX_NAMES]), " ")
    if report.names:
        yield from _list("Names in scope: ", list(report.names[:_MAX_NAMES]), " ")
    if report.middle is not None:
        yield ""
        yield from _about_middle(report.middle, text, offset)
    if report.grammar is not None:
        yield ""
        yield from _grammar(report.grammar)
    if report.notes:
        yield ""
        yield from (f"Note: {note}" for note in report.notes)


def _explanation(explanation: Explanation, text: str, offset: int) -> Iterator[str]:
    opened = [
        *(
            f"{_quoted(block.header)} {_at(text, block.offset)}"
            if block.offset is not None
            else f"a block at column {block.column}"
            for block in explanation.blocks
        ),
        *(
            f"{_quoted(b.text)} {_at(text, b.offset)}" if b.offset is not None else "a bracket"
            for b in explanation.brackets
        ),
    ]
    if opened:
        yield from _list("Open: ", opened, ", ")
    if explanation.within:
        yield f"Within {explanation.within}{_begun(explanation.text, text, offset)}"
        if len(explanation.becomes) > 1 or any(a.examples and a.name != explanation.text for a in explanation.becomes):
            yield from _list("  may become: ", [_symbol(a) for a in explanation.becomes])
        if explanation.closers:
            yield from _list("  ends with: ", [_quoted(closer) for closer in explanation.closers])
    if explanation.accepted:
        wanted = f" {explanation.wanted}" if explanation.wanted else ""
        yield ("Next:" if not explanation.within else "After it:") + wanted
        yield from _by_kind(explanation.accepted)
    elif not explanation.within:
        yield "Next: no symbol may begin at this place"
    if explanation.layout is not None:
        columns, deeper = explanation.layout.columns, explanation.layout.deeper_than
        places = [f"column {column}" for column in columns]
        if deeper is not None:
            places.append(f"a new block at any column past {deeper}")
        yield from _list(
            "This line may begin at: " if explanation.layout.here else "A new line may begin at: ", places, ", "
        )
        if re.search(r"^ *\t", text[:offset], re.MULTILINE):
            yield "  (a tab reaches the next column that is a multiple of 8)"


def _begun(symbol: str, text: str, offset: int) -> str:
    """A symbol in progress, or where it began."""
    if not symbol:
        return ""
    short = len(symbol) < 60 and "\n" not in symbol and "\r" not in symbol
    return f" {_quoted(symbol)}" if short else f", begun at {_at(text, offset - len(symbol))}"


def _by_kind(accepted: Sequence[Accepted]) -> Iterator[str]:
    for kind, title in _KINDS.items():
        texts = [_symbol(a) for a in accepted if a.kind == kind]
        if texts:
            yield from _list(f"  {title:9} ", texts)


def _symbol(accepted: Accepted) -> str:
    """A fixed text verbatim; a pattern with an example."""
    if accepted.name in accepted.examples or not accepted.examples:
        return accepted.name
    return f"{accepted.name} {_quoted(accepted.examples[0])}"


def _breaking(what: str, rejection: Rejection, text: str, offset: int, inserted: int = 0) -> Iterator[str]:
    """The break in a part of a file from an offset on; inserted: the number of characters before it that are not in the file."""
    place_of_fault, begin = offset + rejection.offset, offset + rejection.symbol
    inside = ""
    for bracket in rejection.instead.brackets:
        place = bracket.offset
        if place is not None and not offset <= place < offset + inserted:
            inside = f", inside {_quoted(bracket.text)} {_at(text, place if place < offset else place - inserted)}"
    if place_of_fault >= len(text):
        yield f"{what} at its end, {_at(text, len(text))}{inside}"
    else:
        yield f"{what} at {_at(text, place_of_fault)}{inside}:"
        yield from _pointed(text, begin, place_of_fault + 1, place_of_fault)
    yield from _instead(rejection, text[begin : place_of_fault + 1])


def _about_middle(middle: Middle, text: str, offset: int) -> Iterator[str]:
    whole = text[:offset] + middle.text + text[offset:]
    rejection = middle.rejection
    if rejection is not None:
        failure, begin = offset + rejection.offset, offset + rejection.symbol
        yield f"{_quoted(middle.text)} does not fit: it fails at {_at(whole, failure)}, its character {rejection.offset + 1}"
        yield from _pointed(whole, begin, failure + 1, failure)
        yield from _instead(rejection, middle.text[rejection.symbol : rejection.offset + 1])
    elif middle.complete:
        yield f"{_quoted(middle.text)} fits, and connects both sides"
    elif middle.breaks is not None:
        what = f"{_quoted(middle.text)} fits as a beginning; when nothing follows it, the file breaks"
        yield from _breaking(what, middle.breaks, whole, offset + len(middle.text))
    else:
        yield f"{_quoted(middle.text)} fits as a beginning"
    if middle.refused is not None:
        nearest = f"; nearest: {', '.join(middle.nearest)}" if middle.nearest else ""
        yield f"It is not suggested: {middle.refused}{nearest}"
    if middle.remains is not None:
        yield f"The file is not valid with it yet: {middle.remains}"


def _instead(rejection: Rejection, refused: str) -> Iterator[str]:
    """The possible texts in place of a refused one: for the symbol around it, else at the character."""
    if rejection.here.becomes and refused[:-1].strip():
        yield from _list(
            f"  {_quoted(refused[:-1].strip())} may become: ", [_symbol(a) for a in rejection.here.becomes]
        )
    for side in (rejection.instead, rejection.here):
        if side.accepted:
            yield f"  possible instead of {_quoted(refused.strip())}:" if refused.strip() else "  possible there:"
            yield from (_INDENT + line for line in _by_kind(side.accepted))
            break
    else:
        if rejection.here.closers:
            yield from _list("  possible there: ", [_quoted(closer) for closer in rejection.here.closers])
    layout = rejection.instead.layout
    if layout is not None and layout.here:
        places = [f"column {c}" for c in layout.columns]
        if layout.deeper_than is not None:
            places.append(f"a new block past column {layout.deeper_than}")
        yield from _list("  a line may begin at: ", places, ", ")


def _grammar(grammar: HoleGrammar) -> Iterator[str]:
    if grammar.note:
        yield f"Quotient grammar: {grammar.note}"
    else:
        yield "Quotient grammar: what may stand here, as whole symbols"
    if not grammar.rules:
        return
    yield "(A[2..]: the rest of an A begun at symbol 2 on the left; A[..2]: an A that goes on on the right; A[2..2]: both)"
    for name, alternatives in grammar.rules[:_MAX_RULES]:
        yield from _rule(name, alternatives)
    if len(grammar.rules) > _MAX_RULES:
        yield f"... and {len(grammar.rules) - _MAX_RULES} rules more; --json has all"
    if grammar.plain and len(grammar.plain) <= _MAX_RULES // 3:
        yield "with the language's own:"
        for name, alternatives in grammar.plain:
            yield from _rule(name, alternatives)
    elif grammar.plain:
        yield f"with {len(grammar.plain)} of the language's own"


def _rule(name: str, alternatives: Sequence[Sequence[str]]) -> Iterator[str]:
    texts = [" ".join(alternative) or "(nothing)" for alternative in alternatives]
    whole = f"  {name}: " + " | ".join(texts)
    if len(whole) <= _WIDTH:
        yield whole
        return
    yield f"  {name}: {texts[0]}"
    yield from (f"      | {text}" for text in texts[1:])


# -- places and texts


def _place(text: str, offset: int) -> tuple[int, int]:
    lines = split_lines(text[:offset] + "x")
    return len(lines), len(lines[-1]) - 1


def _at(text: str, offset: int) -> str:
    return "{}:{}".format(*_place(text, offset))


def _pointed(text: str, begin: int, end: int, offset: int) -> Iterator[str]:
    """The line of an offset, with a caret under it, and a tail under the rest of begin to end on that line."""
    number, column = _place(text, offset)
    line = split_lines(text)[number - 1].rstrip("\r\n") if number <= len(split_lines(text)) else ""
    first, last = max(0, column - (offset - begin)), min(column + (end - offset), len(line))
    crop = max(0, column - _WIDTH + 30)
    head = "..." if crop else ""
    shown = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line[crop : crop + _WIDTH])
    marks = "".join("\t" if char == "\t" else " " for char in line[crop : max(first, crop)])
    marks += "~" * (column - max(first, crop)) + "^" + "~" * max(0, last - column - 1)
    yield f"{number:5} | {head}{shown}".rstrip()
    yield f"      | {' ' * len(head)}{marks}"


def _quoted(text: str) -> str:
    r"""The text in back quotes, with line ends and the like as \n."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"`{shown if len(shown) <= 60 else shown[:57] + '...'}`"


def _list(title: str, items: Sequence[str], between: str = "  ") -> Iterator[str]:
    """Items after a title, broken into lines."""
    line, first = title, True
    for item in items:
        if not first and len(line) + len(between) + len(item) > _WIDTH:
            yield line.rstrip()
            line, first = " " * len(title), True
        line += item if first else between + item
        first = False
    yield line.rstrip()
