"""`suture check`: whether a text connects its left and right sides, and the possible texts at a place in a file."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common.terminal import say
from ..errors import UserError
from .arguments import input_lines, place

if TYPE_CHECKING:
    from ...parser import Language

DESCRIPTION = """\
Say whether texts connect their left and right sides (--jsonl), or explain what may be written at a place of a file (--explain).

examples:
  suture check --explain app.py --at 12:8                      what comes next, what is open, the shortest text that connects
  suture check --explain app.py --at 12:8 --middle 'x)'        why a text does not fit there
  suture check --explain data.json --at 3:0 --quotient         the grammar of what may stand there
  suture check --explain a.cfg --at 1:0 --grammar cfg.lark     the same for a language of your own
"""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    check = commands.add_parser(
        "check",
        help="say whether texts fit between two contexts, or explain a place in a file",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = check.add_mutually_exclusive_group(required=True)
    what.add_argument("--jsonl", action="store_true", help="read questions from standard input, one object a line")
    what.add_argument("--explain", metavar="FILE", help="explain what may be written at a place of this file")
    check.add_argument("--at", type=place, metavar="LINE:COL", help="the place: line from 1, column from 0")
    check.add_argument("--middle", metavar="TEXT", help="say why this text does or does not fit there")
    check.add_argument("--quotient", action="store_true", help="print the grammar of what may stand there")
    check.add_argument("--json", action="store_true", help="print one object")
    check.add_argument("--language", metavar="NAME", help="the file's language (default: by its name)")
    check.add_argument(
        "--language-version", metavar="V", help="its version, such as 3.12 (default: that of its workspace)"
    )
    check.add_argument(
        "--types",
        action="store_true",
        help="ask a type checker, too, such as ty for Python, beside Suture or on the PATH",
    )
    check.add_argument("--grammar", metavar="PATH", help="a Lark grammar file for the file's language")
    check.set_defaults(run=run, usage_error=check.error)


def run(options: argparse.Namespace) -> int:
    """Answer each line of standard input, or explain a place."""
    if options.explain is not None:
        if options.at is None:
            options.usage_error("--explain FILE needs --at LINE:COL")
        return _explain(options)
    asked = (options.at, options.middle, options.language, options.language_version, options.grammar)
    if options.quotient or options.json or any(value is not None for value in asked):
        options.usage_error("--jsonl reads everything from standard input; the other options belong to --explain")
    from .jsonl import answer_lines, check_request

    for line in answer_lines(input_lines(), partial(check_request, types=options.types)):
        say(line, flush=True)
    return 0


def _explain(options: argparse.Namespace) -> int:
    from ...parser import checkable, language_for_path
    from .colour import paint_explanation
    from .explain_report import as_json, as_lines, gather
    from .sources import offset_in, read_source

    name = options.language or language_for_path(options.explain) or checkable("", options.explain)
    text = read_source(options.explain, name)
    line, column = options.at
    offset = offset_in(text, line, column, options.explain)
    language = _language(options, name, text, offset)
    middle, types = options.middle, options.types
    report = gather(options.explain, language, text, offset, middle, grammar=options.quotient, types=types)
    if options.json:
        say(as_json(report))
    else:
        for shown in as_lines(report):
            say(*paint_explanation(shown), sep="")
    return 0


def _language(options: argparse.Namespace, name: str | None, text: str, offset: int) -> Language:
    from ...parser import GrammarError, languages, load_language
    from ...parser.grammar.isolated import CompileLimits
    from .jsonl import find_language
    from .sources import version_of

    if options.grammar is not None:
        try:
            return load_language(name or Path(options.grammar).stem, options.grammar, limits=CompileLimits())
        except GrammarError as error:
            raise UserError(str(error)) from None
    if name is None:
        names = ", ".join(languages())
        raise UserError(f"{options.explain}: its language is not known; add --language (one of: {names})")
    version = options.language_version or version_of(options.explain, name, text, offset)
    return find_language(name, version, exactly=True)
