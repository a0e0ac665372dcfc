"""The command line: from the arguments to the command, and the error messages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from ...common import interpreter
from ...common.terminal import Parser, say
from ..errors import UserError
from . import COMMANDS
from .colour import paint

EXAMPLES = """\
examples:
  suture serve                                  speak LSP on standard input and output (an editor runs this)
  suture complete app.py --at 12:8              print a suggestion for line 12, after 8 characters
  suture complete app.py --at 12:8 --json       the same with timings
  suture complete --model ./my-model --jsonl    fill one hole for each line of standard input:
      {"id": 1, "language": "python", "left": "def f(x):\\n    return ", "right": "\\n"}
  suture check --jsonl                          say for each line whether a middle connects its two sides:
      {"id": 1, "language": "python", "left": "f(", "middle": "x", "right": ")\\n"}
  suture check --explain app.py --at 12:8       say what may be written there, and with --middle why a text does not fit
  suture train --help                           train a small model
"""


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"suture: {message}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code: 0, 1 for errors the user can fix, 2 for invalid arguments."""
    if argv is None and not sys.flags.isolated:  # PYTHONPATH=. would let modules of the open folder shadow libraries
        sys.path[:] = interpreter.importable()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["train"]:  # before argparse, which would claim options such as --help
        return _guarded(lambda: _train(arguments[1:]))
    if not arguments:
        return _guarded(lambda: _parser().print_help() or 0)
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
            sys.stdout.flush()  # here, where an error can still be reported
        return code
    except UserError as problem:
        say(paint("suture:", "red", sys.stderr), problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone; there is nobody to tell
        _silence(1)
        return 1
    except OSError as error:  # of the standard streams; the user's files have their own messages
        if interpreter.current_folder() is None:
            say("suture: the current folder has been deleted; change to one that exists", file=sys.stderr)
            return 1
        _silence(1)
        say(f"suture: cannot write: {error.strerror or type(error).__name__}", file=sys.stderr)
        return 1
    except Exception as error:
        if os.environ.get("SUTURE_DEBUG"):
            raise
        what = f"{type(error).__name__} {str(error).strip()[:200]}".split("\n")[0]
        say(f"suture: internal error: {what}; SUTURE_DEBUG=1 shows where, please report it", file=sys.stderr)
        return 1


def _silence(descriptor: int) -> None:
    """Drop all further output of a descriptor, even the buffer at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="suture",
        description="Inline code completion whose suggestions always fit: left + suggestion + right is valid.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"suture {version('suture')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    for command in COMMANDS:
        command.add_to(commands)
    commands.add_parser("train", help="train a small fill-in-the-middle model", add_help=False)
    return parser


def _train(arguments: list[str]) -> int:
    from ...training import main as train

    return train(arguments) or 0
