"""`complete --jsonl` and `check --jsonl`: one JSON object a line in, one a line out, in the same order."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...common.json_types import is_object
from ...common.values import SWITCH, Kind, is_unicode, number, one_of, whole
from ..completion.engine.cursor_context import CursorContext
from ..completion.engine.pipeline import CompletionEngine
from ..errors import UserError
from .filling import Filled, filled, with_options
from .judging import Judge, first_dead, reach_of, reason

if TYPE_CHECKING:
    from ...model import Completion
    from ...parser import Closer, Language, Level
    from ...parser.importing import Insertion

MODES = ("constrained", "checked", "unconstrained")
_HOLE = "hole"  # the document of all requests: the part shared with the last one is not read again
_UNHURRIED = {"looks_ms": 60_000, "bridge_ms": 5_000}


def answer_lines(lines: Iterable[bytes], answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[str]:
    """Answer each nonempty line; a malformed request gets an error in its place, which counts the lines where the request has no id."""
    for counted, line in enumerate(lines, 1):
        if not line.strip():
            continue
        reply: dict[str, Any] = {}
        try:
            request = _read_object(line)
            if "id" in request:
                reply["id"] = request["id"]
            reply |= answer(request)
        except UserError as problem:
            reply["error"] = str(problem) if "id" in reply else f"line {counted}: {problem}"
        except Exception as error:  # one line must not end the others
            reply["error"] = f"internal error: {type(error).__name__}"
        yield json.dumps(reply)


def complete_request(
    request: dict[str, Any], engine: CompletionEngine, asked: dict[str, Any], n: int = 1, level: Level = "names"
) -> dict[str, Any]:
    """Fill one hole, in up to n ways: the fields of the answer. asked, level: defaults for the request."""
    left, right = _text(request, "left"), _text(request, "right")
    options = asked | _options(request)
    path, name = options.pop("path", None), _language(request).name
    place = CursorContext(
        _HOLE,
        name,
        left + right,
        len(left),
        request.get("version"),
        path,
        level=_level(request, level),
        attributes=_flag(request, "attributes"),
        reach=reach_of(path),
        unfinished=_flag(request, "unfinished") or False,
        imports=_flag(request, "imports") or False,
    )
    # The caller is not interactive, and a request should have the same answer on a slow machine.
    outcome = filled(engine, with_options(place, engine, _UNHURRIED | options), n)
    fields = judged_fields(outcome, place, engine)
    if outcome.level != place.level:
        fields["level"] = outcome.level
    edits = outcome.edits or ((),) * len(outcome.completions)
    if place.imports:
        fields["edits"] = _edits_fields(edits[0] if edits else ())
    if n == 1:
        return fields
    others = [alternative_fields(completion) for completion in outcome.completions[1:]]
    if place.imports:
        others = [
            completion | {"edits": _edits_fields(each)} for completion, each in zip(others, edits[1:], strict=True)
        ]
    return fields | {"alternatives": others}


def alternative_fields(completion: Completion) -> dict[str, Any]:
    """The command line's fields of an alternative: its text and the model's score."""
    return {"text": completion.text, "score": None if completion.score is None else round(completion.score, 3)}


def judged_fields(outcome: Filled, place: CursorContext, engine: CompletionEngine) -> dict[str, Any]:
    """The command line's fields of the best completion, with the validity of the whole file, as in `check`."""
    fields = completion_fields(outcome)
    guarantee, problem = outcome.judged(place, engine)
    if problem is not None:
        fields |= {"complete": False, "problem": problem}
    elif guarantee == "checked":
        fields["complete"] = not outcome.pending  # whatever was wrong without the text
    hidden = [list(span) for span in outcome.hole.hidden]
    return fields | {"guarantee": guarantee, "types": engine.types.said, "hidden_lines": hidden}


def completion_fields(outcome: Filled) -> dict[str, Any]:
    """The command line's fields of the best completion, judged by its hole alone."""
    if not outcome.completions:
        complete = outcome.hole.state is not None and outcome.hole.state.complete and outcome.hole.viable
        times = {"model_ms": 0.0, "constraint_ms": 0.0, "total_ms": 0.0}
        return {"text": "", "tokens": 0, "ended": "nothing", "complete": complete, "pending": [], **times}
    completion = outcome.completions[0]
    return {
        "text": completion.text,
        "tokens": completion.tokens,
        "ended": completion.ended,
        # With a fallback, the completion is complete for a part of a file that is invalid as a whole.
        "complete": completion.complete and outcome.hole.viable and not outcome.pending,
        "pending": _pending_fields(outcome.pending),
        "model_ms": round(completion.model_ms, 3),
        "constraint_ms": round(completion.constraint_ms, 3),
        "total_ms": round(completion.total_ms, 3),
    }


def _pending_fields(closers: Iterable[Closer]) -> list[dict[str, Any]]:
    """The further texts to write behind the cursor: `at` counts characters of the right context. Texts at one place are joined, so that their
    order is fixed."""
    texts: dict[int, str] = {}
    for closer in closers:
        texts[closer.at] = texts.get(closer.at, "") + closer.text
    return [{"at": place, "text": text} for place, text in texts.items()]


