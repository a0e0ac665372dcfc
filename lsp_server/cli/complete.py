"""`suture complete`: a suggestion for a place in a file, or for many holes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from ...common.line_ends import line_start
from ...common.reach import Reach
from ...common.terminal import hand_over, say
from ..errors import UserError
from .arguments import input_lines, natural, place, positive, temperature

if TYPE_CHECKING:
    from ..completion.engine.cursor_context import CursorContext
    from .filling import Filled


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    complete = commands.add_parser(
        "complete",
        help="suggest text at the cursor of a file, or fill many holes",
        description="Print what an editor would suggest at the cursor of a file (--at), or fill many holes (--jsonl).",
    )
    complete.add_argument("file", nargs="?", metavar="FILE", help="the file to complete")
    complete.add_argument("--at", type=place, metavar="LINE:COL", help="the cursor: line from 1, column from 0")
    complete.add_argument(
        "--unasked",
        action="store_true",
        help="print what an editor would show while its user types, or why it shows nothing",
    )
    complete.add_argument("--json", action="store_true", help="print an object with the suggestion and its timings")
    complete.add_argument("--jsonl", action="store_true", help="read holes from standard input, one object a line")
    complete.add_argument("--language", metavar="NAME", help="the file's language (default: by its name)")
    complete.add_argument(
        "--model", metavar="PATH", help="a model's folder or name (default: the active one, see `models`)"
    )
    complete.add_argument(
        "--template", metavar="NAME", help="the prompt's format; left: show only the left context (default: detected)"
    )
    _add_generation(complete)
    complete.set_defaults(run=run, usage_error=complete.error)


def _add_generation(complete: argparse.ArgumentParser) -> None:
    """Add the options of generation."""
    complete.add_argument("--device", help="auto, cpu, cuda or mps (default: as in the settings)")
    as_set = "(default: as in the settings)"
    complete.add_argument("--max-tokens", type=positive, metavar="N", help=f"stop after N {as_set}")
    complete.add_argument(
        "--max-lines", type=positive, metavar="N", help=f"most line breaks at the start of a line or block {as_set}"
    )
    complete.add_argument(
        "--mode",
        choices=("constrained", "checked", "unconstrained"),
        default="constrained",
        help="constrained (default), unconstrained, or checked: unconstrained, then cut back to where the file parses",
    )
    complete.add_argument("--temperature", type=temperature, metavar="T", help=f"0 is greedy {as_set}")
    complete.add_argument("--seed", type=natural, metavar="N", help="for temperatures above 0")
    complete.add_argument(
        "--n", type=positive, default=1, metavar="N", help="with --json: up to N suggestions, the best first"
    )
    complete.add_argument(
        "--no-copying",
        dest="copying",
        action="store_const",
        const=False,
        help="do not copy from the open file, nor use n-grams",
    )
    complete.add_argument(
        "--level",
        choices=("syntax", "compile", "names"),
        default="names",
        help="what the file must do with the text in it: parse; also compile; also have no new undefined name (default)",
    )
    complete.add_argument(
        "--leave-hole",
        action="store_true",
        help="allow text that closes a bracket or string which the right context closes",
    )


def run(options: argparse.Namespace) -> int:
    """Complete one place, or each line of standard input."""
    if options.jsonl:
        if options.file is not None or options.at is not None or options.json or options.unasked:
            options.usage_error(
                "--jsonl reads its holes from standard input; leave out FILE, --at, --json and --unasked"
            )
        return _complete_lines(options)
    if options.n > 1 and not options.json:
        options.usage_error("--n needs --json or --jsonl")
    if options.unasked and (options.n > 1 or options.mode != "constrained"):
        options.usage_error("--unasked gives one suggestion, as an editor does; leave out --n and --mode")
    if options.file is None or options.at is None:
        options.usage_error("give FILE and --at LINE:COL, or --jsonl")
    return _complete_file(options)


def _complete_lines(options: argparse.Namespace) -> int:
    from .filling import engine_for
    from .jsonl import answer_lines, complete_request

    engine, asked = engine_for(options), _asked(options)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return complete_request(request, engine, asked, options.n, options.level)

    for line in answer_lines(input_lines(), answer):
        say(line, flush=True)
    return 0


def _complete_file(options: argparse.Namespace) -> int:
    from ...parser import checkable, language_for_path
    from ..completion.engine.cursor_context import CursorContext
    from .filling import engine_for, filled, suggested, tell, unasked, with_options
    from .jsonl import alternative_fields, find_language, judged_fields, known_languages
    from .sources import offset_in, read_source, version_of

    name = options.language or language_for_path(options.file)
    name = checkable(name or "", options.file) or name
    text = read_source(options.file, name)
    if name is None:
        names = ", ".join(known_languages())
        raise UserError(f"{options.file}: its language is not known; add --language (one of: {names})")
    if not text:
        raise UserError(f"{options.file}: is empty; write a first line, from which a suggestion can follow")
    line, column = options.at
    offset = offset_in(text, line, column, options.file)
    version = version_of(options.file, name, text, offset)
    language = find_language(name, version)
    path = os.path.abspath(options.file)
    reach = Reach.around(path, trusted=True)
    place = CursorContext(path, name, text, offset, version, path, level=options.level, reach=reach)
    engine = engine_for(options)
    place = with_options(place, engine, _asked(options))
    if options.unasked:
        outcome = unasked(engine, place)
    else:
        outcome = (suggested if options.mode == "constrained" else filled)(engine, place, options.n)
    tell(engine)
    why = _why_nothing(options, outcome, place)
    if not options.json:
        if why:
            what = "is shown unasked" if options.unasked else "to suggest"
            say(f"suture: nothing {what} at {line}:{column}: {why}", file=sys.stderr)
        else:
            hand_over(outcome.completions[0].text)
        return 0
    report = judged_fields(outcome, place, engine) | {"language": language.name, "fallback": outcome.hole.fallback}
    if why:
        report["reason"] = why
    if outcome.hidden is not None:
        report |= {"hidden": outcome.hidden.reason.name.lower(), "withheld": outcome.hidden.text}
    if options.n > 1:
        report["alternatives"] = [alternative_fields(other) for other in outcome.completions[1:]]
    say(json.dumps(report))
    return 0


def _why_nothing(options: argparse.Namespace, outcome: Filled, place: CursorContext) -> str:
    """The reason for printing nothing, in one line; "" where there is a text to print."""
    if outcome.completions and outcome.completions[0].text.strip():
        return ""
    if outcome.hidden is not None:
        return outcome.hidden.reason.value
    from ...parser import checkable, language_for_path

    if checkable(options.language or language_for_path(options.file) or "", options.file):
        return "the model finds no text with which tree-sitter sees no error"
    line, column = options.at
    explain = f"`suture check --explain {options.file} --at {line}:{column}` says what may be written"
    if outcome.hole.state is None:
        return f"its line, or the file around it, is broken before this place; {explain}"
    if not outcome.hole.state.complete:
        return f"the model finds no text worth showing that connects both sides; {explain}"
    reason = "the file is broken elsewhere, and nothing is missing here"
    if outcome.hole.viable:
        reason = "the file is valid as it is"
    elif outcome.hole.hides(line_start(place.text, place.offset), place.offset):
        reason = "the line is broken before this place"
    return f"{reason}, and the model adds nothing"


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Options of the model's requests without a setting."""
    return {"mode": options.mode, "seed": options.seed, "stay_in_hole": not options.leave_hole}
