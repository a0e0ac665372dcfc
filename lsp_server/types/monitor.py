"""The choice of a document's type checker and of the question to it: the side of the model's thread, which never blocks here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...common import interpreter
from ...common.bounded import BoundedDict
from ...common.line_ends import line_start, with_line_feeds
from ...parser.type_server import TypeServer
from .checker import Bounds, Checker
from .questions import PATIENCE_S, Question

if TYPE_CHECKING:
    from ...common.constraint import Stop
    from ...common.reach import Reach
    from ...parser import Session

MOST_CHECKERS = 4
"""The most folders with a checker at a time."""
MOST_CHARS = 500_000
"""The most characters of a document to ask about."""
_MOST_LINE = 400
_MOST_OTHERS = 8
NOT_ASKED, NO_ANSWER = "not asked", "no answer"


class Monitor:
    """The type checkers of one engine."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds
        self._checkers: BoundedDict[tuple[str, str], Checker] = BoundedDict(MOST_CHECKERS, Checker.stop)

    @property
    def checkers(self) -> Sequence[Checker]:
        """The running checkers."""
        return tuple(self._checkers.values())

    def question(
        self, language: str, path: str, session: Session, text: str, offset: int, *,
        reach: Reach, program: str | None = None, others: Mapping[str, str] | None = None, stop: Stop | None = None,
        patience_s: float = PATIENCE_S,
    ) -> Question | None:  # fmt: skip
        """Ask for the possible names at a place; None where no checker knows any.

        Nothing is started in an untrusted folder. program: the user's choice, instead of the one found. others: path -> text of other open
        documents. patience_s: see `Question`. Raises Cancelled.
        """
        from ...parser.language import type_server

        server = type_server(language)
        line = text[line_start(text, offset) : offset]
        if server is None or not reach.trusted or len(text) > MOST_CHARS or len(line) > _MOST_LINE:
            return None
        asked = server.asked.match(line)
        if asked is None:
            return None
        checker = self._checker(server, reach, path, program or "")
        if checker is None:
            return None
        readable, position = session.readable(text, offset, stop)
        begun = len(asked["word"])
        left, right = readable[: position - begun], readable[position:]
        before_word = line[: len(line) - begun].lstrip()
        if readable[position - begun : position] != asked["word"] or not left.endswith(before_word):
            return None  # the line itself is unreadable
        right = right[_length_of_word(right) :]
        argument = asked.groupdict().get("argument") is not None
        if argument and server.behind_argument.match(right) is None:
            return None
        if server.ignoring.search(right.partition("\n")[0]):
            return None
        before = line[: len(line) - begun]
        left, right, documents = with_line_feeds(left), with_line_feeds(right), _documents(others)
        return checker.ask(
            Question(server, _uri(path), left, right, before, argument, documents, patience_s=patience_s)
        )

    def errors(
        self, language: str, path: str, session: Session, text: str, offset: int, *,
        reach: Reach, program: str | None = None, others: Mapping[str, str] | None = None, stop: Stop | None = None,
    ) -> Question | None:  # fmt: skip
        """Ask for the errors of a text alone; None where no checker runs yet for its folder, or its errors are no reason to drop a text.

        See `question`.
        """
        from ...parser.language import type_server

        server = type_server(language)
        if server is None or server.forgiven is None or not reach.trusted or len(text) > MOST_CHARS:
            return None
        checker = self._checker(server, reach, path, program or "", starts=False)
        if checker is None:
            return None
        readable, position = session.readable(text, offset, stop)
        left, right = with_line_feeds(readable[:position]), with_line_feeds(readable[position:])
        return checker.ask(Question(server, _uri(path), left, right, "", False, _documents(others), errors_alone=True))

    def stop(self) -> None:
        """End the children."""
        for checker in self._checkers.values():
            checker.stop()
        self._checkers.clear()

    def _checker(
        self, server: TypeServer, reach: Reach, path: str, program: str, *, starts: bool = True
    ) -> Checker | None:
        """The checker of a folder; starts: whether to start a missing one."""
        root = reach.root or str(Path(path).parent)
        executable = program_of(server, root if reach.runs else None, program)
        if executable is None:
            return None
        checker = self._checkers.used((root, executable))
        if checker is None and starts:
            checker = Checker(server, (executable, *server.arguments), root, self._bounds)
            self._checkers[root, executable] = checker
        return checker


def program_of(server: TypeServer, root: str | None, chosen: str = "") -> str | None:
    """The path of a type checker: the chosen one, if it is for the language, else that of a folder trusted to run programs, beside Suture, or
    on the PATH."""
    if is_of(server, chosen):
        path = os.path.expanduser(chosen)
        return path if os.path.isabs(path) and os.access(path, os.X_OK) else interpreter.find_program(chosen)
    own = [] if root is None else [os.path.join(root, path) for path in server.own]
    for path in (*own, os.path.join(interpreter.folder(), server.program)):
        path += ".exe" if os.name == "nt" else ""
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return interpreter.find_program(server.program)


def is_of(server: TypeServer, program: str) -> bool:
    """Whether a program, by its path or name, is a language's type checker."""
    words = re.split(r"[\W_]+", Path(program).stem.lower())
    return not {server.program, *(Path(path).stem for path in server.own)}.isdisjoint(words)


def said(question: Question | None) -> str:
    """The name of the checker with an answer in time for a suggestion, or why none has one."""
    if question is None:
        return NOT_ASKED
    return NO_ANSWER if question.answer is None else question.answer.by


def _documents(others: Mapping[str, str] | None) -> dict[str, str]:
    return {_uri(path): with_line_feeds(text) for path, text in [*(others or {}).items()][:_MOST_OTHERS]}


def _uri(path: str) -> str:
    return Path(os.path.abspath(path)).as_uri()


def _length_of_word(text: str) -> int:
    return next((length for length, char in enumerate(text) if not (char.isalnum() or char == "_")), len(text))