def _edits_fields(edits: Iterable[Insertion]) -> list[dict[str, Any]]:
    """The further texts to write into the left context: `at` counts its characters."""
    return [{"at": insertion.at, "text": insertion.text} for insertion in edits]


def check_request(request: dict[str, Any], *, types: bool = False) -> dict[str, Any]:
    """Check whether a middle can and does connect its two sides: the fields of the answer. types: see Judge."""
    left, middle, right = _text(request, "left"), _text(request, "middle"), _text(request, "right")
    language, level = _language(request, exactly=True), _level(request, "syntax")
    judge = Judge(language, level, _options(request).get("path"), _flag(request, "attributes") or False, types)
    start = time.perf_counter()
    hole = judge.hole(left, right)
    after = hole.state.advance(middle) if hole.state is not None else None
    viable_here, complete_here = after is not None, after is not None and after.complete
    dead_at = None
    if not hole.viable or hole.state is None:  # no text here makes the file valid
        dead_at = 0
    elif after is None:
        dead_at = first_dead(hole, middle)
    complete = complete_here and hole.viable
    pending = judge.pending(left, middle, right) if dead_at is None and not complete else ()
    if middle and not complete_here and not pending and (doubted := judge.doubted(left, middle, right)) is not None:
        hole, pending, viable_here, complete_here = doubted, doubted.pending, True, True
    elapsed_us = (time.perf_counter() - start) * 1e6
    answer = {
        "viable": dead_at is None,
        "complete": complete,
        "dead_at": dead_at,
        "fallback": hole.fallback,
        "hidden": [list(span) for span in hole.hidden],
        "viable_here": viable_here,
        "complete_here": complete_here,
        "pending": _pending_fields(pending),
        "us": round(elapsed_us, 1),
    }
    if types:
        answer["types"] = judge.said(left, right)
    if level == "syntax":
        return answer
    return answer | {
        "error": None if complete else reason(hole, middle, dead_at),
        "judged": judge.judged(after or hole.state),
    }


def _flag(request: dict[str, Any], key: str) -> bool | None:
    value = request.get(key)
    if value is not None and not SWITCH.holds(value):
        raise UserError(f"{key} must be {SWITCH.words}")
    return value


def _level(request: dict[str, Any], default: Level) -> Level:
    from ...parser import LEVELS

    level = request.get("level")
    if level is None:
        return default
    if level not in LEVELS:
        raise UserError("level must be one of: " + ", ".join(LEVELS))
    return level


def _language(request: dict[str, Any], *, exactly: bool = False) -> Language:
    version = request.get("version")
    if version is not None and not isinstance(version, str):
        raise UserError('version must be text such as "3.11"')
    return find_language(_name(request, "language"), version, exactly=exactly)


@lru_cache(maxsize=16)
def find_language(name: str, version: str | None = None, *, exactly: bool = False) -> Language:
    """Find a language by its name and version; the error names the known ones, or the package to install.

    exactly: whether an exact engine is needed.
    """
    from ...parser import UnknownLanguage, checkable, guarantee, language, languages

    checked = checkable(name)
    if checked is not None and exactly:
        raise UserError(f"{checked} is checked by tree-sitter, which cannot say what fits between two texts")
    if checked is None and name not in languages():
        raise UserError(f"unknown language {name!r}; known: {', '.join(languages() if exactly else known_languages())}")
    if checked is not None and guarantee(checked) == "none":
        from ..session.session import missing_grammar

        raise UserError(missing_grammar(checked))
    name = checked or name

    try:
        return language(name, version)
    except UnknownLanguage as error:
        raise UserError(str(error.args[0])) from None


def known_languages() -> tuple[str, ...]:
    """The names of all languages with suggestions, those checked by tree-sitter last."""
    from ...parser import checked_names, languages

    return tuple(dict.fromkeys((*languages(), *checked_names().values())))


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line.decode("utf-8-sig").rstrip(), parse_float=_finite, parse_constant=_finite)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError:
        reason = "a number is too large, or none"
    else:
        if is_object(request):
            return request
        reason = "it is another value"
    raise UserError(f"not a JSON object: {reason}")


def _finite(text: str) -> float:
    """The number of a text; raises ValueError for one that an answer could not repeat as JSON, such as NaN or 1e999."""
    if math.isfinite(number := float(text)):
        return number
    raise ValueError(text)


def _text(request: dict[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str):
        raise UserError(f"{key} must be text" if key in request else f"{key} is missing")
    if not is_unicode(value):
        raise UserError(f"{key} contains half of a surrogate pair")
    return value


def _name(request: dict[str, Any], key: str) -> str:
    value = _text(request, key)
    if not value:
        raise UserError(f"{key} is empty")
    return value


_OPTIONS: dict[str, Kind] = {
    "max_tokens": whole(1),
    "max_lines": whole(1),
    "mode": one_of(*MODES),
    "stay_in_hole": SWITCH,
    "path": Kind("text", is_unicode),
    "temperature": number(0),
    "seed": whole(0, 2**63 - 1),
}


def _options(request: dict[str, Any]) -> dict[str, Any]:
    options = {key: request[key] for key in _OPTIONS if request.get(key) is not None}
    for key, value in options.items():
        if not _OPTIONS[key].holds(value):
            raise UserError(f"{key} must be {_OPTIONS[key].words}")
    return options
