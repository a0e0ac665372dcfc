"""The command line: `suture serve`, `complete`, `check` and `train`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from .problems import Problem

# What takes long to import (torch, pygls, the grammars) is imported by the command that needs it.
if TYPE_CHECKING:
    from ..model import Model

EXAMPLES = """\
examples:
  suture serve                                  speak LSP on standard input and output (an editor runs this)
  suture complete app.py --at 12:8              print a suggestion for line 12, after 8 characters
  suture complete app.py --at 12:8 --json       the same with timings
  suture complete --model ./my-model --jsonl    fill one hole for each line of standard input:
      {"id": 1, "language": "python", "left": "def f(x):\\n    return ", "right": "\\n"}
  suture check --jsonl                          say for each line whether a middle connects its two sides:
      {"id": 1, "language": "python", "left": "f(", "middle": "x", "right": ")\\n"}
  suture train --help                           train a small model
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"suture: {message}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; give the exit code: 0, 1 for what a user can put right, 2 for unusable arguments."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["train"]:  # before argparse, which would take options such as --help for its own
        return _guarded(lambda: _train(arguments[1:]))
    options = _parser().parse_args(arguments)
    return _guarded(lambda: options.run(options))


def _guarded(run: Any) -> int:
    stream: Any
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where what goes wrong can still be said
        return code
    except Problem as problem:
        print(f"suture: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output went away; there is nobody to tell
        _silence(1)
        return 1
    except OSError as error:  # of the standard streams; files that a user names have their own messages
        _silence(1)
        print(f"suture: cannot write: {error.strerror or type(error).__name__}", file=sys.stderr)
        return 1
    except Exception as error:
        if os.environ.get("SUTURE_DEBUG"):
            raise
        what = f"{type(error).__name__} {str(error).strip()[:200]}".split("\n")[0]
        print(f"suture: internal error: {what}; SUTURE_DEBUG=1 shows where, please report it", file=sys.stderr)
        return 1


def _silence(descriptor: int) -> None:
    """Let nothing more be written there, not even what is flushed at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _input_lines() -> BinaryIO:
    if sys.stdin is None:
        raise Problem("standard input is closed; give it one JSON object a line")
    return sys.stdin.buffer


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="suture",
        description="Inline code completion whose suggestions always fit: left + suggestion + right is valid.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"suture {version('suture')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    serve = commands.add_parser("serve", help="run the language server on standard input and output")
    serve.add_argument("--stdio", action="store_true", help="the default; editors pass it")
    serve.add_argument("--clientProcessId", help=argparse.SUPPRESS)  # vscode-languageclient passes it
    serve.set_defaults(run=_serve)

    complete = commands.add_parser("complete", help="suggest text for a place in a file, or for many holes")
    complete.add_argument("file", nargs="?", metavar="FILE", help="the file to complete")
    complete.add_argument("--at", type=_place, metavar="LINE:COL", help="the cursor: line from 1, column from 0")
    complete.add_argument("--json", action="store_true", help="print an object with the suggestion and its timings")
    complete.add_argument("--jsonl", action="store_true", help="read holes from standard input, one object a line")
    complete.add_argument("--language", metavar="NAME", help="the file's language (default: by its name)")
    complete.add_argument("--model", metavar="PATH", help="a model's folder or hub name (default: the embedded model)")
    complete.add_argument("--device", default="auto", help="auto, cpu, cuda ... (default: auto)")
    complete.add_argument("--max-tokens", type=_whole, default=64, metavar="N", help="stop after N (default: 64)")
    complete.add_argument("--mode", choices=("constrained", "checked", "unconstrained"), default="constrained")
    complete.add_argument("--temperature", type=_temperature, default=0.0, metavar="T", help="0 (default) is greedy")
    complete.add_argument("--seed", type=_seed, metavar="N", help="for temperatures above 0")
    complete.set_defaults(run=_complete, usage_error=complete.error)

    check = commands.add_parser("check", help="say whether texts connect their left and right sides")
    check.add_argument("--jsonl", action="store_true", required=True, help="read one object a line")
    check.set_defaults(run=_check)

    commands.add_parser("train", help="train a small fill-in-the-middle model", add_help=False)
    return parser


def _place(text: str) -> tuple[int, int]:
    line, colon, column = text.partition(":")
    if not (colon and line.isdecimal() and column.isdecimal() and int(line) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not LINE:COL, such as 12:8 (line from 1, column from 0)")
    return int(line), int(column)


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _temperature(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def _serve(options: argparse.Namespace) -> int:
    from .server import serve

    if sys.stdin is None or sys.stdout is None:
        raise Problem("standard input and output must be open: an editor speaks over them")
    if sys.stdin is not None and sys.stdin.isatty():
        print("suture serve speaks LSP with an editor; see `suture --help` for what else it does", file=sys.stderr)
    code = serve()
    sys.stderr.flush()
    os._exit(code)  # not sys.exit: neither a model that is being loaded nor a read from the client is waited for


def _train(arguments: list[str]) -> int:
    from ..model.training import main as train

    return train(arguments) or 0


def _check(options: argparse.Namespace) -> int:
    from .batch import answer_lines, check_request

    for line in answer_lines(_input_lines(), check_request):
        print(line, flush=True)
    return 0


def _complete(options: argparse.Namespace) -> int:
    if options.jsonl:
        if options.file is not None or options.at is not None or options.json:
            options.usage_error("--jsonl reads its holes from standard input; leave out FILE, --at and --json")
        return _complete_lines(options)
    if options.file is None or options.at is None:
        options.usage_error("give FILE and --at LINE:COL, or --jsonl")
    return _complete_file(options)


def _complete_lines(options: argparse.Namespace) -> int:
    from .batch import answer_lines, complete_request

    model, defaults = _load(options), _options(options)
    for line in answer_lines(_input_lines(), lambda request: complete_request(request, model, defaults)):
        print(line, flush=True)
    return 0


def _complete_file(options: argparse.Namespace) -> int:
    from ..parser import language_for_path, languages
    from .batch import completion_fields, find_language
    from .files import offset_in, read_source
    from .suggest import fill, tidied, with_newlines_of

    name = options.language or language_for_path(options.file)
    text = read_source(options.file, name)
    if name is None:
        known = ", ".join(languages())
        raise Problem(f"{options.file}: its language is not known by its name; add --language (one of: {known})")
    language = find_language(name)
    if not text:
        raise Problem(f"{options.file}: is empty; write a first line, from which a suggestion can follow")
    line, column = options.at
    offset = offset_in(text, line, column, options.file)
    hole = language.hole(text[:offset], text[offset:])
    completion = fill(hole, text[:offset], text[offset:], _load(options), _options(options))
    suggestion = with_newlines_of(text, tidied(text[:offset], completion.text, hole), hole)
    if not options.json:
        print(suggestion)
        return 0
    report = completion_fields(completion, hole) | {
        "text": suggestion,
        "language": language.name,
        "fallback": hole.fallback,
    }
    print(json.dumps(report))
    return 0


def _load(options: argparse.Namespace) -> Model:
    from .engine import load_model

    return load_model(options.model, options.device)


def _options(options: argparse.Namespace) -> Any:
    from ..model import Options

    return Options(mode=options.mode, max_tokens=options.max_tokens, temperature=options.temperature, seed=options.seed)
